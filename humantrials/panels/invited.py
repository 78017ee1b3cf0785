"""Invitations: numbered links that can't be guessed. Each admits one person, who may return with it."""

import hmac
from collections.abc import Mapping

from humantrials.panels.arrival import Arrival, NotLetIn
from humantrials.panels.generic import way_back
from humantrials.panels.panel import Panel, PanelSetting, Setup, cleaned

MOST = 10_000
SECRET = "invitation_secret"  # noqa: S105  the name of a setting, drawn once for a trial  # nosec B105


def read_number(text: str) -> int:
    if not text.strip().isdecimal() or not 1 <= int(text) <= MOST:
        raise ValueError(f"a number from 1 to {MOST}")
    return int(text)


def invitation(secret: str, number: int) -> str:
    """The number with 80 bits of its HMAC: nobody can make a link from other links."""
    return f"{number}-{hmac.digest(secret.encode(), str(number).encode(), 'sha256').hex()[:20]}"


def read_arrival(parameters: Mapping[str, str], setup: Setup, host: str) -> Arrival:
    """The arrival by an invitation; raises NotLetIn without a valid one of this trial."""
    code = cleaned(parameters, ("invitation",)).get("invitation", "")
    number = code.partition("-")[0]
    is_one = number.isdecimal() and len(number) <= len(str(MOST)) and 1 <= int(number) <= setup.get("invitations", 0)
    if not (is_one and setup.get(SECRET)):
        raise NotLetIn("uninvited")
    if not hmac.compare_digest(invitation(setup[SECRET], int(number)).encode(), code.encode(errors="replace")):
        raise NotLetIn("uninvited")
    return Arrival("invited", f"invitation {int(number)}", is_vouched=True)


INVITED = Panel(
    name="invited",
    title="Invitations",
    about="A list of links, one for each person: this one with a number that is downloaded below. Nobody"
    " else can enter; a link used again leads to the same person.",
    entry="?invitation=",
    settings=(PanelSetting("invitations", "Invitations", f"How many are valid, up to {MOST}.", read_number),),
    read=read_arrival,
    way_back=way_back,
)
