"""Pages about sound: its effect overall, the items it changes, and results by word or object."""

from collections.abc import Sequence
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from benchmarks.gallery.distributions import bare
from benchmarks.models import Item
from benchmarks.words import CONDITIONS
from evaluation.runs.pages.number_format import chance_of_as_much
from leaderboard.analyses.sound.by_value import VALUES, groups_by, judged_by, result_of
from leaderboard.analyses.sound.changes import WAYS, Changed, changed_of
from leaderboard.analyses.sound.effects import SOUND_COLUMNS, AudioEffects, Effect, audio_effects
from leaderboard.board.controls import main_switches
from leaderboard.board.query import BadAddress, one_of, page_number, view_of
from leaderboard.comparison import answers
from leaderboard.comparison.answers import ChangedRow
from leaderboard.exports import writers
from leaderboard.exports.provenance import of_view
from leaderboard.exports.table import Table, in_per_cent, text_of
from leaderboard.items.item_list import AnswerSource, requested_facets, source_of
from leaderboard.labels import FORMATS as FORMAT_NAMES
from leaderboard.pages.boards import below_a_board, benchmark_or_404, leads_back_to
from leaderboard.pages.items import query_of_list, titles_of
from measures.estimate import ESTIMATOR

PAGE = 50
SIMULATED = "Simulated participants are a program that tries a study out: their rows say nothing about people."
TURNED = ("Level", "Prompting", "Clips")  # controls of the board that apply here


@below_a_board
def audio_effects_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Page of audio effects: with and without sound, mismatched audio, and the subset about materials."""
    benchmark = benchmark_or_404(slug)
    view = view_of(benchmark, {"condition": "audio"} | request.GET.dict())
    found = audio_effects(view)
    if wanted := request.GET.get("format"):
        return writers.response(table_of(found), wanted, name=f"{slug}-sound")
    context = {
        "section": "boards",
        "benchmark": benchmark,
        "view": view,
        "found": found,
        "answer": changed_by_sound(found.effects),
        "switches": [switch for switch in main_switches(view) if switch.legend in TURNED],
        "columns": [CONDITIONS[condition] for condition in SOUND_COLUMNS],
        "levels": list(reversed(benchmark.levels)),
        "formats": FORMAT_NAMES.items(),
    }
    return render(request, "leaderboard/audio_effects.html", context)


def changed_by_sound(effects: Sequence[Effect]) -> str:
    """Whose accuracy sound changes, in a sentence; simulated participants are no answer."""
    rows = [one for one in effects if not one.row.kind.is_simulated]
    return answers.changed([ChangedRow(one.row, one.difference.value, one.p_holm) for one in rows], "Sound", "accuracy")


def table_of(found: AudioEffects) -> Table:
    """Table of scores with and without sound by answerer; shares in per cent, differences in points."""
    heads = (
        *("Who", "Kind", "n", "With sound %", "Without sound %", "Difference", "Low", "High", "p", "p (Holm)"),
        *("Right with sound alone", "Right without it alone"),
    )
    rows = tuple(
        (
            effect.row.full_name,
            effect.row.kind,
            both.n,
            *(in_per_cent(x) for x in (both.first, both.second, both.value, both.interval.low, both.interval.high)),
            both.p,
            effect.p_holm,
            effect.mended,
            effect.spoiled,
        )
        for effect in found.effects
        for both in (effect.difference,)
    )
    printed = tuple(
        (*map(text_of, row[:8]), *map(chance_of_as_much, row[8:10]), *map(text_of, row[10:])) for row in rows
    )
    notes = (
        "Difference = with sound - without, in points, paired by item on what was answered both ways; 95 % interval:"
        f" {ESTIMATOR}, each of the two. People: majority of votes. Holm over the rows of this table.",
        *((SIMULATED,) if found.has_simulated else ()),
    )
    title = f"{found.view.benchmark.title}: with and without sound"
    provenance = of_view(found.view, tuple(effect.row for effect in found.effects))
    return Table(title, heads, rows, notes, heads, printed, provenance=provenance)


@leads_back_to("hearing")
def changed(request: HttpRequest, slug: str) -> HttpResponse:
    """Page of the items to which one answerer gave different answers with and without sound."""
    benchmark = benchmark_or_404(slug)
    way = one_of("show", request.GET.get("show") or "all", WAYS)
    facets = requested_facets(benchmark, request.GET)
    found = changed_of(benchmark, request.GET.get("a", ""), request.GET.get("b", ""), way, facets)
    context = {
        "section": "boards",
        "benchmark": benchmark,
        "found": found,
        "page": _page(found, page_number(request.GET.get("page", "1"))),
        "ways": WAYS.items(),
        "way": way,
    }
    context |= {"query": query_of_list(request), "facets": titles_of(benchmark, facets), "choices": found.choices}
    return render(request, "leaderboard/audio_changes.html", context)


def _page(found: Changed, number: int) -> Page:
    """A page of changed items; only the items on this page are read in full."""
    page: Page = Paginator(found.rows, PAGE).get_page(number)
    items = Item.objects.in_bulk([row.item for row in page.object_list])
    page.object_list = [(items[row.item], bare(items[row.item].text), row) for row in page.object_list]
    return page


@below_a_board
def by_value(request: HttpRequest, slug: str, what: str) -> HttpResponse:
    """Page of one row's results by word of the question or by object, paired with row `b` if given."""
    benchmark = benchmark_or_404(slug)
    if what not in VALUES:
        raise BadAddress(f"there are no results by {what[:60]!r}; there is: {', '.join(VALUES)}")
    source = source_of(benchmark, request.GET.get("a", ""))
    other = source_of(benchmark, request.GET["b"]) if request.GET.get("b") else None
    page: Page = Paginator(groups_by(what, source, other), PAGE).get_page(page_number(request.GET.get("page", "1")))
    judged, is_paired = judged_by(source), other is not None
    page.object_list = [result_of(value, pairs, judged, is_paired=is_paired) for value, pairs in page.object_list]
    context = {
        "section": "boards",
        "benchmark": benchmark,
        "what": what,
        "source": source,
        "other": other,
        "page": page,
    }
    return render(request, "leaderboard/by_value.html", context | {"query": _pair_query(source, other)})


def _pair_query(source: AnswerSource, other: AnswerSource | None) -> str:
    return urlencode({"a": source.key} | ({"b": other.key} if other else {}))
