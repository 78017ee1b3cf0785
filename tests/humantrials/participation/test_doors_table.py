"""Which doors lead where: docs/security.md has the table, and this walks through every cell of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.test import Client

from humantrials.identities import SIMULATOR_HEADER, simulator_signature
from humantrials.models import Participant, ParticipantState, SheetState, Trial
from humantrials.panels.invited import invitation
from humantrials.panels.prolific import SIGNED_BY, read_key_set
from humantrials.participation.pilots import pilot_key
from tests.humantrials.fixtures import altered
from tests.humantrials.panels.test_panels import PERSON, TASK, key_set, signed
from tests.humantrials.participation.test_door import SECRET
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db
DOCS = Path(__file__).parents[3] / "docs" / "security.md"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
STATES = ("begun", "finished", "withdrawn")
HOSTS = {name: [TASK["turkSubmitTo"]] for name in ("frame_hosts", "submit_hosts")}
INVITED = {"invitation_secret": SECRET, "invitations": 3}
SIGNED = {"signed": True, "keys": read_key_set(key_set(KEY))}


@dataclass(frozen=True)
class Door:
    """One way to come: the panel with its settings, the link's parameters, and headers."""

    panel: str = "generic"
    settings: dict | None = None
    link: Callable[[Trial], dict[str, str]] = lambda trial: {}
    header: Callable[[Trial], dict[str, str]] = lambda trial: {}


def student(trial: Trial) -> dict[str, str]:
    return {"participant": "student-17"}


DOORS = {
    "plain link without an id": Door(),
    "plain link with an id": Door(link=student),
    "plain link with a placeholder": Door(link=lambda trial: {"participant": "{id}"}),
    "Prolific": Door("prolific", link=lambda trial: PERSON),
    "Prolific, signed": Door("prolific", SIGNED, lambda trial: {**PERSON, SIGNED_BY: signed(KEY)}),
    "Prolific, signature missing": Door("prolific", SIGNED, lambda trial: PERSON),
    "framed task": Door("framed", HOSTS, lambda trial: TASK),
    "invitation": Door("invited", INVITED, lambda trial: {"invitation": invitation(SECRET, 1)}),
    "invitation, made up": Door("invited", INVITED, lambda trial: {"invitation": "1-made-up"}),
    "pilot's key": Door(link=lambda trial: {"pilot": pilot_key(trial)}),
    "pilot's key, made up": Door(link=lambda trial: {"pilot": "made-up"}),
    "preview by a stranger": Door(link=lambda trial: {"preview": "1"}),
    "this site's simulator": Door(
        link=student, header=lambda trial: {SIMULATOR_HEADER: simulator_signature(trial.slug)}
    ),
    "a simulator's header, made up": Door(link=student, header=lambda trial: {SIMULATOR_HEADER: "made-up"}),
}
OUTCOMES = {302: "enters", 403: "refused", 404: "unknown", 409: "asks for the receipt code"}


def press(door: Door, link: str, trial: Trial, **fields: str) -> Walker:
    """A browser of its own that opens the link and agrees, or sends these fields."""
    walker = Walker.at(Client(headers=door.header(trial)), link)
    return walker.press(**fields) if fields else walker.agree()


def where(walker: Walker, own: str = "") -> str:
    """Where a press led: to the person's own pages, or what it was answered with."""
    if walker.road.startswith("/p/"):
        return "own pages" if walker.road == own else "enters"
    return OUTCOMES[walker.page.status_code]


def cells(trial: Trial, door: Door, state: str) -> tuple[str, str, str]:
    """What happens to somebody who comes first, and again in this state: with another browser, with their own."""
    Participant.objects.all().delete()
    trial.sheets.update(state=SheetState.OPEN, holder=None)
    altered(trial, panel=door.panel, panel_settings=door.settings or {})
    link = f"/t/{trial.slug}/?{urlencode(door.link(trial))}"
    first = press(door, link, trial)
    own = first.road
    if where(first) != "enters":
        return (where(first),) * 3
    if state == "withdrawn":
        first.press(step="withdraw")
    elif state == "finished":
        Participant.objects.update(state=ParticipantState.FINISHED)
    key = {"step": "return", "code": own.split("/")[2]}
    return "enters", where(press(door, link, trial), own), where(press(door, link, trial, **key), own)


def documented() -> dict[str, tuple[str, ...]]:
    lines = DOCS.read_text().partition("| door |")[2].partition("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines]
    return {row[0]: tuple(row[1:]) for row in rows}


@pytest.mark.parametrize("state", STATES)
def test_every_door_leads_where_the_table_says(trial, state):
    assert {name: cells(trial, door, state) for name, door in DOORS.items()} == documented()
