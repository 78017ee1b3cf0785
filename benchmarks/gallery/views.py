"""Benchmark and item pages, downloads, and the clip files."""

from base64 import b64encode
from functools import partial
from pathlib import Path
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_safe

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import BENCHMARKS, find_benchmark
from benchmarks.disclosure import PUBLIC, Fact, open_to, reader_of
from benchmarks.disclosure.doors import clips_of_hidden_splits, is_open_to, is_signed, policy_of, signed_address
from benchmarks.errors import UnknownBenchmark
from benchmarks.gallery import browse
from benchmarks.gallery.contact_sheets import sheets_of
from benchmarks.gallery.distributions import rings_of
from benchmarks.gallery.page_cache import cached_body, version_of_packs
from benchmarks.gallery.query import NoSuchChoice, NoSuchPlace, no_choice, page_of
from benchmarks.generation.progress import is_silent
from benchmarks.models import Item, Pack, Rendition
from benchmarks.packs.caveats import caveats_of
from benchmarks.packs.export import as_lines, item_rows
from benchmarks.packs.truth.explanations import film_without, why
from benchmarks.packs.truth.ground_truth import archive_of, has_truth
from benchmarks.storage.access import CONTENT_TYPES
from benchmarks.storage.ranged_responses import serve_stored
from benchmarks.storage.store import clip_name

FOR_EVER = "public, max-age=31536000, immutable"


@require_safe
def benchmarks(request: HttpRequest) -> HttpResponse:
    """The list of benchmarks with their questions and packs."""
    body = cached_body("benchmarks", version=_version(), make=_list)
    return render(request, "benchmarks/list.html", {"section": "benchmarks", "body": body})


def _list() -> str:
    rows = [{"benchmark": one, "packs": browse.pack_cards(one)} for one in BENCHMARKS.values()]
    return render_to_string("benchmarks/parts/list_body.html", {"rows": rows})


def _version() -> str:
    """A value that changes whenever packs, seals or definitions do."""
    return "|".join((version_of_packs(), *(f"{one.slug} {one.version}" for one in BENCHMARKS.values())))


@require_safe
def benchmark(request: HttpRequest, slug: str) -> HttpResponse:
    """A benchmark: questions, packs, scoring and known issues."""
    found = _benchmark_or_404(slug)
    pack = _chosen_pack(browse.pack_cards(found), request)
    name, tab = pack.name if pack else "", request.GET.get("tab", "")
    tabs = {"": "Overview"} | ({"issues": f"Known issues {len(found.defects)}"} if found.defects else {})
    if tab not in tabs:
        raise NoSuchChoice(no_choice("tab", tab, filter(None, tabs)))
    issues = partial(render_to_string, "benchmarks/parts/defects.html", {"benchmark": found})
    make = issues if tab else partial(_detail, found, pack)
    context = {
        "section": "benchmarks",
        "benchmark": found,
        "pack": pack,
        "productions": _progress(found),
        "tab": tab,
        "tabs": tabs.items(),
        "body": cached_body(f"benchmark:{slug}:{name}:{tab}", version=_version(), make=make),
    }
    return render(request, "benchmarks/detail.html", context)


def _detail(found: Benchmark, pack: Pack | None) -> str:
    """The facts of a benchmark, and the clips and questions of one pack."""
    packs = browse.pack_cards(found)
    sealed = Item.objects.filter(pack=pack).exclude(open_to(PUBLIC, Fact.EXISTENCE)).count()
    withheld = (
        Item.objects.filter(open_to(PUBLIC, Fact.EXISTENCE), pack=pack).exclude(open_to(PUBLIC, Fact.ANSWER)).count()
    )
    context = {
        "benchmark": found,
        "name": found.title,
        "entries": [f"{found.citation.strip()}\n"] if found.citation else [],
        "path": reverse("benchmark", args=[found.slug]) + (f"?pack={pack.name}" if pack else ""),
        "badge": reverse("badge", args=[found.slug]) if found.has_boards else "",
        "packs": packs,
        "pack": pack,
        "caveats": caveats_of(pack),
        "policy": policy_of(pack) if pack else "",
        "parts": browse.level_parts(found, packs, pack),
        "strip": browse.strip_of(found, pack),
        "distributions": browse.distributions(found, pack, has_hidden=bool(sealed or withheld)),
        "lengths": browse.lengths(pack),
        "rings": rings_of(found, pack),
        "sheets": sheets_of(found, pack),
        "sealed": sealed,
        "withheld": withheld,
    }
    return render_to_string("benchmarks/parts/detail_body.html", context)


@require_safe
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """The gallery: all visible items, paginated."""
    found = _benchmark_or_404(slug)
    packs = browse.pack_cards(found)
    pack = _chosen_pack(packs, request)
    names = (*(facet.name for facet in browse.facet_filters(found)), "kind")
    chosen = {name: request.GET.get(name, "") for name in names}
    chosen["pack"] = pack.name if pack else ""
    filters = browse.filters_of(found, packs, chosen)
    if unknown := browse.unknown_choice(filters, chosen):
        raise NoSuchChoice(unknown)
    rows = browse.narrowed(browse.visible_items(pack), found, chosen)
    page = page_of(request, rows, browse.PER_PAGE)
    context = {
        "section": "benchmarks",
        "benchmark": found,
        "pack": pack,
        "policy": policy_of(pack) if pack else "",
        "page": page,
        "cards": browse.cards(found, list(page)),
        "filters": filters,
    }
    return render(request, "benchmarks/items.html", context)


@require_safe
def progress(request: HttpRequest, slug: str) -> JsonResponse:
    """Progress of packs being made, for the script of the benchmark page."""
    response = JsonResponse({"productions": _progress(_benchmark_or_404(slug))})
    response["Cache-Control"] = "no-store"
    return response


@require_safe
def items_download(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """A pack's questions with prompts, without answers; signed-in users also get the clips of hidden splits."""
    pack = browse.chosen_pack(browse.pack_cards(_benchmark_or_404(slug)), request.GET.get("pack", ""))
    if pack is None:
        raise Http404("no such pack")
    hidden = clips_of_hidden_splits(pack) if request.user.is_authenticated else frozenset()

    def address(rendition: Rendition) -> str:
        signs = rendition.clip_id in hidden
        return request.build_absolute_uri(signed_address(rendition) if signs else rendition.get_absolute_url())

    lines = as_lines(item_rows(browse.visible_items(pack), address))
    name = f'attachment; filename="{slug}-{pack.name}-items.jsonl"'
    headers = {"Content-Disposition": name, "Cache-Control": "private, no-store"}
    return StreamingHttpResponse(lines, content_type="application/x-ndjson; charset=utf-8", headers=headers)


@require_safe
def truth_download(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Trajectory and scene of a generated clip, if the URL has ?answer=1; never for a sealed item."""
    _benchmark_or_404(slug)
    item = _item_or_404(slug, public_id)
    if request.GET.get("answer") != "1" or not has_truth(item, policy_of(item.pack)) or item.clip is None:
        raise Http404("ask for the answer with ?answer=1; clips that are sealed or not made here have none")
    try:
        content = archive_of(item.clip)
    except OSError:
        raise Http404("its trajectory is gone") from None
    name = f'attachment; filename="{item.public_id}-ground-truth.zip"'
    headers = {"Content-Disposition": name, "Cache-Control": "no-store", "X-Robots-Tag": "noindex"}
    return HttpResponse(content, content_type="application/zip", headers=headers)


@require_safe
def clip_without(request: HttpRequest, slug: str, public_id: str, uid: int) -> HttpResponseBase:
    """A film of the counterfactual clip without this object, if the URL has ?answer=1."""
    _benchmark_or_404(slug)
    item = _item_or_404(slug, public_id)
    wanted = why(item) if request.GET.get("answer") == "1" and has_truth(item, policy_of(item.pack)) else None
    if wanted is None or item.clip is None or uid not in {number for number, _ in wanted.gone}:
        raise Http404("ask for the answer with ?answer=1; the question must think this thing away")
    try:
        name = film_without(item.clip, uid)
    except FileNotFoundError as error:
        raise Http404(str(error)) from None
    return _stored_or_404(request, name, cache="no-store")


def _item_or_404(slug: str, public_id: str) -> Item:
    items = (
        Item.objects.filter(open_to(PUBLIC, Fact.EXISTENCE))
        .select_related("pack")
        .prefetch_related("media__clip__renditions__clip__pack")
    )
    item = items.filter(pack__benchmark=slug, public_id=public_id).first()
    if item is None:
        raise Http404("no such item")
    return item


@require_safe
def media(request: HttpRequest, name: str) -> HttpResponseBase:
    """A clip or its picture, if its policy, its state and open studies allow it."""
    if not name.isprintable():  # a database can't even look for a NUL
        raise Http404("no such file")
    rendition = get_object_or_404(Rendition.objects.select_related("clip__pack"), name=name)
    # Read the session only if needed; otherwise every clip would vary by cookie, and no cache could store it.
    is_public = is_open_to(rendition)
    if not is_public and not _may_see(request, rendition):
        raise Http404("no such file")
    response = _stored_or_404(request, clip_name(name), cache=FOR_EVER if is_public else "private, no-store")
    # Programs check what they received (RFC 9530).
    response["Repr-Digest"] = f"sha-256=:{b64encode(bytes.fromhex(rendition.sha256)).decode()}:"
    return response


def _stored_or_404(request: HttpRequest, name: str, *, cache: str) -> HttpResponseBase:
    response = serve_stored(request, name, CONTENT_TYPES[Path(name).suffix], cache=cache)
    if response is None:
        raise Http404("no such file")
    return response


def _may_see(request: HttpRequest, rendition: Rendition) -> bool:
    """Whether this request may see a file that is not public."""
    signature = request.GET.get("signed", "")
    if signature and is_signed(rendition, signature) and is_open_to(rendition, is_signed=True):
        return True
    reader = reader_of(request)  # what the public may see is known already
    return reader.is_staff and is_open_to(rendition, to=reader)


def _benchmark_or_404(slug: str) -> Benchmark:
    try:
        return find_benchmark(slug)
    except UnknownBenchmark as error:
        raise NoSuchPlace(str(error)) from None


def _chosen_pack(packs: list[browse.PackCard], request: HttpRequest) -> Pack | None:
    """The pack given by `?pack=`, by default the first; None if the benchmark has no packs."""
    name = request.GET.get("pack", "")
    pack = browse.chosen_pack(packs, name)
    if packs and pack is None:
        raise NoSuchChoice(no_choice("pack", name, (card.pack.name for card in packs)))
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
        for production in browse.open_productions(found)
    ]
