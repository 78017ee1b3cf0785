"""The view as a sentence of segmented links: Level, Asked, Shown, Clips, Columns; each link is another address."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from benchmarks.definition import Level
from evaluation.prompting import STRATEGIES
from leaderboard import words
from leaderboard.address import BLOCKS, FIGURES, ROW_KINDS, Shelf, View, printed_places


@dataclass(frozen=True)
class Choice:
    text: str
    query: str
    is_current: bool
    title: str = ""


@dataclass(frozen=True)
class Switch:
    """One question about the view and its possible answers."""

    legend: str
    choices: tuple[Choice, ...]
    is_multiple: bool = False  # several may be current, and a press turns one on or off


def main_switches(view: View, shelf: Shelf, referees: Sequence[str] = ()) -> list[Switch]:
    """What a reader changes first."""
    switches = [_levels(view, shelf), _strategies(view), _conditions(view, shelf), _packs(view, shelf), _groups(view),
                _dimensions(view), _referees(view, referees)]  # fmt: skip
    return [switch for switch in switches if len(switch.choices) > 1]


def more_switches(view: View, shelf: Shelf) -> list[Switch]:
    """What a reader changes now and then."""
    switches = [_figures(view), _blocks(view, shelf), _parts(view), _splits(view, shelf), _caution(view)]
    return [switch for switch in switches if len(switch.choices) > 1] + [_rows(view)]


def _levels(view: View, shelf: Shelf) -> Switch:
    return Switch(_("Level"), tuple(_level_choice(view, level, shelf) for level in view.benchmark.levels))


def _level_choice(view: View, level: Level, shelf: Shelf) -> Choice:
    """Another level starts at its own first strategy; a pack stays unless another one alone was answered there."""
    elsewhere = any(shelf.has_rows(pack, level.strategies) for pack in shelf.packs)
    stays = view.pack and (shelf.has_rows(view.pack, level.strategies) or not elsewhere)
    query = f"level={level.number}" + (f"&pack={view.pack.name}" if view.pack and stays else "")
    is_current = level == view.level
    return Choice(f"{level.number} {level.title}", view.query if is_current else query, is_current)


def _strategies(view: View) -> Switch:
    return Switch(_("Asked"), tuple(_strategy_choice(view, name) for name in view.level.strategies))


def _strategy_choice(view: View, name: str) -> Choice:
    strategy = view.benchmark.strategy(name)
    split = view.split if view.split in strategy.splits else strategy.splits[0]
    keeps = set(view.strategy.kinds) == set(strategy.kinds) and view.strategy.condition == strategy.condition
    condition = view.condition if keeps else strategy.condition
    query = view.but(strategy=strategy, split=split, condition=condition).query
    title = strategy.paper + (" · " + _("our wording") if strategy.ours else "")
    return Choice(strategy.title, query, strategy == view.strategy, title)


def _conditions(view: View, shelf: Shelf) -> Switch:
    printed = {condition for condition, _ in printed_places(view.benchmark, view.level, view.strategy)}
    found = shelf.conditions(view.pack, view.strategy.name) | {view.condition, view.strategy.condition} | printed
    names = sorted(found, key=lambda name: (words.place_of_condition(name), name))
    return Switch(
        _("Shown"), tuple(_choice(view, "condition", name, str(words.CONDITIONS.get(name, name))) for name in names)
    )


def _packs(view: View, shelf: Shelf) -> Switch:
    choices = (Choice(pack.title, view.but(pack=pack).query, pack == view.pack, pack.name) for pack in shelf.packs)
    return Switch(_("Clips"), tuple(choices))


def _groups(view: View) -> Switch:
    titles = {name: plural(view.benchmark.facet(name).title.lower()) for name in view.level.groups}
    choices = (
        Choice(titles[name], view.but(group=name, sort="overall").query, name == view.group)
        for name in view.level.groups
    )
    return Switch(_("Columns"), tuple(choices))


def plural(word: str) -> str:
    """Facets are named by English nouns: test, property; some stand in the plural already."""
    noun, of, whose = word.partition(" of ")
    if noun.endswith("s"):
        return word
    return (noun[:-1] + "ies" if noun.endswith("y") else noun + "s") + of + whose


def _dimensions(view: View) -> Switch:
    """Only where a referee scores more than one thing."""
    names = ("", *view.level.dimensions) if view.level.dimensions else ()
    return Switch(_("Scored"), _choices(view, "dimension", names, words.DIMENSIONS))


def _referees(view: View, referees: Sequence[str]) -> Switch:
    """Only where several have scored: their points are not ranked beside each other."""
    shown = view.referee or next(iter(referees), "")
    return Switch(
        _("Referee"), tuple(Choice(name, view.but(referee=name).query, name == shown, name) for name in referees)
    )


def _figures(view: View) -> Switch:
    """Repetition of the example only where one is shown; a referee's scores are all that there is of free text."""
    if view.level.dimensions:
        return Switch("", ())
    names = view.level.strategies if view.blocks == "strategy" else (view.strategy.name,)
    has_example = any(name in STRATEGIES and STRATEGIES[name].needs_example for name in names)
    figures = [name for name in FIGURES if name != "repeats" or has_example or view.columns == "repeats"]
    return Switch(_("Figures"), _choices(view, "columns", figures, words.FIGURES))


def _blocks(view: View, shelf: Shelf) -> Switch:
    """Only what there is more than one of; columns have other names in blocks, so the order starts anew."""
    ways = [
        name for name in view.level.strategies if view.benchmark.strategy(name).condition == view.strategy.condition
    ]
    several = {"": True, "strategy": len(ways) > 1, "condition": len(_conditions(view, shelf).choices) > 1}
    names = [name for name in BLOCKS if several[name] or name == view.blocks]
    return Switch(_("Side by side"), _choices(view.but(sort="overall"), "blocks", names, words.BLOCKS))


def _splits(view: View, shelf: Shelf) -> Switch:
    titles = {value.value: value.title for value in view.benchmark.facet("split").values}
    printed = {split for _, split in printed_places(view.benchmark, view.level, view.strategy)}
    known = shelf.splits(view.pack, view.strategy.name) | {view.split} | printed
    names = [split for split in view.strategy.splits if split in known]
    return Switch(_("Questions"), _choices(view, "split", names, titles))


def _caution(view: View) -> Switch:
    """Only where a test of this level carries the authors' caution."""
    values = [value for value in view.benchmark.facet(view.level.groups[0]).values if value.level == view.level.number]
    cautious = [value for value in values if value.caution]
    if not cautious:
        return Switch("", ())
    number = cautious[0].number
    return Switch(_("Test %(number)s") % {"number": number}, _choices(view, "caution", ("in", "out"), words.CAUTION))


def _parts(view: View) -> Switch:
    """Only where a column takes in others: the orderings of two, three and four objects."""
    values = view.benchmark.facet(view.group).values
    wholes = sorted({value.part_of for value in values if value.part_of and value.level == view.level.number})
    if not wholes:
        return Switch("", ())
    return Switch(wholes[0], _choices(view.but(sort="overall"), "parts", ("out", "in"), words.PARTS))


def _rows(view: View) -> Switch:
    """Each kind of row, on or off; the last one stays."""
    return Switch(_("Rows"), tuple(_row_choice(view, kind) for kind in ROW_KINDS), is_multiple=True)


def _row_choice(view: View, kind: str) -> Choice:
    is_on = kind in view.rows
    turned = tuple(other for other in ROW_KINDS if (other in view.rows) != (other == kind))
    return Choice(str(words.ROW_KINDS[kind]), view.but(rows=turned or view.rows).query, is_on)


def _choices(view: View, name: str, values: Iterable[str], titles) -> tuple[Choice, ...]:
    return tuple(_choice(view, name, value, titles.get(value, value)) for value in values)


def _choice(view: View, name: str, value: str, title: str) -> Choice:
    return Choice(str(title), view.but(**{name: value}).query, getattr(view, name) == value, value)
