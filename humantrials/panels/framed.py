"""The framed task, known from Mechanical Turk: previewed and accepted in the panel's frame, submitted by a form.

The panel opens our entry in a frame with `assignmentId` (a fixed word during the preview), `workerId`, `hitId` and
`turkSubmitTo`. At the end a form sends the assignment and the code to that address. Only configured hosts may frame us
or receive the form.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from humantrials.panels.arrival import Arrival, NotLetIn
from humantrials.panels.panel import (
    FINISHED,
    PARTIAL,
    SCREENED,
    STOPPED,
    Panel,
    PanelSetting,
    Setup,
    WayBack,
    cleaned,
    read_hosts,
)

ONLY_LOOKING = "ASSIGNMENT_ID_NOT_AVAILABLE"
SUBMIT = "/mturk/externalSubmit"
VISIT = ("assignmentid", "hitid", "turksubmitto")


def read_arrival(parameters: Mapping[str, str], setup: Setup, host: str) -> Arrival:
    """The person who accepted the task; raises NotLetIn during the preview, when nothing is stored."""
    read = cleaned(parameters, ("workerid", *VISIT))
    if read.get("assignmentid", "") in ("", ONLY_LOOKING):
        raise NotLetIn("looking")
    if not read.get("workerid") or not _submit_host(read.get("turksubmitto", ""), setup):
        raise NotLetIn("incomplete")
    return Arrival("framed", read["workerid"], {name: read[name] for name in VISIT if read.get(name)})


def _submit_host(address: str, setup: Setup) -> str:
    """The configured host of this address, or '', so that no answer is sent elsewhere."""
    try:
        parts = urlsplit(address)
    except ValueError:  # such as an unclosed bracket
        return ""
    origin = f"{parts.scheme}://{parts.netloc}"
    return origin if origin in setup.get("submit_hosts", ()) else ""


def way_back(setup: Setup, outcome: str, code: str, visit: Mapping[str, str]) -> WayBack | None:
    """A form to the panel for people who did something; others return the task in the panel's own page."""
    host = _submit_host(visit.get("turksubmitto", ""), setup)
    if not host or outcome not in (FINISHED, PARTIAL, SCREENED, STOPPED):
        return None
    fields = {"assignmentId": visit.get("assignmentid", ""), "completionCode": code, "outcome": outcome}
    return WayBack(host + SUBMIT, fields)


FRAMED = Panel(
    name="framed",
    title="Framed task",
    about="A panel that opens the task in a frame of its own page: preview, accept, submit by form post.",
    entry="",
    settings=(
        PanelSetting("frame_hosts", "May frame us", "Addresses of the panel's pages, separated by spaces.", read_hosts),
        PanelSetting("submit_hosts", "Submitted to", "Addresses that the closing form may go to.", read_hosts),
    ),
    read=read_arrival,
    way_back=way_back,
    frame_hosts=lambda setup: setup.get("frame_hosts", []),
    form_hosts=lambda setup: setup.get("submit_hosts", []),
)
