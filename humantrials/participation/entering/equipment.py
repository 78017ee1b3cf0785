"""Checks the participant's equipment against the trial's gates before the consent, so that no place is taken.

Device and browser are what the browser says of itself; the page's width comes with the consent from a script.
"""

from collections.abc import Iterator

from django.http import HttpRequest
from django.utils.functional import Promise as LazyText
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from humantrials.models import Trial
from humantrials.protocols.gates import Gates, gates_of

NAMES = {"computer": _("a computer"), "tablet": _("a tablet"), "phone": _("a phone")}
BROWSERS = {"chrome": "Chrome", "edge": "Edge", "firefox": "Firefox", "safari": "Safari"}
# The first of these words in the user agent decides: Edge's also contains Chrome, and Chrome's also contains Safari.
BROWSER_FIELDS = (
    ("Edg", "edge"),
    ("Firefox/", "firefox"),
    ("FxiOS", "firefox"),
    ("OPR/", "opera"),
    ("Chrome/", "chrome"),
    ("CriOS", "chrome"),
    ("Safari/", "safari"),
)


def gates_for(trial: Trial) -> Gates:
    return gates_of(trial.settings.get("gates", []))


def unmet(trial: Trial, request: HttpRequest) -> list[str | LazyText]:
    """The trial's demands that this request does not meet, for the participant to read; width is checked with the
    consent.
    """
    gates = gates_for(trial)
    return list(_unmet(gates, request)) if gates != Gates() else []


def _unmet(gates: Gates, request: HttpRequest) -> Iterator[str | LazyText]:
    if gates.devices and device_of(request) not in gates.devices:
        yield format_lazy("{} {}", _("Device:"), " / ".join(str(NAMES[one]) for one in gates.devices))
    if gates.browsers and browser_of(request) not in gates.browsers:
        yield format_lazy("{} {}", _("Browser:"), " / ".join(BROWSERS[one] for one in gates.browsers))
    is_consent = request.method == "POST" and request.POST.get("choice") == "yes"
    if gates.width and is_consent and width_of(request) < gates.width:
        yield format_lazy("{} {} px", _("Width of the page, with JavaScript on:"), gates.width)


def device_of(request: HttpRequest) -> str:
    """computer, tablet or phone, from the user agent."""
    name = request.headers.get("User-Agent", "")
    if "iPad" in name or "Tablet" in name or ("Android" in name and "Mobi" not in name):
        return "tablet"
    return "phone" if "Mobi" in name or request.headers.get("Sec-CH-UA-Mobile") == "?1" else "computer"


def browser_of(request: HttpRequest) -> str:
    """The browser's family from the user agent, or "" if it is unknown."""
    name = request.headers.get("User-Agent", "")
    return next((family for word, family in BROWSER_FIELDS if word in name), "")


def width_of(request: HttpRequest) -> float:
    """The page's width in CSS pixels as its script sent it; 0 without one."""
    text = request.POST.get("page_width", "")
    return float(text) if text.isdecimal() and len(text) < 6 else 0.0
