"""Prolific: its three parameters, its signed address checked against its key set, and completion codes by outcome.

With a "secured" external address Prolific adds a token (RS256, `kid` of a key in its public key set at KEY_SET, which
changes; to be copied here again then): valid until `exp`, `aud` is our domain, and the claim `prolific` repeats the
parameters that the study's address has, under their names, with `workspace_id` beside them (its reference, "Retrieve
JSON Web Key Set"; the token's parameter is the one that other integrations read, the reference does not name it). What
each code does at Prolific (approve, review by hand, ask to return) is set there; none of ours rejects anybody.
"""

from collections.abc import Mapping
from typing import Any

from humantrials.panels.arrival import DECLINED, FINISHED, FULL, STOPPED, Arrival, NotLetIn, WayBack
from humantrials.panels.panel import Panel, PanelSetting, Setup, cleaned, read_code, read_flag
from humantrials.panels.signatures import BadToken, claims_of, read_key_set

COMPLETE = "https://app.prolific.com/submissions/complete?cc={code}"
KEY_SET = "https://api.prolific.com/.well-known/study/jwks.json"
SIGNED_BY = "prolific_token"  # the parameter that carries the signature
# What we suggest to set at Prolific for each code; the last word is a person's.
ACTIONS = {
    FINISHED: ("COMPLETED", "MANUALLY_REVIEW"),
    DECLINED: ("NO_CONSENT", "REQUEST_RETURN"),
    FULL: ("OTHER", "REQUEST_RETURN"),
    STOPPED: ("OTHER", "MANUALLY_REVIEW"),
}


def read_arrival(parameters: Mapping[str, str], setup: Setup, host: str) -> Arrival:
    """Who Prolific sends; where the trial wants signed addresses, only whom the signature vouches for."""
    given = cleaned(parameters)
    visit = {name: given[name] for name in ("study_id", "session_id") if given.get(name)}
    arrival = Arrival("prolific", given.get("prolific_pid", ""), visit)
    if setup.get("signed"):
        token = next((value for name, value in parameters.items() if name.lower() == SIGNED_BY), "")
        _check(arrival, token, setup.get("keys", ()), host)
    if not arrival.external_id:
        raise NotLetIn("incomplete")
    return arrival


def _check(arrival: Arrival, token: str, keys: Any, host: str) -> None:
    try:
        claims = claims_of(token, keys, audience=host.split(":")[0].lower())
    except BadToken:
        raise NotLetIn("unsigned") from None
    vouched = claims.get("prolific")
    said = {str(name).lower(): str(value) for name, value in (vouched if isinstance(vouched, dict) else {}).items()}
    given = {"prolific_pid": arrival.external_id, **arrival.parameters}
    if any(said.get(name) != value for name, value in given.items()):
        raise NotLetIn("unsigned")


def code_for(setup: Setup, outcome: str, code: str) -> str:
    return str(setup.get(f"code_{outcome}") or (code if outcome == FINISHED else ""))


def way_back(setup: Setup, outcome: str, code: str, visit: Mapping[str, str]) -> WayBack | None:
    shown = code_for(setup, outcome, code)
    return WayBack(COMPLETE.format(code=shown)) if shown else None


def completion_codes(setup: Setup) -> list[dict[str, Any]]:
    """The study's `completion_codes` as Prolific's interface takes them."""
    return [
        {"code": setup[f"code_{outcome}"], "code_type": kind, "actions": [{"action": action}]}
        for outcome, (kind, action) in ACTIONS.items()
        if setup.get(f"code_{outcome}")
    ]


PROLIFIC = Panel(
    name="prolific",
    title="Prolific",
    about="Its ids come in the address, signed if the study has a secured address; each outcome has its own code.",
    entry="?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
    settings=(
        PanelSetting("code_finished", "Code: finished", "Shown at the end instead of the person's own.", read_code),
        PanelSetting("code_declined", "Code: no consent", "For whoever says no.", read_code),
        PanelSetting("code_full", "Code: full", "For whoever finds all places taken.", read_code),
        PanelSetting("code_stopped", "Code: stopped", "For whoever stops or withdraws on the way.", read_code),
        PanelSetting("signed", "Signed addresses only", "yes or no: let in only whom a signature names.", read_flag),
        PanelSetting("keys", "Key set", f"For signed addresses: what {KEY_SET} shows.", read_key_set, is_long=True),
    ),
    read=read_arrival,
    way_back=way_back,
    code=code_for,
)  # fmt: skip
