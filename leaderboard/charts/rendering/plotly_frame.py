"""The frame of an interactive figure: Plotly mounts JSON of this site, under the frame's own CSP."""

from collections.abc import Callable
from typing import Any

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_sameorigin

View = Callable[..., HttpResponseBase]


def framed(view: View) -> View:
    """Decorator for views shown in a frame of this site; it allows the style element that Plotly writes."""
    policy: dict[str, Any] = {"style-src": [SELF, UNSAFE_INLINE], "frame-ancestors": [SELF]}
    return xframe_options_sameorigin(csp_replace(policy)(view))


def frame(request: HttpRequest, *, figure: str) -> HttpResponse:
    """The page in the frame; `figure` is the URL of the JSON that Plotly mounts."""
    return render(request, "leaderboard/plot_frame.html", {"figure": figure})
