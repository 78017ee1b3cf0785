"""Pages of the documentation, and its pictures."""

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from benchsite.documentation.documents import PICTURES, documents, files, rendered


@require_safe
def document(request: HttpRequest, name: str = "") -> HttpResponse:
    if name not in documents():
        raise Http404("no document of this name")
    return render(request, "docs/document.html", {"document": rendered(name), "section": "docs"})


@require_safe
def picture(request: HttpRequest, path: str) -> FileResponse:
    found = files().get(path)
    if found is None or found.suffix not in PICTURES:
        raise Http404("no picture of this name")
    return FileResponse(found.open("rb"), content_type=PICTURES[found.suffix])


urlpatterns = [
    path("docs/", document, name="documents"),
    path("docs/files/<path:path>", picture, name="document-picture"),
    path("docs/<path:name>/", document, name="document"),
]
