"""Page of a pack's blind audit: accuracy without the clips, and questions that leak."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.gallery.query import page_of
from benchmarks.models import Item
from leaderboard.board.query import BadAddress, view_of
from leaderboard.models import BlindAudit
from leaderboard.pages.boards import benchmark_or_404, not_there

PAGE = 50
PROBES = {
    "majority": ("majority", "the most frequent answer"),
    "template": ("template", "the text of the question without its rare words"),
    "words": ("bag of words", "which words question and options have"),
    "metadata": ("metadata", "facets shown on pages, number of options, size and rate of the clips"),
    "first-frame": ("first frame", "16 × 12 pixels of it"),
    "last-frame": ("last frame", "16 × 12 pixels of it"),
    "motion": ("total motion", "change between 32 pictures of 96 × 72 pixels added up, and which test it is"),
    "length": ("length", "seconds and number of frames"),
    "file-size": ("file size", "bytes of the stored files"),
}


def blind(request: HttpRequest, slug: str) -> HttpResponse:
    benchmark = benchmark_or_404(slug)
    try:
        view = view_of(benchmark, {name: value for name, value in request.GET.dict().items() if name == "pack"})
    except BadAddress as mistake:
        return not_there(request, str(mistake), reverse("board", args=[slug]))
    audit = BlindAudit.objects.filter(pack=view.pack).first() if view.pack else None
    leaking = Item.objects.filter(pack=view.pack, facets__name="caution", facets__value="leak").filter(
        open_to(PUBLIC, Fact.EXISTENCE)
    )
    context = {
        "section": "boards",
        "benchmark": benchmark,
        "view": view,
        "audit": audit,
        "rows": [one | dict(zip(("title", "sees"), PROBES[one["probe"]], strict=True)) for one in audit.probes]
        if audit
        else [],
        "page": page_of(request, leaking.order_by("public_id"), PAGE) if audit else None,
    }
    return render(request, "leaderboard/blind.html", context)
