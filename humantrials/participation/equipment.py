"""What a request tells of a device: whether it meets the trial's gates, and the traces that show a second visit.

Gates are checked before the consent, so that no place is taken; the page's width comes with the consent from a script.
Traces are keyed hashes of the network address and of browsers. They show that two people of one study may be the same
person, never who it is: each study of this site has its own key. They are erased with the answers, and with the panel's
ids after the trial's days.
"""

import hmac
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import Promise as LazyText
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from accounts.callers import address_of
from humantrials.models import Participant, ParticipantKind, ParticipantState, Trial
from humantrials.protocols.settings import Gates

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


def unmet(gates: Gates, request: HttpRequest) -> Iterator[str | LazyText]:
    """Yield the demands that this request does not meet, for the participant to read; width comes with the consent."""
    if gates.devices and device_of(request) not in gates.devices:
        yield format_lazy("{} {}", _("Device:"), " / ".join(str(NAMES[device]) for device in gates.devices))
    if gates.browsers and browser_of(request) not in gates.browsers:
        yield format_lazy("{} {}", _("Browser:"), " / ".join(BROWSERS[browser] for browser in gates.browsers))
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


DIGITS = 16  # hexadecimal digits of a hash: no two among a million addresses are the same by chance
MOST = 5  # browsers stored for a person


def address_trace(request: HttpRequest, trial: Trial) -> str:
    """The keyed hash of the caller's network address."""
    return _hashed(trial, "address", address_of(request))


def browser_trace(request: HttpRequest, trial: Trial) -> str:
    """The keyed hash of the browser's user agent."""
    return _hashed(trial, "browser", request.headers.get("User-Agent", "")[:500])


def note_traces(person: Participant, request: HttpRequest) -> None:
    """Store the address of the participant's first visit and their browsers; a known browser costs nothing."""
    if person.kind != ParticipantKind.PERSON or not person.is_under_way:
        return
    known, browser = person.traces or {}, browser_trace(request, person.trial)
    browsers = known.get("browsers", [])
    if browser in browsers or len(browsers) >= MOST:
        return
    address = known.get("address") or address_trace(request, person.trial)
    person.traces = {"address": address, "browsers": [*browsers, browser]}
    Participant.objects.filter(pk=person.pk, state=ParticipantState.CONSENTED).update(traces=person.traces)


def traces_of(request: HttpRequest, trial: Trial) -> dict[str, Any]:
    """The traces of a first visit."""
    return {"address": address_trace(request, trial), "browsers": [browser_trace(request, trial)]}


def is_crowded(trial: Trial, address: str) -> bool:
    """Whether the trial's limit of people from one address is reached."""
    limit = trial.settings.get("people_per_address")
    return limit is not None and trial.participants.filter(traces__address=address).count() >= limit


def _hashed(trial: Trial, kind: str, value: str) -> str:
    message = f"{trial.pk}/{trial.salt}/{kind}/{value}"
    return hmac.digest(settings.SECRET_KEY.encode(), message.encode(), "sha256").hex()[:DIGITS]
