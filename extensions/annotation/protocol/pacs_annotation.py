"""How PACS was made, section 6 of the fact sheet: four stages that turn clips into a data set in its format.

The paper outlines the annotators' instructions and prints one sentence of the consent, which is used here; the other
wording and the lengths of sheets are ours. As in the paper, three different people must agree.
"""

from django.utils.translation import gettext_lazy as _

from extensions.annotation.protocol.invariants import ANNOTATION_INVARIANTS
from humantrials.protocols.catalogue.grasp_plausibility import CONSENT as ABOUT_VIDEOS
from humantrials.protocols.protocol import Analysis, Consent, Design, Player, Pool, Protocol, Screening
from humantrials.protocols.trial_types import RATING, TrialType

# Answers are boxes, materials and questions, which work/form_parsing.py parses.
ANNOTATION = TrialType(template="annotation/object.html", records=RATING.records[:1])

DESIGN = Design(
    group="",
    balance="",
    condition="audio",
    replicates=1,
    order="clips, then pairs, in orders drawn from the seed",
    kind="annotation",
    each_gets="one stage of the work",
    invariants=ANNOTATION_INVARIANTS,
)

SCREENING = Screening(
    consent=Consent(
        version="2",
        paragraphs=(
            _(
                "You are invited to help make a data set about objects, how they look and how they sound. You will"
                " watch short videos and, depending on the stage, mark objects, write questions about them, or answer"
                " such questions. Questions are in English."
            ),
            ABOUT_VIDEOS.paragraphs[1],
            _("All data submitted will be used in a data set for artificial intelligence research."),
            *ABOUT_VIDEOS.paragraphs[2:],
        ),
        agree=ABOUT_VIDEOS.agree,
    ),
    has_sound=True,
    instructions=(),
    practice=(),
)

PLAYER = Player(
    trial_type=ANNOTATION,
    options=(),
    translate=str,
    seconds_a_trial=90,
    debrief=(
        _(
            "What you did becomes part of a data set that asks computer models the same questions: what an object would"
            " do, from how it looks and how it sounds. Only answers on which three people agree go into it."
        ),
    ),
)

PACS_ANNOTATION = Protocol(
    name="pacs-annotation",
    title="Making questions about pairs of objects",
    pool=Pool(benchmark="tapped", also_of=("pacs",), kind="", split="", limit="items"),
    design=DESIGN,
    screening=SCREENING,
    player=PLAYER,
    analysis=Analysis(has_right_answers=False),
)
