"""Studies in which people rate generated clips: slot studies with forms, files of ratings and simulated raters."""

from django.utils.translation import gettext

from extensions.generated.rating.questions import with_forms
from humantrials.kinds import Facts, ParticipantPage
from humantrials.models import Participant
from humantrials.slots import SlotStudy


class RatingStudy(SlotStudy):
    """People rate clips, compare two, or mark where one breaks."""

    def next_page(self, person: Participant, *, alone: bool) -> ParticipantPage | None:
        page = super().next_page(person, alone=alone)
        return page and with_forms(page, person)

    def sheet_facts(self, person: Participant) -> Facts:
        return {"stage_title": gettext("How it works")}  # in place of a line on keys, which the instructions have


RATINGS = RatingStudy()
