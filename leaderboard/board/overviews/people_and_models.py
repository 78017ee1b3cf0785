"""People beside the best model on each skill, which is a column of a board, and the sentence about all of them.

Every figure is a cell of a board, so the home page prints what the boards print.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.contrib.humanize.templatetags.humanize import apnumber
from django.utils.safestring import SafeString

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.strips import StripPoint, strip
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import (
    OVERALL,
    BoardCell,
    BoardColumn,
    BoardRow,
    leaders,
    order_of,
    people_of,
    share_of,
)
from leaderboard.board.cell_display import points
from leaderboard.board.claims import Lead, printed_lead, tested_lead
from leaderboard.board.overviews.concept_board import ConceptLine
from leaderboard.board.query import View, packs_of, view_of
from leaderboard.board.rows import board_of, key_of
from leaderboard.board.strip_points import key_of_mark, look_of, mark_of

MOST = 8  # skills of a block: more would not fit the first screen


@dataclass(frozen=True)
class Side:
    """The figure of people, or of a model, on one skill."""

    row: BoardRow
    cell: BoardCell
    key: str = ""  # the name of the figure, for pages

    @property
    def share(self) -> float:
        return self.cell.share or 0.0

    @property
    def look(self) -> str:
        """How its mark is drawn."""
        return look_of(self.row)

    @property
    def figure(self) -> str:
        """The figure in whole per cent; a rounded one as its range."""
        low, high = self.cell.range or (self.share, self.share)
        return f"{100 * low:.0f}" if low == high else f"{100 * low:.0f}–{100 * high:.0f}"

    def mark(self) -> StripPoint:
        label = "" if self.row.is_people or self.row.is_baseline else self.row.title
        return mark_of(self.cell, self.look, is_people=self.row.is_people, label=label)


@dataclass(frozen=True)
class Skill:
    """People and the best model on one column of a board, and people's lead where the two can be compared."""

    view: View
    title: str
    chance: float | None
    people: Side | None
    model: Side | None
    lead: Lead | None = None
    is_reported: bool = False

    @property
    def gap(self) -> float | None:
        return self.lead.value if self.lead else None

    @property
    def order(self) -> float:
        """Sorts by people's lead, the largest first."""
        both = self.people and self.model
        return (self.people.share - self.model.share) if both else -2.0  # type: ignore[union-attr]

    @property
    def query(self) -> str:
        """The address of its board."""
        return f"level={self.view.level.number}&group={self.view.group}"

    @property
    def gap_text(self) -> str:
        """The gap in whole points with its sign."""
        return "–" if self.gap is None else points(self.gap, 0)

    @property
    def drawing(self) -> SafeString:
        marks = [side.mark() for side in (self.people, self.model) if side]
        chance = None if self.chance is None else 100 * self.chance
        return strip(marks, chance, joins=self.gap is not None)


@dataclass(frozen=True)
class SkillBlock:
    """The skills that papers report, or that this site measured, the largest gap first."""

    is_reported: bool
    skills: tuple[Skill, ...]
    more: int  # skills left out

    @property
    def _sides(self) -> list[Side]:
        return [side for skill in self.skills for side in (skill.people, skill.model) if side]

    @property
    def looks(self) -> set[str]:
        """Whose marks its drawings have, for the key."""
        return {key_of_mark(side.row) for side in self._sides}

    @property
    def note(self) -> str:
        """What the block's figures rest on."""
        if self.is_reported:
            return "best model per skill; intervals where the paper prints one"
        who = {"people sim": "simulated people", "model base": "a baseline"}
        words = [text for look, text in who.items() if look in self.looks]
        counts = sorted({side.cell.n for side in self._sides if side.cell.n})
        clips = f"{counts[0]} to {counts[-1]} questions per skill" if len(counts) > 1 else ""
        return ", ".join(filter(None, (*words, clips)))


KEYS = {  # the look of a mark -> what it stands for
    "people": "people, measured here",
    "people hollow": "people, reported",
    "people sim": "simulated people",
    "model": "model, measured here",
    "model hollow": "model, reported or uploaded",
    "model base": "baseline, measured here",
}


def key_of_strips(looks: Collection[str], *, has_chance: bool = False) -> list[tuple[SafeString, str]]:
    """The key of a chart of strips: a mark of each look with its words, an interval, and chance."""
    marks = [(StripPoint(50, is_people=look.startswith("people"), look=look.partition(" ")[2]), look) for look in KEYS]
    found = [(strip([mark], has_grid=False, look="one"), KEYS[look]) for mark, look in marks if look in looks]
    if found:
        found.append((strip([StripPoint(50, 8, 92)], has_grid=False), "95 % interval"))
    if found and has_chance:
        found.append((strip([], 50, has_grid=False, look="one"), "chance"))
    return found


def default_boards() -> list[Board]:
    """The default board of every level, by concept where it can be."""
    benchmarks = BENCHMARKS.with_boards()
    shelves = packs_of(benchmarks.keys())
    return [
        board_of(view_of(benchmark, {"level": level.number, "group": coarsest(level.groups)}, shelves[slug]))
        for slug, benchmark in benchmarks.items()
        for level in benchmark.levels
        if level.strategies and not level.dimensions
    ]


def coarsest(groups: Sequence[str]) -> str:
    """The facet with the fewest columns to group a level by: its concepts, else its first one."""
    return "concept" if "concept" in groups else groups[0]


def skills_of(boards: Iterable[Board]) -> list[Skill]:
    """Every skill with a figure of people or of a model, as papers report it and as this site measured it."""
    return [skill for board in boards for skill in (*_reported(board), *_measured(board))]


def skills_of_concepts(lines: Iterable[ConceptLine]) -> list[Skill]:
    """The same of the columns about concepts."""
    return [_of_concept(line) for line in lines if not line.block.view.level.dimensions]


def _of_concept(line: ConceptLine) -> Skill:
    people, here, reported = (
        Side(one.row, cell) if one and (cell := one.row.cell(line.column.key)) else None
        for one in (line.people, line.here, line.reported)
    )
    place = line.block.view, line.column.title, line.column.chance
    if people and reported and not people.row.kind.is_ours and people.row.citation == reported.row.citation:
        return _of_one_paper(*place, people, reported)
    return Skill(*place, people, here or reported)


def blocks_of(skills: Sequence[Skill]) -> list[SkillBlock]:
    """The two blocks of the chart without empty ones: skills with both figures, else those with a model's."""
    found = [_block(skills, is_reported=True), _block(skills, is_reported=False)]
    return [block for block in found if block.skills]


def _block(skills: Sequence[Skill], *, is_reported: bool) -> SkillBlock:
    own = [skill for skill in skills if skill.is_reported is is_reported]
    both = [skill for skill in own if skill.people and skill.model]
    models = [skill for skill in own if skill.model and not (skill.model.row.is_baseline or is_reported)]
    chosen = sorted(both or models, key=lambda skill: -skill.order)
    return SkillBlock(is_reported, tuple(chosen[:MOST]), max(0, len(chosen) - MOST))


def _columns(board: Board) -> Iterator[BoardColumn]:
    """The board's columns, or overall where there is but one."""
    own = [column for column in board.columns if not column.is_by_group]
    yield from own if len(own) > 1 else ()


def _overall(board: Board) -> BoardColumn:
    level = board.view.level
    titles = [other.title for other in board.view.benchmark.levels if other.strategies]
    title = level.title if len(titles) > 1 else board.view.benchmark.title
    return BoardColumn(OVERALL, title, chance=board.chance)


def _side(board: Board, row: BoardRow | None, column: BoardColumn) -> Side | None:
    cell = row.cell(column.key) if row else None
    if row is None or cell is None or share_of(cell) is None:
        return None
    return Side(row, cell, key_of(row, board.view, column))


def _reported(board: Board) -> Iterator[Skill]:
    """Skills on which one paper gives a figure of people and of a model."""
    people = people_of(board.published).reported
    if people is None:
        return
    papers = [row for row in board.published if row.citation == people.citation]
    found = [_of_paper(board, people, papers, column) for column in _columns(board)]
    yield from [one for one in found if one] or filter(None, [_of_paper(board, people, papers, _overall(board))])


def _of_paper(board: Board, people: BoardRow, papers: Sequence[BoardRow], column: BoardColumn) -> Skill | None:
    leader = leaders(papers, column.key).reported
    own, best = _side(board, people, column), _side(board, leader.row if leader else None, column)
    if not (own and best) or own.cell.score is None:
        return None
    return _of_one_paper(board.view, column.title, column.chance, own, best)


def _of_one_paper(view: View, title: str, chance: float | None, people: Side, model: Side) -> Skill:
    return Skill(view, title, chance, people, model, printed_lead(people.cell, model.cell), is_reported=True)


def _measured(board: Board) -> Iterator[Skill]:
    """Skills on which this site has a figure; a gap only overall, where the same questions are compared by a test."""
    models = [row for row in board.ranked if row.distance]
    if people_of(board.pinned).here and (leader := leaders(models).here):
        yield _tested(board, leader.row)
    for column in _columns(board):
        people = people_of(board.pinned, column.key).here or next(
            (row for row in board.pinned if row.kind.is_simulated), None
        )
        leader = leaders(board.ranked, column.key).here
        model = leader.row if leader else _baseline(board)
        own, best = _side(board, people, column), _side(board, model, column)
        if own or best:
            yield Skill(board.view, column.title, column.chance, own, best)


def _tested(board: Board, model: BoardRow) -> Skill:
    column, distance = _overall(board), model.distance
    assert distance is not None
    people = _side(board, people_of(board.pinned).here, column)
    best = _side(board, model, column)
    return Skill(board.view, column.title, column.chance, people, best, tested_lead(distance))


def _baseline(board: Board) -> BoardRow | None:
    """The best baseline overall: the best one of each column would be picked by luck."""
    able = [row for row in board.ranked if row.is_baseline and share_of(row.overall) is not None]
    return min(able, key=order_of, default=None)


def answer_to(skills: Iterable[Skill]) -> str:
    """The answer to "Do models understand the physical world as people do?", as far as the figures allow one."""
    known = [skill for skill in skills if skill.lead]
    if not known:
        return _without_gaps(list(skills))
    clear = [skill.lead.value for skill in known if skill.lead and skill.lead.stands]
    ahead, behind = [value for value in clear if value > 0], [value for value in clear if value < 0]
    is_of_papers = all(skill.is_reported for skill in known)
    start, of = ("in papers, ", "") if is_of_papers else ("", " scored for both")
    total = f"{apnumber(len(known))} skill{'' if len(known) == 1 else 's'}{of}"
    if not clear:
        return f"Not known yet: {start}people are no different from the best model on the {total}."
    if len(ahead) == len(known):
        every = "all " if len(known) > 1 else "the "
        return f"Not yet: {start}people lead the best model by {_range(ahead)} points on {every}{total}."
    parts = []
    if ahead:
        parts.append(f"people lead the best model by {_range(ahead)} points on {apnumber(len(ahead))} of {total}")
    if behind:
        models_lead = f"the best model leads people by {_range([-gap for gap in behind])} points on"
        parts.append(f"{models_lead} {apnumber(len(behind))}{'' if ahead else f' of {total}'}")
    if rest := len(known) - len(clear):
        parts.append(f"they are no different on {apnumber(rest)}")
    return f"{'In part' if behind else 'Not yet'}: {start}{'; '.join(parts)}."


def _without_gaps(skills: Sequence[Skill]) -> str:
    has_people = any(skill.people and not skill.people.row.kind.is_simulated for skill in skills)
    has_models = any(skill.model and not skill.model.row.is_baseline for skill in skills)
    if not has_models:
        return "Not known yet: no model tested yet."
    if not has_people:
        return "Not known yet: no people have answered the questions yet."
    return "Not known yet: no people and no model have answered the same questions."


def _range(gaps: Sequence[float]) -> str:
    low, high = f"{100 * min(gaps):.0f}", f"{100 * max(gaps):.0f}"
    return low if low == high else f"{low} to {high}"
