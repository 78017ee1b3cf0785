"""Conditions of sound: the model's audio matches the condition, and models without audio are refused beforehand."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.definitions.definition import CONDITIONS, SOUND
from benchmarks.definitions.papers.pacs import OPTIONS
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import ItemMedia
from evaluation.adapters.base import Audio, Request, Turn
from evaluation.adapters.conversation import IMAGES, Talk
from evaluation.adapters.registry import ADAPTERS, HEARING, hears, why_deaf
from evaluation.adapters.transformers.inputs import inputs_of
from evaluation.errors import ClipUnreadable, ModelMisused, RunMisused
from evaluation.inputs.audio import LONGEST_SECONDS, PLAYING, played, sound_of
from evaluation.models import Cell, ModelResponse
from evaluation.prompting.requests import Asking
from evaluation.runs.lifecycle import start_run
from evaluation.submissions.files.parse_upload import target_of
from evaluation.submissions.files.problems import Unreadable
from evaluation.workers.loop import work_on
from tests.evaluation.conftest import write_video
from tests.factories import make_clip, make_item, make_model, make_pack, make_run

pytestmark = pytest.mark.django_db
RATE = 16_000


def write_heard(path: Path, hertz: float, *, seconds: float = 0.5, frames: int = 5) -> None:
    """A clip of grey frames with a tone in both channels of its sound."""
    import av

    write_video(silent := path.with_suffix(".silent.mp4"), frames=frames)
    with av.open(str(silent)) as read, av.open(str(path), "w", format="mp4") as made:
        pictures = made.add_stream_from_template(read.streams.video[0])
        sound = made.add_stream("aac", rate=RATE, layout="stereo")
        for packet in read.demux(video=0):
            if packet.dts is not None:
                packet.stream = pictures
                made.mux(packet)
        wave = np.sin(2 * np.pi * hertz * np.arange(int(seconds * RATE)) / RATE).astype(np.float32) / 2
        frame = av.AudioFrame.from_ndarray(np.stack([wave, wave]), format="fltp", layout="stereo")
        frame.sample_rate = RATE
        made.mux(sound.encode(frame))
        made.mux(sound.encode())


@pytest.fixture
def make_pair(settings):
    """One PACS item about two clips with different tones; None is a clip without sound."""
    pack = make_pack(benchmark="pacs", name="tones")

    def make(*tones: float | None):
        values: dict[str, Any] = {"kind": "pair", "text": "Which?", "answer_kind": "label", "options": list(OPTIONS)}
        facets = {"split": ("test", "all"), "test": ("pacs",)}
        item = make_item(pack, expected=OPTIONS[0], facets=facets, **values)
        for position, hertz in enumerate(tones):
            clip = make_clip(pack, fps=10, frames=5, seconds=0.5, width=64, height=48)
            path = settings.MEDIA_ROOT / "clips" / clip.renditions.get().name
            write_heard(path, hertz) if hertz else write_video(path, frames=5)
            ItemMedia.objects.create(item=item, clip=clip, role="object", position=position)
        return item

    return make


def pitch(audio: Audio | None) -> float | None:
    """The strongest frequency in Hz, 0.0 for silence, None for no sound at all."""
    if audio is None:
        return None
    power = np.abs(np.fft.rfft(audio.samples))
    return float(np.fft.rfftfreq(len(audio.samples), 1 / audio.rate)[power.argmax()]) if power.any() else 0.0


def asked(item, condition: str, seed: int = 0) -> list[Turn]:
    """The turns of ours about this item."""
    run = make_run(item.pack, strategy="pair", condition=condition, model=make_model(kind="scripted"))
    question = Asking(run).question(Cell(run=run, item=item, seed=seed))
    return [turn for turn in question.request.turns if isinstance(turn, Turn)]


def heard(item, condition: str, seed: int = 0) -> list[float | None]:
    turns = asked(item, condition, seed)
    return [pitch(turn.audio) for turn in turns if not turn.text or turn is turns[-1]]


def worked(item, condition: str, model=None):
    """A run over the item's pack, after the work on it."""
    model = model or make_model(kind="scripted", options={"default": "Object 1"})
    run = start_run(model=model, pack=item.pack, strategy="pair", condition=condition)
    work_on(run.pk)
    run.refresh_from_db()
    return run


def near(pitches, wanted) -> bool:
    return all(a == b if b is None else abs(a - b) < 10 for a, b in zip(pitches, wanted, strict=True))


def test_each_condition_plays_what_it_says(make_pair):
    item = make_pair(440, 1000)
    assert near(heard(item, "audio"), [440, 1000, None])
    assert near(heard(item, "flipped-audio"), [1000, 440, None])
    assert near(heard(item, "audio-only"), [440, 1000, None])
    for condition in set(BENCHMARKS["pacs"].conditions) - set(PLAYING):
        assert heard(item, condition) == [None, None, None]
    assert set(SOUND) - set(PLAYING) == {"no-audio"}


def test_which_of_the_two_falls_silent_is_drawn_by_seed_and_item_and_kept(make_pair):
    item = make_pair(440, 1000)
    drawn = [heard(item, "silent-one", seed) for seed in range(12)]
    assert drawn == [heard(item, "silent-one", seed) for seed in range(12)]
    assert all(near(one, [0, 1000, None]) or near(one, [440, 0, None]) for one in drawn)
    assert {one.index(0.0) for one in drawn} == {0, 1}


def test_sound_is_one_channel_at_its_own_rate_and_one_that_is_too_long_an_error(make_pair, monkeypatch):
    clip = make_pair(440, 1000).clip
    audio = sound_of(clip)
    assert (audio.rate, audio.samples.dtype, audio.samples.ndim) == (RATE, np.float32, 1)
    assert 0.45 < audio.seconds < 0.7
    assert 0.4 < np.abs(audio.samples).max() < 0.6
    monkeypatch.setattr("evaluation.inputs.audio.LONGEST_SECONDS", 0.2)
    with pytest.raises(ClipUnreadable, match=r"more than 0\.2 s of sound"):
        sound_of(clip)
    assert LONGEST_SECONDS >= 16  # PACS' longest clip


def test_a_clip_without_sound_is_an_error_of_its_item_and_never_asked_as_if_it_had(make_pair):
    item, good = make_pair(440, None), make_pair(440, 1000)
    with pytest.raises(ClipUnreadable, match="the clip has no sound"):
        heard(item, "audio")
    run = worked(item, "audio")
    assert dict(run.cells.values_list("item", "reason")) == {item.pk: "the clip has no sound", good.pk: ""}
    assert (run.state, run.code) == ("failed", "unanswered")


def test_what_was_played_is_written_down_and_told_on_the_page(client, make_pair):
    item = make_pair(440, 1000)
    run = worked(item, "flipped-audio")
    turns = ModelResponse.objects.get().turns
    assert [turn.get("sound", {}).get("whose") for turn in turns] == [None, "other", None, "other", None, None]
    own, other = (sound_of(media.clip).digest for media in item.media.order_by("position"))
    assert [turn["sound"]["hash"] for turn in turns[1:4:2]] == [other, own]
    assert len(run.card["sound"]) == 64
    said = " ".join(client.get(f"/runs/{run.pk}/").content.decode().split())
    assert "and the sound of the other clip" in said


LISTENS = """
import json, sys, wave
for line in sys.stdin:
    asked = json.loads(line)
    sounds = [wave.open(turn["audio"]) if turn["audio"] else None for turn in asked["turns"]]
    told = [f"{sound.getframerate()} Hz" if sound and any(sound.readframes(9999)) else "nothing" for sound in sounds]
    print(json.dumps({"id": asked["id"], "text": ", ".join(told)}), flush=True)
"""


def test_a_program_is_handed_the_sound_of_each_clip(make_pair, tmp_path):
    item = make_pair(440, 1000)
    (tmp_path / "listens.py").write_text(LISTENS)
    options = {"program": [sys.executable, str(tmp_path / "listens.py")], "audio": True}
    model = make_model(kind="command", options=options)

    def said(condition):
        return ModelResponse.objects.get(cell__run=worked(item, condition, model)).raw

    assert said("audio") == "nothing, 16000 Hz, nothing, 16000 Hz, nothing"
    assert sorted(said("silent-one").split(", ")) == ["16000 Hz", *["nothing"] * 4]
    assert said("no-audio") == ", ".join(["nothing"] * 5)


# --- models without audio are refused ---


@pytest.mark.parametrize(
    ("kind", "options", "why"),
    [
        ("transformers", {"path": "/m"}, "its folder's config.json names no part for sound"),
        ("openai", {"model": "m"}, "models of kind openai have one by their option audio"),
        ("command", {"program": "cat"}, "models of kind command have one by their option audio"),
        ("similarity", {"path": "/m"}, "models of kind similarity have one by their option audio_path"),
    ],
)
def test_a_model_without_an_input_for_sound_is_refused(make_pair, kind, options, why):
    item = make_pair(440, 1000)
    how = {"model": make_model(slug="deaf", kind=kind, options=options), "pack": item.pack, "strategy": "pair"}
    for condition in PLAYING:
        with pytest.raises(RunMisused, match=f"condition {condition} plays sound, and deaf has no input for it: {why}"):
            start_run(**how, condition=condition)
    assert start_run(**how, condition="no-audio").condition == "no-audio"
    run = make_run(item.pack, strategy="pair", condition="audio", model=how["model"])  # it heard when it was started
    with pytest.raises(RunMisused, match="deaf has no input for it"):
        Asking(run).question(Cell(run=run, item=item))


def test_clips_that_are_silent_or_too_few_are_refused(make_pair):
    item = make_pair(None, None)
    with pytest.raises(RunMisused, match="condition audio plays sound, and the clips of pacs/tones have none"):
        start_run(model=make_model(kind="scripted"), pack=item.pack, strategy="pair", condition="audio")
    for condition in ("silent-one", "flipped-audio"):
        with pytest.raises(RunMisused, match=f"item abc: {condition} needs two clips with sound, here are 1"):
            played({"item": make_clip()}, condition=condition, seed=0, key="abc")


def test_every_kind_is_known_to_hear_or_not():
    assert set(HEARING) <= set(ADAPTERS)
    deaf = {"transformers", "openai", "command", "similarity"}
    deaf |= {"surprise", "fusion", "craft-network", "video-network", "pairs"}
    assert {kind for kind in ADAPTERS if not hears(make_model(kind=kind))} == deaf
    assert hears(make_model(kind="fusion", options={"hears": True}))
    assert hears(make_model(kind="similarity", options={"audio_path": "/m"}))
    assert hears(make_model(kind="openai", options={"audio": True}))


def test_a_saved_model_hears_if_its_folder_says_so(settings):
    for name, config in (
        ("deaf", {"vision_config": {}, "audio_config": None}),
        ("ears", {"audio_config": {"layers": 1}}),
        ("omni", {"thinker_config": {"audio_config": {"layers": 1}}}),
    ):
        (settings.VAR_DIR / name).mkdir(parents=True)
        (settings.VAR_DIR / name / "config.json").write_text(json.dumps(config))
        model = make_model(slug=name, kind="transformers", options={"path": name})
        assert hears(model) == (name != "deaf")
    assert "audio_config" in why_deaf(make_model(slug="gone", kind="transformers", options={"path": "none"}))


def test_under_audio_only_no_frame_is_shown_and_a_clip_is_still_needed(make_pair):
    item = make_pair(440, 1000)
    assert not any(turn.frames for turn in asked(item, "audio-only"))
    assert ModelResponse.objects.filter(cell__run=worked(item, "audio-only")).count() == 1


def test_transformers_refuses_a_sound_that_comes_all_the_same():
    talk = Talk.begun(Request((Turn("?", None, Audio(np.zeros(4, np.float32), 8000)),)))
    with pytest.raises(ModelMisused, match="no sound can be played"):
        inputs_of([talk], SimpleNamespace(model=object(), sees=IMAGES, hears=""))


# --- conditions match the benchmark ---


@pytest.mark.parametrize("slug", list(BENCHMARKS))
def test_a_run_and_an_upload_know_the_conditions_that_the_benchmark_names_and_no_other(slug):
    benchmark = BENCHMARKS[slug]
    strategy = next(each for each in benchmark.strategies if each.condition != "text")
    pack = make_pack(benchmark=slug)
    make_item(pack, kind=strategy.kinds[0], facets={"split": strategy.splits})
    named = [name for name in benchmark.conditions if name != "text"]
    header = {"benchmark": slug, "pack": pack.name, "model": "m", "strategy": strategy.name}
    header["split"] = strategy.splits[0]
    for condition in CONDITIONS:
        if condition in named:
            assert target_of(header | {"condition": condition}).condition == condition
            continue
        with pytest.raises(RunMisused) as refused:
            start_run(model=make_model(), pack=pack, strategy=strategy.name, condition=condition)
        there = f"for {strategy.name}; there is: {', '.join(named)}"
        assert str(refused.value) == f"there is no condition {condition!r} {there}"
        with pytest.raises(Unreadable) as unread:
            target_of(header | {"condition": condition})
        assert unread.value.problem.what.endswith(f"there are: {', '.join(named)}")
