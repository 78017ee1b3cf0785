"""The study of a benchmark defined in a file: its own texts on the site's pages, in one of three designs."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from benchmarks.definitions.definition import Benchmark, PeopleStudy
from humantrials.protocols import invariants
from humantrials.protocols.catalogue import giraffe
from humantrials.protocols.catalogue.grasp_plausibility import CONSENT, consent_without_videos
from humantrials.protocols.designs.balanced import one_of_each_group
from humantrials.protocols.designs.dealt import draw_at_random, sheets_of_parts
from humantrials.protocols.protocol import Analysis, Consent, Option, Player, Pool, Protocol, Screening, Text
from humantrials.protocols.trial_types import NUMBER, PICK, SECONDS, VIDEO_CHOICE, VIDEO_MOMENT, VIDEO_NUMBER, TrialType
from measures.scores.moment_answers import NOTHING_WRONG

RISK = _("Taking part is voluntary. You can stop at any time by closing the page, without giving a reason.")
DESIGN = replace(giraffe.DESIGN, balance="test", each_gets="twenty questions, drawn")
# By the name of `people.protocol`: how the questions become sheets, one sheet a person.
DESIGNS = {
    "one-by-one": DESIGN,
    "one-of-each": replace(
        DESIGN,
        compose=one_of_each_group,
        each_gets="at most one question of each value of a facet",
        invariants=(*DESIGN.invariants, invariants.ONE_A_GROUP),
    ),
    "parts": replace(
        DESIGN,
        compose=sheets_of_parts,
        order="random within each sheet, drawn from the seed; parts come in turn",
        each_gets="one of five parts, each with its share of every value of a facet",
        invariants=(*DESIGN.invariants, invariants.PARTS_APART),
    ),
}
# By the kind of answer: the page and the words on its buttons, where answers are no options of the question.
NUMERIC: dict[str, tuple[TrialType, dict[str, Text]]] = {
    "number": (VIDEO_NUMBER, {NUMBER: _("This is my answer")}),
    "moment": (VIDEO_MOMENT, {SECONDS: _("This is the moment"), NOTHING_WRONG: _("It does not happen")}),
}


# Kind of answer that raters give -> the protocol of a benchmark with such questions, or None; extensions add theirs.
BUILDERS: dict[str, Callable[[Benchmark], Protocol | None]] = {}


def protocols_of(benchmark: Benchmark) -> Iterator[Protocol]:
    """The study that the file describes, and those of its questions that raters answer."""
    built = (build(benchmark) for build in BUILDERS.values())
    yield from (protocol for protocol in (protocol_of(benchmark), *built) if protocol)


def protocol_of(benchmark: Benchmark) -> Protocol | None:
    """The protocol named SLUG-people; None if the file describes no study."""
    study = benchmark.people
    if study is None:
        return None
    return Protocol(
        name=f"{benchmark.slug}-people",
        title=study.title,
        pool=Pool(benchmark.slug, study.kind, study.split, items=study.questions, limit="items", draw=draw_at_random),
        design=replace(DESIGNS[study.protocol], group=study.apart, replicates=study.answers),
        screening=Screening(consent=consent_of(study), instructions=study.instructions, practice=()),
        player=Player(
            **_page_of(study),
            clips=study.clips,
            translate=str,
            seconds_a_trial=study.seconds,
            debrief=study.debrief or (_("Computer models are asked the same questions."),),
        ),
        analysis=Analysis(row="mean" if study.answer in NUMERIC else "majority"),  # numbers have no majority
    )


def _page_of(study: PeopleStudy) -> dict[str, Any]:
    """The page of a question and the answers that it offers."""
    if study.answer not in NUMERIC:
        return {
            "trial_type": VIDEO_CHOICE if study.clips else PICK,
            "has_own_options": True,
            "labels": labels_of(study),
            "options": (),
        }
    page, words = NUMERIC[study.answer]
    return {
        "trial_type": page,
        "options": tuple(Option(name, study.labels.get(name, label)) for name, label in words.items()),
        "has_numbers": study.answer == "number",
        "has_moments": study.answer == "moment",
        "marks": (_("Now"), _("The moment")),
    }


def consent_of(study: PeopleStudy) -> Consent:
    """The author's invitation before the site's own paragraphs on what is stored."""
    if not study.clips:
        return consent_without_videos(invitation=study.invitation, risk=RISK)
    return Consent("1", (study.invitation, RISK, *CONSENT.paragraphs[2:]), CONSENT.agree)


def labels_of(study: PeopleStudy) -> dict[str, Text]:
    """Words on the buttons: the author's, else Yes and No, and letters as capitals."""
    letters = {chr(ord("a") + place): chr(ord("A") + place) for place in range(26)}
    return {**letters, "yes": _("Yes"), "no": _("No"), **study.labels}
