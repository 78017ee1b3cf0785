"""What stored trajectories tell without a renderer: paths over the picture, and the seconds in which twins differ."""

import json

import numpy as np
import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Clip, RenditionKind
from benchmarks.models.answers import ItemSeal
from benchmarks.packs.export import export_pack
from benchmarks.packs.truth.ground_truth import Legibility, TruthMoment, truth_of, write_truth
from benchmarks.packs.truth.telling_frames import has_telling_frame, spans_in, telling_spans, telling_states, window_of
from benchmarks.storage.access import path_of
from measures.scores.moment_answers import Window
from scenes.scene import Camera, Plane, Scene, Sphere
from scenes.trajectory import Trajectory, described
from tests.commands import told
from tests.factories import make_clip, make_item, make_pack

pytestmark = pytest.mark.django_db
CAMERA = Camera(position=(0.0, -5.0, 0.0), focus=(0.0, 0.0, 0.0), height_angle=90.0)  # 24 of 240 pixels are a metre
WALL = Plane(name="Wall", size=(9, 9, 0), position=(0, 2, 0), role="room")
BALL = Sphere(name="Ball", size=(0.6,) * 3, position=(0, 0, 0), role="object", motion="guided", colour=(0, 0, 0))
STATES = 15


def rolling(**arrays) -> Trajectory:
    """The ball rolls from -1 m to 1 m in nine states, of which it is behind something in two, and rests there."""
    position = np.zeros((STATES, 2, 3), np.float32)
    position[:, 1, 0] = np.minimum(-1 + 0.25 * np.arange(STATES), 1)
    seen = np.ones((STATES, 2), np.float16)
    seen[4:6, 1] = seen[11:, 1] = 0.05
    whole = Trajectory(
        description=described(Scene(test="Color", label="", bodies=(WALL, BALL), camera=CAMERA)),
        time=0.02 * np.arange(STATES, dtype=np.float64),
        position=position,
        orientation=np.tile(np.array([1, 0, 0, 0], np.float32), (STATES, 2, 1)),
        colour=np.zeros((STATES, 2, 3), np.float32),
        visible=np.ones((STATES, 2), bool),
        contacts=np.zeros((0, 3), np.int32),
        seen=seen,
    )
    return whole.changed(**arrays)


@pytest.fixture
def stored(settings):
    """Stores a trajectory as that of a new clip."""

    def store(trajectory: Trajectory, pack=None, **values) -> Clip:
        name = f"trajectories/{Clip.objects.count()}.npz"
        (settings.MEDIA_ROOT / "trajectories").mkdir(exist_ok=True)
        trajectory.save(settings.MEDIA_ROOT / name)
        return make_clip(pack, trajectory=name, **values)

    return store


FACTS = {
    "first_violation": {"state": 4, "seconds": 0.08, "what": "It stops.", "out_of_sight": True},
    "first_knowable": {"state": 8, "seconds": 0.16},
    "legibility": {
        "telltale": {"seconds": 0.5, "frames": 3, "pixels": 40, "contrast": 0.2, "at_end": False},
        "still": 0.25,
    },
    "refused": ["an attempt"],
}


def test_the_path_of_what_moves_is_drawn_in_pieces_that_are_seen_or_hidden(stored):
    truth = truth_of(stored(rolling(), facts=FACTS))
    (path,) = truth.paths
    assert (path.name, path.kind, path.start, path.end) == ("Ball", 0, (136, 120), (184, 120))
    assert path.pieces == (
        ("136.0,120.0 154.0,120.0 160.0,120.0", False),
        ("160.0,120.0 172.0,120.0", True),
        ("172.0,120.0 184.0,120.0", False),  # where it rests it has no piece
    )
    assert truth.violation == TruthMoment(0.08, ((160, 120),))
    assert truth.known == TruthMoment(0.16, ((184, 120),))
    assert (truth.width, truth.height, truth.what, truth.is_out_of_sight) == (320, 240, "It stops.", True)
    assert truth.legibility == Legibility(0.5, 3, 40, 0.2, at_end=False, still=25)
    gone = np.ones((STATES, 2), bool)
    gone[4:6] = False
    (moving,) = truth_of(stored(rolling(seen=None).until(9))).paths
    assert (moving.end, moving.pieces[-1][0].split()[-1]) == ((184, 120), "184.0,120.0")
    assert truth_of(None) is truth_of(make_clip(trajectory="trajectories/gone.npz")) is None
    plain = truth_of(stored(rolling(seen=None, visible=gone)))  # of a clip that was never drawn
    assert [is_hidden for _, is_hidden in plain.paths[0].pieces] == [False, True, False]
    assert (plain.violation, plain.known, plain.legibility, plain.is_out_of_sight) == (None, None, None, False)


def test_it_is_written_under_the_clips_opaque_name(stored, tmp_path):
    clip = stored(rolling(), facts=FACTS)
    assert write_truth(clip, tmp_path)
    stem = tmp_path / clip.rendition(RenditionKind.ORIGINAL).name.partition(".")[0]
    assert Trajectory.load(stem.with_suffix(".npz")).digest() == rolling().digest()
    assert json.loads(stem.with_suffix(".json").read_text()).keys() == FACTS.keys() - {"refused"}
    assert not write_truth(make_clip(), tmp_path)


def test_an_export_has_the_truth_of_clips_whose_answers_are_open(stored, tmp_path):
    pack = make_pack()
    for number in range(3):
        clip = stored(rolling(), pack, facts=FACTS, key=f"level2/P_Gravity/{number:03}")
        path_of(clip.renditions.get()).parent.mkdir(exist_ok=True)
        path_of(clip.renditions.get()).write_bytes(b"film")
        make_item(clip=clip, key=clip.key)
    make_item(clip=stored(rolling(), make_pack()))
    for item, by in zip(pack.items.all(), ("answers", "trial:x"), strict=False):
        ItemSeal.objects.create(item=item, by=by)
    export_pack(BENCHMARKS["grasp"], pack, tmp_path / "plain")
    assert not (tmp_path / "plain/ground-truth").exists()
    said = told("export_benchmark", "grasp", "--pack", pack.name, "--ground-truth", "--out", tmp_path / "export")
    assert (said["items"], said["clips"], said["ground_truth"]) == (2, 2, 1)
    names = {path.stem for path in (tmp_path / "export/ground-truth").iterdir()}
    assert len(names) == 1  # of the clip that is not sealed
    assert names < {path.stem for path in (tmp_path / "export/clips").iterdir()}
    assert "This tells the answers" in (tmp_path / "export/README.md").read_text()


def test_the_telling_states_are_those_in_which_a_body_in_view_is_elsewhere_gone_or_of_another_colour():
    one = rolling(seen=None)
    for array, change in (("position", 0.03), ("colour", 0.03), ("visible", False)):
        changed = getattr(one, array).copy()
        changed[5:9, 1] = changed[5:9, 1] + change if change else change
        other = one.changed(**{array: changed})
        assert np.flatnonzero(telling_states(one, other)).tolist() == [5, 6, 7, 8], array
        hidden = np.zeros((STATES, 2), np.float16)
        assert not telling_states(one.changed(seen=hidden), other.changed(seen=hidden)).any()
        assert telling_states(one.changed(seen=hidden + np.float16(0.02)), other.changed(seen=hidden)).any()
    ((start, end),) = spans_in(one.time, telling_states(one, other))
    assert (start, end) == pytest.approx((0.1, 0.16))
    assert spans_in([0, 1, 2, 3], np.array([True, False, True, True])) == [(0, 0), (2, 3)]
    times = {0.05: False, 0.1: True, 0.16: True, 0.2: False}
    assert {time: has_telling_frame([time], [(0.1, 0.16)]) for time in times} == times


def test_twins_have_the_same_spans_and_others_none(stored):
    pack = make_pack()
    gone = np.ones((STATES, 2), bool)
    gone[5:9, 1] = False
    for number, other in enumerate((rolling(visible=gone), rolling().until(9))):  # the second can't be compared
        for truth, shown in (("P", rolling()), ("IP", other)):
            stored(shown, pack, key=f"level2/{truth}_Gravity/{number:03}")
    make_clip(pack, key="level2/P_Gravity/002", trajectory="trajectories/lost.npz")
    stored(rolling(), pack, key="level2/IP_Gravity/002")
    first, second = pack.clips.filter(key__endswith="000")
    spans = telling_spans(pack)
    assert spans.keys() == {first.pk, second.pk}
    assert spans[first.pk] == spans[second.pk] == [pytest.approx((0.1, 0.16))]
    assert telling_spans(make_pack(benchmark="craft")) == {}


@pytest.mark.parametrize(("missing", "window"), [("", Window(0.08, 0.16)), *((name, None) for name in [*FACTS][:2])])
def test_a_window_has_both_ends(missing, window):
    assert window_of({name: fact for name, fact in FACTS.items() if name != missing}) == window
