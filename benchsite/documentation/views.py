"""Pages of the documentation: index, documents, pictures and search."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from benchsite.documentation.documents import PICTURES, address_of, find, picture_of, search

LONGEST = 80  # longest search, in characters


@require_safe
def document(request: HttpRequest, name: str = "") -> HttpResponse:
    """A document; with `?q=` on the index, the documents that contain all words."""
    found = find(name.rstrip("/"))
    if found is None:
        raise Http404("no document of this name")
    words = request.GET.get("q", "")[:LONGEST].lower().split() if not name else []
    hits = [(hit, address_of(hit.name)) for hit in search(words)]
    context = {"document": found, "words": " ".join(words), "hits": hits, "section": "docs"}
    return render(request, "docs/document.html", context)


@require_safe
def picture(request: HttpRequest, path: str) -> FileResponse:
    """A picture of a document."""
    found = picture_of(path)
    if found is None:
        raise Http404("no picture of this name")
    return FileResponse(found.open("rb"), content_type=PICTURES[found.suffix])


urlpatterns = [
    path("docs/", document, name="documents"),
    path("docs/files/<path:path>", picture, name="document-picture"),
    path("docs/<path:name>/", document, name="document"),
]
