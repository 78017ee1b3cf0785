"""Pages for 404 and 405; a reason is shown only if it was written for readers."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve

from benchmarks.gallery.query import NoSuchChoice, NoSuchPlace


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    reason = str(exception) if isinstance(exception, NoSuchChoice) else ""
    answers_plainly = reason and request.GET and not isinstance(exception, NoSuchPlace)
    return render(request, "404.html", {"reason": reason, "back": request.path if answers_plainly else ""}, status=404)


class ButtonsAddress:
    """Explains to a visitor who opens a POST-only URL, for example after signing in, that nothing was done."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code != 405 or request.method != "GET" or request.path.startswith(("/api/", "/p/")):
            return response
        page = render(request, "405.html", {"back": page_above(request.path)}, status=405)
        page.headers["Allow"] = response.headers.get("Allow", "POST")
        return page


def page_above(path: str) -> str:
    """The nearest parent URL known to the site: the page with the button."""
    while path.strip("/"):
        path = path.rstrip("/").rpartition("/")[0] + "/"
        try:
            resolve(path)
        except Resolver404:
            continue
        return path
    return "/"
