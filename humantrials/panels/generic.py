"""A plain link with any id parameter: for panels that only append their id, class lists, mailings."""

from collections.abc import Mapping

from humantrials.panels.arrival import Arrival
from humantrials.panels.panel import FINISHED, PARTIAL, Panel, Setup, WayBack, cleaned

# The first of these parameters in the link names the person; case is ignored.
ID_PARAMETERS = ("prolific_pid", "participant", "participantid", "participant_id", "workerid", "worker_id", "pid", "id")
# Stored with the id: they identify the visit for panels. A new visit never creates a new person.
VISIT_PARAMETERS = ("study_id", "session_id", "assignmentid", "assignment_id", "hitid", "survey_code", "source")


def read_arrival(parameters: Mapping[str, str], setup: Setup | None = None, host: str = "") -> Arrival:
    """The arrival with the id and the visit's parameters from the link."""
    read = cleaned(parameters, ID_PARAMETERS + VISIT_PARAMETERS)
    external_id = next((read[name] for name in ID_PARAMETERS if read.get(name)), "")
    visit = {name: read[name] for name in VISIT_PARAMETERS if read.get(name)}
    return Arrival("generic", external_id, visit)


def way_back(setup: Setup, outcome: str, code: str, visit: Mapping[str, str]) -> WayBack | None:
    """The trial's completion URL for people who finished; for a partial code only if the code is in the URL."""
    address = str(setup.get("completion_url", ""))
    may_return = outcome == FINISHED or (outcome == PARTIAL and "{code}" in address)
    return WayBack(address.replace("{code}", code)) if address and may_return else None


GENERIC = Panel(
    name="generic",
    title="Plain link",
    about="Any list or panel that adds an id to a link: put each person's behind the = of this one, or what your panel"
    " replaces by it. People get a code, and a link back where the trial has one."
    " Anybody with the link can come again under another id; the settings limit new participants per hour and people"
    " of one address, and invitations admit one person each.",
    entry="?participant=",
    settings=(),
    read=read_arrival,
    way_back=way_back,
)
