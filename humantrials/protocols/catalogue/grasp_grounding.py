"""GRASP's Level 1 asked to people: a small check that they see what the clips show. The paper called it trivial for
people and did not ask them, so the design is ours: at most four statements of each test, three answers each.
"""

import re

from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from humantrials.protocols.catalogue.grasp_plausibility import DESIGN, consent_to_videos
from humantrials.protocols.protocol import Option, Player, Pool, PracticeSource, Protocol, Screening
from humantrials.protocols.trial_types import VIDEO_CHOICE

TAIL = " Answer only with yes or no."
ORDERING = gettext_noop("From left to right, the following objects are on the table: {objects}. Is this true?")
BEFORE, AFTER = ORDERING.split("{objects}")
LISTED = re.compile(f"{re.escape(BEFORE)}(.+){re.escape(AFTER)}")

# The statements of the prompts, listed so that translators find them. Orderings are composed from object names.
SENTENCES = (
    gettext_noop("The ball is moving. Is this true?"),
    gettext_noop("The ball is not moving. Is this true?"),
    gettext_noop("The ball is on the left side of the black barrier. Is this true?"),
    gettext_noop("The ball is on the right side of the black barrier. Is this true?"),
    gettext_noop("The ball is rolling forward. Is this true?"),
    gettext_noop("The ball is rolling backward. Is this true?"),
    gettext_noop("The ball is rolling left. Is this true?"),
    gettext_noop("The ball is rolling right. Is this true?"),
    gettext_noop("A ball is on the table. Is this true?"),
    gettext_noop("A cube is on the table. Is this true?"),
    gettext_noop("The ball on the table is red. Is this true?"),
    gettext_noop("The ball on the table is green. Is this true?"),
    gettext_noop("The ball on the table is blue. Is this true?"),
    gettext_noop("The ball on the table is black. Is this true?"),
)
OBJECTS = (
    gettext_noop("red ball"),
    gettext_noop("green ball"),
    gettext_noop("blue ball"),
    gettext_noop("black ball"),
    gettext_noop("red cube"),
    gettext_noop("green cube"),
    gettext_noop("blue cube"),
    gettext_noop("black cube"),
    gettext_noop("white ball"),
    gettext_noop("white cube"),
)


def statement(prompt: str) -> str:
    """The prompt's statement and question, without the instructions on the answer format."""
    return prompt.strip().removesuffix(TAIL)


def statement_text(sentence: str) -> str:
    """The statement in the page's language; an ordering is composed from the names of its objects."""
    listed = LISTED.fullmatch(sentence)
    if not listed:
        return gettext(sentence)
    names = (gettext(name.strip()) for name in listed[1].split(","))
    return gettext(ORDERING).replace("{objects}", ", ".join(names))


SCREENING = Screening(
    consent=consent_to_videos(
        _(
            "You are invited to take part in a study about what people see in short videos made by a computer."
            " You will read one statement about each video and say whether it is true."
        ),
        version="2",
    ),
    instructions=(
        _("You will see short videos. They were made by a simulator and last four to ten seconds each."),
        _("Below each video is a statement. Say whether it is true of this video."),
        _("Left, right, forward and backward are meant as you see them on the screen: forward is away from you."),
        _("Watch each video once from start to end, then answer. You may watch it again before you answer."),
    ),
    practice=(PracticeSource("binary"),),
)

PLAYER = Player(
    trial_type=VIDEO_CHOICE,
    options=(Option("yes", _("True")), Option("no", _("Not true"))),
    swaps=True,
    sentence=statement,
    translate=statement_text,
    lease_seconds=30 * 60,
    seconds_a_trial=18,
    debrief=(
        _(
            "Computer models are asked the same questions about the same videos. They must see what is there before"
            " they can judge whether it could happen."
        ),
    ),
)

GRASP_GROUNDING = Protocol(
    name="grasp-grounding",
    title="What does the video show? GRASP Level 1 asked to people",
    pool=Pool(benchmark="grasp", kind="binary", split="all", per_test=4),
    design=DESIGN,
    screening=SCREENING,
    player=PLAYER,
)
