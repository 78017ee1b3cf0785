"""Prolific: its three parameters, its signed URLs, checked against its key set, and completion codes by outcome.

With a "secured" external URL Prolific adds a token signed with RS256. Its `kid` names a key of the public key set at
KEY_SET; when that set changes, it must be copied here again. The token is valid until `exp`, and `aud` is our domain.
The claim `prolific` repeats the parameters of the study's URL under their names, plus `workspace_id`. Source:
Prolific's reference, "Retrieve JSON Web Key Set". It does not name the token's parameter, so we read the one that other
integrations read. The action of each code (approve, review by hand, ask to return) is set at Prolific; none of ours
rejects anybody.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from humantrials.panels.arrival import Arrival, NotLetIn
from humantrials.panels.panel import (
    DECLINED,
    FINISHED,
    FULL,
    PARTIAL,
    SCREENED,
    STOPPED,
    Panel,
    PanelSetting,
    Setup,
    WayBack,
    cleaned,
    read_code,
    read_flag,
)

ALGORITHM = "RS256"
SMALLEST_KEY = 2048  # bits
LONGEST_TOKEN = 8000
LEEWAY = 60  # seconds of tolerated clock difference


class BadToken(ValueError):
    """The token is not signed by a key of the set, has expired, or is meant for another site."""


def read_key_set(text: str) -> list[dict[str, str]]:
    """Parse the RSA keys of a JSON key set, reduced to the needed fields."""
    try:
        keys = [key for key in json.loads(text)["keys"] if key["kty"] == "RSA"]
        found = [{"kty": "RSA", "kid": str(key.get("kid", "")), "n": key["n"], "e": key["e"]} for key in keys]
        sizes = [_public(key).key_size for key in found]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError, jwt.PyJWTError):
        raise ValueError('a key set such as {"keys": [{"kty": "RSA", "kid": …, "n": …, "e": …}]}') from None
    if not found or min(sizes) < SMALLEST_KEY:
        raise ValueError(f"at least one RSA key, each of {SMALLEST_KEY} bits or more")
    return found


def claims_of(token: str, keys: Sequence[Mapping[str, str]], *, audience: str) -> dict[str, Any]:
    """The token's claims, if the key that it names signed it, it is still valid, and it is meant for this host."""
    try:
        if len(token) > LONGEST_TOKEN:
            raise BadToken("too long")
        wanted = str(jwt.get_unverified_header(token).get("kid", ""))
        key = next((_public(key) for key in keys if key["kid"] == wanted), None)
        if key is None:
            raise BadToken("signed by no key of the set")
        # The audience is compared below by host name, since it may be a URL.
        rules: Any = {"require": ["exp", "aud"], "verify_aud": False}
        claims = jwt.decode(token, key, algorithms=[ALGORITHM], leeway=LEEWAY, options=rules)
    except (jwt.PyJWTError, UnicodeError, TypeError) as error:
        raise BadToken(str(error)) from None
    audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    if audience not in {_host(str(one)) for one in audiences}:
        raise BadToken("meant for another site")
    return claims


def _public(key: Mapping[str, str]) -> RSAPublicKey:
    public = jwt.PyJWK.from_dict({"kty": "RSA", **key}, algorithm=ALGORITHM).key
    assert isinstance(public, RSAPublicKey)
    return public


def _host(text: str) -> str:
    """The host name of an audience, which may be a domain or a URL."""
    try:
        return urlsplit(text if "//" in text else f"//{text}").hostname or ""
    except ValueError:
        return ""


VISIT = ("study_id", "session_id")
COMPLETE = "https://app.prolific.com/submissions/complete?cc={code}"
KEY_SET = "https://api.prolific.com/.well-known/study/jwks.json"
SIGNED_BY = "prolific_token"  # the parameter with the signed token
# The actions that we suggest to set at Prolific for each code; a person decides.
ACTIONS = {
    FINISHED: ("COMPLETED", "MANUALLY_REVIEW"),
    DECLINED: ("NO_CONSENT", "REQUEST_RETURN"),
    FULL: ("OTHER", "REQUEST_RETURN"),
    STOPPED: ("OTHER", "MANUALLY_REVIEW"),
    PARTIAL: ("OTHER", "MANUALLY_REVIEW"),
    SCREENED: ("OTHER", "MANUALLY_REVIEW"),
}
ELSE = {PARTIAL: STOPPED, SCREENED: STOPPED}  # the outcome whose code is used if the study has none for this one
HAS_OWN = (FINISHED, PARTIAL)  # outcomes that fall back on the person's own code


def read_arrival(parameters: Mapping[str, str], setup: Setup, host: str) -> Arrival:
    """The arrival from Prolific; if the trial requires signed URLs, only with matching signed parameters."""
    read = cleaned(parameters, ("prolific_pid", *VISIT))
    visit = {name: read[name] for name in VISIT if read.get(name)}
    arrival = Arrival("prolific", read.get("prolific_pid", ""), visit, is_vouched=bool(setup.get("signed")))
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
    vouched_for = {
        str(name).lower(): str(value) for name, value in (vouched if isinstance(vouched, dict) else {}).items()
    }
    own = {"prolific_pid": arrival.external_id, **arrival.parameters}
    if any(vouched_for.get(name) != value for name, value in own.items()):
        raise NotLetIn("unsigned")


def code_for(setup: Setup, outcome: str, code: str) -> str:
    """The study's code for this outcome or the nearest one, else the person's own code if the outcome needs one."""
    set_up = setup.get(f"code_{outcome}") or setup.get(f"code_{ELSE.get(outcome, outcome)}")
    return str(set_up or (code if outcome in HAS_OWN else ""))


def way_back(setup: Setup, outcome: str, code: str, visit: Mapping[str, str]) -> WayBack | None:
    completion_code = code_for(setup, outcome, code)
    return WayBack(COMPLETE.format(code=completion_code)) if completion_code else None


def completion_codes(setup: Setup) -> list[dict[str, Any]]:
    """The study's `completion_codes` in the format of Prolific's API."""
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
        PanelSetting("code_declined", "Code: no consent", "For people who say no.", read_code),
        PanelSetting("code_full", "Code: full", "For people who find all places taken.", read_code),
        PanelSetting("code_stopped", "Code: stopped", "For people who stop or withdraw on the way.", read_code),
        PanelSetting(
            "code_partial", "Code: partial", "For people whose answers did not all arrive; else: stopped.", read_code
        ),
        PanelSetting("code_screened", "Code: screened out", "For people who fail the quiz; else: stopped.", read_code),
        PanelSetting(
            "signed", "Signed addresses only", "yes or no: let in only people whom a signature names.", read_flag
        ),
        PanelSetting("keys", "Key set", f"For signed addresses: what {KEY_SET} shows.", read_key_set, is_long=True),
    ),
    read=read_arrival,
    way_back=way_back,
    code=code_for,
)
