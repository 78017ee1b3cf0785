"""People choose which of four pictures comes next. The study and this variant are ours; the paper has neither.

Twenty patterns a sheet, three people a pattern. Chance is one in four.
"""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from humantrials.protocols import invariants
from humantrials.protocols.catalogue.grasp_plausibility import consent_without_videos
from humantrials.protocols.designs.parts import draw_at_random
from humantrials.protocols.designs.ratings import sheets_of_items
from humantrials.protocols.protocol import Design, Player, Pool, PracticeSource, Protocol, Screening
from humantrials.protocols.trial_types import PICK

QUESTION = gettext_noop("Which picture comes next?")


def question(prompt: str) -> str:
    """The same question for every item; the buttons replace the prompt's instructions on the answer format."""
    return QUESTION


DESIGN = Design(
    group="test",
    balance="scenario",
    condition="video",
    replicates=3,
    order="random within each sheet, drawn from the seed",
    each_gets="twenty patterns, drawn",
    compose=sheets_of_items,
    invariants=(
        invariants.EXACTLY_K,
        invariants.NO_OVERFILL,
        invariants.ONCE_A_PERSON,
        invariants.ONCE_A_SHEET,
        invariants.WHOLE_SHEETS,
    ),
)

SCREENING = Screening(
    consent=consent_without_videos(
        version="3",
        invitation=_(
            "You are invited to take part in a study about patterns. You will see image sequences and choose"
            " which of four pictures comes next. There are no videos."
        ),
        risk=_(
            "Taking part is voluntary. You can stop at any time by closing the page, without giving a reason. There"
            " is no risk beyond that of looking at pictures."
        ),
    ),
    instructions=(
        _("You will see an image sequence: three to five pictures that follow a rule."),
        _("Below are four pictures, A, B, C and D. One of them comes next in the sequence."),
        _("Choose that one. There is always one right answer."),
    ),
    practice=(PracticeSource("choice"),),
)

PLAYER = Player(
    trial_type=PICK,
    clips=0,
    has_pictures=True,
    has_own_options=True,
    labels={"a": "A", "b": "B", "c": "C", "d": "D"},
    options=(),
    swaps=False,
    sentence=question,
    lease_seconds=60 * 60,
    seconds_a_trial=20,
    debrief=(
        _("Computer models are asked the same questions. Your answers show which patterns are hard for people too."),
    ),
)

GIRAFFE_CHOICE = Protocol(
    name="giraffe-choice",
    title="What comes next? Patterns asked to people",
    pool=Pool(benchmark="giraffe", kind="choice", split="all", items=100, limit="items", draw=draw_at_random),
    design=DESIGN,
    screening=SCREENING,
    player=PLAYER,
)
