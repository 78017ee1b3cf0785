"""The same material, seed, salt and people give the same data set, to the byte."""

import hashlib
import re

import pytest

from benchmarks.models import RenditionKind
from extensions.annotation.work.dataset import dataset_of
from extensions.annotation.work.pacs_release import write_release
from humantrials.running.lifecycle import create_trial, open_trial
from humantrials.running.verification import verify
from tests.extensions.annotation.finished_trial import names_below
from tests.extensions.annotation.fixtures import MATERIALS
from tests.factories import make_clip, make_pack
from tests.humantrials.inside_crowd import simulate

pytestmark = pytest.mark.django_db(reset_sequences=True)  # a draw depends on questions' keys
CLIPS = 12
DIGEST = "82bd75b5ab70b7aaeb1332f6c8fd1cf845ba09c597dd6c826cbdb5d9c60d1799"


def test_a_simulated_study_ends_in_the_same_files(tmp_path):
    pack = make_pack(benchmark="tapped", name="objects")
    for number in range(CLIPS):
        facts = {"box": [200, 100, 700, 600], "box_in": [1280, 720], "materials": [MATERIALS[number % 10]]}
        sha = hashlib.sha256(b"%d" % number).hexdigest()
        clip = make_clip(pack, key=f"object{number:04}", sha256=sha, width=640, height=360, facts=facts)
        clip.renditions.create(kind=RenditionKind.POSTER, name=f"poster{clip.pk}.jpg", sha256=sha, size=1)
    trial = create_trial(
        slug="made", protocol="pacs-annotation", pack=pack, seed=5, settings={"writers": 2}, salt="5a" * 16
    )
    open_trial(trial=trial)
    assert simulate(trial, accuracy=0.9, dropout=0.05, late=0.05, doubled=0.2)["full"]
    assert verify(trial).broken == []
    write_release(dataset_of(trial), tmp_path / "out", with_clips=False)
    assert digest_of(tmp_path / "out") == DIGEST


def digest_of(folder):
    """One digest of all files, without their dates."""
    files = [name + re.sub(r"20\d\d-\d\d-\d\d", "", (folder / name).read_text()) for name in names_below(folder)]
    return hashlib.sha256("\n".join(sorted(files)).encode()).hexdigest()
