"""PACS' human study, section 7 of the fact sheet in words: does sound help people to tell which object it is?

The paper prints neither instructions nor wording beside the question; these are ours. It drew its 243 questions from
validation and test. The answers to the test questions are withheld, so nobody could score them: ours are of validation.
"""

from django.utils.translation import gettext_lazy as _

from benchmarks.definitions.pacs_prompts import WANTED
from humantrials.crossing import CONDITIONS, crossed_sheets, draw_apart
from humantrials.protocols import promises
from humantrials.protocols.grasp_plausibility import CONSENT as ABOUT_VIDEOS
from humantrials.protocols.protocol import Consent, Option, PracticeSource, Protocol, QuizQuestion
from humantrials.trial_types import VIDEO_PAIR


def question(prompt: str) -> str:
    """The datapoint's own question, without how a model is to phrase the answer. It is not translated: it is data."""
    return prompt.removesuffix(WANTED).strip()


def as_it_is(sentence: str) -> str:
    return sentence


PACS_AUDIO = Protocol(
    name="pacs-audio",
    title="Which of the two? PACS asked to people, with sound and without",
    benchmark="pacs",
    kind="pair",
    split="val",
    group="test",
    balance="split",
    condition="audio",
    conditions=CONDITIONS,
    replicates=5,
    order="one block with sound and one without, in turn; random within each block, drawn from the seed",
    lease_seconds=60 * 60,
    consent_seconds=10 * 60,
    seconds_a_trial=28,
    trial_type=VIDEO_PAIR,
    clips=2,
    has_breaks=True,
    swaps=False,
    options=(Option("object 1", _("Object 1")), Option("object 2", _("Object 2"))),
    words={"audio": _("With sound"), "no-audio": _("Without sound: these videos have none")},
    sentence=question,
    translate=as_it_is,
    items=243,
    limit="items",
    draw=draw_apart,
    compose=crossed_sheets,
    each_gets="each once: those of one subset with sound, those of the other, which shares no clip with it, without",
    qualified=True,
    has_sound=True,
    consent=Consent(
        version="1",
        paragraphs=(
            _(
                "You are invited to take part in a study about what people can tell from the look and the sound of"
                " things. You will watch pairs of short videos, each showing one object, and say which of the two fits"
                " a question better. The questions are in English."
            ),
            *ABOUT_VIDEOS.paragraphs[1:],
        ),
        agree=ABOUT_VIDEOS.agree,
    ),
    instructions=(
        _("You will see two short videos side by side. Each shows one object: the one in the red box of the picture."),
        _("Under them stands a question. Say which of the two objects answers it better. There is always one answer."),
        _("In one half of the study the videos have sound, in the other half none. Please turn your sound on."),
        _("Watch both videos once from start to end, then answer. You may watch them again before you answer."),
    ),
    quiz=(
        QuizQuestion(
            _("A video may show many things. Which of them is the object?"),
            (
                Option("box", _("The one in the red box of the picture")),
                Option("largest", _("The largest one")),
                Option("loudest", _("The one that makes the most noise")),
            ),
            "box",
        ),
        QuizQuestion(
            _("When can you answer?"),
            (
                Option("first", _("After the first video")),
                Option("both", _("After both videos have played to the end once")),
                Option("twice", _("After both videos have played twice")),
            ),
            "both",
        ),
        QuizQuestion(
            _("In one half of the study the videos have no sound. What do you do there?"),
            (
                Option("skip", _("I leave those questions out")),
                Option("wait", _("I wait until there is sound")),
                Option("see", _("I answer from what I see")),
            ),
            "see",
        ),
    ),
    practice=(PracticeSource("pair"),),
    debrief=(
        _(
            "Some questions are easier with sound: one hears what a thing is made of. Your answers show how much, and"
            " computer models are asked the same questions with sound and without."
        ),
    ),
    promises=(
        promises.EXACTLY_K,
        promises.BOTH_WAYS,
        promises.NO_OVERFILL,
        promises.ONCE_A_PERSON,
        promises.ONCE_A_SHEET,
        promises.CLIPS_APART,
        promises.TWO_GROUPS,
        promises.WHOLE_SHEETS,
    ),
)
