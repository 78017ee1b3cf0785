"""What a reader takes to cite a page or to show it elsewhere: metadata as files, badges, oEmbed (https://oembed.com)."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import Resolver404, resolve, reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page

from benchmarks.disclosure.doors import policy_of
from benchmarks.gallery import browse
from benchmarks.gallery.page_cache import cached_value
from benchmarks.gallery.query import NoSuchPlace, no_choice
from benchmarks.words import condition_words
from leaderboard.board.cache import version_of
from leaderboard.board.query import DEFAULTS, STATE, BadAddress, View, view_of
from leaderboard.board.rows import board_of, updated_at
from leaderboard.charts.registry import CHARTS
from leaderboard.charts.rendering.drawing import drawing_of, page_drawing_of
from leaderboard.exports.writers import attached, json_response
from leaderboard.models import Snapshot
from leaderboard.pages.boards import below_a_board, benchmark_or_404, canonical_path, canonical_state
from leaderboard.pages.charts import chart_of
from leaderboard.pages.models import about_model, model_or_404, name_of_model, picture_of
from leaderboard.publications.badges import HEIGHT, Badge, badge_of_board, badge_of_row
from leaderboard.publications.citable import RENDERINGS, Citable, of_pack, of_page, of_snapshot

WIDTH, BELOW, LONGEST = 720, 90, 2000  # px of an embedded chart and of what stands below it; letters of an address
Found = dict[str, Any]


def cite(request: HttpRequest) -> HttpResponse:
    """The metadata of the page at `url`, in `format`."""
    wanted = request.GET.get("format", "cff")
    if wanted not in RENDERINGS:
        raise NoSuchPlace(no_choice("format", wanted, RENDERINGS))
    write, name, kind = RENDERINGS[wanted]
    answer = attached(write(_at(request, CITED)), name, kind)
    answer["X-Robots-Tag"] = "noindex"
    return answer


@cache_control(public=True, max_age=300)
@conditional_page
@below_a_board
def badge(request: HttpRequest, slug: str) -> HttpResponse:
    """The badge of a board, or of its `row`, as SVG."""
    return HttpResponse(_badge(slug, request.GET.dict()).svg, content_type="image/svg+xml")


@cache_control(public=True, max_age=300)
@conditional_page
def oembed(request: HttpRequest) -> HttpResponse:
    """How to embed the page at `url`: a board or a chart as a frame, a row or a model as a picture."""
    if request.GET.get("format", "json") != "json":
        return json_response({"detail": "only format=json is answered"}, status=501)
    most = [request.GET.get(name, "9999") for name in ("maxwidth", "maxheight")]
    if not all(text.isascii() and text.isdigit() and int(text[:5]) > 0 for text in most):
        return json_response({"detail": "maxwidth and maxheight are numbers of pixels"}, status=400)
    try:
        found = _at(request, EMBEDDED)
    except Http404 as mistake:
        return json_response({"detail": str(mistake)}, status=404)
    return json_response(_within(found, *(int(text[:5]) for text in most)))


def _within(found: Found, width: int, height: int) -> Found:
    """The answer in so many pixels: a picture is scaled, a frame scrolls."""
    about = {"version": "1.0", "provider_name": "benchsite", "provider_url": settings.SITE_URL, "cache_age": 300}
    if found["type"] == "photo":
        scale = min(1.0, width / found["width"], height / found["height"])
        sizes = {name: max(1, round(scale * found[name])) for name in ("width", "height")}
        return about | found | sizes
    sizes = {"width": min(width, found["width"]), "height": min(height, found["height"])}
    words = {"src": found.pop("src"), "title": found["title"], **sizes}
    html = '<iframe src="{src}" title="{title}" width="{width}" height="{height}" loading="lazy"></iframe>'
    return about | found | sizes | {"html": format_html(html, **words)}


Reader = Callable[..., Any]


def _at(request: HttpRequest, readers: Mapping[str, Reader]) -> Any:
    """What one of the readers makes of the page at `url`; 404 for another page, or one of another site."""
    address = request.GET.get("url", "")[:LONGEST]
    try:
        parts = urlsplit(address)
        match = resolve(parts.path)
        if parts.netloc in ("", request.get_host(), urlsplit(settings.SITE_URL).netloc):
            return readers[match.url_name or ""](request, dict(parse_qsl(parts.query)), **match.kwargs)
    except (BadAddress, Resolver404, KeyError, ValueError) as mistake:
        why = f": {mistake}" if isinstance(mistake, BadAddress) else ""
        raise NoSuchPlace(f"nothing to take from url={address[:80]!r}{why}") from None
    raise NoSuchPlace(f"url={address[:80]!r} is no page of this site")


def _cited_board(request: HttpRequest, read: Found, slug: str) -> Citable:
    view = view_of(benchmark_or_404(slug), read)
    at = updated_at(view)
    return of_page(_label(view), str(view.level.about), canonical_path(view), version=f"{at:%Y-%m-%d}" if at else "")


def _cited_model(request: HttpRequest, read: Found, slug: str) -> Citable:
    found = model_or_404(request, slug)
    return of_page(name_of_model(*found), about_model(*found), reverse("model", args=[slug]))


def _cited_benchmark(request: HttpRequest, read: Found, slug: str) -> Citable:
    """The pack, if its clips may be passed on; else the page."""
    benchmark = benchmark_or_404(slug)
    pack = browse.chosen_pack(browse.pack_cards(benchmark), read.get("pack", ""))
    if pack and policy_of(pack) == "public":
        return of_pack(benchmark, pack)
    return of_page(benchmark.title, benchmark.about, reverse("benchmark", args=[slug]), version=benchmark.version)


def _cited_snapshot(request: HttpRequest, read: Found, slug: str) -> Citable:
    return of_snapshot(get_object_or_404(Snapshot, slug=slug))


CITED: dict[str, Reader] = {
    "board": _cited_board,
    "model": _cited_model,
    "benchmark": _cited_benchmark,
    "snapshot": _cited_snapshot,
}


def _frame_of_chart(request: HttpRequest, read: Found, slug: str, name: str = "") -> Found:
    """The chart's own page for frames; of a board, its profile where the address names no chart."""
    wanted = name or read.get("chart", "")
    view, chart = chart_of(slug, wanted if name or wanted in CHARTS else "profile", read)
    path = reverse("chart-embedded", args=[slug, wanted if wanted in CHARTS else "profile"])
    height = round(page_drawing_of(chart).height) + BELOW
    source = f"{settings.SITE_URL}{path}?{view.but(chart='').query}"
    return {"type": "rich", "title": chart.title, "src": source, "width": WIDTH, "height": height}


def _picture_of_model(request: HttpRequest, read: Found, slug: str) -> Found:
    chart = picture_of(slug, name_of_model(*model_or_404(request, slug)))
    drawing = drawing_of(chart)
    address = f"{settings.SITE_URL}{reverse('model-picture', args=[slug])}?format=png"
    sizes = {"width": round(drawing.width), "height": round(drawing.height)}
    return {"type": "photo", "title": chart.title, "url": address, **sizes}


def _picture_of_row(request: HttpRequest, read: Found, slug: str) -> Found:
    found, query = _badge(slug, read), QueryDict(mutable=True)
    query.update({name: value for name, value in read.items() if name in (*STATE, "row")})
    address = f"{settings.SITE_URL}{reverse('badge', args=[slug])}?{query.urlencode()}"
    return {"type": "photo", "title": found.title, "url": address, "width": found.width, "height": HEIGHT}


EMBEDDED: dict[str, Reader] = {
    "board": _frame_of_chart,
    "chart": _frame_of_chart,
    "model": _picture_of_model,
    "badge": _picture_of_row,
    "board-items": _picture_of_row,
}


def _badge(slug: str, read: Mapping[str, str]) -> Badge:
    """The badge of the view, or of its row, among all rows of the view."""
    plain = {name: DEFAULTS[name] for name in ("columns", "chart", "rows", "search", "sort", "page")}
    benchmark = benchmark_or_404(slug)
    view, key = view_of(benchmark, {name: value for name, value in read.items() if name not in plain}), read.get("row")
    what = f"badge:{slug}:{view.query}:{key}"
    return cached_value(what, version=version_of(slug), make=lambda: _made(view, key))


def _made(view: View, key: str | None) -> Badge:
    board, at = board_of(view), updated_at(view)
    day = date_format(at, "j M Y") if at else ""
    if key is None:
        return badge_of_board(board, _label(view), day)
    if row := next((one for one in board.rows if one.key == key), None):
        return badge_of_row(board, row, _label(view), day)
    raise BadAddress(f"row={key[:40]!r}: this board has no such row")


def _label(view: View) -> str:
    """The board's title, with its prompting, input and part where they are not the usual ones."""
    words = {"strategy": view.strategy.title, "condition": condition_words(view.condition), "split": view.split}
    return ", ".join((view.title, *(text for name, text in words.items() if name in canonical_state(view))))
