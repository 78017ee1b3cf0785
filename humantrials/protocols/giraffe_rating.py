"""People rate predictions by the rubric that referees have, word for word, and don't learn whose they are; k = 3.

The Giraffe paper has no human study. Everything about the form of this one is ours: predictions are dealt to sheets of
ten, each with all its dimensions one after the other, and three people rate each.
"""

from django.utils.translation import gettext_lazy as _

from humantrials.protocols import promises
from humantrials.protocols.pacs_audio import as_it_is
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.without_videos import consent_without_videos
from humantrials.rating_sheets import draw_predictions, sheets_of_predictions
from humantrials.trial_types import RATING

GIRAFFE_RATING = Protocol(
    name="giraffe-rating",
    title="How good is this prediction? Rated by people",
    benchmark="giraffe",
    kind="rating",
    split="all",
    group="prediction",
    balance="test",
    condition="text",
    replicates=3,
    order="predictions in an order drawn from the seed; the dimensions of each one after the other",
    lease_seconds=60 * 60,
    consent_seconds=10 * 60,
    seconds_a_trial=30,
    trial_type=RATING,
    clips=0,
    has_own_options=True,
    has_right_answers=False,
    swaps=False,
    options=(),
    each_gets="ten predictions, each with every dimension",
    sentence=as_it_is,
    translate=as_it_is,
    items=60,
    limit="items",
    draw=draw_predictions,
    compose=sheets_of_predictions,
    consent=consent_without_videos(
        invitation=_(
            "You are invited to take part in a study about how good predictions are. You will read what somebody"
            " expected to happen next, and give points for it by rules that stand beside it. There are no videos."
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
    practice=(),
    debrief=(
        _(
            "Language models give points to the same predictions by the same rules. Your points show how far their"
            " points can be trusted."
        ),
    ),
    promises=(
        promises.EXACTLY_K,
        promises.NO_OVERFILL,
        promises.ONCE_A_PERSON,
        promises.ONCE_A_SHEET,
        promises.WHOLE_SHEETS,
    ),
)
