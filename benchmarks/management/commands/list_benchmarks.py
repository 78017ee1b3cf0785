from typing import Any

from django.db.models import Count

from benchmarks.commands import SiteCommand
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Pack


class Command(SiteCommand):
    help = "List the benchmarks and their packs. Changes nothing."

    def handle(self, **options: Any) -> None:
        packs = Pack.objects.annotate(count=Count("items")).values("benchmark", "name", "origin", "count")
        facts: list[dict[str, Any]] = [
            {
                "slug": slug,
                "title": benchmark.title,
                "version": benchmark.version,
                "packs": [
                    {"name": pack["name"], "origin": pack["origin"], "items": pack["count"]}
                    for pack in packs
                    if pack["benchmark"] == slug
                ],
            }
            for slug, benchmark in BENCHMARKS.items()
        ]
        lines = (
            f"{found['slug']} {found['version']}: "
            + (", ".join(f"{pack['name']} ({pack['items']} items)" for pack in found["packs"]) or "no packs")
            for found in facts
        )
        self.say(options, {"benchmarks": facts}, "\n".join(lines))
