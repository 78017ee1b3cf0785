"""Tasks laid out on sheets: which person may get what. New sheets come behind those that are there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import Max

from humantrials.annotation.stages import ONE_IN, facts_of
from humantrials.design import lot
from humantrials.models import AnnotationObject, AnnotationPair, Sheet, Stage, Task, Trial

SIDES_TO_SELECT = ("0", "1")  # of which an instruction asks for one, and for "Bad question" beside it


@dataclass(frozen=True)
class Planned:
    """One task that is to be: about an object or a pair, with the primary keys of the questions it asks."""

    subject: AnnotationObject | AnnotationPair
    replicate: int = 0
    questions: tuple[int, ...] = ()
    attention: str = ""


@dataclass
class Layout:
    """One stage's new sheets."""

    trial: Trial
    stage: str
    sheets: list[list[Planned]] = field(default_factory=list)

    def deal(self, tasks: Sequence[Planned]) -> None:
        """Tasks in their order on sheets that differ by one task at most."""
        count = -(-len(tasks) // facts_of(self.stage).a_sheet)
        self.sheets += [list(tasks[number::count]) for number in range(count)]

    def store(self) -> int:
        """How many sheets came to those that the trial has."""
        last = self.trial.sheets.aggregate(last=Max("order"))["last"]
        first = 0 if last is None else last + 1
        for order, planned in enumerate(self.sheets, start=first):
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


def lay_objects(trial: Trial, objects: Iterable[AnnotationObject]) -> int:
    """Each clip once; in the order of their numbers, which was drawn."""
    layout = Layout(trial, Stage.OBJECTS)
    layout.deal([Planned(one) for one in objects])
    return layout.store()


def lay_writing(trial: Trial, pairs: Sequence[AnnotationPair], writers: int) -> int:
    """Every writers' pair once for each of so many people, no pair twice on a sheet."""
    layout = Layout(trial, Stage.QUESTIONS)
    for replicate in range(writers):
        layout.deal([Planned(pair, replicate) for pair in _drawn(trial, f"writing/{replicate}", pairs)])
    return layout.store()


def lay_answers(trial: Trial, asked: Sequence[tuple[AnnotationPair, tuple[int, ...]]]) -> int:
    """Each pair once with its questions; of every ten pairs of a sheet one carries an instruction, rounded up."""
    questions, layout = dict(asked), Layout(trial, Stage.ANSWERS)
    layout.deal([Planned(pair, 0, questions[pair]) for pair in _drawn(trial, "answers", list(questions))])
    layout.sheets = [_with_instructions(trial, sheet) for sheet in layout.sheets]
    return layout.store()


def _with_instructions(trial: Trial, sheet: list[Planned]) -> list[Planned]:
    """In one pair of each ten, and of what is left at the end, an instruction stands in place of one question."""
    marked = list(sheet)
    for start in range(0, len(sheet), ONE_IN):
        places = range(start, min(start + ONE_IN, len(sheet)))
        place = min(places, key=lambda at: lot(f"{trial.seed}/attention", sheet[at].subject.number))
        one = sheet[place]
        seed = f"{trial.seed}/attention/{one.subject.number}"
        side = min(SIDES_TO_SELECT, key=lambda name: lot(seed, name))
        left_out = min(one.questions, key=lambda pk: lot(seed, pk), default=None)
        kept = tuple(pk for pk in one.questions if pk != left_out)
        marked[place] = Planned(one.subject, one.replicate, kept, side)
    return marked


def lay_checks(trial: Trial, asked: Sequence[tuple[AnnotationPair, tuple[int, ...]]], people: int) -> int:
    """Each pair once for each of so many people, numbered on from the checks that the pair has had."""
    layout = Layout(trial, Stage.CHECKS)
    had = dict(trial.tasks.filter(stage=Stage.CHECKS).order_by().values_list("subject").annotate(last=Max("replicate")))
    questions = dict(asked)
    for number in range(people):
        pairs = _drawn(trial, f"checks/{number}", list(questions))
        layout.deal([Planned(pair, had.get(pair.number, -1) + 1 + number, questions[pair]) for pair in pairs])
    return layout.store()


def _drawn(trial: Trial, name: str, pairs: Sequence[AnnotationPair]) -> list[AnnotationPair]:
    return sorted(pairs, key=lambda pair: lot(f"{trial.seed}/{name}", pair.number))
