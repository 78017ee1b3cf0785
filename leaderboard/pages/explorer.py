"""Page of thumbnails across benchmarks, filtered by facet and by who was right."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure.doors import policy_of
from benchmarks.gallery.browse import PER_PAGE
from benchmarks.gallery.page_cache import cached_body
from benchmarks.gallery.query import page_of
from leaderboard.board.cache import version_of_items
from leaderboard.items.explorer import explored

# Parameters of the page; others must not fill the cache.
OWN = frozenset({"benchmark", "pack", "who", "model", "error", "media", "kind", "page"})


def known_parameters() -> frozenset[str]:
    return OWN | {facet.name for benchmark in BENCHMARKS.values() for facet in benchmark.facets}


@require_safe
def explore(request: HttpRequest) -> HttpResponse:
    """Thumbnails of a pack's public items, narrowed by the links beside them."""
    parameters = sorted((name, request.GET[name]) for name in known_parameters() & request.GET.keys())
    address = f"{request.path}?{urlencode(parameters)}"
    body = cached_body(address, version=version_of_items(), make=lambda: _body(request))
    return render(request, "leaderboard/explore.html", {"section": "explore", "body": body})


def _body(request: HttpRequest) -> str:
    found = explored(request.GET)
    page = page_of(request, found.items if found else [], PER_PAGE)
    cards = found.cards(list(page)) if found else []
    context = {"explorer": found, "page": page, "cards": cards, "policy": policy_of(found.pack) if found else ""}
    return render_to_string("leaderboard/parts/explore_body.html", context, request)
