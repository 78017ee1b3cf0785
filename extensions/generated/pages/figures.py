"""Figures of boards as pages and files print them, kept until an answer, a run, a study or a set changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Sum
from django.urls import reverse

from benchmarks.gallery.page_cache import cached_value
from evaluation.models import Run
from extensions.generated.judging.audit import JudgeAudit, audits_of
from extensions.generated.models import ClipSet, ClipSetState, JudgeReading, PromptPack, RatingRound
from extensions.generated.pages.sentences import headline
from extensions.generated.question_kinds import BREAK, PAIR
from extensions.generated.scores.answers import JUDGE, REPORTED, Answerer, RoundAnswers, answers_of
from extensions.generated.scores.board import BoardLine, RoundBoard, RowFigure
from extensions.generated.scores.columns import ScoreColumn, bounds_of, columns_of
from extensions.generated.scores.imported import imported_answers
from humantrials.models import Trial
from measures.figures import Interval


@dataclass(frozen=True)
class FigureText:
    """A figure with its interval, rank and what was left out of it, as text; and its `places_of` the scale."""

    value: str
    ends: str
    ranks: str
    side: str
    left_out: str
    at: str
    low: str = ""
    high: str = ""

    @classmethod
    def of(cls, figure: RowFigure | None, bounds: tuple[float, float], *, is_share: bool) -> "FigureText | None":
        if figure is None:
            return None
        text, ends = number(figure.value, is_share=is_share), ends_of(figure.interval, is_share=is_share)
        places = places_of(figure.value, figure.interval, bounds)
        return cls(text, ends, figure.ranks, figure.side, figure.counts.left_out, **places)


def places_of(value: float, interval: Interval | None, bounds: tuple[float, float]) -> dict[str, str]:
    """Where a figure (`at`) and the ends of its interval, if there is one, stand on the scale, in per cent."""
    ends = {"low": interval.low, "high": interval.high} if interval else {}
    return {name: placed(each, bounds) for name, each in ({"at": value} | ends).items()}


def placed(value: float, bounds: tuple[float, float]) -> str:
    """The place of a value between the ends of its scale, in per cent."""
    low, high = bounds
    return f"{max(0.0, min(100.0, 100 * (value - low) / (high - low))):.1f}"


def number(value: float, *, is_share: bool = False) -> str:
    return f"{100 * value:.0f} %" if is_share else f"{value:.2f}"


def ends_of(interval: Interval | None, *, is_share: bool = False) -> str:
    """The ends of an interval; "" without one."""
    if interval is None:
        return ""
    low, high = (f"{100 * end:.0f}" if is_share else f"{end:.2f}" for end in (interval.low, interval.high))
    return f"{low}–{high}".replace("-", "−")


@dataclass(frozen=True)
class BoardAddress:
    """A board's rows: those of a round, or without one those of published scores; and what is shown of them."""

    pack: PromptPack
    round: RatingRound | None

    @property
    def query(self) -> str:
        """Of a link to another view of the same rows."""
        return f"?round={self.round.slug}" if self.round else ""

    @property
    def has_pairs(self) -> bool:
        own = self.round is not None and self.round.questions.items.filter(kind=PAIR).exists()
        return own or self.pack.vote_files.exists()

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        has_breaks = self.round is not None and self.round.questions.items.filter(kind=BREAK).exists()
        return columns_of(self.pack, has_breaks=has_breaks)

    @property
    def version(self) -> str:
        """A value that changes with everything that may change a figure."""
        tables = [
            JudgeReading.objects.filter(judge__pack=self.pack).aggregate(Count("pk"), Max("pk")),
            self.pack.reported_rows.aggregate(Count("pk"), Max("pk")),
        ]
        if self.round:
            trials = (
                Trial.objects.filter(pack=self.round.questions)
                .order_by("pk")
                .values_list("pk", "state", "answers_version")
            )
            runs = Run.objects.on_the_board_of(self.round.questions)
            sets = ClipSet.objects.filter(pack=self.pack).order_by("pk").values_list("pk", "state")
            tables += [runs.aggregate(Count("pk"), Max("pk"), Sum("answers_version")), {"": [*trials, *sets]}]
        return "|".join(str(value) for table in tables for value in table.values())

    def answers(self) -> RoundAnswers:
        return answers_of(self.round) if self.round else imported_answers(self.pack)

    def cached(self, what: str, make: Any) -> Any:
        key = f"generated {what} {self.pack.pk} {self.round and self.round.pk}"
        return cached_value(key, version=self.version, make=make)

    def board(self, column: ScoreColumn) -> dict[str, Any]:
        """The figures of one column."""
        return self.cached(f"board {column.name}", lambda: _figures(self, column))


def _figures(address: BoardAddress, column: ScoreColumn) -> dict[str, Any]:
    answers, first = address.answers(), address.columns[0]
    audits = audits_of(answers, first)
    barred = [slug for slug, audit in audits.items() if not audit.may_rank]
    board = RoundBoard(answers, column, barred)
    overall = board if column == first else RoundBoard(answers, first, barred)
    low, high = bounds = bounds_of(column, answers.found.scales)
    people = answers.people if answers.people and answers.people.kind != REPORTED else None
    shapes = shapes_of(answers.answerers, is_published=address.round is None)
    heads = [_head(address, one, audits) | shape for one, shape in zip(answers.answerers, shapes, strict=True)]
    ranked, lines = ([_line(one, column, bounds) for one in own if heads] for own in (board.ranked, board.lines))
    limits = [[cell.at for _, cells in lines if (cell := cells[place])] for place in range(len(heads))]
    return {
        "headline": headline(overall, audits),
        "answerers": heads,
        "ranked": ranked,
        "lines": lines,
        "ranked_rows": [(line, list(zip(heads, cells, limits, strict=True))) for line, cells in ranked],
        "line_rows": [(line, list(zip(heads, cells, limits, strict=True))) for line, cells in lines],
        "width": 1 + 2 * len(heads) + 2 * bool(board.truth),
        "axis": [f"{100 * end:g} %" if column.is_share else f"{end:g}" for end in (low, (low + high) / 2, high)],
        "part": _part(address),
        "truth": bool(board.truth),
        "prompts": len(answers.found.prompts),
        "partial": [(one.title, left) for one in answers.answerers if (left := board.left_out(one))],
        "waits": [wait.label for wait in answers.waits],
        "sizes": [] if people is None or column.is_share else _sizes(board),
        "agreement": board.agreement(people) if people else [],
        "motion": _motion(address.pack),
    }


def _part(address: BoardAddress) -> str:
    """What the ranked rows are."""
    if address.round is None:
        return "Published"
    sets = address.pack.clip_sets.filter(clips__asked__round=address.round, state=ClipSetState.LISTED)
    return "Measured" if sets.filter(is_simulated=False).exists() else "Simulated"


def _motion(pack: PromptPack) -> list[dict[str, Any]]:
    if not pack.prompts.exclude(reference="").exists():
        return []
    from extensions.generated.scores import physics_iq  # no decoder at the site's start

    return list(physics_iq.lines_of(pack.clip_sets.filter(state=ClipSetState.LISTED)))


def _sizes(board: RoundBoard) -> list[tuple[Any, ...]]:
    people = board.answers.people
    assert people is not None, "the caller looked"
    known = board.sizes(people)
    return [
        (prompts, *("–" if each is None else number(each) for each in (width, apart)))
        for prompts, width, apart in known
    ]


def shapes_of(answerers: Sequence[Answerer], *, is_published: bool) -> list[dict[str, Any]]:
    """What draws and names each answerer: a judge's square has its letter, A, B, …; `look` is "sim" (dashed) where a
    program answered and "hollow" where others report it."""
    letters = iter("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return [
        {
            "title": one.title,
            "kind": one.kind,
            "letter": next(letters, "") if one.kind == JUDGE else "",
            "look": "sim" if one.is_simulated else "hollow" if is_published else "",
        }
        for one in answerers
    ]


def _head(address: BoardAddress, one: Answerer, audits: Mapping[str, JudgeAudit]) -> dict[str, Any]:
    """What the head of an answerer's column adds to its shape."""
    facts = {"is_simulated": one.is_simulated, "address": "", "may_rank": None}
    if one.kind == JUDGE:
        own = reverse("judge-audit", args=[address.pack.slug, one.slug])
        facts |= {"address": own + address.query}
        facts |= {"may_rank": audits[one.slug].may_rank}
    return facts


def _line(
    line: BoardLine, column: ScoreColumn, bounds: tuple[float, float]
) -> tuple[BoardLine, list[FigureText | None]]:
    return line, [FigureText.of(figure, bounds, is_share=column.is_share) for figure in line.figures]
