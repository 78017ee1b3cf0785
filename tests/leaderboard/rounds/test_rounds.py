"""A round: commitment, clips on the date, revealed seed, reproducible bytes; a planted memoriser is flagged."""

import hashlib
import html
import json
import re
from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.core.management import CommandError, call_command

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.generation.generate import generate
from benchmarks.models import Pack, PackFile
from benchmarks.storage.access import withdraw
from leaderboard.models import SealedRound
from leaderboard.rounds.commitment import RoundMisused, commitment, keep_value, number_of
from leaderboard.rounds.fresh_scores import rows_of
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, make_answers, make_clip, make_item, make_model, make_pack, make_run

pytestmark = pytest.mark.django_db
SEED = "0123456789abcdef" * 4
SCENE = "ColorRed"
VALUE = "8e2c1a07d3f94b56"
SOURCE = "a beacon's first round after 2027-01-31 12:00 UTC"


@pytest.fixture
def seed_file(tmp_path):
    file = tmp_path / "seed.txt"
    file.write_text(SEED + "\n")
    return file


def commit(seed_file, day=None, **more):
    make_pack(name="public") if not Pack.objects.exists() else None
    commit_to("grasp", seed_file, day, **more)
    return SealedRound.objects.get()


def commit_to(slug, seed_file, day=None, **more):
    options = {"count": 1, "only": SCENE, "width": 64, "height": 48, "fps": 5} | more
    options |= {"seed_file": seed_file, "date": day or str(date.today()), "pack": "public", "source": SOURCE}
    call_command("sealed_round", "commit", slug, **options)


def open_it(one, seed_file, out, value=VALUE):
    call_command("sealed_round", "open", one.pk, seed_file=seed_file, out=out, value=value)


@pytest.mark.render
def test_a_round_from_its_hash_to_the_same_bytes(seed_file, tmp_path, client):
    one = commit(seed_file)
    assert one.commitment == commitment(SEED, one.definition)
    page = client.get("/leaderboard/grasp/rounds/").content.decode()
    assert one.commitment in page
    [text] = re.findall(r"<code>({&quot;.*?)</code>", page)  # sufficient for checking the hash
    assert hashlib.sha256(f"{SEED}\n{html.unescape(text)}".encode()).hexdigest() == one.commitment
    assert SEED not in page
    assert [one.definition[name] for name in ("source", "pack", "date")] == [SOURCE, "public", str(date.today())]
    assert SOURCE.replace("'", "&#x27;") in page
    open_it(one, seed_file, tmp_path / "fresh")
    with pytest.raises(CommandError, match=f"opened with the value {VALUE}"):
        open_it(one, seed_file, tmp_path / "chosen", value="f" * 16)
    call_command("sealed_round", "reveal", one.pk, seed_file=seed_file)
    assert SEED in client.get("/leaderboard/grasp/rounds/").content.decode()
    again = tmp_path / "again"
    asked = {"count": 1, "only": json.loads(json.dumps(one.definition))["only"], "size": (64, 48), "fps": 5}
    generate(BENCHMARKS["grasp"], again, seed=number_of(SEED, VALUE), jobs=1, **asked)
    made = {file.relative_to(again): file.read_bytes() for file in again.rglob("*.mp4")}
    fresh = {path: (tmp_path / "fresh" / path).read_bytes() for path in made}
    assert made == fresh != {}
    assert PackFile.objects.filter(pack__name=f"round-{one.pk}").exists()


def test_bad_seeds_and_days_are_one_sentence(seed_file, tmp_path):
    one = commit(seed_file, day=str(date.today() + timedelta(days=3)))
    with pytest.raises(CommandError, match="opens on"):
        open_it(one, seed_file, tmp_path / "x")
    with pytest.raises(CommandError, match="no clips yet"):
        call_command("sealed_round", "reveal", one.pk, seed_file=seed_file)
    seed_file.write_text("f" * 64)
    with pytest.raises(CommandError, match="not the seed"):
        open_it(one, seed_file, tmp_path / "x")
    with pytest.raises(RoundMisused, match="16 to 200 characters"):
        keep_value(one, "short")
    seed_file.write_text("short")
    with pytest.raises(CommandError, match="32 hexadecimal digits"):
        call_command("sealed_round", "reveal", one.pk, seed_file=seed_file)


def test_clips_that_are_withdrawn_after_the_opening_stand_on_the_page_and_in_the_api(client):
    packs = {"public": make_pack(name="public"), "fresh": make_pack(name="round-1")}
    facts = {"definition": {}, "commitment": "c" * 64, "date": date(2026, 1, 1), "value": VALUE}
    one = SealedRound.objects.create(**packs, **facts)
    clip = make_clip(one.fresh, key="a-telling-name")
    (row,) = client.get("/api/v1/rounds/").json()["results"]
    assert (row["value"], row["fresh"], row["withdrawn"]) == (VALUE, "round-1", [])
    assert "Withdrawn since" not in client.get("/leaderboard/grasp/rounds/").content.decode()
    withdraw(clip=clip, why="a black frame")
    (row,) = client.get("/api/v1/rounds/").json()["results"]
    assert [gone["withdrawal_note"] for gone in row["withdrawn"]] == ["a black frame"]
    page = client.get("/leaderboard/grasp/rounds/").content.decode()
    assert "1 clip</strong>" in page
    assert "a black frame" in page
    assert "a-telling-name" not in page + str(row)


def test_rounds_that_can_never_be_made_are_refused_when_they_are_committed_to(seed_file, monkeypatch):
    with pytest.raises(CommandError, match="2020-01-31 is over"):
        commit(seed_file, day="2020-01-31")
    for wrong, said in ({"count": 0}, "at least 1"), ({"fps": 0}, "fps|rate"), ({"only": "Nonsense"}, "no scene or"):
        with pytest.raises(CommandError, match=said):
            commit_to("grasp", seed_file, **wrong)
    commit_to("grasp", seed_file)
    commit_to("grasp", seed_file)
    assert SealedRound.objects.get().definition["source"] == SOURCE
    with pytest.raises(CommandError, match="take a new seed"):
        commit_to("grasp", seed_file, count=2)
    assert SealedRound.objects.count() == 1
    monkeypatch.setitem(BENCHMARKS, "grasp", replace(BENCHMARKS["grasp"], generate=""))
    with pytest.raises(CommandError, match="can't be made here"):
        commit_to("grasp", seed_file, only="")


def round_of(counts):
    """A round on a public and a fresh pack of so many clips, which a memoriser and an honest model answered."""
    packs = [make_pack(name=name) for name in ("public", "fresh")]
    for pack, count in zip(packs, counts, strict=True):
        for number in range(count):
            clip = make_clip(pack, key=f"c{number}")
            facets = {"test": ("Shape" if number % 2 else "Color",)}
            expected = "yes" if number % 4 < 2 else "no"
            make_item(pack, clip=clip, key=f"k{number}", expected=expected, facets=facets)
    for name, shares in (("Memoriser", (1.0, 0.5)), ("Honest", (0.8, 0.8))):
        model = make_model(name=name)
        for pack, share in zip(packs, shares, strict=True):
            items = enumerate(pack.items.order_by("pk"))
            other = {"yes": "no", "no": "yes"}
            right = {item: number * 7 % 60 < 60 * share for number, item in items}
            answers = {one: answer_to(one) if ok else other[answer_to(one)] for one, ok in right.items()}
            make_answers(make_run(pack, model=model), answers)
    refresh()
    facts = {"definition": {}, "commitment": "c" * 64, "date": date(2026, 1, 1)}
    return SealedRound.objects.create(public=packs[0], fresh=packs[1], **facts)


def test_a_planted_memoriser_is_flagged_and_an_honest_model_is_not(client):
    rows = {row.run.model.name: row for row in rows_of(round_of((60, 60)))}
    assert rows["Memoriser"].is_flagged
    assert not rows["Honest"].is_flagged
    assert rows["Memoriser"].gap.gap == pytest.approx(0.5)
    page = client.get("/leaderboard/grasp/rounds/").content.decode()
    assert page.count("<strong>flagged</strong>") == 1


def test_models_with_too_few_fresh_clips_are_named_without_a_gap(client):
    assert [(row.gap, row.p_holm, row.is_flagged) for row in rows_of(round_of((60, 8)))] == [(None, None, False)] * 2
    assert client.get("/leaderboard/grasp/rounds/").content.decode().count("too few clips") == 2
