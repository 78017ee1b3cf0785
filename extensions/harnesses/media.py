"""The clips, pictures and sounds of exported tasks, each file once, under names that tell nothing."""

import hashlib
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.models import Clip
from benchmarks.storage.access import path_of
from evaluation.adapters.base import Audio, Frames
from evaluation.adapters.media_encoding import picture_bytes, wav_bytes
from evaluation.errors import ClipUnreadable

Part = dict[str, str]  # {"text": …}, or "video", "image" or "audio" with the path of a file in the folder
FORM = "jpeg"  # of pictures, as servers get them from this site by default


@dataclass
class TaskMedia:
    """Files below `folder`, by the paths that the questions name."""

    folder: Path
    written: set[str] = field(default_factory=set)

    def clip(self, clip: Clip) -> Part:
        """The file of a clip, or its picture if it is a still."""
        if clip.problem or clip.withdrawn_at or (stored := clip.displayed_file) is None:
            raise ClipUnreadable(clip.problem or "the clip was withdrawn")
        name = f"clips/{stored.name}"
        if name not in self.written:
            shutil.copyfile(path_of(stored), self._place(name))
        return {"image" if clip.picture else "video": name}

    def pictures(self, frames: Frames) -> list[Part]:
        """The frames in the order shown."""
        return [{"image": self._stored("frames", picture_bytes(one, FORM), "jpg")} for one in frames.pixels]

    def sound(self, audio: Audio) -> Part:
        return {"audio": self._stored("sounds", wav_bytes(audio), "wav")}

    def _stored(self, kind: str, content: bytes, suffix: str) -> str:
        name = f"{kind}/{hashlib.sha256(content).hexdigest()[:24]}.{suffix}"
        if name not in self.written:
            self._place(name).write_bytes(content)
        return name

    def _place(self, name: str) -> Path:
        self.written.add(name)
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        return place
