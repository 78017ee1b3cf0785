"""Controls of a board: groups of links (Level, Prompting, Shown, Clips, Columns …), each to another view."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from benchmarks.definitions.definition import Level
from evaluation.prompting.strategies import STRATEGIES
from leaderboard import labels
from leaderboard.board.query import BLOCKS, FIGURES, ROW_KINDS, View, printed_places


@dataclass(frozen=True)
class ControlOption:
    text: str
    query: str
    is_current: bool
    title: str = ""


@dataclass(frozen=True)
class Switch:
    """One control of the view and its options."""

    legend: str
    choices: tuple[ControlOption, ...]
    is_multiple: bool = False  # several may be current; a click turns one on or off


def main_switches(view: View, referees: Sequence[str] = ()) -> list[Switch]:
    """Controls shown above the board; those with a single option are left out."""
    switches = [
        _levels(view),
        _strategies(view),
        _conditions(view),
        _packs(view),
        _groups(view),
        _dimensions(view),
        _referees(view, referees),
    ]
    return [switch for switch in switches if len(switch.choices) > 1]


def more_switches(view: View) -> list[Switch]:
    """Controls under "More filters"; those with a single option are left out, rows stay."""
    switches = [_figures(view), _blocks(view), _parts(view), _splits(view), _caution(view)]
    return [switch for switch in switches if len(switch.choices) > 1] + [_rows(view)]


def _levels(view: View) -> Switch:
    return Switch(_("Level"), tuple(_level_choice(view, level) for level in view.benchmark.levels))


def _level_choice(view: View, level: Level) -> ControlOption:
    """Link to a level at its first strategy; it keeps the pack unless only other packs have rows on that level."""
    shelf = view.available
    elsewhere = any(shelf.has_rows(pack, level.strategies) for pack in shelf.packs)
    stays = view.pack and (shelf.has_rows(view.pack, level.strategies) or not elsewhere)
    query = f"level={level.number}" + (f"&pack={view.pack.name}" if view.pack and stays else "")
    is_current = level == view.level
    return ControlOption(f"{level.number} {level.title}", view.query if is_current else query, is_current)


def _strategies(view: View) -> Switch:
    return Switch(_("Prompting"), tuple(_strategy_choice(view, name) for name in view.level.strategies))


def _strategy_choice(view: View, name: str) -> ControlOption:
    strategy = view.benchmark.strategy(name)
    split = view.split if view.split in strategy.splits else strategy.splits[0]
    keeps = set(view.strategy.kinds) == set(strategy.kinds) and view.strategy.condition == strategy.condition
    condition = view.condition if keeps else strategy.condition
    query = view.but(strategy=strategy, split=split, condition=condition).query
    title = strategy.paper + (" · " + _("our wording") if strategy.ours else "")
    return ControlOption(strategy.title, query, strategy == view.strategy, title)


def _conditions(view: View) -> Switch:
    printed = {condition for condition, _ in printed_places(view.benchmark, view.level, view.strategy)}
    found = (
        view.available.conditions(view.pack, view.strategy.name) | {view.condition, view.strategy.condition} | printed
    )
    names = sorted(found, key=lambda name: (labels.place_of_condition(name), name))
    return Switch(
        _("Shown"), tuple(_choice(view, "condition", name, str(labels.CONDITIONS.get(name, name))) for name in names)
    )


def _packs(view: View) -> Switch:
    choices = (
        ControlOption(pack.title, view.but(pack=pack).query, pack == view.pack, pack.name)
        for pack in view.available.packs
    )
    return Switch(_("Clips"), tuple(choices))


def _groups(view: View) -> Switch:
    titles = {name: plural(view.benchmark.facet(name).title.lower()) for name in view.level.groups}
    choices = (
        ControlOption(titles[name], view.but(group=name, sort="overall").query, name == view.group)
        for name in view.level.groups
    )
    return Switch(_("Columns"), tuple(choices))


def plural(word: str) -> str:
    """Plural of a facet's English name, such as test or property; some are plurals already."""
    noun, of, whose = word.partition(" of ")
    if noun.endswith("s"):
        return word
    return (noun[:-1] + "ies" if noun.endswith("y") else noun + "s") + of + whose


def _dimensions(view: View) -> Switch:
    """Dimensions of a referee's scores; empty for levels scored by rule."""
    names = ("", *view.level.dimensions) if view.level.dimensions else ()
    return Switch(_("Scored"), _choices(view, "dimension", names, labels.DIMENSIONS))


def _referees(view: View, referees: Sequence[str]) -> Switch:
    """The referees with rows in this view: the points of two are never ranked together."""
    shown = view.referee or next(iter(referees), "")
    return Switch(
        _("Referee"), tuple(ControlOption(name, view.but(referee=name).query, name == shown, name) for name in referees)
    )


def _figures(view: View) -> Switch:
    """Figures to show: "repeats" only for strategies with an example, none on levels that a referee scores."""
    if view.level.dimensions:
        return Switch("", ())
    names = view.level.strategies if view.blocks == "strategy" else (view.strategy.name,)
    has_example = any(name in STRATEGIES and STRATEGIES[name].needs_example for name in names)
    figures = [name for name in FIGURES if name != "repeats" or has_example or view.columns == "repeats"]
    return Switch(_("Figures"), _choices(view, "columns", figures, labels.FIGURES))


def _blocks(view: View) -> Switch:
    """Blocks of which there are several; columns have other keys in blocks, so the sort order is reset."""
    ways = [
        name for name in view.level.strategies if view.benchmark.strategy(name).condition == view.strategy.condition
    ]
    several = {"": True, "strategy": len(ways) > 1, "condition": len(_conditions(view).choices) > 1}
    names = [name for name in BLOCKS if several[name] or name == view.blocks]
    return Switch(_("Side by side"), _choices(view.but(sort="overall"), "blocks", names, labels.BLOCKS))


def _splits(view: View) -> Switch:
    titles = {value.value: value.title for value in view.benchmark.facet("split").values}
    printed = {split for _, split in printed_places(view.benchmark, view.level, view.strategy)}
    known = view.available.splits(view.pack, view.strategy.name) | {view.split} | printed
    names = [split for split in view.strategy.splits if split in known]
    return Switch(_("Questions"), _choices(view, "split", names, titles))


def _caution(view: View) -> Switch:
    """Items under the authors' caution in or out; empty if no test of this level has any."""
    values = [value for value in view.benchmark.facet(view.level.groups[0]).values if value.level == view.level.number]
    cautious = [value for value in values if value.caution]
    if not cautious:
        return Switch("", ())
    number = cautious[0].number
    return Switch(_("Test %(number)s") % {"number": number}, _choices(view, "caution", ("in", "out"), labels.CAUTION))


def _parts(view: View) -> Switch:
    """Columns that are part of another in or out (orderings of two, three and four objects); else empty."""
    values = view.benchmark.facet(view.group).values
    wholes = sorted({value.part_of for value in values if value.part_of and value.level == view.level.number})
    if not wholes:
        return Switch("", ())
    return Switch(wholes[0], _choices(view.but(sort="overall"), "parts", ("out", "in"), labels.PARTS))


def _rows(view: View) -> Switch:
    """Each kind of row, on or off; the last one can't be turned off."""
    return Switch(_("Rows"), tuple(_row_choice(view, kind) for kind in ROW_KINDS), is_multiple=True)


def _row_choice(view: View, kind: str) -> ControlOption:
    is_on = kind in view.rows
    turned = tuple(other for other in ROW_KINDS if (other in view.rows) != (other == kind))
    return ControlOption(str(labels.ROW_KINDS[kind]), view.but(rows=turned or view.rows).query, is_on)


def _choices(view: View, name: str, values: Iterable[str], titles) -> tuple[ControlOption, ...]:
    return tuple(_choice(view, name, value, titles.get(value, value)) for value in values)


def _choice(view: View, name: str, value: str, title: str) -> ControlOption:
    return ControlOption(str(title), view.but(**{name: value}).query, getattr(view, name) == value, value)
