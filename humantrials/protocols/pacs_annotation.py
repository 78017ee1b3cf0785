"""How PACS was made, section 6 of the fact sheet: four stages that turn clips into a data set in its format.

The paper prints what annotators were told in outline, and no consent text but one sentence, which stands here; wording
and sheets' lengths are ours. Its second answers are those of three different people, and so are these.
"""

from django.utils.translation import gettext_lazy as _

from humantrials.annotation.promises import PROMISES
from humantrials.models import Stage
from humantrials.protocols.grasp_plausibility import CONSENT as ABOUT_VIDEOS
from humantrials.protocols.pacs_audio import as_it_is
from humantrials.protocols.protocol import Consent, Protocol
from humantrials.trial_types import ANNOTATION

PACS_ANNOTATION = Protocol(
    name="pacs-annotation",
    title="Making questions about pairs of objects",
    benchmark="tapped",
    also_of=("pacs",),
    kind="",
    split="",
    group="",
    balance="",
    condition="audio",
    replicates=1,
    order="clips, then pairs, in orders drawn from the seed",
    lease_seconds=60 * 60,
    consent_seconds=10 * 60,
    seconds_a_trial=90,
    trial_type=ANNOTATION,
    stages=tuple(Stage.values),
    has_right_answers=False,
    swaps=False,
    options=(),
    sentence=as_it_is,
    translate=as_it_is,
    limit="items",
    has_sound=True,
    each_gets="one stage of the work",
    consent=Consent(
        version="1",
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
    instructions=(),
    practice=(),
    debrief=(
        _(
            "What you did becomes part of a data set that asks computer models the same questions: what an object would"
            " do, from how it looks and how it sounds. Only answers on which three people agree go into it."
        ),
    ),
    promises=PROMISES,
)
