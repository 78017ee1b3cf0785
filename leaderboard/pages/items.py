"""Pages of items: the list behind a cell, and one item."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import PUBLIC, Answer, Fact, open_answers, open_facts, reader_of
from benchmarks.disclosure.doors import policy_of
from benchmarks.gallery.browse import PER_PAGE, title_of
from benchmarks.gallery.page_cache import cached_body
from benchmarks.gallery.query import NoSuchPlace, page_of
from benchmarks.models import Item
from benchmarks.packs.truth import ground_truth
from benchmarks.packs.truth.explanations import why
from humantrials.models import Trial
from humantrials.results.judgments import exact_sentences
from leaderboard.board.cache import version_of_items
from leaderboard.board.hidden_figures import words_of_studies
from leaderboard.board.query import BadAddress, page_number
from leaderboard.board_analysis import analyses
from leaderboard.charts.rendering.drawing import page_drawing_of
from leaderboard.items import item_detail, item_list, item_media
from leaderboard.items import replies as item_replies
from leaderboard.items.cell_cards import named_rows, page_of_cards, runs_beside
from leaderboard.items.cell_sentence import figure_of
from leaderboard.items.explorer import explored
from leaderboard.items.who_answered import people_on
from leaderboard.pages.boards import below_a_board, benchmark_or_404, not_there

# The same words for both: an address must not tell questions of a study from others.
NOT_SHOWN = "{benchmark} has no item {item}, or an open study hides it: such questions come back when the study closes."


@below_a_board
def board_items(request: HttpRequest, slug: str) -> HttpResponse:
    """Page of the items behind a cell of the board."""
    benchmark = benchmark_or_404(slug)
    wanted = item_list.list_of(benchmark, request.GET)
    runs = runs_beside(wanted.source)
    page = page_of_cards(wanted, request.GET.get("page", "1"), runs)
    named = {name: value for name, value in wanted.facets.items() if (name, value) != ("split", "all")}
    named |= {"word": wanted.word} if wanted.word else {}
    about = ", ".join(value for _, value in titles_of(benchmark, named)) or benchmark.title
    texts = {half.item.text for card in page.object_list for half in card.sides}
    question = next(iter(texts)) if len(texts) == 1 else ""
    kind = page.object_list[0].first.item.kind if question else ""
    context = {"source": wanted.source, "about": about, "page": page, "list": wanted, "figure": figure_of(wanted)}
    context |= {"section": "boards", "benchmark": benchmark, "query": query_of_list(request), "question": question}
    context["spoken"] = next((spoken for _, spoken in exact_sentences(slug, kind, question)), "") if question else ""
    words = item_list.ITEM_FILTERS | ({"unread": "ties"} if wanted.source.trial else {})
    context["filters"] = [(name, title, wanted.counts.get(name)) for name, title in words.items()]
    context |= {"visible": wanted.visible, "others": named_rows(wanted.source, runs)}
    context["hidden"] = "" if page.object_list else wanted.hidden
    return render(request, "leaderboard/items.html", context)


def titles_of(benchmark: Benchmark, facets: Mapping[str, str]) -> list[tuple[str, str]]:
    """Display titles of facets and their values; values without a title, such as objects, are shown as they are."""
    known = {facet.name: facet for facet in benchmark.facets}
    titles = {(name, value.value): value.title for name, facet in known.items() for value in facet.values}
    return [
        (known[name].title if name in known else name.capitalize(), titles.get((name, wanted), wanted))
        for name, wanted in facets.items()
    ]


def query_of_list(request: HttpRequest) -> str:
    """The query string without the parameters that the page's own links set."""
    parameters = request.GET.copy()
    for name in ("show", "page"):
        parameters.pop(name, None)
    return parameters.urlencode()


def item(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Page of one item with all answers; `row`, `show` and facets name the list of its neighbours."""
    benchmark, found = benchmark_or_404(slug), item_detail.find_item(slug, public_id)
    context = {"section": "benchmarks", "benchmark": benchmark, "item": found}
    # The user is checked for unknown items too: the response must not tell sealed items from unknown ones.
    facts = open_facts(found, to=PUBLIC) if found else frozenset()
    if found is None or (Fact.EXISTENCE not in facts and not reader_of(request).is_staff):
        raise NoSuchPlace(NOT_SHOWN.format(benchmark=benchmark.title, item=repr(public_id[:60])))
    if Fact.ANSWER not in facts:
        return _without_answers(request, found, context)
    try:
        wanted = item_list.list_of(benchmark, request.GET) if "row" in request.GET else None
        number = page_number(request.GET.get("page", "1"))
    except BadAddress as mistake:
        return not_there(request, str(mistake), found.get_absolute_url())
    return render(request, "leaderboard/item.html", context | _with_answers(request, benchmark, found, wanted, number))


def _with_answers(
    request: HttpRequest, benchmark: Benchmark, found: Item, wanted: item_list.ItemList | None, number: int
) -> dict[str, Any]:
    """Context of the item: its media, people's votes and this page of models' replies."""
    policy, wants_answer = _policy_for(request, found), request.GET.get("answer") == "1"
    twin = item_media.twin_of(benchmark, found, policy)
    items = [found, twin] if twin else [found]
    answers = open_answers(items, to=PUBLIC)
    answer = answers[found.pk]
    row = item_media.row_of(found, policy, is_question=wants_answer)
    people, votes, trials = people_on(items, {pk: one.expected for pk, one in answers.items()})
    replies = item_replies.replies_to(request, found, twin, number, row)
    return {
        **_media_context(found, twin, policy),
        "row": row,
        "title": title_of(benchmark, found),
        "verdicts": [item_media.verdict_of(one, answers[one.pk].expected) for one in items],
        "expected": [answers[one.pk].expected for one in items],
        "facets": visible_facets(benchmark, found),
        "policy": policy_of(found.pack),
        "sentences": exact_sentences(benchmark.slug, found.kind, found.text),
        "answer": answer,
        "difficulty": item_detail.difficulty(answer.expected, replies.right, replies.scored, votes),
        "people": people,
        "replies": replies,
        "votes": votes,
        "gold": item_detail.gold_of(found, answer.expected),
        "charts": _charts(found, trials, wants_answer and answer.expected is not None),
        **_place_in_list(found, wanted),
        **_reveal(found, answer, policy, wants_answer=wants_answer),
    }


def _media_context(found: Item, twin: Item | None, policy: str) -> dict[str, Any]:
    """What the page shows of the item, and of its twin beside it."""
    pair = item_media.pair_of(found, twin, policy) if twin else []
    return {
        "pictures": item_media.pictures_of(found, policy),
        "clips": item_media.clips_of(found, policy),
        "look": item_detail.look_of(found.clip),
        "twin": twin,
        "pair": pair,
        "moment": next((one.moment for one in pair if one.moment is not None), None),
    }


def _place_in_list(found: Item, wanted: item_list.ItemList | None = None) -> dict[str, Any]:
    before, after = wanted.beside(found) if wanted else item_detail.neighbours(found)
    return {"list": wanted, "before": before, "after": after}


def _charts(found: Item, trials: list[Trial], is_open: bool) -> list[dict[str, Any]]:
    """The charts that analyses draw of this item; they may tell its answer if that is open."""
    known = {name: one.chart_at_item for name, one in analyses().items() if one.chart_at_item}
    charts = {name: chart for name, chart_at in known.items() if (chart := chart_at(found, trials, is_open))}
    return [{"chart": chart, "drawing": page_drawing_of(chart), "mark": name} for name, chart in charts.items()]


def _reveal(found: Item, answer: Answer, policy: str, *, wants_answer: bool) -> dict[str, Any]:
    """What happened in the clip and why, if the address asks for it."""
    has_truth = ground_truth.has_truth(found, policy)
    is_question = has_truth and wants_answer
    return {
        "wants_answer": wants_answer,
        "has_truth": has_truth,
        "told": item_detail.named_facts(answer.reference) if wants_answer else [],
        "truth": ground_truth.truth_of(found.clip) if is_question else None,
        "why": why(found) if is_question else None,
    }


def _without_answers(request: HttpRequest, found: Item, context: dict[str, Any]) -> HttpResponse:
    """Page of the question alone, without replies and scores, with the studies that hide even that from others."""
    context |= {"facets": visible_facets(context["benchmark"], found), **_place_in_list(found)}
    context["hidden"] = words_of_studies(Item.objects.filter(pk=found.pk))
    return render(request, "leaderboard/sealed.html", context)


def _policy_for(request: HttpRequest, found: Item) -> str:
    """The media policy for this user: staff see participants' media. Else the user isn't read, for caching."""
    policy = policy_of(found.pack)
    is_open = policy == "participants" and request.user.is_staff
    return "public" if is_open else policy


def visible_facets(benchmark: Benchmark, found: Item) -> list[tuple[str, str, str]]:
    """Facet, value and caution of the item, without facets that give the answer away."""
    return [
        (facet.title, value.title, value.caution)
        for facet in benchmark.facets
        if not facet.tells and facet.name not in ("split", "caution")
        for value in facet.values
        if value.value in found.facet_values(facet.name)
    ]


# Parameters of the page; others must not fill the cache.
OWN = frozenset({"benchmark", "pack", "who", "model", "error", "media", "kind", "page"})


def known_parameters() -> frozenset[str]:
    return OWN | {facet.name for benchmark in BENCHMARKS.values() for facet in benchmark.facets}


@require_safe
def explore(request: HttpRequest) -> HttpResponse:
    """Thumbnails of a pack's public items, narrowed by the links beside them."""
    parameters = sorted((name, request.GET[name]) for name in known_parameters() & request.GET.keys())
    address = f"{request.path}?{urlencode(parameters)}"
    body = cached_body(address, version=version_of_items(), make=lambda: _explorer_body(request))
    return render(request, "leaderboard/explore.html", {"section": "explore", "body": body})


def _explorer_body(request: HttpRequest) -> str:
    found = explored(request.GET)
    page = page_of(request, found.items if found else [], PER_PAGE)
    cards = found.cards(list(page)) if found else []
    context = {"explorer": found, "page": page, "cards": cards, "policy": policy_of(found.pack) if found else ""}
    return render_to_string("leaderboard/parts/explore_body.html", context, request)
