"""Fixtures for material: videos with each possible defect, and material whose clips are already reviewed."""

import shutil

import numpy as np
import pytest

from benchmarks.storage.store import store
from extensions.annotation.material.uploads import begin_material, stored_name, take_in
from extensions.annotation.models import FileState, MaterialClip
from tests.extensions.annotation.analysis.sounds import room, speech, taps, write_video
from tests.extensions.annotation.forked_readers import started

FIT = {"talking": 0.0, "silence": 0.0, "music": 0.0, "other": 1.0}
TALKS = {"talking": 0.9, "silence": 0.0, "music": 0.0, "other": 0.1}


@pytest.fixture(scope="session")
def videos(tmp_path_factory):
    """A folder with one video per defect, named after it; 5 s each unless the name says otherwise."""
    folder = tmp_path_factory.mktemp("videos")
    whole = room(seconds=8, level=0.05, seed=4)
    made = {
        "fit": taps(seconds=5),
        "rubbed": room(seconds=5, level=0.05, seed=2),
        "talks": speech(seconds=5),
        "silent": np.zeros(80_000, np.float32),
        "first": whole[: 5 * 16_000],
        "later": whole[3 * 16_000 :],
        "mute": None,
    }
    for seed, (name, sound) in enumerate(made.items()):
        write_video(folder / f"{name}.mp4", ((5, seed),), sound)
    write_video(folder / "short.mp4", ((3, 9),), room(seconds=3, level=0.05))
    (folder / "broken.mp4").write_bytes((folder / "fit.mp4").read_bytes()[:2000])
    sound_alone(folder / "no-picture.mp4", made["fit"])
    return folder


def sound_alone(path, samples):
    from tests.extensions.annotation.analysis.sounds import RATE, _say, av

    with av.open(str(path), "w") as made:
        _say(made, made.add_stream("aac", rate=RATE, layout="mono"), samples)


@pytest.fixture
def material(db, monkeypatch):
    """New material; no worker is notified, because tests do its work themselves."""
    monkeypatch.setattr("celery.current_app.send_task", lambda *_, **__: None)
    return begin_material(slug="wood", title="Wooden things")


@pytest.fixture
def forked_readers(monkeypatch):
    """Each uploaded file is read by a fork of a process with loaded libraries."""
    monkeypatch.setattr("benchmarks.encoding.sandbox.started", started)


def send(material, path):
    """Add a file to the material, as an upload does."""
    return take_in(material=material, name=path.name, chunks=[path.read_bytes()])


def analysed(file, heard):
    """Store an analysis of this file, which is one clip: these shares of each kind of sound."""
    name = stored_name(file, "source")
    shutil.copy(store().local(name), store().local(stored_name(file, "0.mp4")))
    store().local(stored_name(file, "0.jpg")).write_bytes(PICTURE)
    file.state, file.seconds, file.fps, file.frames = FileState.READ, 5.0, 5.0, 25
    file.save()
    reasons = [["talking", "talking: 90 % of its time (at most 20 %)"]] if heard is TALKS else []
    MaterialClip.objects.create(
        file=file, number=0, start=0, end=5, shot=0, seconds=5, width=128, height=72, heard=heard, reasons=reasons
    )


@pytest.fixture
def reviewed(material, videos):
    """Material with three analysed clips: two usable ones, and one with talking."""
    for name, heard in (("fit", FIT), ("rubbed", FIT), ("talks", TALKS)):
        analysed(send(material, videos / f"{name}.mp4"), heard)
    return material


PICTURE = bytes.fromhex(
    "ffd8ffe000104a46494600010100000100010000ffdb004300080606070605080707070909080a0c140d0c0b0b0c1912130f141d1a1f1e1d1a1c"
    "1c20242e2720222c231c1c2837292c30313434341f27393d38323c2e333432ffc0000b080001000101011100ffc4001f00000105010101010101"
    "00000000000000000102030405060708090a0bffc400b5100002010303020403050504040000017d01020300041105122131410613516107227114"
    "328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a434445464748494a535455565758595a63646566"
    "6768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3"
    "d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9faffda0008010100003f00fbd0ffd9"
)
