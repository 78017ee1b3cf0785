"""Checks a benchmark's folder before its import: previews the result, and lists possible problems."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.utils.module_loading import import_string

from benchmarks.definitions.definition import Benchmark, ItemRow, PeopleStudy, Release
from benchmarks.definitions.files.compile import BenchmarkText
from benchmarks.errors import BadRelease, BenchmarkError
from benchmarks.packs.benchmark_files import definition_of, release_in, values_in
from benchmarks.storage.staging import Progress, changes_in
from measures.estimate import at_most_by_chance
from measures.scores.group_scores import guessed

DOUBT = 0.001  # p-value below which a predictor is reported; few predictors are tested
FEWEST = 20  # fewest questions with an answer for a test
ODD = 4  # number of size classes


@dataclass(frozen=True)
class FolderReport:
    """The expected result of the import, in lines, and possible problems as (where, what)."""

    benchmark: Benchmark
    release: Release
    lines: tuple[str, ...]
    findings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class OtherReport:
    """What an extension found in a folder of its own kind: places and sentences."""

    title: str
    errors: tuple[tuple[str, str], ...]
    notes: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class OtherImport:
    """What an extension stored of a folder of its own kind: a sentence, its page, and counts by name."""

    line: str
    address: str
    facts: Mapping[str, Any]


# Of extensions: functions (Path, progress) -> OtherReport or OtherImport, or None for another kind of folder, by dotted
# path.
OTHER_CHECKS: list[str] = []
OTHER_IMPORTS: list[str] = []


def check_other(folder: Path, progress: Progress) -> OtherReport | None:
    """The report of the extension whose kind of folder this is."""
    reports = (import_string(name)(folder, progress) for name in OTHER_CHECKS)
    return next((report for report in reports if report is not None), None)


def import_other(folder: Path, progress: Progress) -> OtherImport | None:
    """What the extension stored whose kind of folder this is; raises BenchmarkError for one that it refuses."""
    imports = (import_string(name)(folder, progress) for name in OTHER_IMPORTS)
    return next((stored for stored in imports if stored is not None), None)


def report_on(own: BenchmarkText, root: Path) -> FolderReport:
    """Read the folder like an import, but store nothing."""
    release = release_in(own, root)
    benchmark = definition_of(own, values_in(own, release))
    findings = (*_dead_options(own, release), *_unbalanced(release), *_tells(release), *_incomplete(benchmark, release))
    return FolderReport(benchmark, release, tuple(_preview(benchmark, release)), findings)


def clip_changes(
    root: Path, clips: Sequence[Path], progress: Progress | None = None
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """What an import would change in the clips, and the clips that it would leave out, each as (file, words)."""
    changes, problems = [], []
    for number, (clip, changed, problem) in enumerate(changes_in(clips), 1):
        if progress:
            progress(number, len(clips))
        where = clip.relative_to(root).as_posix()
        changes += [(where, changed)] if changed else []
        problems += [(where, problem)] if problem else []
    return changes, problems


def _preview(benchmark: Benchmark, release: Release) -> Iterator[str]:
    yield f"{benchmark.title} {benchmark.version}: {len(release.rows)} questions about {len(release.clips)} clips"
    for strategy in benchmark.strategies:
        rows = [row for row in release.rows if row.kind in strategy.kinds and strategy.level in row.facets["level"]]
        chance = _mean(1 / len(row.options) for row in rows if row.options)
        grouped = _chance_of_groups(benchmark, rows)
        parts = [f"{len(rows)} questions"]
        parts += [f"chance {100 * chance:.1f} %"] if chance else []
        parts += [f"by {benchmark.groups.title} {100 * grouped:.1f} %"] if benchmark.groups and grouped else []
        yield f"board and run, prompt {strategy.name}: {', '.join(parts)}; parser {benchmark.parser_of(strategy.name)}"
        if rows:
            yield f"  columns: {', '.join(_columns(benchmark, strategy.level))}"
    if study := benchmark.people:
        fitting = [row for row in release.rows if row.kind == study.kind and study.split in row.splits]
        n = min(len(fitting), study.questions or len(fitting))
        sessions = _sessions(study, fitting, n)
        yield f"study {benchmark.protocols[0]}: {n} questions, {study.answers} answers each, {sessions} sessions"


def _sessions(study: PeopleStudy, rows: Sequence[ItemRow], n: int) -> int:
    """The number of people needed, as the study's design composes its sheets."""
    values = Counter(row.facets.get(study.apart, ("",))[0] for row in rows)
    sheets = {"one-by-one": -(-n // 20), "parts": min(5, n), "one-of-each": max(values.values(), default=0)}
    return sheets[study.protocol] * study.answers


def _columns(benchmark: Benchmark, number: str) -> list[str]:
    group = benchmark.level(number).groups[0]
    return [value.title for value in benchmark.facet(group).values]


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return sum(known) / len(known) if known else None


def _groups(rows: Iterable[ItemRow]) -> dict[str, list[ItemRow]]:
    found: dict[str, list[ItemRow]] = defaultdict(list)
    for row in rows:
        if row.group:
            found[row.group].append(row)
    return found


def _chance_of_groups(benchmark: Benchmark, rows: Iterable[ItemRow]) -> float | None:
    if benchmark.groups is None:
        return None
    rule = benchmark.groups.rule
    groups = _groups(rows).values()
    return _mean(guessed(own[0].rule or rule, [1 / len(row.options) for row in own if row.options]) for own in groups)


def _incomplete(benchmark: Benchmark, release: Release) -> Iterator[tuple[str, str]]:
    size = benchmark.groups.size if benchmark.groups else 0
    odd = [name for name, rows in _groups(release.rows).items() if size and len(rows) != size]
    if odd:
        yield "groups", f"{len(odd)} have not {size} questions and get no score, first {odd[0]!r}"


def _answered(release: Release) -> list[ItemRow]:
    return [row for row in release.rows if row.expected and row.answer_kind != "free"]


def _dead_options(own: BenchmarkText, release: Release) -> Iterator[tuple[str, str]]:
    """Options that are never the answer, although they belong to the kind or chance would have made them an answer."""
    for kind in own.kinds.values():
        rows = [row for row in _answered(release) if row.kind == kind.name]
        answers = {row.expected for row in rows}
        chances_of: dict[str, list[float]] = defaultdict(list)  # of another answer, in each question with the option
        for row in rows:
            for option in dict.fromkeys(row.options):
                chances_of[option].append(1 - 1 / len(row.options))
        for option, chances in chances_of.items():
            if option not in answers and (option in kind.options or prod(chances) < DOUBT):
                yield f"option {option!r}", f"is never the answer, among {len(chances)} questions of kind {kind.name}"


def _unbalanced(release: Release) -> Iterator[tuple[str, str]]:
    by_kind: dict[str, list[ItemRow]] = defaultdict(list)
    for row in _answered(release):
        if row.options:
            by_kind[row.kind].append(row)
    for kind, rows in by_kind.items():
        (answer, n), chance = Counter(row.expected for row in rows).most_common(1)[0], 1 / len(rows[0].options)
        if len(rows) >= FEWEST and at_most_by_chance(len(rows) - n, len(rows), 1 - chance) < DOUBT:
            yield (
                f"kind {kind}",
                f"{answer!r} is the answer of {n} of {len(rows)}: who always says it scores {n / len(rows):.0%}",
            )


def _tells(release: Release) -> Iterator[tuple[str, str]]:
    """Predictors of the answer that need no look at the clip: each facet, words in file names, and file sizes."""
    for kind in sorted({row.kind for row in release.rows}):
        rows = [row for row in _answered(release) if row.kind == kind]
        if len(rows) < FEWEST:
            continue
        for name, marks in _predictors(rows, release).items():
            right, n, base = left_out(marks, [str(row.expected) for row in rows])
            if n >= FEWEST and right / n > base + 0.05 and at_most_by_chance(n - right, n, 1 - base) < DOUBT:
                yield (
                    name,
                    f"tells the answer of {right} of {n} questions of kind {kind} ({base:.0%} by the most frequent)",
                )


def _predictors(rows: Sequence[ItemRow], release: Release) -> dict[str, list[str]]:
    names = sorted({name for row in rows for name in row.facets} - {"level"})
    found = {f"facet {name}": ["|".join(row.facets.get(name, ())) for row in rows] for name in names}
    files = {clip.key: clip.path for clip in release.clips}
    clips = [row.uses[0].key if row.uses else "" for row in rows]
    found["names of clips"] = [re.sub(r"\d+", "", clip).lower() for clip in clips]
    sizes = [files[clip].stat().st_size if clip in files else 0 for clip in clips]
    order = sorted(sizes)
    found["sizes of clips"] = [str(bisect_left(order, size) * ODD // len(order)) for size in sizes]
    return {name: marks for name, marks in found.items() if 1 < len(set(marks)) <= len(rows) / 3}


def left_out(marks: Sequence[str], answers: Sequence[str]) -> tuple[int, int, float]:
    """How many answers the others with the same mark predict, out of how many, and the most frequent answer's share."""
    counts: Mapping[str, Counter[str]] = defaultdict(Counter)
    for mark, answer in zip(marks, answers, strict=True):
        counts[mark][answer] += 1
    right = sum(map(_predicted, counts.values()))
    return right, len(answers), Counter(answers).most_common(1)[0][1] / len(answers)


def _predicted(counts: Counter[str]) -> int:
    """How many answers are the most frequent one of the others; of two as frequent, the first in the table counts."""
    (first, n), *others = counts.most_common(2)
    if not others:
        return n if n > 1 else 0
    second, m = others[0]
    order = list(counts)
    return n if n - 1 > m or (n - 1 == m and order.index(first) < order.index(second)) else 0


MOTIONS = ("trajectories", "intermediates")  # folders of stored trajectories; CRAFT uses the second name


@dataclass(frozen=True)
class AuditReport:
    """The number of audited clips, and the findings as (clip, problem)."""

    clips: int
    findings: tuple[tuple[str, str], ...]


def audit_release(benchmark: Benchmark, root: Path) -> AuditReport:
    """Derive the labels of every clip again from its trajectory, and report each difference."""
    if not benchmark.audit:
        raise BenchmarkError(f"clips of {benchmark.slug} have no trajectories to audit")
    if not any((root / name).is_dir() for name in MOTIONS):
        raise BadRelease(f"{root}: no trajectories/ here; only clips that were made here can be audited")
    clips = 0
    findings: list[tuple[str, str]] = []
    for clip, found in import_string(benchmark.audit)(root):
        clips += 1
        found += _muted_findings(root / "videos" / f"{clip}.mp4") if benchmark.has_sound else []
        findings += [(str(clip), str(finding)) for finding in found]
    return AuditReport(clips, tuple(findings))


def _muted_findings(video: Path) -> list[str]:
    """A finding if the muted form of the clip has sound or can't be made; a missing video is reported elsewhere."""
    from benchmarks.encoding.encode import copy_streams
    from benchmarks.encoding.probe import MEDIA_ERRORS, probe

    if not video.is_file():
        return []
    with TemporaryDirectory() as folder:
        muted = Path(folder) / "muted.mp4"
        try:
            copy_streams(video, muted, sound=False)
            return ["the muted form has a sound stream"] if probe(muted).has_sound else []
        except MEDIA_ERRORS as error:
            return [f"no muted form can be made: {error}"]
