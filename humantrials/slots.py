"""The core's own kind of study: slots on items, each answered on a page of its own."""

from pathlib import Path
from typing import Any

from humantrials.assignment.sheets import SlotAnswers
from humantrials.kinds import DeskTab, ExportFormat, Facts, ParticipantPage, StudyKind
from humantrials.models import Participant, Trial
from humantrials.participation.steps import trials_page
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.settings import OF_STAGES
from humantrials.results.data_set import Source, write_folder
from humantrials.running.lifecycle import lay_slots
from humantrials.running.verification import VerificationReport, verify_slots
from humantrials.simulation.marker import MomentMarker, NumberTeller
from humantrials.simulation.participant import Person


def write_data_set(trial: Trial, out: Path, options: Facts) -> tuple[dict[str, Any], str]:
    count = write_folder(Source(trial, is_anonymous=not options["codes"]), out)
    return {"trial": trial.slug, "files": count, "folder": str(out)}, f"{count} files in {out}"


class SlotStudy(StudyKind):
    """People answer about items; a sheet is a list of slots."""

    answers = SlotAnswers()
    unused_settings = OF_STAGES
    tabs = (
        DeskTab("results", "Results", "trial"),
        DeskTab("manage", "Manage", "manage-trial"),
        DeskTab("plan", "Plan", "trial-plan"),
        DeskTab("texts", "Texts", "trial-texts"),
        DeskTab("watch", "Watch", "watch-trial"),
        DeskTab("sheets", "Sheets", "trial-sheets"),
        DeskTab("people", "People", "trial-people"),
        DeskTab("pay", "Pay", "trial-pay"),
        DeskTab("export", "Export", "trial-export"),
    )
    formats = {
        "psych-ds": ExportFormat(
            "an anonymous folder of all tables, event log, plan, methods and models",
            write_data_set,
            {"--codes": "random codes and times in the psych-ds folder"},
        )
    }

    def create(self, protocol: Protocol, trial: Trial) -> Trial:
        return lay_slots(protocol, trial)

    def verify(self, trial: Trial) -> VerificationReport:
        return verify_slots(trial)

    def next_page(self, person: Participant, *, alone: bool) -> ParticipantPage | None:
        return trials_page(person, alone=alone)

    def simulated(self, protocol: Protocol) -> type[Person]:
        if protocol.player.has_moments or protocol.player.has_numbers:
            return MomentMarker if protocol.analysis.by_moment else NumberTeller
        return Person


SLOTS = SlotStudy()
