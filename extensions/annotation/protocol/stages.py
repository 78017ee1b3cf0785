"""The four annotation stages: their subjects, sheet sizes and instructions. Sections 6.2 to 6.5."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_lazy as _

from extensions.annotation.models import Stage
from humantrials.protocols.protocol import Text

CHECKERS: Final = 2  # people who check, besides the person who answered first
ONE_IN: Final = 10  # in one of ten pairs of stage C an instruction replaces a question
WRITERS: Final = 4  # people per pair: 242 pairs gave about 1,430 questions, one or two a person (section 6.3)


@dataclass(frozen=True)
class StageFacts:
    """One stage: what its pages and sheets need."""

    title: Text
    template: str
    a_sheet: int  # maximum number of tasks on a sheet; ours
    seconds: int  # per task, approximately
    instructions: tuple[Text, ...]
    qualifies: tuple[str, ...] = ()  # stages whose qualification is accepted here; the last one is offered


BOTH_CLIPS: Final = _(
    "You will see two short videos with sound. Each shows one object: the one in the red box of the picture above it."
)

FACTS: Final[Mapping[str, StageFacts]] = {
    Stage.OBJECTS: StageFacts(
        _("Find the object"),
        "annotation/object.html",
        a_sheet=10,
        seconds=75,
        instructions=(
            _("First you see one picture from the middle of a clip. Draw a box around the object of focus."),
            _(
                "The object of focus is what the person in the clip touches or uses. From one picture you may have to"
                " guess; if the clip shows that you marked the wrong thing, flag it."
            ),
            _("Then say from the picture alone what the object is made of, and how sure you are."),
            _("After that you watch the clip with sound, and answer the same again."),
            _("Flag a clip that is of no use, too. A flag takes nothing from your pay."),
        ),
    ),
    Stage.QUESTIONS: StageFacts(
        _("Write questions"),
        "annotation/questions.html",
        a_sheet=5,
        seconds=120,
        instructions=(
            BOTH_CLIPS,
            _(
                "Write one or two questions about the pair, in English, which one of the objects answers better. Say"
                " which one, and which physical properties decide it."
            ),
            _(
                "Ask what would happen if objects met (“If I were to stack the two objects, which would logically go on"
                " the bottom?”), or what one can do with them in life (“Which object would be more comfortable to use"
                " as a pillow for a nap?”). You may bring in a third thing, such as a metal hammer."
            ),
            _(
                "A property decides the question if swapping it between the objects would swap the answer. Name at"
                " least one: size, shape, weight, hardness, flexibility, strength, or one of your own."
            ),
            _(
                "Don't ask for a property itself: “Which object is larger?” or “Which object is easier to break?” need"
                " no thought. Write good grammar, and be brief."
            ),
        ),
        qualifies=(Stage.QUESTIONS,),
    ),
    Stage.ANSWERS: StageFacts(
        _("Answer questions about new pairs"),
        "annotation/answers.html",
        a_sheet=20,
        seconds=90,
        instructions=(
            BOTH_CLIPS,
            _("Below are up to thirteen questions, written for other pairs. Answer each: Object 1 or Object 2."),
            _(
                "Choose “Irrelevant” if what the question asks cannot be done with one of the objects (a laptop does"
                " not fit into a sock), or if both are so equally good or bad that nobody could decide."
            ),
            _("What is unusual but possible is not irrelevant: answer it."),
            _("Tick “Bad question” if a question cannot be understood. Now and then a line tells you what to tick."),
        ),
        qualifies=(Stage.ANSWERS,),
    ),
    Stage.CHECKS: StageFacts(
        _("Check answers"),
        "annotation/answers.html",
        a_sheet=10,
        seconds=70,
        instructions=(
            BOTH_CLIPS,
            _("Below are questions about the pair. Answer each: Object 1 or Object 2."),
            _("You can flag a question that is faulty or that nobody can answer. Please do it very sparingly."),
        ),
        qualifies=(Stage.QUESTIONS, Stage.ANSWERS),
    ),
}


def facts_of(stage: str) -> StageFacts:
    return FACTS[Stage(stage)]
