"""The download of a pack as one archive; an interrupted download can be resumed."""

from collections.abc import Iterator
from contextlib import ExitStack
from threading import BoundedSemaphore

from django.http import Http404, HttpRequest
from django.http.response import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchmarks.gallery import browse
from benchmarks.storage.ranged_responses import TarStream, serve_pieces
from leaderboard.pages.boards import benchmark_or_404
from leaderboard.publications.pack_archive import archive_of

AT_ONCE = 3  # simultaneous downloads of a process: each occupies one of its threads
PLACES = BoundedSemaphore(AT_ONCE)


@require_safe
def pack_archive(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The archive or the requested range of it; 503 while too many others are being sent."""
    benchmark = benchmark_or_404(slug)
    pack = browse.chosen_pack(browse.pack_cards(benchmark), request.GET.get("pack", ""))
    if pack is None:
        raise Http404("no such pack")
    if request.method == "GET" and not PLACES.acquire(blocking=False):
        return _busy_page(request)
    with ExitStack() as unless_sent_later:
        unless_sent_later.callback(_free, request)
        response = _answer(request, *archive_of(benchmark, pack), f"{slug}-{pack.name}.tar")
        if response.streaming:
            unless_sent_later.pop_all()
    return response


def _answer(request: HttpRequest, archive: TarStream, tag: str, name: str) -> HttpResponseBase:
    def pieces(start: int, end: int) -> Iterator[bytes]:
        return _Held(archive.pieces(start, end))

    response = serve_pieces(request, tag, archive.size, pieces, "application/x-tar", cache="public, no-cache")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Robots-Tag"] = "noindex"
    return response


class _Held(Iterator[bytes]):
    """The bytes of one download; its place is released on close, whether or not all was sent."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces, self.is_open = pieces, True

    def __next__(self) -> bytes:
        return next(self.pieces)

    def close(self) -> None:
        """Called by the server at the end of the response, an interrupted one too."""
        if self.is_open:
            self.is_open = False
            PLACES.release()


def _free(request: HttpRequest) -> None:
    if request.method == "GET":
        PLACES.release()


def _busy_page(request: HttpRequest) -> HttpResponse:
    reason = f"{AT_ONCE} archives are being sent now. Try again in a minute."
    response = render(request, "400.html", {"reason": reason, "back": request.path}, status=503)
    response["Retry-After"] = "60"
    return response
