"""Stores benchmarks that are files, and provides them to the registry."""

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path

from django.conf import settings
from django.db import Error, connection, transaction
from django.db.backends.sqlite3.creation import DatabaseCreation

from benchmarks.definitions.consistency import mistakes_of
from benchmarks.definitions.definition import Benchmark, ItemRow, Release
from benchmarks.definitions.files.compile import BenchmarkText, Values, compiled, tests_of_level
from benchmarks.definitions.files.contradictions import read_text
from benchmarks.definitions.files.layouts import read_folder, reader_of
from benchmarks.definitions.files.official_prompts import with_official_prompts
from benchmarks.definitions.registry import BENCHMARKS, BUILT_IN
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.disclosure.seals import hide_alone
from benchmarks.errors import BadRelease, BenchmarkError, ContentRefused
from benchmarks.models import BenchmarkFile, Item, Pack
from benchmarks.packs.import_release import ImportReport, read_release, store_release
from benchmarks.storage.staging import Progress

NAME = "benchmark.toml"
SHIPPED = Path(settings.BASE_DIR) / "benchmarks" / "definitions" / "files" / "shipped"
GIVEN = ("level", "split")  # facets with values in the definition
# Scores depend on these: a change requires another version.
SCORED = ("kinds", "dimensions", "prompts", "wordings", "parsers", "groups", "hidden", "sealed")

log = logging.getLogger(__name__)
_seen: dict[str, tuple[str, Benchmark]] = {}  # slug -> digest of the stored file, and its definition
_has_table = False


def taken_names() -> frozenset[str]:
    """Slugs and names of prompts that are part of the site."""
    prompts = (strategy.name for one in BUILT_IN.values() for strategy in one.strategies)
    return frozenset((*BUILT_IN, *prompts))


def read_file(path: Path) -> BenchmarkText:
    """The benchmark.toml at this path; BadDefinition with every mistake, BadRelease if it can't be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadRelease(f"{path}: there is no such file; new_benchmark makes one") from None
    except UnicodeDecodeError as error:
        raise BadRelease(f"{path}: is no UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise BadRelease(f"{path}: can't be read ({error.strerror})") from None
    return read_text(text, taken=taken_names())


def shipped() -> list[str]:
    """Slugs of published benchmarks whose file is part of the site."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def release_in(own: BenchmarkText, root: Path) -> Release:
    return read_folder(own, root.resolve())


def values_in(own: BenchmarkText, release: Release) -> Values:
    """The values of each facet that the file leaves to its questions."""
    names = [one["name"] for one in own.data.get("facets", ()) if "values" not in one and one["name"] not in GIVEN]
    found = {name: _values(release.rows, name) for name in names}
    levels = (level["number"] for level in own.levels)
    of_levels = {number: [row for row in release.rows if number in row.facets["level"]] for number in levels}
    return found | {tests_of_level(number): _values(rows, "test") for number, rows in of_levels.items()}


def _values(rows: Iterable[ItemRow], facet: str) -> tuple[str, ...]:
    return tuple(sorted({value for row in rows for value in row.facets.get(facet, ())}))


def definition_of(own: BenchmarkText, found: Values) -> Benchmark:
    """The definition; raises BadRelease if it names something that its questions lack."""
    benchmark = compiled(own, found, reader_of(own))
    for what in mistakes_of(benchmark):
        raise BadRelease(f"{NAME}: {what}")
    return benchmark


def import_folder(
    own: BenchmarkText,
    root: Path,
    *,
    pack_name: str | None = None,
    split: str | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> tuple[Benchmark, ImportReport]:
    """Store the benchmark and the questions in this folder: both, or neither after a mistake."""
    before = {file.slug: file for file in BENCHMARKS.files()}
    try:
        with transaction.atomic():
            stored = BenchmarkFile.objects.select_for_update().filter(slug=own.slug).first()
            own = with_official_prompts(own, root.resolve(), stored.text if stored else "")
            release = release_in(own, root)
            values = _together(values_in(own, release), stored)
            benchmark = definition_of(own, values)
            _save(own, values, stored)
            BENCHMARKS.put_files(before | {own.slug: benchmark})
            chosen = read_release(benchmark, root, split) if split else release
            report = store_release(
                benchmark, chosen, pack_name=pack_name, split=split, progress=progress, strict=strict
            )
            _seal(report.pack, benchmark)
    except BaseException:
        BENCHMARKS.put_files(before)
        raise
    return benchmark, report


def _together(values: Values, stored: BenchmarkFile | None) -> Values:
    """The values in these questions and in those of earlier packs."""
    earlier = stored.found if stored else {}
    return {name: tuple(sorted({*own, *earlier.get(name, ())})) for name, own in values.items()}


def _save(own: BenchmarkText, found: Values, stored: BenchmarkFile | None) -> None:
    if stored and Pack.objects.filter(benchmark=own.slug).exists():
        refuse_other_scoring(own, stored)
    text = json.dumps([own.text, found], sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    values = {"text": own.text, "found": found, "sha256": digest}
    BenchmarkFile.objects.update_or_create(slug=own.slug, defaults=values)


def refuse_other_scoring(own: BenchmarkText, stored: BenchmarkFile) -> None:
    """Raise ContentRefused if something that scores depend on changed under the same version."""
    old = read_text(stored.text).data
    if old["version"] != own.data["version"]:
        return
    for name in SCORED:
        before, after = old.get(name), own.data.get(name)
        if name == "prompts":  # a further one moves no score
            after = [one for one in after or () if one in (before or ())]
        if before != after:
            raise ContentRefused(
                f"{NAME}: {name} is another than in version {old['version']}, which is imported: scores could move;"
                " raise version"
            )


def _seal(pack: Pack, benchmark: Benchmark) -> None:
    """Seal the answers of splits that are only for scoring; what open splits hold beside them, its author chose."""
    items = Item.objects.filter(pack=pack, facets__name="split", facets__value__in=benchmark.sealed).distinct()
    hide_alone(items.values_list("pk", flat=True), by=WITHHELD)


def from_database() -> Mapping[str, Benchmark] | None:
    """The imported benchmarks that are files; None if the database can't be queried now."""
    try:
        if not _is_migrated():
            return None
        rows = dict(BenchmarkFile.objects.values_list("slug", "sha256"))
        changed = [slug for slug, digest in rows.items() if _seen.get(slug, ("",))[0] != digest]
        for file in BenchmarkFile.objects.filter(slug__in=changed) if changed else ():
            _learn(file)
    except Error:  # the database is away, which the request itself will report
        return None
    return {slug: _seen[slug][1] for slug in rows if slug in _seen}


def _is_migrated() -> bool:
    """Whether the table exists, by the catalogue: a query that fails would abort the caller's transaction."""
    global _has_table
    if not _has_table and _has_database():  # connecting would create an empty database
        _has_table = BenchmarkFile._meta.db_table in connection.introspection.table_names()
    return _has_table


def _learn(file: BenchmarkFile) -> None:
    """Load one stored file; a file that this version can't read is left out and logged."""
    try:
        _seen[file.slug] = file.sha256, definition_of(read_text(file.text), file.found)
    except BenchmarkError as error:
        log.warning("benchmark %s is left out: %s", file.slug, error)


def _has_database() -> bool:
    if connection.vendor != "sqlite":
        return True
    name = connection.settings_dict["NAME"]
    return DatabaseCreation.is_in_memory_db(name) or Path(name).exists()
