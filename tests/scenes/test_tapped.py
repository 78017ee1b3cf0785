"""Tapped's plan, questions and sounds: sounds by material, synchronous picture and sound, true labels."""

import itertools
import json
from collections import Counter
from dataclasses import replace

import av
import numpy as np
import pytest

from measures.shares.intervals import wilson
from scenes.tapped import generate, planning, questions
from scenes.tapped.sounds.loudness import TooShort, loudness
from scenes.tapped.sounds.sound import RATE, clip_sound_of, contact_seconds, modes_of
from scenes.tapped.staging import SCALE, SECONDS, scene_of
from scenes.tapped.things import MATERIALS
from scenes.tapped.touching import simulate_touches
from tests.benchmarks.audio_clips import heard_in
from tests.scenes.tapped_listener import nearest, recordings

SEED, PAIRS = 69, 24  # four groups: one of each action; a blue tile is tapped


def thing_of(action):
    return next(thing for thing in planning.things_of(SEED, PAIRS) if thing.action == action)


# --- the plan ---


def test_every_object_meets_three_others_and_every_material_is_there():
    things, pairs = planning.things_of(SEED, 60), planning.pairs_of(SEED, 60)
    assert set(Counter(key for pair in pairs for key in pair).values()) == {3}
    assert {thing.material for thing in things} == set(MATERIALS)
    assert {thing.split for thing in things} == {"train", "val", "test"}
    split = {thing.key: thing.split for thing in things}
    assert all(split[first] == split[second] for first, second in pairs)


def test_a_larger_set_holds_the_smaller_one_and_what_is_dropped_is_bare():
    assert planning.pairs_of(SEED, 30)[:8] == planning.pairs_of(SEED, 8)
    assert planning.things_of(SEED, 12) == planning.things_of(SEED, 30)[:8]
    assert all(thing.is_painted != (thing.action == "dropped") for thing in planning.things_of(SEED, PAIRS))


# --- questions ---


def asked(pairs=120):
    things = {thing.key: thing for thing in planning.things_of(SEED, pairs)}
    for first, second in planning.pairs_of(SEED, pairs):
        for point in questions.questions_about(things[first], things[second]):
            yield things[first], things[second], point


def test_the_label_follows_from_what_is_true():
    rules = {
        "question0000": lambda one, other: one.mass > other.mass,
        "question0001": lambda one, other: one.mass < other.mass,
        "question0002": lambda one, other: one.made_of.brittle > other.made_of.brittle,
        "question0003": lambda one, other: one.made_of.density < 950 < other.made_of.density,
        "question0006": lambda one, other: one.made_of.conductivity > other.made_of.conductivity,
        "question0009": lambda one, other: one.shape == "ball" or other.shape not in ("ball", "can", "bottle"),
        "question0011": lambda one, other: min(one.size) < min(other.size),
    }
    seen = Counter()
    for first, second, point in asked():
        if rule := rules.get(point.question):
            answer, rest = (second, first) if point.label else (first, second)
            assert rule(answer, rest), point
            seen[point.question, point.label] += 1
    assert {key for key, _ in seen} == set(rules)
    assert min(Counter(point.label for *_, point in asked()).values()) > 60


def test_the_channel_is_where_the_two_differ():
    found = Counter()
    for first, second, point in asked():
        is_material = next(one for one in questions.BANK if one.key == point.question).is_of_material
        if point.channel == "sight":
            assert not is_material
            assert first.shape != second.shape
            assert first.action != "dropped"
        else:
            assert is_material
            assert first.material != second.material
            assert (point.channel == "sound") == first.is_painted
        found[point.channel] += 1
    assert set(found) == {"sound", "sight", "both"}


def test_pairs_that_look_alike_and_pairs_that_sound_alike_are_there():
    kinds = {(first.look == second.look, first.material == second.material) for first, second, _ in asked()}
    assert {(True, False), (False, True), (False, False)} <= kinds


def test_the_material_subset_follows_the_paper_s_rule():
    things = {thing.key: thing for thing in planning.things_of(SEED, PAIRS)}
    templates = set()
    for first, second in itertools.islice(planning.pairs_of(SEED, PAIRS), PAIRS):
        pair = things[first], things[second]
        points = list(questions.material_questions(*pair, generate._chance(SEED, (first, second))))
        assert len(points) == (0 if pair[0].material == pair[1].material else 2)
        for point in points:
            assert pair[point.label].material in point.text
            assert pair[1 - point.label].material not in point.text
            assert questions.material_bank()[point.question] == point.text
            templates.add(int(point.question[1:]) // len(MATERIALS))
    assert templates == set(range(6))


# --- sounds ---


def test_materials_ring_as_they_should():
    things = {name: _made_of(name) for name in MATERIALS}
    fade, pitch = {}, {}
    for name, thing in things.items():
        frequencies, dampings, _ = modes_of(thing, np.random.default_rng(1))
        fade[name], pitch[name] = float(dampings[0]), float(frequencies[0])
    assert fade["metal"] < fade["glass"] < fade["ceramic"] < min(fade["stone"], fade["wood"])
    assert max(fade["stone"], fade["wood"]) < fade["paper"]
    assert max(pitch["rubber"], pitch["foam"], pitch["textile"]) < 200 < pitch["plastic"] < pitch["wood"]
    metal, rubber, textile = (contact_seconds(MATERIALS[name]) for name in ("metal", "rubber", "textile"))
    assert metal < rubber < textile


def _made_of(material):
    things = itertools.chain(*(planning.group_of(SEED, group) for group in range(80)))
    return next(thing for thing in things if (thing.material, thing.action) == (material, "tapped"))


@pytest.mark.parametrize("size", [2, 3])
def test_a_larger_thing_of_one_material_sounds_lower(size):
    thing = _made_of("metal")
    small, large = (modes_of(replace(thing, edge=thing.edge * by), np.random.default_rng(1))[0][0] for by in (1, size))
    assert small == pytest.approx(size * large)


def test_the_same_seed_gives_the_same_sound():
    def sound():
        thing, rng = thing_of("dropped"), np.random.default_rng(7)
        return clip_sound_of(thing, simulate_touches(scene_of(thing, rng), thing)[1], SECONDS, rng)

    assert np.array_equal(sound(), sound())


def test_blows_are_where_the_physics_has_them():
    """A blow comes after a free fall from the drawn height, with at least the momentum of that fall."""
    thing = thing_of("dropped")
    scene = scene_of(thing, np.random.default_rng(3))
    _, touches = simulate_touches(scene, thing)
    drop = scene.parameters["height"] / SCALE
    assert touches.blows[0].seconds == pytest.approx(0.5 + np.sqrt(2 * drop / 9.81), abs=0.03)
    assert sum(blow.impulse for blow in touches.blows) > thing.mass * np.sqrt(2 * 9.81 * drop)


# --- loudness, by the standard's own cases ---


@pytest.mark.parametrize("decibels", [-23.0, -33.0])
def test_a_tone_of_997_hz_has_the_loudness_of_the_standard(decibels):
    """EBU Tech 3341, cases 1 and 2: a tone in one of two channels, or in a single channel, is 3 LU quieter."""
    samples = 10 ** (decibels / 20) * np.sin(2 * np.pi * 997 * np.arange(20 * RATE) / RATE)
    assert loudness(samples, RATE) == pytest.approx(decibels - 3.01, abs=0.1)


def test_silence_between_sounds_does_not_count():
    tone = 0.1 * np.sin(2 * np.pi * 997 * np.arange(10 * RATE) / RATE)
    with_silence = np.concatenate([tone, np.zeros(20 * RATE)])
    assert loudness(with_silence, RATE) == pytest.approx(loudness(tone, RATE), abs=0.2)
    assert loudness(np.zeros(RATE), RATE) == float("-inf")
    with pytest.raises(TooShort, match=r"0\.10 s"):
        loudness(np.zeros(RATE // 10), RATE)


# --- whole clips ---


@pytest.fixture(scope="module")
def folder(tmp_path_factory, draft):
    """One clip of each action, drawn small."""
    out = tmp_path_factory.mktemp("tapped")
    for action in planning.SHAPES:
        generate.make_thing(SEED, PAIRS, thing_of(action).key, out, size=(160, 90), fps=50, look="plain")
    return out


def facts_of(folder, action):
    return json.loads((folder / "trajectories" / f"{thing_of(action).key}.json").read_text())


def clip_of(folder, action):
    return folder / "videos" / f"{thing_of(action).key}.mp4"


@pytest.mark.render
@pytest.mark.parametrize("action", planning.SHAPES)
def test_a_clip_has_picture_and_sound_of_one_length_and_nothing_clips(folder, action):
    with av.open(str(clip_of(folder, action))) as read:
        assert (read.streams.video[0].frames, read.streams.audio[0].rate) == (150, RATE)
        assert read.streams.video[0].start_time == 0
        assert read.streams.audio[0].start_time == 0
    samples, rate = heard_in(clip_of(folder, action))
    assert abs(len(samples) / rate - SECONDS) < 0.03
    assert np.abs(samples).max() < 1.0


def onsets(samples, rate):
    """Times at which the sound gets loud after 0.2 s of near silence."""
    level = np.abs(samples)
    is_loud = level > 0.2 * level.max()
    places = np.flatnonzero(is_loud) / rate
    return [float(one) for number, one in enumerate(places) if number == 0 or one - places[number - 1] > 0.2]


@pytest.mark.render
def test_a_tap_is_heard_when_the_stick_is_seen_to_touch(folder):
    """The stick is lowest in the picture at the frames at which the sound begins."""
    with av.open(str(clip_of(folder, "tapped"))) as read:
        frames = [(frame.time, frame.to_ndarray(format="rgb24").astype(int)) for frame in read.decode(video=0)]
    still = frames[0][1]
    dark = [np.argwhere((picture.max(-1) < 90) & (still.max(-1) > 120)) for _, picture in frames]
    lowest = np.array([float(places[:, 0].max()) if len(places) else 0.0 for places in dark])
    touching = [frames[place][0] for place in np.flatnonzero(lowest == lowest.max())]
    seen = [one for number, one in enumerate(touching) if number == 0 or one - touching[number - 1] > 0.2]
    heard = onsets(*heard_in(clip_of(folder, "tapped")))
    told = [blow["seconds"] for blow in facts_of(folder, "tapped")["blows"]]
    assert heard == pytest.approx(told, abs=0.02)
    assert seen == pytest.approx(heard, abs=0.022)  # a frame lasts 0.02 s, and a sound is loud 1.5 ms after it began


@pytest.mark.render
@pytest.mark.parametrize("action", ["dropped", "rolled"])
def test_the_first_blow_is_heard_when_it_happens(folder, action):
    blow = facts_of(folder, action)["blows"][0]["seconds"]
    assert onsets(*heard_in(clip_of(folder, action)))[0] == pytest.approx(blow, abs=0.02)


@pytest.mark.render
def test_the_box_holds_the_thing_on_the_middle_frame(folder):
    """Nothing of the painted colour is outside the box, and the box is not much larger."""
    facts = facts_of(folder, "tapped")
    with av.open(str(clip_of(folder, "tapped"))) as read:
        picture = [frame.to_ndarray(format="rgb24") for frame in read.decode(video=0)][75].astype(float)
    hue = picture - picture.mean(-1, keepdims=True)
    own = 255 * (np.array(facts["thing"]["colour"]) - np.mean(facts["thing"]["colour"]))
    likeness = (hue @ own) / (np.linalg.norm(hue, axis=-1) * np.linalg.norm(own) + 2000)
    rows, columns = np.nonzero(likeness > 0.75)
    left, top, right, bottom = (edge / 8 for edge in facts["box"])
    inside = (columns >= left) & (columns <= right) & (rows >= top) & (rows <= bottom)
    assert inside.mean() > 0.9
    assert inside.sum() > 0.5 * (right - left) * (bottom - top) * 0.6


@pytest.mark.render
def test_a_finished_clip_is_kept_and_one_of_other_settings_is_made_anew(folder):
    key = thing_of("dropped").key
    before = clip_of(folder, "dropped").stat().st_mtime_ns
    assert generate.make_thing(SEED, PAIRS, key, folder, size=(160, 90), fps=50, look="plain")
    assert clip_of(folder, "dropped").stat().st_mtime_ns == before
    (folder / "trajectories" / f"{key}.json").unlink()
    assert not generate.make_thing(SEED, PAIRS, key, folder, size=(160, 90), fps=50, look="plain")


# --- audibility ---


def test_a_plain_listener_names_the_material_of_unseen_taps_well_above_chance():
    materials, rows = recordings(21, 22)
    found = [one == name for one, name in zip(materials, nearest(*recordings(11, 12), rows), strict=True)]
    assert len(found) == 20
    assert wilson(sum(found), 20).low > 2 / len(MATERIALS), found
