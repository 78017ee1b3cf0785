"""Addresses of the API that do not exist: programs get JSON, not a page."""

from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt


@csrf_exempt
def unknown(request: HttpRequest) -> JsonResponse:
    """Where to find what there is."""
    what = f"{request.path[:200]} does not exist here; {reverse('api-docs')} lists every call"
    return JsonResponse({"detail": what}, status=404)
