"""Tapped's shapes, rooms and lights, and its loudness by EBU R128; the same seed gives the same set."""

import hashlib
import itertools
import json
from collections import Counter
from fractions import Fraction

import av
import numpy as np
import pytest

from scenes.audit.geometry import rotations
from scenes.tapped import auditing, generate, planning, questions
from scenes.tapped.composing import PART, SCALE
from scenes.tapped.shapes import MADE, named_shape
from scenes.tapped.sounds.loudness import BROADCAST, at_broadcast_loudness, true_peak
from scenes.tapped.sounds.sound import RATE
from scenes.tapped.staging import BODY, scene_of
from scenes.tapped.touching import simulate_touches
from tests.benchmarks.audio_clips import heard_in

SEED, PAIRS = 5, 24


def thing_of(action, pairs=PAIRS):
    return next(thing for thing in planning.things_of(SEED, pairs) if thing.action == action)


# --- shapes ---


def test_the_ten_shapes_are_those_that_people_name():
    assert set(MADE) == {"mug", "bottle", "plate", "brick", "can", "ball", "book", "spoon", "tile", "cushion"}
    assert set(itertools.chain(*planning.SHAPES.values())) == set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_a_shape_has_one_volume_and_stands_on_what_its_hull_stands_on(name):
    shape = named_shape(name)
    assert sum(part.volume for part in shape.parts) == pytest.approx(1)
    corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    reach = [
        (corners if part.kind != "sphere" else corners * 0) * part.size @ rotations(np.array(part.turn)).T + part.place
        for part in shape.parts
    ]
    if name != "ball":
        assert min(points[:, 2].min() for points in reach) == pytest.approx(-shape.size[2] / 2, abs=0.02)
    sideways = max(np.abs(points[:, :2]).max() for points in reach)
    assert sideways < max(shape.size[:2]) * (0.9 if name == "mug" else 0.75)  # corners of round parts, and a handle


def test_parts_go_where_the_hull_goes():
    thing = thing_of("rolled")
    trajectory, _ = simulate_touches(scene_of(thing, np.random.default_rng(1)), thing)
    own = trajectory.names[BODY]
    assert np.ptp(trajectory.position[:, own, 0]) > 3
    turns = rotations(trajectory.orientation[:, own])
    shape = named_shape(thing.shape)
    for part, column in zip(shape.parts, trajectory.with_role(PART), strict=True):
        away = (trajectory.position[:, column] - trajectory.position[:, own]).astype(float)
        back = np.einsum("tij,ti->tj", turns, away)
        assert np.allclose(back, np.array(part.place) * thing.edge * SCALE, atol=1e-4)
    assert not trajectory.visible[:, own].any()


# --- the plan ---


def test_a_group_shares_room_and_light_and_all_of_them_occur():
    groups = [planning.group_of(SEED, number) for number in range(40)]
    assert all(len({(thing.room, thing.light) for thing in group}) == 1 for group in groups)
    assert {thing.room for group in groups for thing in group} == set(planning.ROOMS)
    assert {thing.light for group in groups for thing in group} == set(planning.LIGHTS)
    assert (len(planning.ROOMS), len(planning.LIGHTS)) == (2, 3)
    assert {thing.shape for group in groups for thing in group} == set(MADE)


@pytest.mark.parametrize("group", range(8))
def test_sight_and_sound_stay_crossed(group):
    things = planning.group_of(SEED, group)
    assert len({thing.look for thing in things}) == (2 if things[0].is_painted else 4)
    assert Counter(thing.material for thing in things) == dict.fromkeys({thing.material for thing in things}, 2)
    assert len({thing.shape for thing in things}) == 2
    assert len({thing.action for thing in things}) == 1
    assert len({round(thing.mass / thing.made_of.density, 9) for thing in things}) == 1


def test_questions_of_all_channels_are_asked_and_the_audit_s_own_table_agrees():
    things = {thing.key: thing for thing in planning.things_of(SEED, 240)}
    found = Counter()
    for first, second in planning.pairs_of(SEED, 240):
        for point in questions.questions_about(things[first], things[second]):
            found[point.channel] += 1
            if point.question in auditing.OF_SHAPE:
                answer, other = (second, first) if point.label else (first, second)
                values = [TABLE[point.question](things[key]) for key in (answer, other)]
                assert values[0] > values[1], (point, things[answer].shape, things[other].shape)
    assert set(found) == {"sound", "sight", "both"}


TABLE = {
    "question0009": lambda one: auditing.ROLLS.get(one.shape, 0),
    "question0010": lambda one: auditing.LEVEL_TOP.get(one.shape, 0),
    "question0011": lambda one: -min(one.size),
    "question0012": lambda one: auditing._reach(sorted(one.size)),
}


# --- loudness ---


def oracle(samples, rate):
    """Loudness and true peak by FFmpeg's own measurement."""
    graph = av.filter.Graph()
    source = graph.add_abuffer(sample_rate=rate, format="flt", layout="mono", time_base=Fraction(1, rate))
    meter, sink = graph.add("ebur128", "metadata=1:peak=true"), graph.add("abuffersink")
    source.link_to(meter)
    meter.link_to(sink)
    graph.configure()
    frame = av.AudioFrame.from_ndarray(samples.astype(np.float32)[None], format="flt", layout="mono")
    frame.sample_rate, frame.pts = rate, 0
    graph.push(frame)
    graph.push(None)
    told = {}
    while True:
        try:
            told = graph.pull().metadata or told
        except (av.EOFError, BlockingIOError):
            return float(told["lavfi.r128.I"]), 20 * np.log10(float(told["lavfi.r128.true_peak"]))


def test_the_oracle_hears_a_tone_as_the_standard_has_it():
    tone = 0.1 * np.sin(2 * np.pi * 997 * np.arange(3 * RATE) / RATE)
    level, peak = oracle(tone, RATE)
    assert level == pytest.approx(-23.0, abs=0.1)
    assert (peak, true_peak(tone, RATE)) == (pytest.approx(-20, abs=0.2), pytest.approx(-20, abs=0.2))


def test_a_click_is_brought_to_the_loudness_without_a_bent_wave():
    decay = np.exp(-200 * np.arange(3 * RATE) / RATE) * np.sin(2 * np.pi * 1500 * np.arange(3 * RATE) / RATE)
    made = at_broadcast_loudness(decay + 1e-4 * np.random.default_rng(1).standard_normal(3 * RATE), RATE)
    level, peak = oracle(made, RATE)
    assert level == pytest.approx(BROADCAST, abs=0.2)
    assert peak < -1.5
    spectrum = np.abs(np.fft.rfft(made[: RATE // 20] * np.hanning(RATE // 20)))
    assert spectrum[round(4500 / 20)] < 0.02 * spectrum.max()  # a bent wave has a third harmonic


# --- whole clips ---


@pytest.fixture(scope="module")
def folder(tmp_path_factory, draft):
    """One small clip of each action, and a tapped one of every material."""
    out = tmp_path_factory.mktemp("shapes")
    for action in planning.SHAPES:
        generate.make_thing(SEED, PAIRS, thing_of(action).key, out, size=(160, 90), fps=5, look="plain")
    return out


@pytest.mark.render
@pytest.mark.parametrize("action", planning.SHAPES)
def test_a_clip_has_the_loudness_of_ebu_r128_as_ffmpeg_hears_it(folder, action):
    level, peak = oracle(*heard_in(folder / "videos" / f"{thing_of(action).key}.mp4"))
    assert level == pytest.approx(-23, abs=1)
    assert peak < -1


@pytest.mark.render
@pytest.mark.parametrize("action", planning.SHAPES)
def test_the_box_holds_all_that_is_seen_of_the_object(folder, action):
    """By the audit's reading of each clip's files, without labels."""
    thing = thing_of(action)
    facts = json.loads((folder / "trajectories" / f"{thing.key}.json").read_text())
    listed = {thing.key: generate._object(thing, facts)}
    _, found = auditing._object(folder, thing.key, {thing.key: facts["thing"]}, listed)
    assert found == []
    assert facts["look"] == "plain"


# --- the same seed, the same set ---

MOTIONS = {
    "object0000": "335b9d49668417f87619ee165d37b3cc0ea3479bbd860fbb709c5c9512a60bc5",
    "object0004": "a3a8fca208293051b1fa48bf1c1d36d5658c01b14fa3d199cf1dbb818b016112",
    "object0008": "5953ac93d798539b3fd2e56e103016fc5ab59259482f248c67238032942f333c",
    "object0012": "8f61dd84b8f5f4eb003edee953004b043e820dfa0cac8544c9ac8c0c7f3d389e",
}
LABELS = {
    "tapped": "2d686a79d3221e65b64678a9f9d0ffecb4274d12ed8c65a9130d122e8e79fe26",
    "test_data": "c4d17c8bff0908ea2f1dd45b5b0d31bfa19719b74e967de4f5c2cf76c79f15ab",
    "train_data_mat": "3828ad77be8974102ff427e67b4bb62d7c18c20019e07057bc6bb4c51fd1b877",
    "val_data": "e7f962afa5e2aeda18387cef8ca22be1a3378e73b292b9d8cded1a4c126b9fd0",
}


@pytest.mark.parametrize("key", MOTIONS)
def test_the_same_seed_gives_the_same_motion_to_the_bit(key):
    thing = next(one for one in planning.things_of(SEED, PAIRS) if one.key == key)
    rng = np.random.default_rng([SEED, generate.CLIPS, int(key.removeprefix("object"))])
    assert simulate_touches(scene_of(thing, rng), thing)[0].digest() == MOTIONS[key]


@pytest.mark.render
def test_the_same_seed_gives_the_same_label_files_to_the_byte(tmp_path, draft):
    for thing in planning.things_of(SEED, PAIRS):
        generate.make_thing(SEED, PAIRS, thing.key, tmp_path, size=(32, 18), fps=1, look="plain")
    generate.write_labels(SEED, PAIRS, tmp_path)
    made = {name: hashlib.sha256((tmp_path / "json" / f"{name}.json").read_bytes()).hexdigest() for name in LABELS}
    assert made == LABELS
