"""Pages of items: those behind a cell, and one of them."""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from benchmarks import ground_truth
from benchmarks.addresses import NoSuchPlace
from benchmarks.answers import WITHHELD
from benchmarks.definition import Benchmark
from benchmarks.explaining import why
from benchmarks.media import policy_of
from benchmarks.models import Item
from humantrials.results import sentences_shown
from leaderboard import item_pictures, item_replies, items, one_item
from leaderboard.address import BadAddress, page_number
from leaderboard.views import benchmark_or_404, not_there


def board_items(request: HttpRequest, slug: str) -> HttpResponse:
    """The items behind a cell of the board."""
    benchmark = benchmark_or_404(slug)
    try:
        wanted = items.list_of(benchmark, request.GET)
        page = wanted.page(request.GET.get("page", "1"))
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))
    titles = titles_of(benchmark, {**wanted.facets} | ({"word": wanted.word} if wanted.word else {}))
    context = {"source": wanted.source, "facets": titles, "page": page}
    context |= {"section": "boards", "benchmark": benchmark, "query": _query(request), "shown": items.SHOWN}
    context |= {"show": wanted.shown, "list": wanted}
    return render(request, "leaderboard/items.html", context)


def titles_of(benchmark: Benchmark, facets: Mapping[str, str]) -> list[tuple[str, str]]:
    """Facets and values as pages name them; an object has its number for a name."""
    known = {facet.name: facet for facet in benchmark.facets}
    titles = {(name, value.value): value.title for name, facet in known.items() for value in facet.values}
    return [
        (known[name].title if name in known else name.capitalize(), titles.get((name, wanted), wanted))
        for name, wanted in facets.items()
    ]


def _query(request: HttpRequest) -> str:
    """The address without what the page's own links change."""
    kept = request.GET.copy()
    for name in ("show", "page"):
        kept.pop(name, None)
    return kept.urlencode()


def item(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """One item and all that was answered to it; `row`, `show` and facets say which list its neighbours are of."""
    benchmark, found = benchmark_or_404(slug), one_item.find_item(slug, public_id)
    if found is None:
        raise NoSuchPlace(f"{benchmark.title} has no item {public_id[:60]!r}.")
    context = {"section": "benchmarks", "benchmark": benchmark, "item": found}
    if seals := found.seals.all():
        context["is_withheld"] = all(seal.by == WITHHELD for seal in seals)
        return render(request, "leaderboard/sealed.html", context, status=403)
    try:
        wanted = items.list_of(benchmark, request.GET) if "row" in request.GET else None
        number = page_number(request.GET.get("page", "1"))
    except BadAddress as mistake:
        return not_there(request, str(mistake), found.get_absolute_url())
    policy = _policy_for(request, found)
    has_truth = ground_truth.has_truth(found, policy)
    wants_answer = request.GET.get("answer") == "1"
    is_asked = has_truth and wants_answer
    before, after = wanted.beside(found) if wanted else one_item.neighbours(found)
    row, votes = item_pictures.row_of(found, policy, is_asked=wants_answer), one_item.votes_on(found)
    replies = item_replies.replies_to(request, found, number, row)
    context |= {
        "pictures": item_pictures.pictures_of(found, policy),
        "clips": item_pictures.clips_of(found, policy),
        "row": row,
        "told": one_item.told_of(found) if wants_answer else [],
        "wants_answer": wants_answer,
        "facets": facets_shown(benchmark, found),
        "policy": policy_of(found.pack),
        "sentences": sentences_shown(benchmark.slug, found.kind, found.text),
        "difficulty": one_item.difficulty(found, replies.right, replies.scored, votes),
        "replies": replies,
        "votes": votes,
        "gold": one_item.gold_of(found),
        "list": wanted,
        "before": before,
        "after": after,
        "has_truth": has_truth,
        "truth": ground_truth.truth_of(found.clip) if is_asked else None,
        "why": why(found) if is_asked else None,
    }
    return render(request, "leaderboard/item.html", context)


def _policy_for(request: HttpRequest, found: Item) -> str:
    """Staff see what only participants may; who else it is is only looked at where it matters, for caches."""
    policy = policy_of(found.pack)
    is_open = policy == "participants" and request.user.is_staff
    return "public" if is_open else policy


def facets_shown(benchmark: Benchmark, found: Item) -> list[tuple[str, str, str]]:
    """Facet, value and caution; polarity would tell the answer and stands with it."""
    hidden = ("split", "polarity", "caution")
    rows = []
    for facet in benchmark.facets:
        for value in facet.values:
            if facet.name not in hidden and value.value in found.facet_values(facet.name):
                rows.append((facet.title, value.title, value.caution))
    return rows
