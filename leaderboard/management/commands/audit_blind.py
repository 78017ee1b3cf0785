"""`manage.py audit_blind SLUG`."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.registry import UnknownBenchmark, find_benchmark
from benchmarks.errors import BenchmarkError
from benchmarks.packs.lookup import find_pack


class Command(SiteCommand):
    help = (
        "Find questions of a pack that can be answered without its clips: by majority, template, words, metadata,"
        " first and last frame, length, file size. Marks the questions that leak. Exit 1 if something leaks. Safe to"
        " run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--pack")

    def handle(self, *, slug: str, pack: str | None, **options: Any) -> None:
        from leaderboard.audits.blind import audit  # scikit-learn, which takes a second to import

        try:
            found = audit(find_pack(find_benchmark(slug).slug, pack))
        except (BenchmarkError, UnknownBenchmark) as error:
            raise CallerMistake(str(error)) from None
        for one in found.probes:
            self.note(options, _line(one))
        for one in found.skipped:
            self.note(options, f"{one['kind']}: not measured, {one['why']}")
        leaking = [f"{one['kind']} by {one['probe']}" for one in found.probes if one["leaks"]]
        facts = {"pack": found.pack.name, "probes": found.probes, "skipped": found.skipped, "leaks": found.leaks}
        self.say(options, facts, f"{found.leaks} questions leak" + (f": {', '.join(leaking)}" if leaking else ""))
        if leaking:
            raise CommandError(f"{len(leaking)} of {len(found.probes)} probes answer above chance")


def _line(one: dict[str, Any]) -> str:
    accuracy = f"{100 * one['accuracy']:.1f} % right, {100 * one['expected']:.1f} by chance"
    return f"{one['kind']}, {one['probe']}: {accuracy}, n={one['n']}, p={one['p_holm']:.3g}"
