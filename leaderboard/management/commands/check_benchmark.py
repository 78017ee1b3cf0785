import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.files.schema import BadDefinition
from benchmarks.definitions.registry import find_benchmark
from benchmarks.models.packs import find_pack
from benchmarks.packs.benchmark_files import NAME, read_file
from benchmarks.packs.folder_check import FolderReport, OtherReport, audit_release, check_other, clip_changes, report_on
from benchmarks.progress_bar import progress_bar


class Command(SiteCommand):
    help = (
        "Check a FOLDER with a benchmark.toml: mistakes, and whatever would reveal its answers; or with a manifest.csv"
        " of generated clips. --audit derives every label of SLUG's FOLDER again from the stored trajectories; --blind"
        " finds questions of SLUG's pack that can be answered without its clips, and marks them. Exit 1 if something is"
        " found. Safe to run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("place", nargs="+", metavar="FOLDER", help="with --audit SLUG FOLDER, with --blind SLUG")
        way = parser.add_mutually_exclusive_group()
        way.add_argument("--audit", action="store_true", help="labels against trajectories")
        way.add_argument("--blind", action="store_true", help="probes that see no clip")
        parser.add_argument("--pack", help="for --blind; optional if there is only one")

    def handle(self, *, place: list[str], audit: bool, blind: bool, **options: Any) -> None:
        wanted = ("SLUG", "FOLDER") if audit else ("SLUG",) if blind else ("FOLDER",)
        if len(place) != len(wanted):
            raise CallerMistake(f"write {' '.join(wanted)}, not {len(place)} of them")
        if audit:
            self._audit(place[0], Path(place[1]), options)
        elif blind:
            self._blind(place[0], options)
        elif (report := check_other(Path(place[0]), progress_bar(sys.stderr, "Clips"))) is not None:
            self._tell(report, options)
        else:
            self._check(Path(place[0]), options)

    def _tell(self, report: OtherReport, options: dict[str, Any]) -> None:
        lists = {"errors": report.errors, "notes": report.notes}
        facts = {name: [{"where": where, "what": what} for where, what in pairs] for name, pairs in lists.items()}
        lines = [f"{where}: {what}" for pairs in lists.values() for where, what in pairs]
        count = f"{report.title}, {len(report.errors)} errors, {len(report.notes)} notes"
        self.say(options, {"title": report.title, **facts}, "\n".join([*lines, count]))
        if report.errors:
            raise SystemExit(1)

    def _check(self, folder: Path, options: dict[str, Any]) -> None:
        try:
            found = report_on(read_file(folder / NAME), folder)
        except BadDefinition as error:
            mistakes = [vars(one) | {"file": error.file} for one in error.mistakes]
            for mistake in error.mistakes:
                self.note(options, f"{error.file}, {mistake}")
            if options["as_json"]:
                self.say(options, {"error": str(error), "exit": 2, "mistakes": mistakes}, "")
            raise
        except OSError as error:
            raise CallerMistake(str(error)) from None
        self._report(found, options)

    def _report(self, found: FolderReport, options: dict[str, Any]) -> None:
        changes, unreadable = clip_changes(found.release.root, [clip.path for clip in found.release.clips])
        findings = [*found.findings, *unreadable]
        lists = {"gaps": found.release.gaps, "changes": changes, "findings": findings}
        facts = {
            "benchmark": found.benchmark.slug,
            "clips": len(found.release.clips),
            "items": len(found.release.rows),
            "preview": found.lines,
            **{name: [{"where": where, "what": what} for where, what in pairs] for name, pairs in lists.items()},
        }
        lines = [*found.lines, *(f"{where}: {what}" for pairs in lists.values() for where, what in pairs)]
        self.say(options, facts, "\n".join([*lines, f"{len(findings)} findings"]))
        if findings:
            raise SystemExit(1)

    def _audit(self, slug: str, folder: Path, options: dict[str, Any]) -> None:
        report = audit_release(find_benchmark(slug), folder)
        for clip, what in report.findings:
            self.note(options, f"{clip}: {what}")
        findings = [{"clip": clip, "what": what} for clip, what in report.findings]
        line = f"{report.clips} clips, {len(findings)} findings"
        self.say(options, {"clips": report.clips, "findings": findings}, line)
        if findings:
            raise CommandError(f"{len(findings)} findings in {report.clips} clips")

    def _blind(self, slug: str, options: dict[str, Any]) -> None:
        from leaderboard.audits.blind import audit  # scikit-learn, which takes a second to import

        found = audit(find_pack(find_benchmark(slug).slug, options["pack"]))
        for one in found.probes:
            self.note(options, _line(one))
        for one in found.skipped:
            self.note(options, f"{one['kind']}: not measured, {one['why']}")
        leaking = [f"{probe['kind']} by {probe['probe']}" for probe in found.probes if probe["leaks"]]
        facts = {"pack": found.pack.name, "probes": found.probes, "skipped": found.skipped, "leaks": found.leaks}
        self.say(options, facts, f"{found.leaks} questions leak" + (f": {', '.join(leaking)}" if leaking else ""))
        if leaking:
            raise CommandError(f"{len(leaking)} of {len(found.probes)} probes answer above chance")


def _line(one: dict[str, Any]) -> str:
    accuracy = f"{100 * one['accuracy']:.1f} % right, {100 * one['expected']:.1f} by chance"
    return f"{one['kind']}, {one['probe']}: {accuracy}, n={one['n']}, p={one['p_holm']:.3g}"
