from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser
from django.db.models import Count

from benchmarks.commands import ActionCommand
from benchmarks.definitions.registry import BENCHMARKS, find_benchmark
from benchmarks.models import Pack
from evaluation.models import Model
from evaluation.runs.add_model import ensure_heuristics
from humantrials.protocols import PROTOCOLS


class Command(ActionCommand):
    help = "List benchmarks with their packs, models, a benchmark's strategies, or protocols of studies."

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_action(parser, "benchmarks", self.benchmarks, "benchmarks and their packs")
        self.add_action(parser, "models", self.models, "models that can be run or were uploaded")
        about = "a benchmark's prompting strategies: name, title, the paper's term"
        self.add_action(parser, "strategies", self.strategies, about).add_argument("slug")
        self.add_action(parser, "protocols", self.protocols, "what studies can be made")

    def benchmarks(self, **options: Any) -> None:
        counted = Pack.objects.annotate(items_=Count("items")).order_by("created_at")
        packs = counted.values("benchmark", "name", "origin", "items_")
        found: dict[str, list[dict[str, Any]]] = {slug: [] for slug in BENCHMARKS}
        for pack in packs:
            row = {"name": pack["name"], "origin": pack["origin"], "items": pack["items_"]}
            found.setdefault(pack["benchmark"], []).append(row)
        facts = [
            {"slug": slug, "title": benchmark.title, "version": benchmark.version, "packs": found[slug]}
            for slug, benchmark in BENCHMARKS.items()
        ]
        lines = (
            f"{slug} {benchmark.version}: "
            + (", ".join(f"{pack['name']} ({pack['items']} items)" for pack in found[slug]) or "no packs")
            for slug, benchmark in BENCHMARKS.items()
        )
        self.say(options, {"benchmarks": facts}, "\n".join(lines))

    def models(self, **options: Any) -> None:
        ensure_heuristics()
        rows = list(Model.objects.annotate(run_count=Count("runs")).order_by("slug"))
        facts = [
            {"slug": row.slug, "name": row.name, "kind": row.kind, "made_here": row.made_here, "runs": row.run_count}
            for row in rows
        ]
        width = max(len(row.slug) for row in rows)
        self.say(options, {"models": facts}, "\n".join(f"{row.slug:{width}}  {row.kind:14} {row.name}" for row in rows))

    def strategies(self, *, slug: str, **options: Any) -> None:
        strategies = find_benchmark(slug).strategies
        lines = (
            f"{strategy.name}: {strategy.title} ({strategy.paper}{', wording ours' if strategy.ours else ''})"
            f", condition {strategy.condition}, splits {', '.join(strategy.splits)}"
            for strategy in strategies
        )
        self.say(options, {"strategies": [asdict(strategy) for strategy in strategies]}, "\n".join(lines))

    def protocols(self, **options: Any) -> None:
        facts = [{"name": one.name, "title": one.title, "benchmark": one.pool.benchmark} for one in PROTOCOLS.values()]
        width = max(len(one["name"]) for one in facts)
        lines = (f"{fact['name']:{width}}  {fact['title']} ({fact['benchmark']})" for fact in facts)
        self.say(options, {"protocols": facts}, "\n".join(lines))
