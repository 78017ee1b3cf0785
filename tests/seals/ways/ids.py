"""Attacks on ids: computes public ids and file names of each possible official key, and compares orders of ids."""

import hashlib
import hmac
from base64 import b32encode
from collections.abc import Iterator

from tests.seals.attacker import Attacker, Target, downloaded, manifest_of
from tests.seals.learning import guesses

NUMBERS = range(64)  # numbers of the clips in a folder of the release
WEAK = ("", "media", "ids", "items", "secret", "benchsite", "django-insecure", "dev")  # secrets that anybody would try


def preimage(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the ids of all official keys, which reveal answers, by each formula that the source ever had."""
    if not target.tests:
        return None  # the key of a pair of objects reveals nothing
    manifest = manifest_of(attacker, target)
    wanted, found = set(target.ids), {}
    for key, answer in official_keys(target):
        for name in _names(target, manifest, key):
            if name in wanted:
                found[name] = answer
    return found or None


def official_keys(target: Target) -> Iterator[tuple[str, str]]:
    """Every key that the release may have, with the answer that it reveals."""
    for test in sorted(set(target.tests.values())):
        for folder, answer in (("P", "yes"), ("IP", "no")):
            for number in NUMBERS:
                yield f"level2/{folder}_{test}/{number:03}", answer


def draw_key_of(benchmark: str, manifest: str, key: str, kind: str = "plausibility", variant: str = "") -> str:
    """The key that the item is drawn by: anybody can compute it."""
    return short(hashlib.sha256("\n".join((benchmark, manifest, key, kind, variant)).encode()).digest())


def short(digest: bytes) -> str:
    return b32encode(digest).decode().lower()[:12]


def _names(target: Target, manifest: str, key: str) -> Iterator[str]:
    """The draw key and similar digests: with parts left out, or with a secret that anybody would try."""
    yield draw_key_of(target.benchmark, manifest, key)
    for parts in (
        (target.benchmark, key, "plausibility", ""),
        (target.pack, key, "plausibility", ""),
        (manifest, key),
        (key,),
    ):
        yield short(hashlib.sha256("\n".join(parts).encode()).digest())
    text = "\n".join((target.benchmark, manifest, key, "plausibility", "")).encode()
    for secret in (*WEAK, manifest, target.pack):
        yield short(hmac.new(secret.encode(), text, hashlib.sha256).digest())


def media_names(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the names of clips, computed by the store's formula with secrets that anybody would try."""
    rows = downloaded(attacker.member, target)
    manifest = manifest_of(attacker, target)
    names = {row["clip"].partition("?")[0].rpartition("/")[2]: row["item"] for row in rows if row["clip"]}
    found = {}
    for key, answer in official_keys(target) if names else ():
        identity = f"{manifest}/{key}\noriginal".encode()
        for secret in WEAK:
            digest = hmac.new(secret.encode(), identity, hashlib.sha256).digest()
            name = b32encode(digest).decode().lower()[:26] + ".mp4"
            if name in names:
                found[names[name]] = answer
    return found or None


def orders_of_ids(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the rank of an id among all ids, and of its clip's name among all names."""
    every = sorted([*target.ids, *target.known])
    clips = {row["item"]: row["clip"] for row in downloaded(attacker.member, target)}
    by_clip = sorted(clips, key=lambda name: clips[name])
    features = {name: {"id": place} for place, name in enumerate(every)}
    for place, name in enumerate(by_clip):
        features.setdefault(name, {})["clip"] = place
    return guesses(target, features)
