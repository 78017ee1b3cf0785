"""Pages of what is asked, downloads, and the clips themselves."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from benchmarks import gallery
from benchmarks.addresses import NoSuchChoice, NoSuchPlace, page_of
from benchmarks.answers import WITHHELD
from benchmarks.definition import Benchmark
from benchmarks.errors import UnknownBenchmark
from benchmarks.explaining import film_without, why
from benchmarks.exports import as_lines, item_rows
from benchmarks.ground_truth import archive_of, has_truth
from benchmarks.media import (
    CONTENT_TYPES,
    clips_of_hidden_splits,
    is_open_to,
    is_signed,
    policy_of,
    serve_stored,
    signed_address,
)
from benchmarks.media_store import clip_name
from benchmarks.models import Item, ItemSeal, Pack, Rendition
from benchmarks.productions import is_silent
from benchmarks.registry import BENCHMARKS, find_benchmark
from benchmarks.rings import rings_of
from benchmarks.sheets import sheets_of

FOR_EVER = "public, max-age=31536000, immutable"


@require_safe
def benchmarks(request: HttpRequest) -> HttpResponse:
    """Every benchmark with what it asks and how much of it is here."""
    rows = []
    for benchmark in BENCHMARKS.values():
        packs = gallery.pack_cards(benchmark)
        strip = gallery.strip_of(benchmark, gallery.chosen_pack(packs, ""))[:4]
        rows.append({"benchmark": benchmark, "packs": packs, "strip": strip})
    return render(request, "benchmarks/list.html", {"section": "benchmarks", "rows": rows})


@require_safe
def benchmark(request: HttpRequest, slug: str) -> HttpResponse:
    """What a benchmark asks, what is here of it, how it is scored and what is wrong with it."""
    found = _benchmark_or_404(slug)
    packs = gallery.pack_cards(found)
    pack = _chosen_pack(packs, request)
    context = {
        "section": "benchmarks",
        "benchmark": found,
        "packs": packs,
        "pack": pack,
        "policy": policy_of(pack) if pack else "",
        "parts": gallery.level_parts(found, packs, pack),
        "strip": gallery.strip_of(found, pack),
        "distributions": gallery.distributions(found, pack),
        "lengths": gallery.lengths(pack),
        "rings": rings_of(found, pack),
        "sheets": sheets_of(found, pack),
        "productions": _progress(found),
        "sealed": ItemSeal.objects.filter(item__pack=pack).exclude(by=WITHHELD).values("item").distinct().count(),
        "withheld": ItemSeal.objects.filter(item__pack=pack, by=WITHHELD).count(),
    }
    return render(request, "benchmarks/detail.html", context)


@require_safe
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """The gallery: every item that may be seen, page by page."""
    found = _benchmark_or_404(slug)
    packs = gallery.pack_cards(found)
    pack = _chosen_pack(packs, request)
    names = (*(facet.name for facet in gallery.facet_filters(found)), "kind")
    chosen = {name: request.GET.get(name, "") for name in names}
    chosen["pack"] = pack.name if pack else ""
    filters = gallery.filters_of(found, packs, chosen)
    if unknown := gallery.unknown_choice(filters, chosen):
        raise NoSuchChoice(unknown)
    rows = gallery.narrowed(gallery.visible_items(pack), found, chosen)
    page = page_of(request, rows, gallery.PER_PAGE)
    context = {
        "section": "benchmarks",
        "benchmark": found,
        "pack": pack,
        "policy": policy_of(pack) if pack else "",
        "page": page,
        "cards": gallery.cards(found, list(page)),
        "filters": filters,
    }
    return render(request, "benchmarks/items.html", context)


@require_safe
def progress(request: HttpRequest, slug: str) -> JsonResponse:
    """How far packs in the making are, for the script of the benchmark page."""
    response = JsonResponse({"productions": _progress(_benchmark_or_404(slug))})
    response["Cache-Control"] = "no-store"
    return response


@require_safe
def items_download(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """The questions of a pack with filled prompts, without answers; who has an account gets clips of hidden splits."""
    pack = _pack_or_404(slug, request)
    hidden = clips_of_hidden_splits(pack) if request.user.is_authenticated else frozenset()

    def address(rendition: Rendition) -> str:
        signs = rendition.clip_id in hidden
        return request.build_absolute_uri(signed_address(rendition) if signs else rendition.get_absolute_url())

    lines = as_lines(item_rows(gallery.downloadable_items(pack), address))
    response = _download(lines, f"{slug}-{pack.name}-items.jsonl")
    response["Cache-Control"] = "private, no-store"
    return response


@require_safe
def truth_download(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Trajectory and scene of a made clip, for whoever asks for the answer in the address; never of a sealed item."""
    _benchmark_or_404(slug)
    items = Item.objects.select_related("pack").prefetch_related("media__clip__renditions__clip__pack")
    item = get_object_or_404(items, pack__benchmark=slug, public_id=public_id)
    if request.GET.get("answer") != "1" or not has_truth(item, policy_of(item.pack)) or item.clip is None:
        raise Http404("ask for the answer with ?answer=1; clips that are sealed or not made here have none")
    try:
        content = archive_of(item.clip)
    except OSError:
        raise Http404("its trajectory is gone") from None
    name = f'attachment; filename="{public_id}-ground-truth.zip"'
    headers = {"Content-Disposition": name, "Cache-Control": "no-store", "X-Robots-Tag": "noindex"}
    return HttpResponse(content, content_type="application/zip", headers=headers)


@require_safe
def clip_without(request: HttpRequest, slug: str, public_id: str, uid: int) -> HttpResponseBase:
    """What would have happened in the clip without this thing, for whoever asks for the answer in the address."""
    _benchmark_or_404(slug)
    items = Item.objects.select_related("pack").prefetch_related("media__clip__renditions__clip__pack")
    item = get_object_or_404(items, pack__benchmark=slug, public_id=public_id)
    wanted = why(item) if request.GET.get("answer") == "1" and has_truth(item, policy_of(item.pack)) else None
    if wanted is None or item.clip is None or uid not in {number for number, _ in wanted.gone}:
        raise Http404("ask for the answer with ?answer=1; the question must think this thing away")
    return _stored_or_404(request, film_without(item.clip, uid), cache="no-store")


@require_safe
def media(request: HttpRequest, name: str) -> HttpResponseBase:
    """A clip or its picture, as far as its policy, its state and open studies allow."""
    rendition = get_object_or_404(Rendition.objects.select_related("clip__pack"), name=name)
    # The session is only looked at where it matters: else every clip would vary by cookie and no cache would keep it.
    is_public = is_open_to(rendition)
    if not is_public and not _may_see(request, rendition):
        raise Http404("no such file")
    return _stored_or_404(request, clip_name(name), cache=FOR_EVER if is_public else "private, no-store")


def _stored_or_404(request: HttpRequest, name: str, *, cache: str) -> HttpResponseBase:
    response = serve_stored(request, name, CONTENT_TYPES[Path(name).suffix], cache=cache)
    if response is None:
        raise Http404("no such file")
    return response


def _may_see(request: HttpRequest, rendition: Rendition) -> bool:
    """Whether this file, which is not for everybody, is for whoever asks."""
    signature = request.GET.get("signed", "")
    if signature and is_signed(rendition, signature) and is_open_to(rendition, is_signed=True):
        return True
    return request.user.is_staff and is_open_to(rendition, is_staff=True)


def _benchmark_or_404(slug: str) -> Benchmark:
    try:
        return find_benchmark(slug)
    except UnknownBenchmark as error:
        raise NoSuchPlace(str(error)) from None


def _chosen_pack(packs: list[gallery.PackCard], request: HttpRequest) -> Pack | None:
    """The pack that the address names, the first without a name, none where there is none at all."""
    name = request.GET.get("pack", "")
    pack = gallery.chosen_pack(packs, name)
    if packs and pack is None:
        known = ", ".join(card.pack.name for card in packs)
        raise NoSuchChoice(f"no pack {name[:40]!r}; there is: {known}")
    return pack


def _pack_or_404(slug: str, request: HttpRequest) -> Pack:
    pack = gallery.chosen_pack(gallery.pack_cards(_benchmark_or_404(slug)), request.GET.get("pack", ""))
    if pack is None:
        raise Http404("no such pack")
    return pack


def _progress(found: Benchmark) -> list[dict[str, Any]]:
    return [
        {
            "pack": production.pack_name,
            "state": production.state,
            "done": production.clips_done,
            "total": production.clips_total,
            "note": production.note,
            "is_open": production.is_open,
            "is_silent": is_silent(production),
        }
        for production in gallery.open_productions(found)
    ]


def _download(lines: Iterator[str], name: str) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        lines,
        content_type="application/x-ndjson; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
