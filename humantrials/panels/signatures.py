"""Signed tokens (RFC 7519, RS256) checked against a key set (RFC 7517) that was given, never fetched.

RSASSA-PKCS1-v1_5 as RFC 8017, 8.2.2 wants it: the whole encoded message is built and compared, so nothing that a forger
could choose is ever parsed.
"""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from typing import Any

SHA256_PREFIX = bytes.fromhex("3031300d060960864801650304020105000420")  # DigestInfo of RFC 8017, 9.2, note 1
SMALLEST_KEY = 2048  # bits
LONGEST_TOKEN = 8000
LEEWAY = 60  # seconds that clocks may differ


class BadToken(ValueError):
    """Not signed by a key of the set, too old, or meant for somebody else."""


def read_key_set(text: str) -> list[dict[str, str]]:
    """The RS256 keys of a JSON key set, without what is not needed."""
    try:
        keys = json.loads(text)["keys"]
        found = [{"kid": str(key.get("kid", "")), "n": key["n"], "e": key["e"]} for key in keys if key["kty"] == "RSA"]
        sizes = [_number(key["n"]).bit_length() for key in found if _number(key["e"]) >= 3]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError('a key set such as {"keys": [{"kty": "RSA", "kid": …, "n": …, "e": …}]}') from None
    if not found or len(sizes) < len(found) or min(sizes) < SMALLEST_KEY:
        raise ValueError(f"at least one RSA key, each of {SMALLEST_KEY} bits or more")
    return found


def claims_of(token: str, keys: Sequence[Mapping[str, str]], *, audience: str, now: float) -> dict[str, Any]:
    """What the token says, if one of these keys signed it, it is still valid, and it is meant for this audience."""
    try:
        head, body, signature = token[:LONGEST_TOKEN].split(".")
        header, claims, signed = json.loads(_bytes(head)), json.loads(_bytes(body)), _bytes(signature)
        known = [key for key in keys if key["kid"] == header.get("kid", "")]
        is_signed = header.get("alg") == "RS256" and any(_is_signed(f"{head}.{body}", signed, key) for key in known)
        expires = float(claims["exp"])
        audiences = claims.get("aud", ())
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadToken("not a signed token") from None
    if not is_signed:
        raise BadToken("signed by no key of the set")
    if not now < expires + LEEWAY:
        raise BadToken("too old")
    if audience not in {_host(one) for one in ([audiences] if isinstance(audiences, str) else audiences)}:
        raise BadToken("meant for another site")
    return claims


def _is_signed(message: str, signature: bytes, key: Mapping[str, str]) -> bool:
    modulus, exponent = _number(key["n"]), _number(key["e"])
    size = (modulus.bit_length() + 7) // 8
    if len(signature) != size or int.from_bytes(signature) >= modulus:
        return False
    digest = SHA256_PREFIX + hashlib.sha256(message.encode()).digest()
    wanted = b"\x00\x01" + b"\xff" * (size - len(digest) - 3) + b"\x00" + digest
    return hmac.compare_digest(pow(int.from_bytes(signature), exponent, modulus).to_bytes(size), wanted)


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None


def _number(text: str) -> int:
    return int.from_bytes(_bytes(text))


def _host(text: object) -> str:
    """The host name of an audience, which may be written as an address."""
    return str(text).removeprefix("https://").removeprefix("http://").split("/")[0].split(":")[0].lower()
