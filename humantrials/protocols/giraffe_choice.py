"""People say which of four pictures comes next; ours, as the variant that it asks is. The paper has no human study.

Twenty patterns a sheet, three people a pattern. Guessing is right one time in four.
"""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from humantrials.parts import draw_at_random
from humantrials.protocols import promises
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.without_videos import consent_without_videos
from humantrials.rating_sheets import sheets_of_items
from humantrials.trial_types import PICK

QUESTION = gettext_noop("Which picture comes next?")


def question(prompt: str) -> str:
    """One question for all: what a model is told of the form of its answer stands on the buttons."""
    return QUESTION


GIRAFFE_CHOICE = Protocol(
    name="giraffe-choice",
    title="What comes next? Patterns asked to people",
    benchmark="giraffe",
    kind="choice",
    split="all",
    group="test",
    balance="scenario",
    condition="video",
    replicates=3,
    order="random within each sheet, drawn from the seed",
    lease_seconds=60 * 60,
    consent_seconds=10 * 60,
    seconds_a_trial=20,
    trial_type=PICK,
    clips=0,
    has_pictures=True,
    has_own_options=True,
    labels={"a": "A", "b": "B", "c": "C", "d": "D"},
    swaps=False,
    options=(),
    each_gets="twenty patterns, drawn",
    sentence=question,
    items=100,
    limit="items",
    draw=draw_at_random,
    compose=sheets_of_items,
    consent=consent_without_videos(
        invitation=_(
            "You are invited to take part in a study about patterns. You will see pictures in a row and choose"
            " which of four pictures comes next. There are no videos."
        ),
        risk=_(
            "Taking part is voluntary. You can stop at any time by closing the page, without giving a reason. There"
            " is no risk beyond that of looking at pictures."
        ),
    ),
    instructions=(
        _("You will see three to five pictures in a row. They follow a rule."),
        _("Under them stand four pictures, A, B, C and D. One of them comes next in the row."),
        _("Choose that one. There is always one right answer."),
    ),
    practice=(),
    debrief=(
        _("Computer models are asked the same questions. Your answers show which patterns are hard for people too."),
    ),
    promises=(
        promises.EXACTLY_K,
        promises.NO_OVERFILL,
        promises.ONCE_A_PERSON,
        promises.ONCE_A_SHEET,
        promises.WHOLE_SHEETS,
    ),
)
