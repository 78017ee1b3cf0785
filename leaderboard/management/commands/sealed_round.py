from datetime import date as Date
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import ActionCommand, CallerMistake
from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import find_benchmark
from benchmarks.generation.generate import DEFAULT_COUNT, default_format
from benchmarks.models.packs import find_pack
from leaderboard.models import SealedRound
from leaderboard.rounds.commitment import commit, number_of, open_round, read_seed, reveal

SOURCE = "drand, default chain: randomness of the first round after {}, 12:00 UTC"


class Command(ActionCommand):
    help = "Commit to a round of fresh clips, make them on its date, reveal its seed. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        self._add_commit(parser)
        opened = "make a round's fresh clips and import them as pack round-ID, on its date or later"
        revealed = "publish the seed of a round whose clips exist, so that anybody can make them again"
        for name, act, about in (("open", self.open, opened), ("reveal", self.reveal, revealed)):
            action = self.add_action(parser, name, act, about)
            action.add_argument("round", type=int)
            action.add_argument("--seed-file", type=Path, required=True)
            if name == "open":
                action.add_argument("--value", required=True, help="the public value, as its source prints it")
                action.add_argument("--out", type=Path, required=True)

    def _add_commit(self, parser: CommandParser) -> None:
        action = self.add_action(parser, "commit", self.commit, "commit to a seed: prints the hash to publish")
        action.add_argument("slug")
        action.add_argument("--seed-file", type=Path, required=True, help="a line of 32 or more hexadecimal digits")
        action.add_argument("--date", required=True, help="date of the clips, such as 2027-01-31")
        source = f"where everybody will find a value that nobody can choose; usual: {SOURCE.format('the date')}"
        action.add_argument("--source", default="", help=source)
        action.add_argument("--pack", help="the public pack that the fresh clips are compared with")
        action.add_argument("--count", type=int, default=DEFAULT_COUNT)
        action.add_argument("--only", default="", help="scenes, separated by commas")
        for name in ("width", "height", "fps"):
            action.add_argument(f"--{name}", type=int)

    def commit(self, *, slug: str, seed_file: Path, date: str, **options: Any) -> None:
        benchmark = find_benchmark(slug)
        only = [name for name in options["only"].split(",") if name]
        chosen = {"count": options["count"], "only": only} | _format(benchmark, options)
        found = commit(
            seed=read_seed(seed_file),
            public=find_pack(benchmark.slug, options["pack"]),
            date=_day(date),
            source=options["source"].strip() or SOURCE.format(date),
            chosen=chosen | {"profile": "corrected"},
        )
        facts = {"round": found.pk, "commitment": found.commitment, "definition": found.definition}
        self.say(options, facts, f"Round {found.pk} on {found.date}: publish {found.commitment}")

    def open(self, *, round: int, seed_file: Path, value: str, out: Path, **options: Any) -> None:
        pack = open_round(_round(round), seed=read_seed(seed_file), value=value, out=out.resolve())
        facts = {"round": round, "pack": pack.name, "manifest": pack.manifest_hash}
        self.say(options, facts, f"Round {round}: pack {pack.name}, manifest {pack.manifest_hash}")

    def reveal(self, *, round: int, seed_file: Path, **options: Any) -> None:
        revealed = reveal(_round(round), seed=read_seed(seed_file))
        number = number_of(revealed.seed, revealed.value)
        facts = {"round": round, "seed": revealed.seed, "number": number}
        self.say(options, facts, f"Round {round}: seed {revealed.seed}, --seed {number}")


def _round(number: int) -> SealedRound:
    found = SealedRound.objects.select_related("public", "fresh").filter(pk=number).first()
    if found is None:
        raise CallerMistake(f"there is no round {number}")
    return found


def _format(benchmark: Benchmark, options: dict[str, Any]) -> dict[str, Any]:
    """The requested size and frame rate, else those of the benchmark's clips."""
    (width, height), fps = default_format(benchmark)
    wanted = {name: options[name] for name in ("width", "height", "fps") if options[name] is not None}
    found = {"width": width, "height": height, "fps": fps} | wanted
    return {"size": [found["width"], found["height"]], "fps": found["fps"]}


def _day(text: str) -> Date:
    try:
        return Date.fromisoformat(text)
    except ValueError:
        raise CallerMistake(f"--date {text[:20]!r}: write a date as 2027-01-31") from None
