"""The page for what is not there. It tells a reason only where one was written for readers."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from benchmarks.addresses import NoSuchChoice


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    reason = str(exception) if isinstance(exception, NoSuchChoice) else ""
    return render(request, "404.html", {"reason": reason}, status=404)
