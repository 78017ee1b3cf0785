"""The audit finds and names a planted leak of each kind; a clean pack is at chance."""

import io
import os
from itertools import product
from types import SimpleNamespace

import av
import numpy as np
import pytest
from django.core.management import CommandError
from threadpoolctl import threadpool_limits

from benchmarks.models import ItemFacet, Pack, RenditionKind
from evaluation.inputs import frames
from leaderboard.audits import blind
from leaderboard.models import BlindAudit
from leaderboard.standings.refresh import refresh
from tests.commands import say, told
from tests.factories import make_answers, make_clip, make_item, make_model, make_pack, make_run

pytestmark = pytest.mark.django_db
N = 120
WORDS = ["".join(letters) for letters in product("bdgklmnprst", "aeiou", "xyz")]


@pytest.fixture(autouse=True)
def fewer_trees(monkeypatch):
    """The planted leaks need fewer than a pack; `make soak PART=blind` grows all."""
    if "BLIND_PACKS" not in os.environ:
        monkeypatch.setattr(blind, "TREES", 10)


@pytest.fixture
def pictures(monkeypatch):
    """Replace decoded files by frames made from each clip's facts; probes get arrays in both cases."""

    class Picture:
        def __init__(self, clip, which):
            rng = np.random.default_rng([clip.pk, which == "last"])
            self.pixels = rng.integers(0, 255, (1, 24, 32, 3), dtype=np.uint8)
            self.pixels[0, :8, :8] = 250 if clip.facts.get(which) else 5

    def moving(clip, sampler):
        rng = np.random.default_rng([clip.pk, 2])
        flicker = 20 * (np.arange(8) % 2) * bool(clip.facts.get("motion"))
        return [SimpleNamespace(picture=rng.integers(0, 200, (24, 32, 3), np.uint8) + np.uint8(one)) for one in flicker]

    monkeypatch.setattr(blind.features, "decoded", moving)
    monkeypatch.setattr(blind.features, "frames_of", Picture)
    assert frames.frames_of is not Picture


def planted(leak="", seed=0, n=N):
    """Yes/no questions with random answers, and a leak of one kind in four of five."""
    rng = np.random.default_rng(seed)
    pack = make_pack(name=f"pack-{leak or 'clean'}-{seed}")
    for number in range(n):
        yes = bool(rng.random() < (0.75 if leak == "majority" else 0.5))
        tells = yes if rng.random() < 0.8 else not yes
        test = ("Shape" if tells else "Color") if leak == "facet" else str(rng.choice(["Shape", "Color"]))
        # More motion means yes in one test, no in the other.
        moves = tells == (test == "Shape") if leak == "motion" else tells
        clip = make_clip(pack, facts={leak: moves} if leak in ("first", "last", "motion") else {})
        clip.seconds = 4 + rng.random() + (tells if leak == "length" else 0)
        clip.save()
        size = int(50_000 + 9_000 * rng.random() + (9_000 * tells if leak == "size" else 0))
        file = {"size": size, "name": f"{leak}{clip.pk}"}
        clip.renditions.update_or_create(kind=RenditionKind.ORIGINAL, defaults=file)
        text = " ".join(rng.choice(WORDS, 6))
        if leak == "words":
            text += " " + ("surely" if tells else "hardly") + f" {rng.integers(99)}"
        if leak == "template":
            text = ("Which of these {} is it: {}?" if tells else "See {} and then {}.").format(text, number)
        own = {"options": ["yes", "no"], "expected": "yes" if yes else "no", "facets": {"test": (test,)}}
        make_item(pack, clip=clip, key=f"k{number}", text=text, **own)
    return pack


def probes_of(pack):
    groups, _ = blind.groups_of(pack)
    with threadpool_limits(1):
        return blind.adjusted([probe for group in groups for probe in blind.probed(group)])


def leaks(pack):
    return {one.name for one in probes_of(pack) if one.leaks}


@pytest.mark.parametrize(
    ("leak", "probe"),
    [
        ("majority", "majority"),
        ("template", "template"),
        ("words", "words"),
        ("facet", "metadata"),
        ("first", "first-frame"),
        ("last", "last-frame"),
        ("motion", "motion"),
        ("length", "length"),
        ("size", "file-size"),
    ],
)
@pytest.mark.usefixtures("pictures")
def test_a_planted_leak_is_found_by_its_probe(leak, probe, monkeypatch):
    looked_at = {name: seen for name, seen in blind.SEEN.items() if name in (probe, "file-size")}
    monkeypatch.setattr(blind, "SEEN", looked_at)
    found = leaks(planted(leak))
    assert probe in found
    assert found <= {probe, "template"}  # a word in half of the questions is part of their template


FRAMES_TOML = """\
schema = 1
slug = "framed"
title = "Framed"
question = "Which frame tells?"
version = "1.0"
licence = "CC0"

[[kinds]]
name = "first"
answer = "yes-no"

[[kinds]]
name = "last"
answer = "yes-no"

[[kinds]]
name = "neither"
answer = "yes-no"

[[prompts]]
name = "framed-direct"
kinds = ["first", "last", "neither"]
text = "{question}"
"""


def write_framed(root, n=44):
    """Clips whose first and last frames each reveal the answers of one kind of question; a third kind has no leak."""
    rng, lines = np.random.default_rng(3), ["id,clip,kind,question,answer"]
    (root / "clips").mkdir(parents=True)
    for number in range(n):
        first, last, other = rng.random(3) < 0.5
        pixels = rng.integers(60, 120, (6, 48, 48, 3), dtype=np.uint8)
        pixels[0, :, :24] += np.uint8(90 * first)
        pixels[-1, 24:] += np.uint8(90 * last)
        write_pixels(root / "clips" / f"{number}.mp4", pixels)
        for kind, yes in (("first", first), ("last", last), ("neither", other)):
            lines.append(f"{number}-{kind},{number}.mp4,{kind},Well?,{'yes' if yes else 'no'}")
    (root / "items.csv").write_text("\n".join(lines) + "\n")
    (root / "benchmark.toml").write_text(FRAMES_TOML)
    return root


def write_pixels(path, pixels):
    with av.open(str(path), "w", format="mp4", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=12)
        stream.width, stream.height, stream.pix_fmt = pixels.shape[2], pixels.shape[1], "yuv420p"
        for one in pixels:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(one, "rgb24")))
        container.mux(stream.encode(None))


def test_frames_of_stored_clips_tell_what_they_show_and_nothing_else(tmp_path, monkeypatch):
    say("import_benchmark", write_framed(tmp_path / "framed"))
    chosen = ("first-frame", "last-frame", "file-size")
    monkeypatch.setattr(blind, "SEEN", {name: blind.SEEN[name] for name in chosen})
    probes = probes_of(Pack.objects.get(benchmark="framed"))
    assert {(one.kind, one.name) for one in probes if one.leaks} == {("first", "first-frame"), ("last", "last-frame")}
    assert {("neither", name) for name in ("first-frame", "last-frame")} <= {(one.kind, one.name) for one in probes}


@pytest.mark.usefixtures("pictures")
def test_clean_packs_stay_at_chance():
    """One pack; `make soak PART=blind` tests a hundred, and one in twenty may have a false leak."""
    packs = int(os.environ.get("BLIND_PACKS", "1"))
    wrong = sum(bool(leaks(planted(seed=seed))) for seed in range(1, packs + 1))
    print(f"{wrong} of {packs} clean packs have a false leak")
    assert wrong <= 0.05 * packs + 2 * (0.05 * 0.95 * packs) ** 0.5 - 0.4


def test_too_few_questions_are_said_and_not_measured():
    planted(n=12)
    found = told("check_benchmark", "--blind", "grasp")
    assert (found["probes"], found["leaks"]) == ([], 0)
    assert "40 are needed" in found["skipped"][0]["why"]


@pytest.mark.usefixtures("pictures")
def test_leaking_questions_stand_on_the_page_and_leave_the_board(client):
    pack = planted("length")
    by_length = {item: "yes" if item.clip.seconds > 5 else "no" for item in pack.items.all()}
    make_answers(make_run(pack, model=make_model(name="Shortcut")), by_length)
    refresh()
    empty = client.get(f"/leaderboard/grasp/blind/?pack={pack.name}").content.decode()
    assert "This pack has not been audited yet" in empty
    with pytest.raises(CommandError, match="probes answer above chance"):
        say("check_benchmark", "--blind", "grasp", pack=pack.name, stdout=(out := io.StringIO()))
    assert "binary by length" in out.getvalue()
    found = BlindAudit.objects.get()
    page = client.get(f"/leaderboard/grasp/blind/?pack={pack.name}").content.decode()
    assert "Board without them" in page
    assert found.leaks == ItemFacet.objects.filter(value="leak").count() > 80
    address = f"/leaderboard/grasp/?pack={pack.name}&format=json&rows=run"
    both, without = (client.get(address + more).json()["rows"][0]["overall"] for more in ("", "&caution=out"))
    assert (both["n"], without["n"]) == (N, N - found.leaks)
    assert both["score"] > 0.7 > 0.3 > without["score"]
    assert "Leaking questions" in client.get(f"/leaderboard/grasp/?pack={pack.name}").content.decode()
