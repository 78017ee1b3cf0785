"""PACS' human study, section 7 of the fact sheet, as a protocol: does sound help people to choose the object?

The paper prints neither instructions nor wording besides the question; these are ours. Its 243 questions were drawn
from validation and test. Test answers are withheld and can't be scored, so ours are from validation only.
"""

from dataclasses import replace

from django.utils.translation import gettext_lazy as _

from benchmarks.definitions.papers.pacs import WANTED
from humantrials.protocols import invariants
from humantrials.protocols.catalogue.grasp_plausibility import consent_to_videos
from humantrials.protocols.designs.crossed import CONDITIONS, crossed_sheets, draw_apart
from humantrials.protocols.protocol import (
    Design,
    Option,
    Player,
    Pool,
    PracticeSource,
    Protocol,
    QuizQuestion,
    Screening,
)
from humantrials.protocols.trial_types import VIDEO_CHOICE


def question(prompt: str) -> str:
    """The datapoint's own question, without the instructions on the answer format. Data: not translated."""
    return prompt.removesuffix(WANTED).strip()


DESIGN = Design(
    group="test",
    balance="split",
    condition="audio",
    conditions=CONDITIONS,
    replicates=5,
    order="one block with sound and one without, in turn; random within each block, drawn from the seed",
    has_breaks=True,
    each_gets="each once: those of one subset with sound, those of the other, which shares no clip with it, without",
    compose=crossed_sheets,
    invariants=(
        *invariants.OF_EVERY_DESIGN,
        invariants.BOTH_WAYS,
        invariants.ONCE_A_SHEET,
        invariants.CLIPS_APART,
        invariants.TWO_GROUPS,
        invariants.EVEN_ORDER,
    ),
)

SCREENING = Screening(
    qualified=True,
    consent=consent_to_videos(
        _(
            "You are invited to take part in a study about what people can tell from the look and the sound of"
            " things. You will watch pairs of short videos, each showing one object, and say which of the two fits"
            " a question better. The questions are in English."
        ),
        version="2",
    ),
    has_sound=True,
    instructions=(
        _("You will see two short videos side by side. Each shows one object: the one in the red box of the picture."),
        _("Below is a question. Say which of the two objects answers it better. There is always one answer."),
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
)

PLAYER = Player(
    trial_type=VIDEO_CHOICE,
    clips=2,
    options=(Option("object 1", _("Object 1")), Option("object 2", _("Object 2"))),
    words={"audio": _("With sound"), "no-audio": _("Without sound: these videos have none")},
    sentence=question,
    translate=str,
    seconds_a_trial=28,
    debrief=(
        _(
            "Some questions are easier with sound: one hears what a thing is made of. Your answers show how much, and"
            " computer models are asked the same questions with sound and without."
        ),
    ),
)

PACS_AUDIO = Protocol(
    name="pacs-audio",
    title="Which of the two? PACS asked to people, with sound and without",
    pool=Pool(benchmark="pacs", kind="pair", split="val", items=243, limit="items", draw=draw_apart),
    design=DESIGN,
    screening=SCREENING,
    player=PLAYER,
)

# The same sheets and conditions with our own clips, open to everybody.
TAPPED_AUDIO = replace(
    PACS_AUDIO,
    name="tapped-audio",
    title="Which of the two? Struck objects, with sound and without",
    pool=replace(PACS_AUDIO.pool, benchmark="tapped", split="all", items=24),
    screening=replace(PACS_AUDIO.screening, qualified=False),
)
