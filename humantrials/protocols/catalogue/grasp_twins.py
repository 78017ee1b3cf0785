"""GRASP's twins asked to people: the plausible and the implausible clip of one draw, and which of them is impossible.

The question is that of the models' strategy `twins`. An answer is about the first clip, which is the item's own:
`no` if the first video is named, `yes` if the second is. Both clips of a pair are items, so that every pair is asked in
both orders, and on each sheet the impossible clip comes first as often as second, within one.
"""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from benchmarks.definitions.papers.grasp_prompts import WHICH_OF_TWO
from humantrials.protocols.catalogue.grasp_plausibility import variant_of_plausibility
from humantrials.protocols.designs.balanced import draw_pairs_by_group
from humantrials.protocols.protocol import Analysis, Option, PracticeSource
from humantrials.protocols.trial_types import VIDEO_PAIR

SENTENCES = (
    gettext_noop(
        "One of these two videos shows something that is not possible, given how objects behave on earth. Which one?"
    ),
)


def which_of_two(prompt: str) -> str:
    """The same question about every pair."""
    return WHICH_OF_TWO


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
        "trial_type": VIDEO_PAIR,
        "clips": 2,
        "has_twin": True,
        "options": (Option("no", _("First video")), Option("yes", _("Second video"))),
        "swaps": False,
        "sentence": which_of_two,
        "seconds_a_trial": 35,
    },
    analysis=Analysis(strategy="twins"),
)
