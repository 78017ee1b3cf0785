"""Studies in which people rate generated clips: slot studies with forms, files of ratings and simulated raters."""

from django.utils.translation import gettext

from extensions.generated.rating.answers import counts_of, write_ratings
from extensions.generated.rating.questions import with_forms
from extensions.generated.rating.simulation import Rater
from humantrials.kinds import ExportFormat, Facts, ParticipantPage
from humantrials.models import Participant, Trial
from humantrials.protocols.protocol import Protocol
from humantrials.results.judgments import judgments
from humantrials.results.release import Wait, has_enough, intake_of, wait_of
from humantrials.slots import SlotStudy


class RatingStudy(SlotStudy):
    """People rate clips, compare two, or mark where one breaks."""

    formats = {
        **SlotStudy.formats,
        "ratings": ExportFormat("one row a value, which names generators once the study is over", write_ratings),
    }
    parts = {"results": "generated/participant/results.html"}

    def next_page(self, person: Participant, *, alone: bool) -> ParticipantPage | None:
        page = super().next_page(person, alone=alone)
        return page and with_forms(page, person)

    def sheet_facts(self, person: Participant) -> Facts:
        return {"stage_title": gettext("How it works")}  # in place of a line on keys, which the instructions have

    def simulated(self, protocol: Protocol) -> type[Rater]:
        return Rater

    def results_facts(self, trial: Trial) -> Facts:
        """How often each answer was given; until it may be shown, what it waits for."""
        wait = wait_of(trial)
        rows = [] if wait else list(judgments(trial))
        if rows and not has_enough(trial, len({row.participant_code for row in rows})):
            wait = Wait.PEOPLE
        if wait:
            return {"wait": wait, "intake": intake_of(trial)}
        return {"counts": counts_of(trial, [row.answer for row in rows])}


RATINGS = RatingStudy()
