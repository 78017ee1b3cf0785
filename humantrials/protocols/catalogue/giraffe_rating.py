"""People rate predictions by the referees' rubric, word for word, without knowing their source; k = 3.

The Giraffe paper has no human study, so this form is ours: predictions are dealt to sheets of ten, each with all its
dimensions in a row, and three people rate each.
"""

from django.utils.translation import gettext_lazy as _

from humantrials.protocols import invariants
from humantrials.protocols.catalogue.grasp_plausibility import consent_without_videos
from humantrials.protocols.catalogue.pacs_audio import as_it_is
from humantrials.protocols.designs.ratings import draw_predictions, sheets_of_predictions
from humantrials.protocols.protocol import Analysis, Design, Player, Pool, PracticeSource, Protocol, Screening
from humantrials.protocols.trial_types import RATING

DESIGN = Design(
    group="prediction",
    balance="test",
    condition="text",
    replicates=3,
    order="predictions in an order drawn from the seed; the dimensions of each one after the other",
    each_gets="ten predictions, each with every dimension",
    compose=sheets_of_predictions,
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
        invitation=_(
            "You are invited to take part in a study about how good predictions are. You will read what somebody"
            " expected to happen next, and give points for it by rules shown next to it. There are no videos."
            " All texts are in English."
        ),
        risk=_(
            "Taking part is voluntary. You can stop at any time by closing the page, without giving a reason. There"
            " is no risk beyond that of reading short texts."
        ),
    ),
    instructions=(
        _("You will read predictions of what comes next, and what is known about it."),
        _("Give points by the rule at the top of each page, and by nothing else. 0 is the lowest."),
        _("Each prediction is asked about several times in a row, by another rule each time."),
        _("Some predictions are right, some are not, and some list several possibilities."),
    ),
    practice=(PracticeSource("rating", has_media=False),),
)

PLAYER = Player(
    trial_type=RATING,
    clips=0,
    has_own_options=True,
    options=(),
    swaps=False,
    sentence=as_it_is,
    translate=as_it_is,
    lease_seconds=60 * 60,
    seconds_a_trial=30,
    debrief=(
        _(
            "Language models give points to the same predictions by the same rules. Your points show how far their"
            " points can be trusted."
        ),
    ),
)

GIRAFFE_RATING = Protocol(
    name="giraffe-rating",
    title="How good is this prediction? Rated by people",
    pool=Pool(benchmark="giraffe", kind="rating", split="all", items=60, limit="items", draw=draw_predictions),
    design=DESIGN,
    screening=SCREENING,
    player=PLAYER,
    analysis=Analysis(has_right_answers=False),
)
