"""GRASP's Level 2 asked to people about stills: the same frames of each clip that a model is sent.

The setting `frames` is their number, evenly spaced over the clip with its first and last frame; `layout` puts them side
by side or shows them as slides.
"""

from django.utils.translation import gettext_lazy as _

from humantrials.protocols.catalogue.grasp_plausibility import variant_of_plausibility
from humantrials.protocols.protocol import PracticeSource
from humantrials.protocols.trial_types import STILLS

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
    player={"trial_type": STILLS, "clips": 0, "shows_frames": True, "swaps": True, "seconds_a_trial": 15},
)
