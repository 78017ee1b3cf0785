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
from benchmarks.packs.folder_check import import_other
from benchmarks.packs.import_release import ImportReport, read_release, store_release
from benchmarks.packs.withheld_answers import import_answers
from benchmarks.progress_bar import progress_bar
from evaluation.errors import RunMisused
from evaluation.referees.rubric_selection import briefings_in, save_briefings
from evaluation.runs.spec import find_pack


class Command(SiteCommand):
    help = (
        "Import a release in its official layout; with --answers withheld answers of SLUG, which are used for scoring"
        " and never served; with --briefings references for referees on the items of SLUG's pack. Safe to run again:"
        " the same content changes nothing."
    )
    mistakes = (BenchmarkError, RunMisused)

    def add_arguments(self, parser: CommandParser) -> None:
        about = (
            "a benchmark of this site, or a folder: with benchmark.toml, prompts of generators, or a clip set of one"
        )
        parser.add_argument("slug", help=about)
        about = (
            "the folder of the release, or of benchmark.toml; with --answers JSON Lines or CSV of (item, answer), or a"
            ' label file of PACS; with --briefings JSON Lines: {"item": ID, "pattern": TEXT, "pred": TEXT, …}'
        )
        parser.add_argument("place", type=Path, nargs="?", metavar="FOLDER or FILE", help=about)
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--answers", action="store_true", help="FILE has withheld answers")
        what.add_argument("--briefings", action="store_true", help="FILE has references for referees")
        named = "name of the pack (default: official, or the profile of made clips; with --briefings the newest)"
        parser.add_argument("--pack", help=named)
        parser.add_argument("--split", help="import only the items of this split")
        strict = "refuse a release with gaps or problems; oddities of every official copy are accepted"
        parser.add_argument("--strict", action="store_true", help=strict)

    def handle(self, *, slug: str, place: Path | None, **options: Any) -> None:
        if options["answers"] or options["briefings"]:
            if place is None:
                raise CallerMistake("write SLUG FILE --answers or SLUG FILE --briefings")
            (self._answers if options["answers"] else self._briefings)(slug, place, options)
            return
        try:
            self._release(slug, place, options)
        except OSError as error:
            raise CallerMistake(str(error)) from None

    def _answers(self, slug: str, file: Path, options: dict[str, Any]) -> None:
        benchmark = find_benchmark(slug)
        loaded = import_answers(benchmark, file)
        line = (
            f"{benchmark.title}: {loaded.items} answers loaded, {loaded.known} were known, {loaded.waiting} are missing"
        )
        facts = {"benchmark": slug, "loaded": loaded.items, "known": loaded.known, "waiting": loaded.waiting}
        self.say(options, facts, line)

    def _briefings(self, slug: str, file: Path, options: dict[str, Any]) -> None:
        pack = find_pack(slug, options["pack"])
        count = save_briefings(pack=pack, rows=briefings_in(file))
        facts = {"benchmark": slug, "pack": pack.name, "briefings": count}
        self.say(options, facts, f"{pack}: {count} items briefed")

    def _release(self, slug: str, folder: Path | None, options: dict[str, Any]) -> None:
        """Import a release; of a benchmark that is a file also its definition."""
        root = folder or Path(slug)
        if folder is None and (stored := import_other(root, progress_bar(sys.stderr, "Clips"))):
            self.say(options, dict(stored.facts), stored.line)
            return
        how = {
            "pack_name": options["pack"],
            "split": options["split"],
            "strict": options["strict"],
            "progress": progress_bar(sys.stderr, "Clips"),
        }
        if own := file_for(slug, root, is_alone=folder is None):
            release = release_in(own, root)
            self._say_what_is_missing(options, release)
            benchmark, report = import_folder(own, root, **how)
        else:
            benchmark = find_benchmark(slug)
            release = read_release(benchmark, root, options["split"])
            self._say_what_is_missing(options, release)
            report = store_release(benchmark, release, **how)
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
        for line in (
            *(f"{where}: {what}" for where, what in report.problems),
            *(what for _key, what in report.changes),
        ):
            self.note(options, line)
        facts = {
            "benchmark": benchmark.slug,
            "pack": report.pack.name,
            "version": report.pack.definition_version,
            "clips": report.clips,
            "items": report.items,
            "gaps": layout_problems(release.gaps),
            "problems": layout_problems(report.problems),
            "changes": layout_problems(report.changes),
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
