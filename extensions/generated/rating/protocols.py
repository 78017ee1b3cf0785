"""The studies of a round of generated clips: rating them, comparing two, and finding where one first breaks."""

from dataclasses import replace
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from benchmarks.definitions.definition import Benchmark
from extensions.generated.rating import pages
from extensions.generated.rating.designs import break_sheets, latin_sheets, pair_sheets
from extensions.generated.rating.invariants import OF_CLIPS, OF_PAIRS
from humantrials.protocols.catalogue.grasp_plausibility import CONSENT
from humantrials.protocols.designs.dealt import draw_predictions
from humantrials.protocols.protocol import Analysis, Consent, Design, Option, Player, Pool, Protocol, Screening, Text

KIND_OF_STUDY = "ratings"
CLIP, PAIR, BREAK = "clip", "pair", "break"  # kinds of questions
MADE = _("You will see short videos. Most of them were made by programs, from a text.")
WATCH = _("Watch each video once from start to end, then answer. You may watch it again before you answer.")
IGNORE = _("Ignore beauty, sharpness and style. Only what happens matters.")
KEYS = _(
    "With a keyboard: space plays the video, Tab leads to the next question, a number chooses an answer, 0 is for who"
    " can’t tell, Enter goes on."
)
DEBRIEF = _(
    "The videos were made by several programs, which your answers compare. Computer models judge the same videos, and"
    " your answers show how far they can be trusted."
)
EVERYWHERE: dict[str, Any] = {"lease_seconds": 60 * 60, "debrief": (DEBRIEF,), "swaps": False}  # of players
DESIGN = Design(
    group="prompt",
    balance="cell",
    condition="video",
    replicates=3,
    order="random within each sheet, drawn from the seed",
    invariants=OF_CLIPS,
    kind=KIND_OF_STUDY,
    compose=latin_sheets,
    each_gets="each prompt by one generator, and each generator equally often, within one",
)


def rating_protocol(benchmark: Benchmark) -> Protocol | None:
    """SLUG-rate: each clip by the dimensions of its prompt, first those that hide the prompt."""
    if not (benchmark.dimensions and _asks(benchmark, CLIP)):
        return None
    player = pages.RatingPlayer(
        pages.rating_page(benchmark.dimensions),
        options=(),
        dimensions=benchmark.dimensions,
        has_own_options=True,
        sentence=str,
        translate=str,
        seconds_a_trial=20,
        **EVERYWHERE,
    )
    order = "clips at random, drawn from the seed; what is asked with the text right after what is asked without it"
    invitation = _(
        "You are invited to take part in a study about videos that computers make. You will watch short videos and"
        " answer a few questions about each."
    )
    twice = _(
        "A video may come a second time, with the text that it was made from. What you answered about it before is"
        " closed then."
    )
    design = replace(DESIGN, order=order)
    return _protocol(benchmark, CLIP, "rate", player, design, invitation, (MADE, WATCH, twice, IGNORE, KEYS))


def pair_protocol(benchmark: Benchmark) -> Protocol | None:
    """SLUG-pairs: two clips of one prompt beside each other."""
    if not any(way.by_rating and PAIR in way.kinds for way in benchmark.strategies):
        return None
    player = pages.PairPlayer(
        pages.PAIR_PAGE,
        options=tuple(Option(button.value, button.anchor) for button in pages.SIDES.buttons),
        sentence=lambda text: pages.WHICH_OF_TWO,
        translate=gettext,
        seconds_a_trial=25,
        clips=2,
        **EVERYWHERE,
    )
    invitation = _(
        "You are invited to take part in a study about videos that computers make. You will watch pairs of short videos"
        " and say in which of the two more of what happens could happen in the real world."
    )
    both = _("You will see pairs of short videos. Both were made from the same text, which you don’t see.")
    watch = _("Watch both videos once from start to end, at the same time if you like, then answer.")
    each_gets = "each prompt once, and generators and their sides as evenly as rounds of a tournament"
    design = replace(DESIGN, compose=pair_sheets, invariants=OF_PAIRS, each_gets=each_gets)
    return _protocol(benchmark, PAIR, "pairs", player, design, invitation, (both, watch, IGNORE, KEYS))


def break_protocol(benchmark: Benchmark) -> Protocol | None:
    """SLUG-break: where something that can't happen first happens in a clip."""
    if not (any(way.by_rating for way in benchmark.strategies) and _asks(benchmark, BREAK)):
        return None
    player = pages.BreakPlayer(
        pages.BREAK_PAGE,
        options=tuple(Option(button.value, button.anchor) for button in pages.WHETHER.buttons),
        sentence=lambda text: pages.IS_BROKEN,
        translate=gettext,
        seconds_a_trial=30,
        **EVERYWHERE,
    )
    invitation = _(
        "You are invited to take part in a study about videos that computers make. You will watch short videos and mark"
        " the first moment at which something happens that can’t happen in the real world, if there is one."
    )
    mark = _(
        "If something happens that can’t happen in the real world, mark the first moment at which it does, and say what"
        " it is and how bad. If there is nothing, say so: that is an answer, too."
    )
    keys = _("With a keyboard: M marks the moment in view, and comma and full stop go one frame back and on.")
    design = replace(DESIGN, compose=break_sheets)
    return _protocol(benchmark, BREAK, "break", player, design, invitation, (MADE, WATCH, mark, IGNORE, KEYS, keys))


TITLES = {
    CLIP: "How good are these clips?",
    PAIR: "Which of two clips is more possible?",
    BREAK: "Where does it break?",
}


def _protocol(
    benchmark: Benchmark,
    kind: str,
    name: str,
    player: Player,
    design: Design,
    invitation: Text,
    instructions: tuple[Text, ...],
) -> Protocol:
    consent = Consent("1", (invitation, *CONSENT.paragraphs[1:]), CONSENT.agree)
    return Protocol(
        name=f"{benchmark.slug}-{name}",
        title=f"{TITLES[kind]} {benchmark.title}"[:120],
        pool=Pool(benchmark.slug, kind, "all", limit="items", draw=draw_predictions),
        design=design,
        screening=Screening(consent=consent, instructions=instructions, practice=()),
        player=player,
        analysis=Analysis(has_right_answers=False, row="mean"),
    )


def _asks(benchmark: Benchmark, kind: str) -> bool:
    return any(value.value == kind for value in benchmark.kinds)
