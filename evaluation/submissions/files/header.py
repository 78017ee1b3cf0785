"""The header of a submission: it names the items answered and is checked against this site's packs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.definitions.definition import Benchmark, StrategyName
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.models import ItemQuerySet, Pack
from evaluation.submissions.files.problems import Unreadable

FIELDS = ("benchmark", "pack", "model", "strategy", "condition", "split")
OPTIONAL = ("revision", "parser")
MODEL_CHARACTERS = 120  # the database's limit
REVISION_CHARACTERS = 64


@dataclass(frozen=True)
class Target:
    """The items that a submission answers, and how the model was prompted."""

    benchmark: Benchmark
    pack: Pack
    model: str
    strategy: StrategyName
    condition: str
    split: str
    revision: str = ""
    parser: str = ""  # for raw replies; '' = the benchmark's own parser

    def items(self) -> ItemQuerySet:
        """The items that must be answered; items hidden by a study are treated as unknown."""
        return self.all_items().filter(open_to(PUBLIC, Fact.EXISTENCE))

    def all_items(self) -> ItemQuerySet:
        """The same items, including those hidden by a study."""
        return self.pack.items.askable().in_split(self.split).for_strategy(self.benchmark, self.strategy)

    @property
    def facts(self) -> dict[str, str]:
        """The header that names this target."""
        return {
            "benchmark": self.benchmark.slug,
            "pack": self.pack.name,
            "model": self.model,
            "strategy": self.strategy.name,
            "condition": self.condition,
            "split": self.split,
        }


def merged(in_file: Mapping[str, Any] | None, typed: Mapping[str, str] | None) -> Mapping[str, Any]:
    """Merge the file's header with the given fields; a field in both must have one value."""
    if not in_file and not typed:
        where = "in the first line or, for a table (CSV), in the fields beside the file"
        raise Unreadable("header", f"there is no header: name {', '.join(FIELDS)} {where}", line=1)
    for name in typed or {}:
        if in_file and name in in_file and in_file[name] != (typed or {})[name]:
            raise Unreadable("header", f"the file's header and the fields beside it name different `{name}`", line=1)
    return {**(typed or {}), **(in_file or {})}


def target_of(header: Mapping[str, Any], *, line: int | None = None) -> Target:
    """The target named by this header; Unreadable gives the first unknown value and lists the existing ones."""
    _check_fields(header, line)
    benchmark = BENCHMARKS[_one_of("benchmark", header["benchmark"], BENCHMARKS, line)]
    packs = {pack.name: pack for pack in Pack.objects.filter(benchmark=benchmark.slug).on_boards()}
    strategies = {strategy.name: strategy for strategy in benchmark.strategies}
    strategy = strategies[_one_of("strategy", header["strategy"], strategies, line)]
    target = Target(
        benchmark=benchmark,
        pack=packs[_one_of("pack", header["pack"], packs, line)],
        model=" ".join(header["model"].split()),
        strategy=strategy,
        condition=_one_of("condition", header["condition"], benchmark.conditions_of(strategy.name), line),
        split=_one_of("split", header["split"], strategy.splits, line),
        revision=header.get("revision", "").strip(),
        parser=_one_of("parser", header["parser"], benchmark.parsers_for(strategy.name), line)
        if header.get("parser")
        else "",
    )
    if not target.items().exists():
        raise Unreadable("header", "this pack has no items of this strategy in this split", line=line)
    return target


def _check_fields(header: Mapping[str, Any], line: int | None) -> None:
    if lacking := [name for name in FIELDS if not header.get(name)]:
        raise Unreadable("header", f"the header lacks {', '.join(lacking)}", line=line)
    if unknown := sorted(set(header) - {*FIELDS, *OPTIONAL}):
        raise Unreadable("header", f"the header has an unknown field {unknown[0][:40]!r}", line=line)
    for name, value in header.items():
        if not isinstance(value, str):
            raise Unreadable("header", f"the header's `{name}` must be text", line=line)
    if not header["model"].isprintable() or not header["model"].strip() or len(header["model"]) > MODEL_CHARACTERS:
        raise Unreadable("header", f"the header's `model` must be a name of 1 to {MODEL_CHARACTERS} letters", line=line)
    if not header.get("revision", "").isprintable() or len(header.get("revision", "")) > REVISION_CHARACTERS:
        raise Unreadable("header", f"the header's `revision` has at most {REVISION_CHARACTERS} letters", line=line)


def _one_of(name: str, value: str, choices: Iterable[str], line: int | None) -> str:
    if value in choices:
        return value
    there_are = ", ".join(choices) or "none yet"
    raise Unreadable("header", f"the header's `{name}` is {value[:60]!r}; there are: {there_are}", line=line)
