"""The data of the pages of runs and models, row by row."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import Subquery

from benchmarks.definitions.definition import title_among
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.models import Item
from benchmarks.templatetags.figures import figure_key
from evaluation.models import CellState, Model, Run, RunCode, RunKind
from evaluation.prompting.presets import preset_facts
from evaluation.runs.pages.number_format import duration, pretty, share
from evaluation.runs.progress import standing_of
from evaluation.runs.results import Metric, Outcome, accuracies, has_results, outcome_of, result_of


@dataclass(frozen=True)
class TestRow:
    """Accuracy on one test, with the benchmark's name of the test."""

    title: str
    metric: Metric
    is_overall: bool = False
    figure: str = ""  # name of the figure; "" if it leaves out hidden answers, as its row does not


@dataclass(frozen=True)
class RunRow:
    """One run in a list."""

    run: Run
    strategy: str
    accuracy: float | None
    benchmark: str = ""  # its title
    ends: tuple[float, float] | None = None  # of the interval; None unless the stored results are up to date
    n: int | None = None
    split: str = ""  # its title
    key: str = ""  # the name of the figure; "" where some questions have no public answer
    apart: str = ""  # the settings in which it differs from rows that look the same


@dataclass(frozen=True)
class Failure:
    """The first question of a run that could not be asked, the starting point for debugging."""

    item: Item
    seed: int
    reason: str


# Shown to visitors in place of a failure's text, which may quote an internal server or name its paths.
TROUBLES = {
    RunCode.MODEL_UNUSABLE: "The model can't be opened or asked.",
    RunCode.MODEL_BUSY: "The model asks to wait.",
    RunCode.DISK_FULL: "No room is left on the disk.",
    RunCode.STORE_AWAY: "The store of the clips can't be reached.",
    RunCode.OUT_OF_MEMORY: "The model does not fit into the memory of its machine.",
    RunCode.UNANSWERED: "Some questions could not be asked.",
    RunCode.CEILING: "The run has reached its ceiling of cost or tokens.",
    RunCode.UNSCORED: "The referee could not go on.",
}


def reason_of(run: Run | None, *, to_staff: bool) -> str:
    """Why the run failed or waits: the full reason for staff, the kind of failure for other users."""
    if run is None or not run.reason:
        return ""
    return run.reason if to_staff else str(TROUBLES.get(RunCode(run.code), "")) if run.code else "Something failed."


def strategy_title(run: Run) -> str:
    """The strategy's title for readers."""
    if run.kind == RunKind.REFEREE:
        return "scoring of replies"
    benchmark = BENCHMARKS.get(run.pack.benchmark)
    titles = {strategy.name: strategy.title for strategy in benchmark.strategies} if benchmark else {}
    return titles.get(run.strategy, run.strategy)


def run_rows(runs: Iterable[Run]) -> list[RunRow]:
    found = list(runs)
    by_run = accuracies(run for run in found if run.is_over)
    return [_run_row(run, by_run.get(run.pk)) for run in found]


def _run_row(run: Run, accuracy: float | None) -> RunRow:
    benchmark = BENCHMARKS.get(run.pack.benchmark)
    title = benchmark.title if benchmark else run.pack.benchmark
    overall = run.results["overall"] if has_results(run) else {}
    interval = overall.get("interval")
    ends = (interval["low"], interval["high"]) if interval else None
    split = title_among(benchmark.facet("split").values, run.split) if benchmark else run.split
    key = figure_key(f"run-{run.pk}", run.split) if overall and not run.results.get("left_out") else ""
    return RunRow(run, strategy_title(run), accuracy, title, ends, overall.get("n"), split, key)


# What readers look for first; the rest of the card follows.
FACTS_IN_ORDER = (
    *("organisation", "parameters", "released", "licence", "link"),
    *("paper", "weights", "family", "trained_on", "contamination"),
)
# Shown above the facts, or elsewhere on the page.
ON_OTHER_PARTS = ("what", "curve", "curves", "compared")


def model_facts(model: Model) -> list[tuple[str, Any]]:
    """A model's card as (name, value), without what the page shows elsewhere."""
    names = sorted(
        (name for name in model.card if name not in ON_OTHER_PARTS),
        key=lambda name: FACTS_IN_ORDER.index(name) if name in FACTS_IN_ORDER else len(FACTS_IN_ORDER),
    )
    return [(name.replace("_", " "), model.card[name]) for name in names]


def test_rows(run: Run, outcome: Outcome) -> list[TestRow]:
    """One row per test in the benchmark's order, then one for all questions and one for their groups."""
    marks = outcome.tests
    benchmark = BENCHMARKS.get(run.pack.benchmark)
    facets = [facet for facet in benchmark.facets if facet.name == "test"] if benchmark else []
    titles = {value.value: value.title for facet in facets for value in facet.values}
    order = [*(test for test in titles if test in marks), *(test for test in marks if test not in titles)]
    key = partial(figure_key, "" if outcome.left_out else f"run-{run.pk}", run.split)
    rows = [TestRow(titles.get(test, test), marks[test], figure=key("test", test)) for test in order]
    whole = TestRow("All questions", outcome.overall, is_overall=True, figure=key())
    rows = [*rows, whole] if outcome.overall.n else []
    if outcome.groups and benchmark and benchmark.groups:
        rows.append(TestRow(f"By {benchmark.groups.title}", outcome.groups))
    return rows


def dimension_rows(outcome: Outcome) -> list[TestRow]:
    """One row per dimension of the referee, then their mean, which is the run's score."""
    rows = [TestRow(name.replace("-", " ").capitalize(), mark) for name, mark in outcome.dimensions.items()]
    return [*rows, TestRow("Mean", outcome.overall, is_overall=True)] if len(rows) > 1 else rows


def first_failure(run: Run) -> Failure | None:
    """The first failed question by id; queried only if the run's code reports one."""
    if run.code != RunCode.UNANSWERED:
        return None
    failed = run.cells.filter(
        state=CellState.FAILED, item__in=Item.objects.filter(open_to(PUBLIC, Fact.EXISTENCE))
    ).select_related("item__pack")
    cell = failed.order_by("item__public_id", "seed").first()
    return Failure(cell.item, cell.seed, cell.reason) if cell else None


def other_refereeings(run: Run, own: Run | None) -> list[Run]:
    """Refereeings of the run other than the one whose scores count."""
    beside = run.refereeings.exclude(pk=own.pk) if own else run.refereeings.all()
    return list(beside.select_related("model"))


def card_rows(run: Run) -> list[tuple[str, str]]:
    """Everything that the run's numbers depend on, as (name, value)."""
    return [(name, pretty(value)) for name, value in _card_values(run) if value not in (None, "", {}, [])]


def _card_values(run: Run) -> Iterator[tuple[str, Any]]:
    card = run.card
    yield "Pack", f"{run.pack.name}, manifest {run.pack.manifest_hash}"
    yield "Revision of the model", run.revision
    yield from ((f"Model: {name.replace('_', ' ')}", value) for name, value in card.get("model", {}).items())
    yield "Used", ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in card.get("usage", {}).items())
    yield "Ceiling", ", ".join(f"{name} {value:,}" for name, value in card.get("ceiling", {}).items())
    yield "Devices", "; ".join(map(_device, card.get("devices", [])))
    if len(card.get("devices", [])) > 1:
        yield "Not bit-comparable", "answered on more than one kind of device or setting"
    yield "Strategy", run.strategy
    yield "Condition", run.condition
    if count := card.get("left_out"):
        yield "Left out", "1 question without its clips" if count == 1 else f"{count} questions without their clips"
    yield "Frames", card.get("sampler") or run.sampler
    yield "Sampling", ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in run.sampling.items())
    for name, fact in preset_facts(run.sampling, run.pack.benchmark, run.model.kind).items():
        yield f"Preset: {name}" if name != "preset" else "Preset", fact
    yield "Seeds", ", ".join(map(str, run.seeds))
    yield "Parser", f"{run.parser} {run.parser_version}"
    yield "Referee", _referee(run)
    for name, facts in card.get("rubrics", {}).items():
        yield "Rubric", f"{name} {facts['version']}, prompt {facts['sha256']}"
    yield "First prompt as sent", first_prompt(run)
    yield from _measured_values(card)


def _measured_values(card: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What the workers noted while the run was answered."""
    yield "Hash of all prompts", card.get("prompts")
    yield "Hash of all frames", card.get("frames")
    yield "Libraries", ", ".join(f"{name} {version}" for name, version in card.get("libraries", {}).items())
    yield "Python", card.get("python")
    yield "Version of this site", " ".join(filter(None, card.get("site", {}).values()))
    yield "Time spent", ", ".join(f"{what} {duration(spent)}" for what, spent in card.get("seconds", {}).items())
    yield "Questions a minute", str(card["items_a_minute"]) if card.get("items_a_minute") else None
    yield "Model busy", f"{share(card['busy'])} %" if card.get("busy") is not None else None
    yield "Memory", f"{card['memory_mb']} MB" if card.get("memory_mb") else None


def first_prompt(run: Run) -> str:
    """The first prompt of the run as laid out by its template; nothing about an item with a hidden answer."""
    if run.kind != RunKind.RUN:
        return ""
    first = run.shards.order_by("number").values("pk")[:1]
    cells = run.cells.filter(shard=Subquery(first)).order_by("pk")
    cells = cells.annotate(is_open=open_to(PUBLIC, Fact.ANSWER, "item"))
    turns, is_open = cells.values_list("response__turns", "is_open").first() or (None, False)
    return turns[0].get("prompt", "") if turns and is_open else ""


def _device(device: Mapping[str, Any]) -> str:
    """`cpu, float32, threads 1, batch 8: 3 shards`."""
    parts = [str(device[name]) for name in ("device", "dtype") if name in device]
    parts += [f"{name} {device[name]}" for name in ("threads", "batch") if name in device]
    shards = f"{device['shards']} shard{'' if device['shards'] == 1 else 's'}"
    return f"{', '.join(parts) or '–'}: {shards}"


def _referee(run: Run) -> str:
    """The referee, its run and the rubrics."""
    referee = run.card.get("referee")
    if not referee:
        return run.referee
    rubrics = ", ".join(f"{name} {facts['version']}" for name, facts in referee["rubrics"].items())
    return f"{referee['model']} {referee['revision']}".strip() + f", run {referee['run']}: {rubrics}"


# Columns of a run that its JSON has as they are.
COLUMNS = (
    *("revision", "strategy", "condition", "split", "sampler", "sampling", "seeds", "parser", "parser_version"),
    *("limit", "only", "referee", "rubric", "state", "code", "started_at", "finished_at"),
)


def facts_of(run: Run, *, to_staff: bool) -> dict[str, Any]:
    """The run as JSON: identity, state, counts, result and card; shares are 0 to 1. Only staff get hidden answers."""
    standing = standing_of(run)
    return {
        "run": run.pk,
        "kind": run.kind,
        "model": run.model.slug,
        "benchmark": run.pack.benchmark,
        "pack": run.pack.name,
        "identity": run.identity,
        **{name: getattr(run, name) for name in COLUMNS},
        "preset": preset_facts(run.sampling, run.pack.benchmark, run.model.kind) or None,
        "judged": run.judged_id,
        "reason": reason_of(run, to_staff=to_staff),
        "first_failure": _failure_facts(first_failure(run), to_staff=to_staff),
        "priority": run.get_priority_display().lower(),
        "position": standing.position or None,
        "heartbeat_seconds": standing.heartbeat_seconds,
        "seconds_left": standing.seconds_left,
        "shards": standing.shards,
        "cells": standing.counts.total,
        "problems": standing.counts.problems,
        "thoughts_cut_off": standing.counts.cut_in_thought,
        **result_of(run, whole=to_staff),
        "hidden": 0 if to_staff else outcome_of(run).left_out,  # questions left out of these figures
        "unscored": standing.stage.counts.unread if standing.stage else None,
        "first_prompt": first_prompt(run),
        "card": run.card,
    }


def _failure_facts(failure: Failure | None, *, to_staff: bool) -> dict[str, Any] | None:
    if failure is None:
        return None
    reason = failure.reason if to_staff else "This question could not be asked."
    return {"item": failure.item.public_id, "seed": failure.seed, "reason": reason}
