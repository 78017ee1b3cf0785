"""The ground truth of generated clips: over the clip, as a download, in the export; only on request."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.generation.generate import generate
from benchmarks.models import Item
from benchmarks.models.answers import ItemSeal
from benchmarks.packs.import_release import import_release
from benchmarks.packs.truth.ground_truth import truth_of
from scenes.trajectory import Trajectory
from tests.markup import compact

pytestmark = [pytest.mark.render, pytest.mark.django_db]


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    out = tmp_path_factory.mktemp("release")
    only = ["SolidityContinuity"]
    generate(BENCHMARKS["grasp"], out, count=1, only=only, size=(96, 72), fps=5, seed=2, jobs=1)
    return out


@pytest.fixture
def pack(release):
    return import_release(BENCHMARKS["grasp"], release, pack_name="made").pack


def item_of(pack, polarity: str) -> Item:
    return pack.items.filter(kind="plausibility").with_facet("polarity", polarity).get()


def test_page_shows_paths_only_to_whoever_asks(pack, client):
    for polarity in ("plausible", "implausible"):
        item = item_of(pack, polarity)
        address = item.get_absolute_url()
        plain = client.get(address).content.decode()
        assert '<svg class="truth"' not in plain
        assert "ground-truth.zip" not in plain
        assert "?answer=1#truth" in plain
        asked = compact(client.get(address, {"answer": "1"}).content.decode())
        assert '<svg class="truth" viewBox="0 0 96 72"' in asked
        assert ("Physics is broken at" in asked) == (polarity == "implausible")
        assert "Legibility: this clip and its twin differ visibly for" in asked
        assert "Legibility" not in plain
        assert f"<dd><code>{item.clip.facts['look']}</code></dd>" in plain
        assert "style=" not in asked
        assert f"{item.public_id}/ground-truth.zip?answer=1" in asked


def test_download_holds_what_happened_under_names_that_tell_nothing(pack, client):
    item = item_of(pack, "implausible")
    address = f"{item.get_absolute_url()}ground-truth.zip"
    assert client.get(address).status_code == 404
    response = client.get(address, {"answer": "1"})
    assert response["Content-Disposition"] == f'attachment; filename="{item.public_id}-ground-truth.zip"'
    assert response["Cache-Control"] == "no-store"
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert archive.namelist() == ["trajectory.npz", "scene.json"]
        scene = json.loads(archive.read("scene.json"))
        trajectory = Trajectory.load(io.BytesIO(archive.read("trajectory.npz")))
    assert (trajectory.digest(), len(trajectory)) == (scene["digest"], scene["states"])
    assert trajectory.seen.shape == trajectory.visible.shape
    assert scene["first_violation"]["out_of_sight"] is True
    assert scene["first_knowable"]["state"] > scene["first_violation"]["state"]


def test_sealed_withdrawn_and_official_clips_have_none(pack, small_pack, client):
    item = item_of(pack, "implausible")
    ItemSeal.objects.create(item=item, by="trial:x")
    assert client.get(f"{item.get_absolute_url()}ground-truth.zip", {"answer": "1"}).status_code == 404
    assert client.get(item.get_absolute_url(), {"answer": "1"}).status_code == 404
    official = small_pack.items.filter(kind="plausibility").first()
    assert client.get(f"{official.get_absolute_url()}ground-truth.zip", {"answer": "1"}).status_code == 404
    assert "?answer=1#truth" not in client.get(official.get_absolute_url()).content.decode()


def test_paths_lie_where_the_clip_shows_the_bodies(pack, settings):
    """In the last frame, the ball's brightness differs from its surroundings at the end of its path."""
    clip = item_of(pack, "implausible").clip
    truth = truth_of(clip)
    trajectory = Trajectory.load(Path(settings.MEDIA_ROOT) / clip.trajectory)
    from scenes.rendering.mujoco_renderer import RenderScene

    column = trajectory.names["Ball"]
    picture = RenderScene(trajectory, (96, 72)).draw(len(trajectory) - 1).astype(int)
    gone = trajectory.visible.copy()
    gone[:, column] = False
    without = RenderScene(trajectory.changed(visible=gone), (96, 72)).draw(len(trajectory) - 1).astype(int)
    rows, columns = np.nonzero(np.abs(picture - without).sum(axis=2) > 90)
    (ball,) = [path for path in truth.paths if path.name == "Ball"]
    assert (columns.mean() + 0.5, rows.mean() + 0.5) == pytest.approx(ball.end, abs=3.0)
    assert {is_hidden for _, is_hidden in ball.pieces} == {True, False}
    assert truth.is_out_of_sight
    assert len(truth.violation.places) == 1
