"""The list of models: its entries, and the menus that narrow it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from urllib.parse import urlencode

from benchmarks.definitions.definition import Benchmark
from evaluation.models import openness
from leaderboard.charts.model_charts import parameters_in
from leaderboard.row_kinds import RowKind

KINDS: dict[str, str] = {
    "": "all",
    "here": RowKind.RUN.words,
    "uploaded": RowKind.UPLOADED.words,
    "reported": RowKind.PUBLISHED.words,
}
SIZES: dict[str, str] = {"": "any size", "small": "< 10B", "medium": "10–40B", "large": "> 40B", "unknown": "unknown"}
LIMITS = (("small", 10e9 - 1), ("medium", 40e9), ("large", inf))  # parameters at most
WEIGHTS: dict[str, str] = {"": "open or closed", "open": "open", "closed": "closed", "unknown": "unknown"}
MENUS = {"kind": ("Rows", KINDS), "size": ("Size", SIZES), "weights": ("Weights", WEIGHTS)}  # parameter -> choices


@dataclass(frozen=True)
class ModelEntry:
    """One model in the list."""

    name: str
    link: str
    what: str
    runs: int = 0
    made_here: bool = False
    is_uploaded: bool = False
    reported_in: tuple[Benchmark, ...] = ()
    parameters: str = ""  # as the card says, else as the name
    date: str = ""  # of release as the card says, else of its latest run here, else of the latest paper
    maker: str = ""  # as the card says, like the next
    weights: str = ""
    is_baseline: bool = False

    @property
    def size(self) -> float | None:
        """The number of parameters."""
        return parameters_in(self.parameters)

    def under(self, name: str) -> tuple[str, ...]:
        """The choices of the menu of this name under which it is listed."""
        if name == "size":
            size = self.size and next(choice for choice, most in LIMITS if self.size <= most)
            return (size or "unknown",)
        if name == "weights":
            return (openness(self.weights),)
        here = "uploaded" if self.is_uploaded else "here"
        return ((here,) if self.runs else ()) + (("reported",) if self.reported_in else ())


@dataclass(frozen=True)
class ListMenu:
    """One menu above the list: each choice with the number of models that it would leave."""

    name: str
    current: str
    choices: list[tuple[str, str, int, str]]  # value, title, number, the query of its link

    @property
    def legend(self) -> str:
        return MENUS[self.name][0]

    @property
    def title(self) -> str:
        return MENUS[self.name][1][self.current]


def narrowed(
    entries: Sequence[ModelEntry], chosen: Mapping[str, str], **beside: str
) -> tuple[list[ModelEntry], list[ListMenu]]:
    """The models under all choices, and the menus, whose counts keep the choices of the others; links keep `beside`."""
    return _under(entries, chosen), [_menu(entries, chosen, name, beside) for name in MENUS]


def _under(entries: Sequence[ModelEntry], chosen: Mapping[str, str]) -> list[ModelEntry]:
    wanted = _filled(chosen).items()
    return [one for one in entries if all(value in one.under(name) for name, value in wanted)]


def _menu(entries: Sequence[ModelEntry], chosen: Mapping[str, str], name: str, beside: Mapping[str, str]) -> ListMenu:
    counts = Counter(value for one in _under(entries, {**chosen, name: ""}) for value in ("", *one.under(name)))
    choices = [
        (value, title, counts[value], urlencode(_filled({**beside, **chosen, name: value})))
        for value, title in MENUS[name][1].items()
        if counts[value] or value == chosen[name]
    ]
    return ListMenu(name, chosen[name], choices)


def _filled(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}
