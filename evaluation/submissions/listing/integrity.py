"""Flags for staff on an upload: copied from another row, made from the key, or too short to be real replies.

A flag decides nothing. Honest rows can be flagged, too: two models that always say yes err alike.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from statistics import median

from django.db import transaction
from django.db.models import Avg
from django.dispatch import receiver

from benchmarks.disclosure.seals import answers_loaded
from benchmarks.models import Item
from benchmarks.packs.clusters import Labels, labels_by_item
from evaluation.models import ModelResponse, Reading, Run, Score, UploadFlag
from evaluation.runs.answer_roles import SAME
from measures.estimate import PairedScores, consistency
from measures.figures import Interval

COMPARED = 200  # rows and waiting uploads of the pack, the newest first
FEWEST = 30  # least number of shared questions
FEWEST_ERRORS = 10
FEWEST_OTHERS = 3  # least number of other rows that err alike, for a row that errs like none of them to be remarkable
ALIKE = 0.8  # a copy's error consistency has an interval whose lower end is at least this
FEWEST_SAME = 5  # least number of errors for two rows with identical errors
SHORT = 20  # characters; a reply with reasoning has several times as many

Scores = dict[int, float]  # item -> mean score


@dataclass(frozen=True)
class ErrorAgreement:
    """How alike two answerers err on the questions that both answered."""

    name: str
    n: int
    kappa: float
    interval: Interval
    has_same_prompting: bool = True  # under the same strategy and condition


class IntegrityChecks:
    """The checks of one run against other models' rows and waiting uploads of its pack."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def findings(self) -> Iterator[tuple[str, str]]:
        """Code and sentence of everything suspicious."""
        yield from self._copied()
        yield from self._made_up()
        yield from self._short()

    @cached_property
    def own(self) -> Scores:
        scores = Score.objects.of_run(self.run).order_by().values_list("reading__response__cell__item")
        return dict(scores.annotate(Avg("value")))

    @cached_property
    def others(self) -> dict[Run, Scores]:
        """Rows and waiting uploads of other models under any prompting, since a copy may claim another one."""
        waiting = Run.objects.proposed().filter(pack=self.run.pack)
        rows = (Run.objects.on_the_board_of(self.run.pack) | waiting).exclude(model=self.run.model)
        found: dict[Run, Scores] = {run: {} for run in rows.select_related("model").order_by("-pk")[:COMPARED]}
        known = {run.pk: run for run in found}
        cell = "reading__response__cell__"
        scores = Score.objects.counting().filter(**{f"{cell}run__in": list(known)}).order_by()
        for pk, item, value in scores.values_list(f"{cell}run", f"{cell}item").annotate(Avg("value")):
            found[known[pk]][item] = value
        return found

    @cached_property
    def labels(self) -> Mapping[int, Labels]:
        """Item id -> the labels by which questions depend on each other."""
        return labels_by_item({*self.own}.union(*self.others.values()), benchmark=self.run.pack.benchmark)

    @cached_property
    def pairs(self) -> list[ErrorAgreement]:
        """The agreement of this run with each of the others, most alike first."""
        found = (self._agreement(run.model.name, self.own, scores) for run, scores in self.others.items())
        both = zip(self.others, found, strict=True)
        pairs = (replace(one, has_same_prompting=self._has_same_prompting(run)) for run, one in both if one)
        return sorted(pairs, key=lambda pair: -pair.kappa)

    def _agreement(self, name: str, first: Scores, second: Scores) -> ErrorAgreement | None:
        """How alike the two err on shared questions; None if these are too few."""
        shared = sorted(first.keys() & second.keys())
        if len(shared) < FEWEST:
            return None
        found = consistency([PairedScores(self.labels[item], first[item], second[item]) for item in shared])
        if found.kappa is None or found.interval is None:
            return None
        return ErrorAgreement(name, found.n, found.kappa, found.interval)

    def _has_same_prompting(self, run: Run) -> bool:
        return (run.strategy, run.condition) == (self.run.strategy, self.run.condition)

    def _copied(self) -> Iterator[tuple[str, str]]:
        for pair in self.pairs[:1]:
            if pair.interval.low >= ALIKE or (pair.kappa == 1 and self._errors >= FEWEST_SAME):
                note = f"errs like {pair.name} on {pair.n} questions"
                yield "copied", f"{note}: error consistency {pair.kappa:.2f}, {_ends(pair)}"

    def _made_up(self) -> Iterator[tuple[str, str]]:
        if len(self.own) >= FEWEST and min(self.own.values()) == 1:
            yield "no-error", f"all {len(self.own)} questions are answered right"
        elif self._errs_like_nobody():
            highest, *_ = peers = self._peers
            alone = f"errs like none of {len(peers)} other rows, which err like each other: as if errors were drawn"
            yield "like-nobody", f"{alone}; the highest error consistency is {highest.kappa:.2f}, with {highest.name}"

    def _errs_like_nobody(self) -> bool:
        below = (peer.interval.low < 0 and peer.interval.high < self._least_of_others for peer in self._peers)
        return len(self._peers) >= FEWEST_OTHERS and self._errors >= FEWEST_ERRORS and all(below)

    @property
    def _peers(self) -> list[ErrorAgreement]:
        return [pair for pair in self.pairs if pair.has_same_prompting]

    @property
    def _errors(self) -> int:
        return sum(value <= 0.5 for value in self.own.values())

    @cached_property
    def _least_of_others(self) -> float:
        """The lowest agreement of errors between two of the first other rows; -1 if it can't be computed."""
        rows = [scores for run, scores in self.others.items() if self._has_same_prompting(run)][: FEWEST_OTHERS + 1]
        found = [self._agreement("", one, other) for place, one in enumerate(rows) for other in rows[:place]]
        return min((one.kappa if one else -1.0 for one in found), default=-1.0)

    def _short(self) -> Iterator[tuple[str, str]]:
        if self.run.card.get("given") != "reply":
            return
        replies = list(ModelResponse.objects.filter(cell__run=self.run).values_list("raw", flat=True))
        middle = median(len(reply) for reply in replies) if replies else 0
        if replies and "-cot" in self.run.strategy and middle < SHORT:
            yield "short", f"replies were asked to reason and have {middle:g} characters in the median"
        own = Reading.objects.filter(response__cell__run=self.run, parser=self.run.parser)
        unread = own.filter(version=self.run.parser_version).exclude(problem="").count()
        if replies and unread > len(replies) / 2:
            yield "unread", f"{unread} of {len(replies)} replies can't be read"
        commonest, times = Counter(replies).most_common(1)[0] if replies else ("", 0)
        if len(replies) >= FEWEST and times >= SAME * len(replies):
            yield "same-reply", f"nearly every reply is the same text: “{commonest[:60]}”"


def _ends(one: ErrorAgreement) -> str:
    return f"95 % interval {one.interval.low:.2f} to {one.interval.high:.2f}"


@transaction.atomic
def flag(run: Run) -> list[UploadFlag]:
    """Check the run again and replace earlier flags by the findings."""
    found = [UploadFlag(run=run, code=code, what=what[:300]) for code, what in IntegrityChecks(run).findings()]
    run.flags.all().delete()
    return UploadFlag.objects.bulk_create(found)


@receiver(answers_loaded)
def flag_again(sender: type[Item], items: Sequence[int], **kwargs: object) -> None:
    """Check the benchmark's waiting uploads again once these answers have scored them."""
    benchmark = Item.objects.values_list("pack__benchmark", flat=True).get(pk=items[0])
    transaction.on_commit(partial(flag_waiting, benchmark))


def flag_waiting(benchmark: str) -> None:
    for run in Run.objects.proposed().filter(pack__benchmark=benchmark).select_related("model", "pack"):
        flag(run)
