"""The formats of result files, and their detection in an upload."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from evaluation.submissions.files.archives import UploadedFile
from evaluation.submissions.files.native import craft, exchange, grasp, neighbours, pacs, surprises
from evaluation.submissions.files.native.base import NativeFile, ResultFile
from evaluation.submissions.files.problems import Problem, Unreadable
from evaluation.submissions.files.rows import AnswerRow, Target

NATIVE = (
    surprises.LIKEPHYS,
    grasp.RESULTS,
    craft.PREDICTIONS,
    pacs.SIMILARITIES,
    pacs.UNITER,
    pacs.PREDICTIONS,
    neighbours.INTPHYS2,
    neighbours.MVP,
    neighbours.CAUSALVQA,
    exchange.EVERY_EVAL_EVER,
    exchange.LM_EVAL,
    exchange.LM_EVAL_RESULTS,
    exchange.INSPECT,
    exchange.VLM_EVAL_KIT,
)
SEED = re.compile(r"seed-(\d{1,9})", re.ASCII)


@dataclass(frozen=True)
class NativeUpload:
    """Result files of one format with their seeds, and all files of the upload by name."""

    format: NativeFile
    seeds: Mapping[str, int]  # name of each result file -> its seed
    parts: Mapping[str, UploadedFile]
    notes: list[str] = field(default_factory=list)  # filled while the rows are read

    def rows(self, target: Target) -> Iterator[AnswerRow | Problem]:
        """Yield the answers of all files; with several files each problem names its file."""
        self._check(target)
        known = self.format.known(target)
        for name, seed in self.seeds.items():
            answers = ResultFile(self.parts[name], seed, target, known, self._folders[_folder(name)], self.notes)
            for row in self._read(answers):
                yield _placed(row, name) if isinstance(row, Problem) and len(self.seeds) > 1 else row

    def names(self, target: Target) -> dict[str, str]:
        """The name that the files use for each item, by public id."""
        self._check(target)
        return {found.item: found.name for found in self.format.known(target).values()}

    def _check(self, target: Target) -> None:
        if self.format.benchmark not in ("", target.benchmark.slug):
            raise Unreadable("header", f"the file is {self.format.title}; the header names {target.benchmark.slug}")

    def _read(self, answers: ResultFile) -> Iterator[AnswerRow | Problem]:
        try:
            yield from self.format.rows(answers)
        except Unreadable as stop:
            if len(self.seeds) == 1:
                raise
            problem = _placed(stop.problem, answers.part.name)
            raise Unreadable(problem.code, problem.what, line=problem.line) from stop

    @cached_property
    def _folders(self) -> dict[str, dict[str, UploadedFile]]:
        """The files of each folder by name, found once: a log of inspect has a file for each sample."""
        folders: dict[str, dict[str, UploadedFile]] = {}
        for name, part in self.parts.items():
            folders.setdefault(_folder(name), {})[name.removeprefix(_folder(name))] = part
        return folders


def native_in(parts: Sequence[UploadedFile]) -> NativeUpload | None:
    """The result files among these, or None if there are none."""
    found = {part.name: form for part in parts if (form := _format_of(part, is_alone=len(parts) == 1))}
    if not found:
        return None
    if len(set(map(id, found.values()))) > 1:
        titles = " and ".join(sorted({form.title for form in found.values()}))
        raise Unreadable("archive-members", f"the archive holds results of several kinds: {titles}")
    form = next(iter(found.values()))
    return NativeUpload(form, _seeds(list(found)), {part.name: part for part in parts})


def _format_of(part: UploadedFile, *, is_alone: bool) -> NativeFile | None:
    """The format of a file: a single file may have any name, one of several must have the tools' own name."""
    base = part.name.rpartition("/")[2]
    named = [form for form in NATIVE if is_alone or re.fullmatch(form.name, base)]
    begin = part.begins() if named else ""
    return next((form for form in named if form.begins(begin)), None)


def _seeds(names: Sequence[str]) -> dict[str, int]:
    """The seed of each file: N if its folder is called seed-N, else the number of its folder in the order of names."""
    folders = sorted({_folder(name) for name in names})
    seeds = {folder: match for folder in folders if (match := SEED.fullmatch(folder.rstrip("/").rpartition("/")[2]))}
    if seeds and len(seeds) < len(folders):
        odd = next(folder for folder in folders if folder not in seeds) or "its top"
        raise Unreadable("archive-members", f"some folders of the archive are called seed-N and {odd} is not")
    of = {folder: int(seeds[folder][1]) if seeds else number for number, folder in enumerate(folders)}
    if len(set(of.values())) < len(of):
        raise Unreadable("archive-members", "two folders of the archive are of the same seed")
    return {name: of[_folder(name)] for name in names}


def _folder(name: str) -> str:
    return name[: name.rfind("/") + 1]


def _placed(problem: Problem, name: str) -> Problem:
    return replace(problem, what=f"{name}: {problem.what}")
