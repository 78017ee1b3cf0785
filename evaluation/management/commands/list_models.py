from typing import Any

from django.db.models import Count

from benchmarks.commands import SiteCommand
from evaluation.models import Model
from evaluation.runs.builtin_models import ensure_heuristics


class Command(SiteCommand):
    help = "List the models that can be run or were uploaded. Safe to run again."

    def handle(self, **options: Any) -> None:
        ensure_heuristics()
        rows = list(Model.objects.annotate(run_count=Count("runs")).order_by("slug"))
        facts = [
            {"slug": row.slug, "name": row.name, "kind": row.kind, "made_here": row.made_here, "runs": row.run_count}
            for row in rows
        ]
        width = max(len(row.slug) for row in rows)
        self.say(options, {"models": facts}, "\n".join(f"{row.slug:{width}}  {row.kind:14} {row.name}" for row in rows))
