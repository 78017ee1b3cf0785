"""Paths of a video's files, named as in the official release."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scenes.whole_files import facts_made_with

PER_SCENE = 500  # videos: scene 14 has the indices 6500 to 6999
VIDEOS, UNASKED = "videos", "videos_with_no_questions"


@dataclass(frozen=True)
class VideoPlace:
    """One video by its six-digit key."""

    key: str

    @classmethod
    def of(cls, scene: int, number: int) -> "VideoPlace":
        return cls(f"{PER_SCENE * (scene - 1) + number:06}")

    @property
    def index(self) -> int:
        return int(self.key)

    @property
    def scene(self) -> int:
        return self.index // PER_SCENE + 1

    @property
    def number(self) -> int:
        """The video's number within its scene."""
        return self.index % PER_SCENE

    @property
    def file(self) -> Path:
        return Path(f"sid_{self.scene}") / f"{self.key}.mp4"

    @property
    def official(self) -> str:
        """The path as written in the release's files."""
        return f"./{VIDEOS}/{self.file.as_posix()}"

    def video(self, out: Path) -> Path:
        return out / VIDEOS / self.file

    def unasked_video(self, out: Path) -> Path:
        """The clip's place while the release has no question about it."""
        return out / UNASKED / self.file

    def record(self, out: Path) -> Path:
        return out / "intermediates" / self.file.with_suffix(".json")

    def questions(self, out: Path) -> Path:
        return self.record(out).parent / "questions" / f"qa_{self.key}.json"

    def is_finished(self, out: Path, wanted: Mapping[str, Any]) -> bool:
        """Whether all of its files exist, made with these settings."""
        is_filmed = self.video(out).is_file() or self.unasked_video(out).is_file()
        return is_filmed and self.record(out).is_file() and facts_made_with(self.questions(out), wanted) is not None


def finished(out: Path, wanted: Mapping[str, Any]) -> Iterator[VideoPlace]:
    """Every finished video of the folder, by index."""
    found = (path.stem.removeprefix("qa_") for path in out.glob("intermediates/sid_*/questions/qa_*.json"))
    return (VideoPlace(key) for key in sorted(found) if VideoPlace(key).is_finished(out, wanted))
