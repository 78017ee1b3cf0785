"""Probes a trained model's vision: statements about unseen clips, with their own or another clip's frames."""

import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.definitions.definition import Benchmark, ItemRow
from benchmarks.packs.import_release import release_of
from evaluation.adapters.base import REPLY, Adapter, Frames, Request, Turn
from evaluation.inputs.frames import DEFAULT_SAMPLER, digest_of
from extensions.training.video_language.examples import decoded
from measures.figures import Interval
from measures.shares.intervals import wilson


@dataclass(frozen=True)
class ProbeResult:
    """Correct replies to yes/no statements, one per clip, of which half are true."""

    test: str
    right: int
    n: int
    interval: Interval

    @property
    def share(self) -> float:
        return self.right / self.n


def seen_in(
    folder: Path, benchmark: Benchmark, adapter: Adapter, *, is_swapped: bool = False, sampler: str = DEFAULT_SAMPLER
) -> dict[str, ProbeResult]:
    """The result of each test in this folder; with `is_swapped` every statement gets another clip."""
    release = release_of(benchmark, folder)
    paths = {clip.key: clip.path for clip in release.clips}
    result = {}
    for test, rows in statements_by_test(release.rows).items():
        clips = swapped(rows) if is_swapped else [row.clip for row in rows]
        films = [frames_of_file(paths[str(key)], sampler) for key in clips]
        requests = [request_for(row, film) for row, film in zip(rows, films, strict=True)]
        replies = adapter.answer(requests)
        right = sum(reply.text.strip(". ").lower() == row.expected for row, reply in zip(rows, replies, strict=True))
        result[test] = ProbeResult(test, right, len(rows), wilson(right, len(rows)))
    return result


def statements_by_test(rows: Iterable[ItemRow]) -> dict[str, list[ItemRow]]:
    """One statement per clip, so that clips are independent; true and false ones alternate."""
    found: dict[str, list[ItemRow]] = defaultdict(list)
    for row in rows:
        if row.kind == "binary" and row.clip:
            number = int(row.clip.rpartition("/")[2])
            if row.expected == ("yes", "no")[number % 2]:
                found[max(row.facets["test"], key=len)].append(row)
    return dict(found)


def swapped(rows: Sequence[ItemRow]) -> list[str | None]:
    """The clip of another row for each row, chosen so that half of the replies stay correct by chance.

    Row i of scene s gets a clip of scene s + i/2, so that each statement gets each scene equally often.
    """
    scenes: dict[str, list[ItemRow]] = defaultdict(list)
    for row in rows:
        scenes[str(row.clip).rpartition("/")[0]].append(row)
    folders = list(scenes.values())
    other = {}
    for place, folder in enumerate(folders):
        for number, row in enumerate(folder):
            source = folders[(place + number // 2) % len(folders)]
            other[id(row)] = source[(number + 2) % len(source)].clip
    return [other[id(row)] for row in rows]


def frames_of_file(path: Path, sampler: str = DEFAULT_SAMPLER) -> Frames:
    """The frames that a run would show of this file."""
    film = decoded(path, int(sampler.removeprefix("uniform-")))
    pixels, last = np.stack([frame.picture for frame in film]), film[-1]
    indices, times = tuple(frame.index for frame in film), tuple(frame.seconds for frame in film)
    fps = last.index / last.seconds
    return Frames(pixels, indices, times, digest_of(pixels), (last.index + 1) / fps, fps)


def request_for(row: ItemRow, frames: Frames) -> Request:
    seed = zlib.crc32(f"{row.key}/{row.variant}".encode())
    return Request((Turn(row.text, frames), REPLY), seed=seed, max_new_tokens=8, options=row.options)
