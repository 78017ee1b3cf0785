"""CRAFT's human study: 481 questions in five parts, one part a person; the mean over those who answered most of it.

What the paper leaves open is chosen here: parts are dealt by question type, k is 20 (its 101 people over five parts),
"not clear" is no answer, and a person is included whose answers are at least 75 % of their part.
"""

from django.utils.translation import gettext_lazy as _

from benchmarks.definitions.craft_prompts import WANTED
from humantrials.parts import draw_at_random, sheets_of_parts
from humantrials.protocols import promises
from humantrials.protocols.grasp_plausibility import CONSENT as ABOUT_VIDEOS
from humantrials.protocols.pacs_audio import as_it_is
from humantrials.protocols.protocol import Consent, Option, PracticeSource, Protocol
from humantrials.trial_types import VIDEO_CHOICE

NOT_CLEAR = "not clear"


def question(prompt: str) -> str:
    """The question as released, without which answers are possible: these stand on the buttons. It is data."""
    lines = prompt.strip().splitlines()
    return "\n".join(lines[:-1] if lines[-1] in WANTED.values() else lines)


CRAFT_FIVE_PART = Protocol(
    name="craft-five-part",
    title="What happens in the scene? CRAFT asked to people",
    benchmark="craft",
    kind="question",
    split="all",
    group="test",
    balance="split",
    condition="video",
    replicates=20,
    order="random within each sheet, drawn from the seed; parts come in turn",
    lease_seconds=60 * 60,
    consent_seconds=10 * 60,
    seconds_a_trial=25,
    trial_type=VIDEO_CHOICE,
    has_own_options=True,
    swaps=False,
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
    abstain=NOT_CLEAR,
    least_answered=0.75,
    excludes=("answered-too-few",),
    row="mean",
    each_gets="one of five parts dealt by question type",
    sentence=question,
    translate=as_it_is,
    items=481,
    limit="items",
    draw=draw_at_random,
    compose=sheets_of_parts,
    consent=Consent(
        version="1",
        paragraphs=(
            _(
                "You are invited to take part in a study about how people understand what happens in simple scenes of"
                " moving things. You will watch short videos made by a computer and answer one question about each. The"
                " questions are in English."
            ),
            *ABOUT_VIDEOS.paragraphs[1:],
        ),
        agree=ABOUT_VIDEOS.agree,
    ),
    instructions=(
        _("You will see short videos of ramps, baskets and things that fall. Each lasts about ten seconds."),
        _("Under each video stands a question. Choose the answer that you think is right."),
        _("Some questions ask what would have happened if one thing had not been there. Imagine the rest as it is."),
        _("If you can't make out what a question means, say that it is not clear."),
        _("Watch each video once from start to end, then answer. You may watch it again before you answer."),
    ),
    practice=(PracticeSource("question"),),
    debrief=(
        _(
            "Computer models are asked the same questions about the same videos. Your answers show which questions are"
            " hard for people too."
        ),
    ),
    promises=(
        promises.EXACTLY_K,
        promises.NO_OVERFILL,
        promises.ONCE_A_PERSON,
        promises.ONCE_A_SHEET,
        promises.PARTS_APART,
        promises.WHOLE_SHEETS,
    ),
)
