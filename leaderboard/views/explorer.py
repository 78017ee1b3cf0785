"""Page of thumbnails across benchmarks, filtered by facet and by who was right."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchmarks.gallery.browse import PER_PAGE
from benchmarks.gallery.query import page_of
from benchmarks.storage.access import policy_of
from leaderboard.items.explorer import explored


@require_safe
def explore(request: HttpRequest) -> HttpResponse:
    """Thumbnails of a pack's public items, narrowed by the links beside them."""
    found = explored(request.GET)
    page = page_of(request, found.items if found else [], PER_PAGE)
    cards = found.cards(list(page)) if found else []
    context = {"section": "explore", "explorer": found, "page": page, "cards": cards}
    context["policy"] = policy_of(found.pack) if found else ""
    return render(request, "leaderboard/explore.html", context)
