"""The steps of a round: commit to its seed by a hash, make its clips on its date, reveal the seed.

Whoever tries many seeds in private could choose clips. So the generators get the seed mixed with a public value that
nobody knows or chooses before the date; the hash covers the value's source, too.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import date as Date
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from benchmarks import leasing
from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BenchmarkError
from benchmarks.generation.generate import check_format, chosen_scenes, generate, keys_of_set
from benchmarks.generation.set_makers import order_of
from benchmarks.models import Pack
from benchmarks.packs.import_release import import_release
from leaderboard.models import SealedRound

SHORTEST = 32  # characters of a seed: 128 bits in hexadecimal
DIGITS = 15  # hexadecimal digits of the number that the generators get
LEAST, MOST = 16, 200  # characters of a public value


class RoundMisused(BenchmarkError):
    """The step is not possible now, or with this seed; the message says why."""


def read_seed(file: Path) -> str:
    """The seed in this file, a line of 32 hexadecimal digits or more."""
    try:
        seed = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise RoundMisused(f"--seed-file {file}: can't be read as text") from error
    if len(seed) < SHORTEST or set(seed) - set("0123456789abcdef"):
        raise RoundMisused(f"--seed-file {file}: a seed is a line of {SHORTEST} hexadecimal digits or more (0-9, a-f)")
    return seed


def commitment(seed: str, definition: dict[str, Any]) -> str:
    """SHA-256 of the seed, a line break and the definition's text."""
    return hashlib.sha256(f"{seed}\n{text_of(definition)}".encode()).hexdigest()


def text_of(definition: dict[str, Any]) -> str:
    """The definition as JSON with sorted names and no spaces, as it is hashed and shown."""
    return json.dumps(definition, sort_keys=True, separators=(",", ":"))


def number_of(seed: str, value: str) -> int:
    """The number that the generators get, from seed, a line break and public value; the clips don't reveal it."""
    return int(hashlib.sha256(f"{seed}\n{value}".encode()).hexdigest()[:DIGITS], 16)


def commit(*, seed: str, public: Pack, date: Date, source: str, chosen: dict[str, Any]) -> SealedRound:
    """Commit to a seed and a definition, for today or later; each seed can be used once.

    `source` tells readers where the public value of the date will be.
    """
    benchmark = find_benchmark(public.benchmark)
    compared = {"pack": public.name, "manifest": public.manifest_hash, "date": date.isoformat(), "source": source}
    definition = {"benchmark": benchmark.slug, "version": benchmark.version, **compared, **chosen}
    refuse_impossible(benchmark, chosen)
    known = next((one for one in SealedRound.objects.all() if commitment(seed, one.definition) == one.commitment), None)
    if known is None:
        if date < leasing.database_now().date():
            raise RoundMisused(f"{date} is over: a round is committed to before its clips are made")
        hashed = commitment(seed, definition)
        return SealedRound.objects.create(commitment=hashed, public=public, date=date, definition=definition)
    if known.definition != definition:
        raise RoundMisused(f"round {known.pk} has this seed, with another definition, pack or date: take a new seed")
    return known


def refuse_impossible(benchmark: Benchmark, chosen: Mapping[str, Any]) -> None:
    """Raise BenchmarkError if these clips can't be made, so that the error is not found on the round's date."""
    if not benchmark.generate_set:
        chosen_scenes(benchmark, chosen["only"])
        check_format(chosen["count"], chosen["size"], chosen["fps"])
    else:
        keys_of_set(benchmark, order_of(seed=0, **chosen))


def open_round(one: SealedRound, *, seed: str, value: str, out: Path) -> Pack:
    """Make the round's clips and import them as a separate pack; safe to run again with the same value."""
    check(one, seed)
    if leasing.database_now().date() < one.date:
        raise RoundMisused(f"round {one.pk} opens on {one.date}")
    benchmark, stored = find_benchmark(one.public.benchmark), one.definition
    if stored["version"] != benchmark.version:
        raise RoundMisused(
            f"round {one.pk} is of definition {stored['version']}, and this site has {benchmark.version}"
        )
    keep_value(one, value)
    size = tuple(stored["size"])
    generate(
        benchmark, out, seed=number_of(seed, value), count=stored["count"], only=stored["only"],
        size=(size[0], size[1]), fps=stored["fps"], profile=stored["profile"], jobs=1,
    )  # fmt: skip
    pack = import_release(benchmark, out, pack_name=f"round-{one.pk}").pack
    SealedRound.objects.filter(pk=one.pk).update(fresh=pack)
    return pack


def keep_value(one: SealedRound, value: str) -> None:
    """Store the public value before any clip is made: a second one would let somebody choose between clips."""
    if not LEAST <= len(value) <= MOST or not value.isprintable() or value != value.strip():
        raise RoundMisused(f"--value: wanted is one line of {LEAST} to {MOST} characters, as its source prints it")
    SealedRound.objects.filter(pk=one.pk, value="").update(value=value, opened_at=Now())
    one.refresh_from_db(fields=["value", "opened_at"])
    if one.value != value:
        raise RoundMisused(f"round {one.pk} was opened with the value {one.value}, and keeps it")


@transaction.atomic
def reveal(one: SealedRound, *, seed: str) -> SealedRound:
    """Publish the seed of a round whose clips are there."""
    check(one, seed)
    if one.fresh is None:
        raise RoundMisused(f"round {one.pk} has no clips yet: sealed_round open makes them")
    one.seed, one.revealed_at = seed, one.revealed_at or leasing.database_now()
    one.save(update_fields=["seed", "revealed_at"])
    return one


def check(one: SealedRound, seed: str) -> None:
    if commitment(seed, one.definition) != one.commitment:
        raise RoundMisused(f"this is not the seed that round {one.pk} committed to")
