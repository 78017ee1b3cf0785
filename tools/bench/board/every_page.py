"""Server time of each kind of page over a million responses: cold (nothing cached) and warm, with queries.

`python -m tools.bench.board.every_page` loads the data into a temporary folder (tools/bench/board/million.py) and
prints a JSON line for each page; exit 1 if one takes more than 60 ms warm or 250 ms cold. With DATA_DIR (and
DATABASE_URL) of a loaded database it measures that one; with a word as argument, only pages with that word in their
name. Processor time decides: on a shared machine it is the better measure of a request's cost.
"""

import os
import sys
import tempfile
from typing import Any

from tools.bench.board.page_million import median_of, queries_of, set_up
from tools.bench.measure import say

WARM_MS, COLD_MS = 60, 250
ROUNDS = (3, 9)  # cold and warm


def pages() -> dict[str, str]:
    """Name and address of each kind of page, for the rows in the data."""
    from benchmarks.disclosure import PUBLIC, Fact, open_to
    from benchmarks.models import Item
    from evaluation.models import Run
    from humantrials.models import Trial

    first, second, third = Run.objects.filter(strategy="plausibility").order_by("pk")[:3]
    item: Any = Item.objects.filter(pack=first.pack, kind="plausibility").filter(open_to(PUBLIC, Fact.ANSWER)).first()
    trial = Trial.objects.earliest("pk")
    rows = f"/compare/?a=run-{first.pk}&b=run-{second.pk}"
    return {
        "home": "/",
        "boards": "/leaderboard/",
        **{f"board {slug}": f"/leaderboard/{slug}/" for slug in ("grasp", "craft", "pacs")},
        "board heat": "/leaderboard/grasp/?level=2",
        "board concepts": "/leaderboard/grasp/?level=2&group=concept",
        "chart": "/leaderboard/grasp/charts/people/?level=2",
        "table": "/leaderboard/grasp/tables/grasp-table-2/?rows=published,run",
        "concepts": "/concepts/",
        "concept": "/concepts/gravity/",
        "models": "/models/",
        "model": first.model.get_absolute_url(),
        "explore": "/explore/?benchmark=grasp",
        "explore narrowed": "/explore/?benchmark=grasp&level=2&who=models-wrong",
        "explore errors": f"/explore/?benchmark=grasp&model={first.pk}&error=false-yes",
        "item": item.get_absolute_url(),
        "item answer": f"{item.get_absolute_url()}?answer=1",
        "items": f"/leaderboard/grasp/items/?row=run-{first.pk}&level=2",
        "compare form": "/compare/",
        "compare two": rows,
        "compare three": f"{rows}&c=run-{third.pk}",
        "run": first.get_absolute_url(),
        "benchmarks": "/benchmarks/",
        "benchmark": "/benchmarks/grasp/",
        "gallery": "/benchmarks/grasp/items/",
        "studies": "/trials/",
        "study": trial.get_absolute_url(),
        "submit": "/submit/",
        "snapshots": "/snapshots/",
        "feed": "/feed.atom",
        "sitemap": "/sitemap.xml",
        "api docs": "/api/v1/docs/",
        "api schema": "/api/v1/schema/",
    }


def measure(name: str, address: str) -> bool:
    """Print the line of one page; return whether it is within the limits."""
    from django.core.cache import cache

    cold, warm = ROUNDS
    median_of(1, address)  # loads templates and modules, as in a running process
    first = median_of(cold, address, cache.clear)
    cache.clear()
    queries = queries_of(address)
    again = median_of(warm, address)
    is_ok = again["cpu_ms"] <= WARM_MS and first["cpu_ms"] <= COLD_MS
    figures = {f"{state}_{key}": one[key] for state, one in (("cold", first), ("warm", again)) for key in one}
    return say(is_ok, page=name, **figures, cold_queries=queries)


def main(part: str = "") -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DATA_DIR", folder)
        set_up()
        results = [measure(name, address) for name, address in pages().items() if part in name]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
