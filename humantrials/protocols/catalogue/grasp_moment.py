"""GRASP's moments asked to people: they press a key while they watch, then correct the moment or say there is none.

The question begins as that of the models' strategy `moment`.
"""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from benchmarks.definitions.papers.grasp_prompts import DOES_IT_BREAK
from humantrials.protocols.catalogue.grasp_plausibility import variant_of_plausibility
from humantrials.protocols.protocol import Analysis, Option, PracticeSource
from humantrials.protocols.trial_types import VIDEO_MOMENT
from measures.scores.moment_answers import NOTHING_WRONG

SENTENCES = (gettext_noop("Given how objects behave on earth, does something happen in it that is not possible?"),)


def does_it_break(prompt: str) -> str:
    """The same question about every clip."""
    return DOES_IT_BREAK


GRASP_MOMENT = variant_of_plausibility(
    name="grasp-moment",
    title="When did it break? GRASP Level 2 asked to people",
    invitation=_(
        "You are invited to take part in a study about how people understand the physical world. You will"
        " watch short videos made by a computer and mark the moment at which something happens that could"
        " not happen on earth, if there is one."
    ),
    screening={
        "instructions": (
            _("You will see short videos. They were made by a simulator and last four to ten seconds each."),
            _("In some of them something happens that could not happen on earth, in others nothing does."),
            _("While you watch, press M or the button under the video as soon as you notice something impossible."),
            _(
                "After the video, move the slider to the first moment at which one can know it, and confirm; or say"
                " that nothing impossible happened."
            ),
        ),
        "practice": (PracticeSource("plausibility", expected="no"), PracticeSource("plausibility")),
    },
    player={
        "trial_type": VIDEO_MOMENT,
        "options": (
            Option("seconds", _("It is impossible from here on")),
            Option(NOTHING_WRONG, _("Nothing impossible happens")),
        ),
        "swaps": False,
        "sentence": does_it_break,
        "has_moments": True,
        "seconds_a_trial": 30,
    },
    analysis=Analysis(has_right_answers=False, by_moment=True, strategy="moment"),
)
