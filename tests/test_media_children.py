"""Clips that an import wrote anew are kept: copies are equal, and other clips, positions or failures are not taken."""

import pytest

from benchmarks.encoding.probe import UnreadableMedia
from tests.benchmarks.grasp_release import write_clip
from tests.media_children import SharedChildren


@pytest.fixture
def shared(tmp_path):
    with SharedChildren(tmp_path / "kept") as children:
        yield children


def written(shared, source, folder, **how):
    """The facts and files of a clip that one child wrote anew."""
    folder.mkdir()
    with shared.one() as child:
        facts = child.write_anew(source, folder, **how)
    return facts, {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_clip_is_written_anew_once_and_each_copy_is_its_own(shared, tmp_path):
    clip = write_clip(tmp_path / "clip.mp4")
    first = written(shared, clip, tmp_path / "first")
    shared._all[0].end()
    shared._all[0].write_anew = None  # whoever asks the process again fails
    (tmp_path / "first" / "poster.jpg").write_bytes(b"")
    assert written(shared, clip, tmp_path / "second") == first
    assert first[1].keys() == {"original.mp4", "poster.jpg"}


def test_another_poster_or_another_clip_is_written_anew(shared, tmp_path):
    clip = write_clip(tmp_path / "clip.mp4", frames=12)
    facts, files = written(shared, clip, tmp_path / "first")
    late = written(shared, clip, tmp_path / "late", poster=1.0)[1]
    assert late["original.mp4"] == files["original.mp4"]
    assert late["poster.jpg"] != files["poster.jpg"]
    write_clip(clip, frames=6)
    assert written(shared, clip, tmp_path / "other")[0] != facts


def test_a_clip_that_can_not_be_read_is_refused_each_time(shared, tmp_path):
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"no clip")
    for name in ("first", "second"):
        with pytest.raises(UnreadableMedia):
            written(shared, broken, tmp_path / name)
