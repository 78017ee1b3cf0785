"""Variants of GRASP's study, each with another question about its clips: moments, stills, twins.

*Moments*: people press a key while they watch, then correct the moment or say there is none.
*Stills* are the same frames as models get.
*Twins* are the plausible and the implausible clip of one draw. An answer is about the first clip, which is the item's
own: `no` if the first video is named, `yes` if the second is. Both clips of a pair are items, so that every pair is
asked in both orders, and on each sheet the impossible clip comes first as often as second, within one.
The questions are those of the models' strategies `moment` and `twins`.
"""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from benchmarks.definitions.papers.grasp_prompts import DOES_IT_BREAK, WHICH_OF_TWO
from humantrials.protocols.catalogue.grasp_plausibility import variant_of_plausibility
from humantrials.protocols.designs.balanced import draw_pairs_by_group
from humantrials.protocols.protocol import Analysis, Option, PracticeSource
from humantrials.protocols.trial_types import STILLS, VIDEO_CHOICE, VIDEO_MOMENT
from measures.scores.moment_answers import NOTHING_WRONG

SENTENCES = (
    gettext_noop("Given how objects behave on earth, does something happen in it that is not possible?"),
    gettext_noop(
        "One of these two videos shows something that is not possible, given how objects behave on earth. Which one?"
    ),
)


GRASP_MOMENT = variant_of_plausibility(
    name="grasp-moment",
    title="Detecting the violation. GRASP Level 2 asked to people",
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
        "sentence": lambda prompt: DOES_IT_BREAK,
        "has_moments": True,
        "seconds_a_trial": 30,
    },
    analysis=Analysis(has_right_answers=False, by_moment=True, strategy="moment"),
)

FRAMES = "frames"  # the condition

GRASP_FRAMES = variant_of_plausibility(
    name="grasp-frames",
    title="Plausible or not, from stills? GRASP Level 2 asked to people",
    design={"condition": FRAMES},
    invitation=_(
        "You are invited to take part in a study about how people understand the physical world. You will"
        " see stills of short videos made by a computer and say of each video whether what happens in it"
        " could happen on earth."
    ),
    screening={
        "instructions": (
            _("You will see stills of short videos, in their order. The videos were made by a simulator."),
            _("Some show what would happen on earth, some show what could not. Say which, from what you see."),
            _("Ignore how real the pictures look. Only what the objects do matters."),
            _("Sometimes the stills can't tell. Then guess."),
        ),
        "practice": (PracticeSource("plausibility"),),
    },
    player={"trial_type": STILLS, "clips": 0, "shows_frames": True, "seconds_a_trial": 15},
)


GRASP_TWINS = variant_of_plausibility(
    name="grasp-twins",
    title="Which of the two is impossible? GRASP's twins asked to people",
    pool={"draw": draw_pairs_by_group},
    design={"each_gets": "at most one pair of each test, the impossible video first as often as second, within one"},
    invitation=_(
        "You are invited to take part in a study about how people understand the physical world. You will"
        " watch pairs of short videos made by a computer and say which of the two shows something that"
        " could not happen on earth."
    ),
    screening={
        "instructions": (
            _("You will see pairs of short videos, which differ little. They were made by a simulator."),
            _("One video of each pair shows what could not happen on earth. Say which, from the events in it."),
            _("Ignore how real the pictures look. Only what the objects do matters."),
            _("Watch both videos once from start to end, then answer. You may watch them again before you answer."),
        ),
        "practice": (PracticeSource("plausibility"),),
    },
    player={
        "trial_type": VIDEO_CHOICE,
        "clips": 2,
        "has_twin": True,
        "options": (Option("no", _("First video")), Option("yes", _("Second video"))),
        "swaps": False,
        "sentence": lambda prompt: WHICH_OF_TWO,
        "seconds_a_trial": 35,
    },
    analysis=Analysis(strategy="twins"),
)
