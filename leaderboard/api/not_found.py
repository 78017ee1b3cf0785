"""The API's answer to unknown URLs: JSON, not a page."""

from django.http import HttpRequest, JsonResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt


@csrf_exempt
def unknown(request: HttpRequest) -> JsonResponse:
    """A JSON 404 that links to the list of calls."""
    what = f"{request.path[:200]} does not exist here; {reverse('api-docs')} lists every call"
    return JsonResponse({"detail": what}, status=404)
