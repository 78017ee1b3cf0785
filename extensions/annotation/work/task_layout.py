"""Lays out tasks on sheets: those of stage A when a trial is created, later ones behind them as stages open."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Coalesce

from benchmarks.models import Clip, Pack, RenditionKind
from extensions.annotation.models import AnnotationObject, AnnotationPair, Stage, Task
from extensions.annotation.protocol.stages import ONE_IN, facts_of
from humantrials.errors import BadSetting, EmptyPool
from humantrials.models import Sheet, SheetState, Trial
from humantrials.protocols.designs.balanced import lot
from humantrials.protocols.protocol import Protocol

SIDES_TO_SELECT = ("0", "1")  # the instruction asks for one of them and for "Bad question"


@dataclass(frozen=True)
class Planned:
    """A planned task: about an object or a pair, with the primary keys of its questions."""

    subject: AnnotationObject | AnnotationPair
    replicate: int = 0
    questions: tuple[int, ...] = ()
    attention: str = ""


@dataclass
class StageLayout:
    """The new sheets of one stage."""

    trial: Trial
    stage: str
    sheets: list[list[Planned]] = field(default_factory=list)

    def deal(self, tasks: Sequence[Planned]) -> None:
        """Distribute the tasks in order, on sheets that differ by one task at most."""
        count = -(-len(tasks) // facts_of(self.stage).a_sheet)
        self.sheets += [list(tasks[number::count]) for number in range(count)]

    def store(self) -> int:
        """Store the sheets and their tasks; return the number of sheets."""
        for order, planned in enumerate(self.sheets, start=_free_order(self.trial)):
            sheet = Sheet.objects.create(trial=self.trial, order=order)
            for position, one in enumerate(planned):
                task = Task.objects.create(sheet=sheet, position=position, **self._columns(one))
                task.questions.set(one.questions)
        return len(self.sheets)

    def _columns(self, one: Planned) -> dict[str, object]:
        about = "object" if isinstance(one.subject, AnnotationObject) else "pair"
        return {
            "trial": self.trial,
            "stage": self.stage,
            about: one.subject,
            "subject": one.subject.number,
            "replicate": one.replicate,
            "attention": one.attention,
        }


def _free_order(trial: Trial) -> int:
    """The order number of the trial's next new sheet."""
    return trial.sheets.aggregate(free=Coalesce(Max("order") + 1, 0))["free"]


def move_to_new_sheets(trial: Trial, tasks: Iterable[Task]) -> None:
    """Move tasks that need another answer to new sheets; tasks of one stage share a sheet while it has room."""
    for task in tasks:
        sheet = _sheet_with_room(trial, task) or Sheet.objects.create(trial=trial, order=_free_order(trial))
        position = sheet.tasks.aggregate(free=Coalesce(Max("position") + 1, 0))["free"]
        Task.objects.filter(pk=task.pk).update(sheet=sheet, position=position)


def _sheet_with_room(trial: Trial, task: Task) -> Sheet | None:
    """A sheet of such tasks that nobody ever held, with room for one more; None if there is none."""
    never_held = Sheet.objects.filter(trial=trial, state=SheetState.OPEN, epoch=0)
    returned = never_held.filter(tasks__stage=task.stage, tasks__answers__isnull=False).exclude(
        tasks__subject=task.subject
    )
    for pk in returned.values_list("pk", flat=True).order_by("order").distinct():
        sheet = never_held.select_for_update().filter(pk=pk).first()
        if sheet and sheet.tasks.count() < facts_of(task.stage).a_sheet:
            return sheet
    return None


def lay_objects(trial: Trial, objects: Iterable[AnnotationObject]) -> int:
    """Lay out each clip once, in the order of the clips' numbers, which is random."""
    layout = StageLayout(trial, Stage.OBJECTS)
    layout.deal([Planned(one) for one in objects])
    return layout.store()


def lay_writing(trial: Trial, pairs: Sequence[AnnotationPair], writers: int) -> int:
    """Lay out every writers' pair once for each of `writers` people, no pair twice on a sheet."""
    layout = StageLayout(trial, Stage.QUESTIONS)
    for replicate in range(writers):
        layout.deal([Planned(pair, replicate) for pair in _random_pairs(trial, f"writing/{replicate}", pairs)])
    return layout.store()


def lay_answers(trial: Trial, assigned: Sequence[tuple[AnnotationPair, tuple[int, ...]]]) -> int:
    """Lay out each pair once with its questions; of every ten pairs on a sheet, rounded up, one has an instruction."""
    questions, layout = dict(assigned), StageLayout(trial, Stage.ANSWERS)
    layout.deal([Planned(pair, 0, questions[pair]) for pair in _random_pairs(trial, "answers", list(questions))])
    layout.sheets = [_with_instructions(trial, sheet) for sheet in layout.sheets]
    return layout.store()


def _with_instructions(trial: Trial, sheet: list[Planned]) -> list[Planned]:
    """Replace one question by an instruction, in one pair of each ten and of the remainder."""
    marked = list(sheet)
    for start in range(0, len(sheet), ONE_IN):
        places = range(start, min(start + ONE_IN, len(sheet)))
        place = min(places, key=lambda at: lot(f"{trial.draw_seed}/attention", sheet[at].subject.number))
        one = sheet[place]
        seed = f"{trial.draw_seed}/attention/{one.subject.number}"
        side = min(SIDES_TO_SELECT, key=lambda name: lot(seed, name))
        left_out = min(one.questions, key=lambda pk: lot(seed, pk), default=None)
        remaining = tuple(pk for pk in one.questions if pk != left_out)
        marked[place] = Planned(one.subject, one.replicate, remaining, side)
    return marked


def lay_checks(trial: Trial, assigned: Sequence[tuple[AnnotationPair, tuple[int, ...]]], people: int) -> int:
    """Lay out each pair once for each of `people`; replicates continue from the pair's earlier checks."""
    layout = StageLayout(trial, Stage.CHECKS)
    had = dict(trial.tasks.filter(stage=Stage.CHECKS).order_by().values_list("subject").annotate(last=Max("replicate")))
    questions = dict(assigned)
    for number in range(people):
        pairs = _random_pairs(trial, f"checks/{number}", list(questions))
        layout.deal([Planned(pair, had.get(pair.number, -1) + 1 + number, questions[pair]) for pair in pairs])
    return layout.store()


def _random_pairs(trial: Trial, name: str, pairs: Sequence[AnnotationPair]) -> list[AnnotationPair]:
    return sorted(pairs, key=lambda pair: lot(f"{trial.draw_seed}/{name}", pair.number))


BATCH = 500
# Settings without meaning in a trial without slots.
REFUSED = (
    *("per_test", "replicates", "qualified", "split", "seal", "confidence", "why", "attention", "attention_items"),
    *("break_every", "break_seconds", "quiz_attempts", "second_round"),
)


@transaction.atomic
def make_annotation(protocol: Protocol, trial: Trial) -> Trial:
    """Store the trial with one object per clip, in an order drawn from seed and salt, limited by `items`."""
    clips = material_of(protocol, trial.pack, trial.draw_seed, trial.settings)
    trial.design_hash = digest_of([clip.sha256 for clip in clips])
    trial.save()
    rows = [AnnotationObject(trial=trial, clip=clip, number=number) for number, clip in enumerate(clips)]
    lay_objects(trial, AnnotationObject.objects.bulk_create(rows, BATCH))
    return trial


def material_of(protocol: Protocol, pack: Pack, seed: int, settings: Mapping[str, Any]) -> list[Clip]:
    """The clips with an original file and a middle frame, in an order drawn from the seed; at most `items`."""
    if pack.benchmark not in (protocol.pool.benchmark, *protocol.pool.also_of):
        raise EmptyPool(f"{protocol.name} has no use for clips of {pack}")
    for name in REFUSED:
        if name in settings:
            raise BadSetting(f"{protocol.name} has no setting {name!r}; what limits its clips is 'items'")
    found = pack.clips.filter(problem="", withdrawn_at=None, renditions__kind=RenditionKind.ORIGINAL)
    clips = found.filter(pk__in=pack.clips.filter(renditions__kind=RenditionKind.POSTER)).distinct()
    if not clips:
        raise EmptyPool(f"{pack} has no clips that can be shown")
    shuffled = sorted(clips, key=lambda clip: lot(f"{seed}/clips", clip.sha256, clip.key))
    return shuffled[: settings.get("items")]


def digest_of(clips: list[str]) -> str:
    """Hash of the clips in order; all later draws depend only on seed, salt and what people did."""
    return hashlib.sha256("\n".join(clips).encode()).hexdigest()
