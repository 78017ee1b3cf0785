"""The studies of a round of generated clips: rating them alone or by threes, comparing two, finding a first break."""

from dataclasses import replace
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from benchmarks.definitions.definition import Benchmark
from extensions.generated.question_kinds import BREAK, CLIP, PAIR, TRIPLE, study_name
from extensions.generated.rating import pages
from extensions.generated.rating.designs import break_sheets, latin_sheets, pair_sheets, triple_sheets
from extensions.generated.rating.invariants import OF_CLIPS, OF_PAIRS, OF_TRIPLES
from humantrials.protocols.catalogue.grasp_plausibility import CONSENT
from humantrials.protocols.designs.dealt import draw_predictions
from humantrials.protocols.protocol import Analysis, Consent, Design, Option, Player, Pool, Protocol, Screening, Text

KIND_OF_STUDY = "ratings"
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
    each_gets="each prompt by one generator, and each generator equally often, within one",
)
OF_RATINGS = replace(
    DESIGN,
    compose=latin_sheets,
    order="clips at random, drawn from the seed; what is asked with the text right after what is asked without it",
)
OF_SIDES = replace(
    DESIGN,
    compose=pair_sheets,
    invariants=OF_PAIRS,
    each_gets="each prompt once, and generators and their sides as evenly as rounds of a tournament",
)
OF_BREAKS = replace(DESIGN, compose=break_sheets)
OF_THREES = replace(
    OF_RATINGS,
    compose=triple_sheets,
    replicates=1,  # each clip stands in three triples of its prompt
    invariants=OF_TRIPLES,
    each_gets="each prompt by three generators, and generators and their places as evenly as the circle",
)
GUEST = _(
    "You are invited to take part in a study about videos that computers make. You will watch short videos and"
    " answer a few questions about each."
)
TWICE = _(
    "A video may come a second time, with the text that it was made from. What you answered about it before is"
    " closed then."
)


def rating_protocol(benchmark: Benchmark) -> Protocol | None:
    """SLUG-rate: each clip by the dimensions of its prompt, first those that hide the prompt."""
    if not benchmark.dimensions or CLIP not in {value.value for value in benchmark.kinds}:
        return None
    player = _rating_player(pages.rating_page(benchmark.dimensions), benchmark, seconds=20)
    title = "How good are these clips?"
    return _protocol(benchmark, CLIP, title, OF_RATINGS, player, GUEST, MADE, WATCH, TWICE, IGNORE, KEYS)


def triple_protocol(benchmark: Benchmark) -> Protocol | None:
    """SLUG-triples: the same of three clips of one prompt beside each other, each rated on its own."""
    if not benchmark.dimensions or TRIPLE not in {value.value for value in benchmark.kinds}:
        return None
    names = tuple(Option(clip.lower(), clip) for clip in pages.THREE)
    player = _rating_player(pages.triple_page(benchmark.dimensions), benchmark, seconds=50, clips=3, options=names)
    three = _("You will see three short videos beside each other, all made from the same text. Rate each on its own.")
    title = "How good are these three clips?"
    return _protocol(benchmark, TRIPLE, title, OF_THREES, player, GUEST, three, WATCH, TWICE, IGNORE, KEYS)


def _rating_player(page: pages.RatingPage, benchmark: Benchmark, *, seconds: int, **more: Any) -> pages.RatingPlayer:
    words: dict[str, Any] = {"sentence": str, "translate": str, "seconds_a_trial": seconds}
    facts = {"options": (), "has_own_options": True, **words, **more, **EVERYWHERE}
    return pages.RatingPlayer(page, dimensions=benchmark.dimensions, **facts)


def pair_protocol(benchmark: Benchmark) -> Protocol | None:
    """SLUG-pairs: two clips of one prompt beside each other."""
    if not any(way.by_rating and PAIR in way.kinds for way in benchmark.strategies):
        return None
    facts = _facts(pages.SIDES, pages.WHICH_OF_TWO, seconds=25)
    player = pages.PairPlayer(pages.PAIR_PAGE, clips=2, **facts)
    invitation = _(
        "You are invited to take part in a study about videos that computers make. You will watch pairs of short videos"
        " and say in which of the two more of what happens could happen in the real world."
    )
    both = _("You will see pairs of short videos. Both were made from the same text, which you don’t see.")
    watch = _("Watch both videos once from start to end, at the same time if you like, then answer.")
    title = "Which of two clips is more possible?"
    return _protocol(benchmark, PAIR, title, OF_SIDES, player, invitation, both, watch, IGNORE, KEYS)


def break_protocol(benchmark: Benchmark) -> Protocol | None:
    """SLUG-break: where something that can't happen first happens in a clip."""
    is_rated = any(way.by_rating for way in benchmark.strategies)
    if not is_rated or BREAK not in {value.value for value in benchmark.kinds}:
        return None
    player = pages.BreakPlayer(pages.BREAK_PAGE, **_facts(pages.WHETHER, pages.IS_BROKEN, seconds=30))
    invitation = _(
        "You are invited to take part in a study about videos that computers make. You will watch short videos and mark"
        " the first moment at which something happens that can’t happen in the real world, if there is one."
    )
    mark = _(
        "If something happens that can’t happen in the real world, mark the first moment at which it does, and say what"
        " it is and how bad. If there is nothing, say so: that is an answer, too."
    )
    keys = _("With a keyboard: M marks the moment in view, and comma and full stop go one frame back and on.")
    title, texts = "Where does it break?", (MADE, WATCH, mark, IGNORE, KEYS, keys)
    return _protocol(benchmark, BREAK, title, OF_BREAKS, player, invitation, *texts)


def _facts(group: pages.RadioGroup, question: str, *, seconds: int) -> dict[str, Any]:
    """What the player of a page with one question of its own has."""
    options = tuple(Option(button.value, button.anchor) for button in group.buttons)
    page = {"sentence": lambda text: question, "translate": gettext, "seconds_a_trial": seconds}
    return {"options": options, **page, **EVERYWHERE}


def _protocol(
    benchmark: Benchmark, kind: str, title: str, design: Design, player: Player, invitation: Text, *lines: Text
) -> Protocol:
    consent = Consent("1", (invitation, *CONSENT.paragraphs[1:]), CONSENT.agree)
    return Protocol(
        name=study_name(benchmark.slug, kind),
        title=f"{title} {benchmark.title}"[:120],
        pool=Pool(benchmark.slug, kind, "all", limit="items", draw=draw_predictions),
        design=design,
        screening=Screening(consent=consent, instructions=lines, practice=()),
        player=player,
        analysis=Analysis(has_right_answers=False, row="mean"),
    )


BUILT = {CLIP: rating_protocol, PAIR: pair_protocol, BREAK: break_protocol, TRIPLE: triple_protocol}
