"""Annotation as a kind of study: tasks of four stages, on sheets that open one after another."""

import sys
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_lazy as _

from benchmarks.progress_bar import progress_bar
from extensions.annotation.pages.returned_answers import no_work, returned_answers, work_so_far
from extensions.annotation.pages.submission import OUT_FOR_ATTENTION
from extensions.annotation.pages.task_pages import not_let_in_page, size_of, waiting_page, work_page
from extensions.annotation.simulation import Annotator, attend
from extensions.annotation.work.dataset import dataset_of
from extensions.annotation.work.pacs_release import write_release
from extensions.annotation.work.sittings import may_go_on, next_sitting
from extensions.annotation.work.stage_transitions import is_before_checks
from extensions.annotation.work.task_answers import TaskAnswers
from extensions.annotation.work.task_layout import REFUSED, make_annotation
from extensions.annotation.work.verification import facts_of, follows_design
from humantrials.kinds import DeskTab, ExportFormat, Facts, ParticipantPage, StudyKind
from humantrials.models import Participant, Trial, TrialState
from humantrials.participation.steps import stop_page
from humantrials.participation.stop_messages import Stop
from humantrials.protocols.protocol import Protocol
from humantrials.running.verification import InvariantCheck, VerificationReport, report_of

BETWEEN_STAGES = Stop(
    _("Nothing to do at the moment"),
    _(
        "Thank you for coming. This study goes on in steps, and the next one opens when others are done with theirs."
        " Please try again later at the same address."
    ),
)
LET_GO = Stop(
    _("Your part is over"),
    _(
        "Thank you for your work. Twice a line told you what to tick, but something else was ticked, so your part"
        " ends here. Your work so far is paid: please keep your code."
    ),
)


def write_data_set(trial: Trial, out: Path, options: Facts) -> tuple[dict[str, Any], str]:
    dataset = dataset_of(trial)
    bar = progress_bar(sys.stderr, "Clips")
    written = write_release(dataset, out, with_clips=not options["without_clips"], progress=bar)
    facts = {"trial": trial.slug, "out": str(out), "simulated": dataset.is_simulated, **written}
    who = " of simulated people" if dataset.is_simulated else ""
    total, of_material = (sum(written[name].values()) for name in ("datapoints", "material"))
    return facts, f"{out}: {total} datapoints{who} and {of_material} of materials about {written['objects']} objects"


class AnnotationStudy(StudyKind):
    """People mark objects, write questions about pairs of them, and answer and check these."""

    answers = TaskAnswers()
    unused_settings = REFUSED
    tabs = (
        DeskTab("results", "Results", "trial"),
        DeskTab("manage", "Manage", "manage-trial"),
        DeskTab("watch", "Watch", "watch-trial"),
        DeskTab("annotation", "Annotation", "annotation"),
        DeskTab("sheets", "Sheets", "trial-sheets"),
        DeskTab("people", "People", "trial-people"),
        DeskTab("pay", "Pay", "trial-pay"),
    )
    formats = {
        "pacs": ExportFormat(
            "the data set of an annotation trial as PACS' own files, with clips and datasheet",
            write_data_set,
            {"--without-clips": "pacs: only the JSON files and the datasheet"},
        )
    }
    parts = {
        "styles": "annotation/styles.html",
        "top": "annotation/so_far.html",
        "done": "annotation/go_on.html",
        "returned": "annotation/returned.html",
        "person": "annotation/person.html",
    }
    links = (("materials", "Material for annotation"),)
    participant_urls = "extensions.annotation.pages.urls"

    def create(self, protocol: Protocol, trial: Trial) -> Trial:
        return make_annotation(protocol, trial)

    def verify(self, trial: Trial) -> VerificationReport:
        facts, about = facts_of(trial), "the clips are those that the seed gave, in their order"
        design = InvariantCheck("design", about, follows_design(trial))
        return report_of(trial, design, facts, [task.counted for task in facts.tasks])

    def next_page(self, person: Participant, *, alone: bool) -> ParticipantPage | None:
        return work_page(person)

    def simulated(self, protocol: Protocol) -> type[Annotator]:
        return Annotator

    def attend(self, trial: Trial) -> None:
        attend(trial)

    def waiting_page(self, person: Participant) -> ParticipantPage | None:
        return waiting_page(person)

    def left_page(self, person: Participant) -> ParticipantPage | None:
        return stop_page(LET_GO) if person.excluded_why == OUT_FOR_ATTENTION else not_let_in_page(person)

    def without_sheet(self, trial: Trial) -> Stop | None:
        return BETWEEN_STAGES if is_before_checks(trial) else None

    def sheet_facts(self, person: Participant) -> Facts:
        return size_of(person)

    def door_facts(self, trial: Trial) -> Facts:
        return {"so_far": no_work(trial)}

    def person_facts(self, person: Participant) -> Facts:
        return {"so_far": work_so_far(person), "returned": returned_answers(person)}

    def done_facts(self, person: Participant) -> Facts:
        return {
            "may_go_on": may_go_on(person),
            "next_sitting": next_sitting(person),
            "goes_on_later": person.trial.state == TrialState.OPEN and is_before_checks(person.trial),
        }

    def desk_facts(self, person: Participant) -> Facts:
        return {"tasks": person.task_answers.select_related("task")}


ANNOTATION = AnnotationStudy()
