"""Controls of a board: groups of links (Level, Prompting, Shown, Clips, Columns …), each to another view."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl

from benchmarks.definitions.definition import Benchmark, Level
from benchmarks.models import Pack
from benchmarks.words import DIMENSIONS, condition_words, place_of_condition
from leaderboard import labels
from leaderboard.board.assemble import Board, is_wanted
from leaderboard.board.query import DEFAULTS, FIGURES, View, published_places, units_of, view_of
from leaderboard.board.rows import later_rows, of_same_question, published_rows
from leaderboard.models import PublishedResult
from leaderboard.row_kinds import OURS, RowKind

Counts = Callable[[View], int]


def counts_for(benchmark: Benchmark) -> Counts:
    """Counts rows of views of the benchmark: of this site, and published ones with a figure, in one query for all."""
    later = tuple(PublishedResult.objects.checked().filter(benchmark=benchmark.slug))

    def rows_of(view: View) -> int:
        has_papers = not all(RowKind(kind).is_ours for kind in view.rows)
        rows = (*published_rows(view), *later_rows(view, later)) if has_papers else ()
        return _own_rows(view) + sum(row.has_figure or row.of_people for row in rows)

    return rows_of


def _own_rows(view: View) -> int:
    """Rows from standings: models with this strategy, and people who were asked the same kind of question."""
    if view.pack is None:
        return 0
    same = of_same_question(view)
    place = (view.pack.pk, view.split, view.condition)
    return sum(
        count
        for (pack, split, strategy, condition, kind), count in view.available.counts.items()
        if (pack, split, condition) == place and kind in view.rows
        if strategy == view.strategy.name or (RowKind(kind).of_people and strategy in same)
    )


FILTERS = {"columns": "Figures", "unit": "Scored", "caution": "Items under caution", "rows": "Rows", "search": "Name"}
LABELS = {"columns": labels.FIGURES, "unit": labels.UNITS, "caution": labels.CAUTION}


@dataclass(frozen=True)
class ControlOption:
    text: str
    query: str
    is_current: bool
    title: str = ""
    value: str = ""  # of a form's field
    count: int | None = None  # rows of the target view, None = not counted

    @property
    def is_empty(self) -> bool:
        """Whether the target view has no rows: the option is dimmed instead of linked."""
        return self.count == 0 and not self.is_current


@dataclass(frozen=True)
class Switch:
    """One control of the view and its options."""

    legend: str
    choices: tuple[ControlOption, ...]

    @property
    def current(self) -> str:
        """The text of the current option."""
        return next((one.text for one in self.choices if one.is_current), "")


def main_switches(view: View, referees: Sequence[str] = ()) -> list[Switch]:
    """Controls shown above the board; those with a single option are left out."""
    counts = counts_for(view.benchmark)
    switches = [
        Switch("Level", tuple(_level_choice(view, level, counts) for level in view.benchmark.levels)),
        Switch("Prompting", tuple(_strategy_choice(view, one.name, counts) for one in view.strategies)),
        _conditions(view, counts),
        Switch("Clips", tuple(_pack_choice(view, pack) for pack in view.available.packs)),
        _units(view),
        _groups(view),
        _dimensions(view),
        _referees(view, referees),
    ]
    return [switch for switch in switches if len(switch.choices) > 1]


def more_switches(view: View) -> list[Switch]:
    """Controls under "More filters"; those with a single option are left out."""
    switches = [_figures(view), _splits(view), _caution(view)]
    return [switch for switch in switches if len(switch.choices) > 1]


def _counted(option: ControlOption, counts: Counts, *views: View) -> ControlOption:
    """The option with its number of rows; it leads to the first of these views that has some."""
    if option.is_current:
        return replace(option, count=counts(views[0]))
    for number, view in enumerate(views):
        if found := counts(view):
            return replace(option, count=found, query=view.query if number else option.query)
    return replace(option, count=0)


def _opened(view: View, **text: str) -> View:
    """The view that opens with these choices alone; the rest is chosen among views with rows."""
    return view_of(view.benchmark, text, view.available)


def _level_choice(view: View, level: Level, counts: Counts) -> ControlOption:
    """Link to a level at its first strategy; it keeps the pack unless only other packs have rows on that level."""
    available = view.available
    elsewhere = any(available.has_rows(pack, level.strategies) for pack in available.packs)
    stays = view.pack and (available.has_rows(view.pack, level.strategies) or not elsewhere)
    query = f"level={level.number}" + (f"&pack={view.pack.name}" if view.pack and stays else "")
    is_current = level == view.level
    option = ControlOption(level.title, view.query if is_current else query, is_current)
    if is_current:
        return _counted(option, counts, view)
    others = (_opened(view, level=level.number, strategy=name) for name in level.strategies)
    return _counted(option, counts, _opened(view, **dict(parse_qsl(query))), *others)


def _strategy_choice(view: View, name: str, counts: Counts) -> ControlOption:
    strategy = view.benchmark.strategy(name)
    split = view.split if view.split in strategy.splits else strategy.splits[0]
    keeps = set(view.strategy.kinds) == set(strategy.kinds) and view.strategy.condition == strategy.condition
    condition = view.condition if keeps else strategy.condition
    own = view.but(strategy=strategy, split=split, condition=condition)
    title = strategy.paper + (" · our wording" if strategy.ours else "")
    option = ControlOption(strategy.title, own.query, strategy == view.strategy, title)
    pack = {"pack": view.pack.name} if view.pack else {}
    return _counted(option, counts, own, _opened(view, strategy=name, **pack), _opened(view, strategy=name))


def _condition_names(view: View) -> list[str]:
    """Conditions with rows or published figures, and the current ones, in the order of pages."""
    printed = {condition for condition, _ in published_places(view.benchmark, view.level, view.strategy)}
    found = (
        view.available.conditions(view.pack, view.strategy.name) | {view.condition, view.strategy.condition} | printed
    )
    return sorted(found, key=lambda name: (place_of_condition(name), name))


def _conditions(view: View, counts: Counts) -> Switch:
    names = _condition_names(view)
    choices = (_choice(view, "condition", name, condition_words(name)) for name in names)
    options = zip(choices, (view.but(condition=name) for name in names), strict=True)
    return Switch("Input", tuple(_counted(choice, counts, one) for choice, one in options))


def _pack_choice(view: View, pack: Pack) -> ControlOption:
    """Link to the same view of another pack, else to a view of it with rows; published rows are the same in all."""
    option = ControlOption(pack.title, view.but(pack=pack).query, pack == view.pack, pack.name)
    ways = [name for level in (view.level, *view.benchmark.levels) for name in level.strategies]
    others = (_opened(view, pack=pack.name, strategy=name) for name in ways if view.available.has_rows(pack, [name]))
    return option if option.is_current else _counted(option, _own_rows, view.but(pack=pack, rows=OURS), *others)


def _groups(view: View) -> Switch:
    choices = (
        ControlOption(view.benchmark.facet(name).plural, view.but(group=name, sort="overall").query, name == view.group)
        for name in view.level.groups
    )
    return Switch("Columns", tuple(choices))


def _dimensions(view: View) -> Switch:
    """Dimensions of a referee's scores; empty for levels scored by rule."""
    names = ("", *view.level.dimensions) if view.level.dimensions else ()
    return Switch("Scored", _choices(view, "dimension", names, DIMENSIONS))


def _referees(view: View, referees: Sequence[str]) -> Switch:
    """The referees with rows in this view: the points of two are never ranked together."""
    current = view.referee or next(iter(referees), "")
    return Switch(
        "Referee", tuple(ControlOption(name, view.but(referee=name).query, name == current, name) for name in referees)
    )


def _figures(view: View) -> Switch:
    """The figures to choose from: "repeats" only for strategies with an example, none on levels scored by a referee."""
    if view.level.dimensions:
        return Switch("", ())
    figures = [name for name in FIGURES if name != "repeats" or view.strategy.example or view.columns == "repeats"]
    return Switch("Figures", _choices(view, "columns", figures, labels.FIGURES))


def _splits(view: View) -> Switch:
    titles = {value.value: value.title for value in view.benchmark.facet("split").values}
    printed = {split for _, split in published_places(view.benchmark, view.level, view.strategy)}
    known = view.available.splits(view.pack, view.strategy.name) | {view.split} | printed
    names = [split for split in view.strategy.splits if split in known]
    return Switch("Questions", _choices(view, "split", names, titles))


def _caution(view: View) -> Switch:
    """The control of items under the authors' caution and of items that leak, in or out; empty if there are none."""
    values = [value for value in view.benchmark.facet(view.level.groups[0]).values if value.level == view.level.number]
    numbers = [value.number for value in values if value.caution][:1]
    names = [f"Test {number}" for number in numbers]
    names += ["Leaking questions"] if has_leaks(view.pack) else []
    return Switch(", ".join(names), _choices(view, "caution", ("in", "out"), labels.CAUTION) if names else ())


def has_leaks(pack: Pack | None) -> bool:
    """Whether a blind audit found questions of this pack that leak; it was read together with the pack."""
    audit = getattr(pack, "blind_audit", None)
    return audit is not None and audit.leaks > 0


def _units(view: View) -> Switch:
    """The control of scoring single questions or groups of them, if the benchmark has groups."""
    return Switch("Scored", _choices(view, "unit", units_of(view.benchmark), labels.UNITS))


def rows_switch(board: Board) -> Switch:
    """The control of each kind of row, on or off, with its number of rows; the last one can't be turned off."""
    return Switch("Rows", tuple(_row_choice(board, kind) for kind in RowKind))


def _row_choice(board: Board, kind: RowKind) -> ControlOption:
    """The option of one kind of row; a kind without rows is off already."""
    view = board.view
    own = view.but(rows=(kind,))
    count = sum(
        (kind.of_people or is_wanted(own, row)) and (row.has_figure or row.of_people)
        for row in board.candidates
        if row.kind is kind
    )
    turned = tuple(other for other in RowKind if (other in view.rows) != (other is kind))
    is_on = kind in view.rows and count > 0
    return ControlOption(kind.words, view.but(rows=turned or view.rows).query, is_on, value=kind.value, count=count)


def _choices(view: View, name: str, values: Iterable[str], titles) -> tuple[ControlOption, ...]:
    return tuple(_choice(view, name, value, titles.get(value, value)) for value in values)


def _choice(view: View, name: str, value: str, title: str) -> ControlOption:
    return ControlOption(str(title), view.but(**{name: value}).query, getattr(view, name) == value, value)


def applied_filters(view: View) -> list[ControlOption]:
    """Every active filter that the main controls don't show, each with the view without it."""
    return [
        ControlOption(f"{legend}: {_value_label(view, name)}", view.but(**{name: DEFAULTS[name]}).query, True)
        for name, legend in FILTERS.items()
        if getattr(view, name) != DEFAULTS[name]
    ]


def _value_label(view: View, name: str) -> str:
    """The filter's value in words."""
    value = getattr(view, name)
    if name == "rows":
        return ", ".join(RowKind(kind).words for kind in value)
    return str(LABELS.get(name, {}).get(value, value))
