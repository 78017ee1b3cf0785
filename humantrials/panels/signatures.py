"""Signed tokens (RFC 7519, RS256) checked by PyJWT against a key set (RFC 7517) that was given, never fetched."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

ALGORITHM = "RS256"
SMALLEST_KEY = 2048  # bits
LONGEST_TOKEN = 8000
LEEWAY = 60  # seconds that clocks may differ


class BadToken(ValueError):
    """Not signed by a key of the set, too old, or meant for somebody else."""


def read_key_set(text: str) -> list[dict[str, str]]:
    """The RSA keys of a JSON key set, without what is not needed."""
    try:
        keys = [key for key in json.loads(text)["keys"] if key["kty"] == "RSA"]
        found = [{"kty": "RSA", "kid": str(key.get("kid", "")), "n": key["n"], "e": key["e"]} for key in keys]
        sizes = [_public(key).key_size for key in found]
    except (ValueError, KeyError, TypeError, AttributeError, jwt.PyJWTError):
        raise ValueError('a key set such as {"keys": [{"kty": "RSA", "kid": …, "n": …, "e": …}]}') from None
    if not found or min(sizes) < SMALLEST_KEY:
        raise ValueError(f"at least one RSA key, each of {SMALLEST_KEY} bits or more")
    return found


def claims_of(token: str, keys: Sequence[Mapping[str, str]], *, audience: str) -> dict[str, Any]:
    """What the token says, if the key it names signed it, it is still valid, and it is meant for this host."""
    try:
        if len(token) > LONGEST_TOKEN:
            raise BadToken("too long")
        wanted = str(jwt.get_unverified_header(token).get("kid", ""))
        key = next((_public(key) for key in keys if key["kid"] == wanted), None)
        if key is None:
            raise BadToken("signed by no key of the set")
        # The audience is compared below: by host name, since it may be written as an address.
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
    """The host name of an audience, which may be a domain or a whole address."""
    try:
        return urlsplit(text if "//" in text else f"//{text}").hostname or ""
    except ValueError:
        return ""
