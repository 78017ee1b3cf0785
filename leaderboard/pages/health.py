"""Page of item health: the questions of a pack that good answerers fail and poor ones pass."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse

from benchmarks.gallery.page_cache import cached_body
from leaderboard.audits.item_health import FEWEST, health_of
from leaderboard.board.cache import version_of_items
from leaderboard.board.controls import main_switches
from leaderboard.board.query import BadAddress, View, view_of
from leaderboard.pages.boards import benchmark_or_404, not_there

TURNED = ("Level", "Prompting", "Clips")  # controls of the board that apply here


def health(request: HttpRequest, slug: str) -> HttpResponse:
    benchmark = benchmark_or_404(slug)
    try:
        view = view_of(benchmark, request.GET)
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))
    kind, pack = view.strategy.kinds[0], view.pack.pk if view.pack else 0
    body = cached_body(f"health:{pack}:{kind}", version=version_of_items(), make=lambda: _body(view, kind))
    context = {
        "section": "boards",
        "benchmark": benchmark,
        "view": view,
        "body": body,
        "switches": [switch for switch in main_switches(view) if switch.legend in TURNED],
    }
    return render(request, "leaderboard/health.html", context)


def _body(view: View, kind: str) -> str:
    found = health_of(view.pack, kind) if view.pack else None
    context = {"found": found, "fewest": FEWEST, "benchmark": view.benchmark, "kind": kind}
    return render_to_string("leaderboard/parts/health_body.html", context)
