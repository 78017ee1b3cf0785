"""CRAFT's human study: 481 questions in five parts, one part a person; the mean over people who answered most of it.

Our choices where the paper is silent: parts are dealt by question type, k is 20 (its 101 people over five parts),
"not clear" is not an answer, and people count if they answered at least 75 % of their part.
"""

from django.utils.translation import gettext_lazy as _

from benchmarks.definitions.papers.craft import WANTED
from humantrials.protocols import invariants
from humantrials.protocols.catalogue.grasp_plausibility import consent_to_videos
from humantrials.protocols.designs.dealt import draw_at_random, sheets_of_parts
from humantrials.protocols.protocol import Analysis, Design, Option, Player, Pool, PracticeSource, Protocol, Screening
from humantrials.protocols.trial_types import VIDEO_CHOICE

NOT_CLEAR = "not clear"


def question(prompt: str) -> str:
    """The question as released, without its list of answers, which the buttons show. Data: not translated."""
    lines = prompt.strip().splitlines()
    return "\n".join(lines[:-1] if lines[-1] in WANTED.values() else lines)


DESIGN = Design(
    group="test",
    balance="split",
    condition="video",
    replicates=20,
    order="random within each sheet, drawn from the seed; parts come in turn",
    each_gets="one of five parts dealt by question type",
    compose=sheets_of_parts,
    invariants=(*invariants.OF_EVERY_DESIGN, invariants.ONCE_A_SHEET, invariants.PARTS_APART),
)

SCREENING = Screening(
    consent=consent_to_videos(
        _(
            "You are invited to take part in a study about how people understand what happens in simple scenes of"
            " moving things. You will watch short videos made by a computer and answer one question about each. The"
            " questions are in English."
        ),
        version="2",
    ),
    instructions=(
        _("You will see short videos of ramps, baskets and things that fall. Each lasts about ten seconds."),
        _("Below each video is a question. Choose the answer that you think is right."),
        _("Some questions ask what would have happened if one thing had not been there. Imagine the rest as it is."),
        _("If you can't make out what a question means, say that it is not clear."),
        _("Watch each video once from start to end, then answer. You may watch it again before you answer."),
    ),
    practice=(PracticeSource("question"),),
)

PLAYER = Player(
    trial_type=VIDEO_CHOICE,
    has_own_options=True,
    labels={
        "true": _("True"),
        "false": _("False"),
        "cube": _("Cube"),
        "triangle": _("Triangle"),
        "circle": _("Circle"),
        "gray": _("Gray"),
        "red": _("Red"),
        "blue": _("Blue"),
        "green": _("Green"),
        "brown": _("Brown"),
        "purple": _("Purple"),
        "cyan": _("Cyan"),
        "yellow": _("Yellow"),
    },
    options=(Option(NOT_CLEAR, _("The question is not clear enough to understand")),),
    sentence=question,
    translate=str,
    seconds_a_trial=25,
    debrief=(
        _(
            "Computer models are asked the same questions about the same videos. Your answers show which questions are"
            " hard for people too."
        ),
    ),
)

CRAFT_FIVE_PART = Protocol(
    name="craft-five-part",
    title="What happens in the scene? CRAFT asked to people",
    pool=Pool(benchmark="craft", kind="question", split="all", items=481, limit="items", draw=draw_at_random),
    design=DESIGN,
    screening=SCREENING,
    player=PLAYER,
    analysis=Analysis(abstain=NOT_CLEAR, excludes=("answered-too-few",), row="mean"),
)
