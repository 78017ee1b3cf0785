import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.template.defaultfilters import pluralize

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.definition import Benchmark, Release
from benchmarks.definitions.files.compile import BenchmarkText
from benchmarks.definitions.files.contradictions import read_text
from benchmarks.definitions.registry import BUILT_IN, find_benchmark
from benchmarks.errors import BadRelease, BenchmarkError
from benchmarks.packs.benchmark_files import NAME, SHIPPED, import_folder, read_file, release_in, shipped
from benchmarks.packs.import_release import ImportReport, read_release, store_release
from benchmarks.progress_bar import progress_bar


class Command(SiteCommand):
    help = "Import a release in its official layout. Safe to run again: the same content changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="a benchmark of this site, or a folder with a benchmark.toml")
        parser.add_argument("folder", type=Path, nargs="?", help="the folder of the release, or of benchmark.toml")
        parser.add_argument("--pack", help="name of the pack (default: official, or the profile of made clips)")
        parser.add_argument("--split", help="import only the items of this split")
        strict = "refuse a release with gaps or problems; oddities of every official copy are accepted"
        parser.add_argument("--strict", action="store_true", help=strict)

    def handle(self, *, slug: str, folder: Path | None, **options: Any) -> None:
        root = folder or Path(slug)
        try:
            own = file_for(slug, root, is_alone=folder is None)
            if own is not None:
                self._import_file(own, root, options)
                return
        except (BenchmarkError, OSError) as error:
            raise CallerMistake(str(error)) from None
        self._import_release(slug, root, options)

    def _import_file(self, own: BenchmarkText, root: Path, options: dict[str, Any]) -> None:
        """Import a benchmark that is a file: its definition and its questions."""
        release = release_in(own, root)
        self._say_what_is_missing(options, release)
        benchmark, report = import_folder(
            own,
            root,
            pack_name=options["pack"],
            split=options["split"],
            strict=options["strict"],
            progress=progress_bar(sys.stderr, "Clips"),
        )
        self._say_what_was_stored(options, benchmark, release, report)

    def _import_release(self, slug: str, folder: Path, options: dict[str, Any]) -> None:
        try:
            benchmark = find_benchmark(slug)
            release = read_release(benchmark, folder, options["split"])
            self._say_what_is_missing(options, release)
            report = store_release(
                benchmark,
                release,
                pack_name=options["pack"],
                split=options["split"],
                progress=progress_bar(sys.stderr, "Clips"),
                strict=options["strict"],
            )
        except (BenchmarkError, OSError) as error:
            raise CallerMistake(str(error)) from None
        self._say_what_was_stored(options, benchmark, release, report)

    def _say_what_is_missing(self, options: dict[str, Any], release: Release) -> None:
        """Print one summary before anything is written; with --strict it lists everything."""
        gaps = f"{len(release.gaps)} gap{pluralize(len(release.gaps))}"
        if release.gaps:
            self.note(options, f"Not a whole release: {gaps}")
        for where, what in release.gaps:
            self.note(options, f"  {where}: {what}")
        found = (*release.gaps, *release.problems)
        if options["strict"] and found:
            both = f"{gaps} and {len(release.problems)} problem{pluralize(len(release.problems))}"
            mistake = f"the release has {both}, first {': '.join(found[0])}; nothing is stored"
            facts = {
                "error": mistake,
                "exit": 2,
                "gaps": layout_problems(release.gaps),
                "problems": layout_problems(release.problems),
            }
            for where, what in release.problems:
                self.note(options, f"{where}: {what}")
            if options["as_json"]:
                self.say(options, facts, "")
            raise CallerMistake(mistake)

    def _say_what_was_stored(
        self, options: dict[str, Any], benchmark: Benchmark, release: Release, report: ImportReport
    ) -> None:
        for where, what in report.problems:
            self.note(options, f"{where}: {what}")
        facts = {
            "benchmark": benchmark.slug,
            "pack": report.pack.name,
            "version": report.pack.definition_version,
            "clips": report.clips,
            "items": report.items,
            "gaps": layout_problems(release.gaps),
            "problems": layout_problems(report.problems),
            "is_new": report.is_new,
        }
        stood = "" if report.is_new else ", which existed already"
        held = f"{report.clips} clips, {report.items} items"
        line = f"{benchmark.title} {benchmark.version}: pack {report.pack.name} of {held}{stood}"
        self.say(options, facts, line)


def file_for(slug: str, root: Path, *, is_alone: bool) -> BenchmarkText | None:
    """The benchmark.toml for the import: the folder's own, or one of this site; None for benchmarks without one."""
    if is_alone:
        return read_file(root / NAME)
    if slug in shipped():
        return read_text((SHIPPED / f"{slug}.toml").read_text(encoding="utf-8"))
    if slug in BUILT_IN or not (root / NAME).is_file():
        return None
    own = read_file(root / NAME)
    if own.slug != slug:
        raise BadRelease(f"{root / NAME} is of {own.slug!r}, not of {slug!r}")
    return own


def layout_problems(found: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    return [{"where": where, "what": what} for where, what in found]
