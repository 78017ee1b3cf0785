"""The API's schema and docs, the same for every caller, so that each process builds them once; and its 404."""

from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request
from rest_framework.response import Response


@cache
def schema() -> dict[str, Any]:
    return SchemaGenerator().get_schema(public=True)


@cache
def _written(renderer: type) -> bytes:
    return renderer().render(schema(), renderer_context={})


class Schema(SpectacularAPIView):
    """OpenAPI 3, as YAML or JSON."""

    def _get_schema_response(self, request: Request) -> HttpResponse | Response:
        renderer = request.accepted_renderer
        name = self._get_filename(request, "")
        headers = {"Content-Disposition": f'inline; filename="{name}"', "Vary": "Accept"}
        written = _written(type(renderer))  # type: ignore[arg-type]  # mypy takes a class for unhashable
        return HttpResponse(written, content_type=renderer.media_type, headers=headers)


def docs(request: HttpRequest) -> HttpResponse:
    """Page that documents the API, rendered from its schema."""
    return render(request, "leaderboard/api_docs.html", {"section": "api", "calls": _calls()})


@cache
def _calls() -> SafeString:
    """HTML of every call with its parameters."""
    calls = [
        {"method": method.upper(), "path": address, **call}
        for address, methods in schema()["paths"].items()
        for method, call in methods.items()
    ]
    return render_to_string("leaderboard/parts/api_calls.html", {"calls": calls})


@csrf_exempt
def unknown(request: HttpRequest) -> JsonResponse:
    """A JSON 404 that links to the list of calls."""
    what = f"{request.path[:200]} does not exist here; {reverse('api-docs')} lists every call"
    return JsonResponse({"detail": what}, status=404)
