"""The frame of an interactive figure: Plotly draws from JSON of this site, under a policy of the frame's own."""

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
    """Plotly writes a style element of its own; only a frame allows it, and only this site may frame it."""
    policy: dict[str, Any] = {"style-src": [SELF, UNSAFE_INLINE], "frame-ancestors": [SELF]}
    return xframe_options_sameorigin(csp_replace(policy)(view))


def frame(request: HttpRequest, *, points: str, script: str) -> HttpResponse:
    """The page in the frame: `points` is the address of what is drawn, `script` draws it."""
    return render(request, "leaderboard/plot_frame.html", {"points": points, "script": script})
