import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import call_command
from django.db import connection

from benchmarks.commands import CallerMistake
from benchmarks.disclosure import hide, show
from benchmarks.models.answers import ItemSeal
from humantrials.models import Trial
from leaderboard.models import RankTest, Snapshot
from leaderboard.publications.snapshot import digest
from leaderboard.publications.snapshot_verification import differences_in
from leaderboard.standings.refresh import refresh
from tests.leaderboard.conftest import answered

pytestmark = pytest.mark.django_db


@pytest.fixture
def frozen(board, tmp_path):
    """The Level-1 board of two models, with an unparsed reply and two seeds."""
    answered(board[0].pack, lambda item: None if item.variant == "true" else "no", "Mumbler", seeds=[0])
    call_command("snapshot", "make", "grasp", out=tmp_path / "board.json", verbosity=0)
    return tmp_path / "board.json"


@pytest.fixture
def frozen_people(physics, study, tmp_path):
    answered(physics, "yes")
    call_command("snapshot", "make", "grasp", out=tmp_path / "people.json", level="2", group="concept")
    return tmp_path / "people.json"


def test_every_number_and_rank_follows_from_the_answers_and_a_changed_name_is_found(frozen):
    content = json.loads(frozen.read_text())
    assert len(content["rows"]) == 3
    assert differences_in(content) == []
    clips, ids = ([item[name] for item in content["items"]] for name in ("clip", "id"))
    assert (len(ids), ids) == (16, sorted(ids))
    assert list(dict.fromkeys(clips)) == list(range(8))
    # Two right answers on each of eight clips, against one and against one or none: overlapping but separated.
    content = json.loads(frozen.read_text())
    assert content["ranks"] == "simultaneous"
    assert {row["name"]: row["rank"] for row in content["rows"]} == {"Right": [1, 1], "Yes": [2, 3], "Mumbler": [2, 3]}
    content["rows"] = [row | {"rank": [1, 3]} for row in content["rows"]]
    content["sha256"] = digest(content)
    assert len(differences_in(content)) == 3
    # a changed name is found by the digest
    content = json.loads(frozen.read_text())
    content["rows"][0]["name"] = "A better model"
    assert differences_in(content) == ["the digest: the content differs from what was frozen"]


def test_ranks_that_are_not_all_tested_yet_are_not_frozen(frozen, tmp_path):
    [test] = RankTest.objects.all()
    test.runs, test.packed = test.runs[:1], b"\0"  # a row was added since the last refresh
    test.save()
    with pytest.raises(CallerMistake, match="still being computed"):
        call_command("snapshot", "make", "grasp", out=tmp_path / "mixed.json", verbosity=0)


def test_people_are_votes_an_item_and_their_numbers_follow_too(frozen_people):
    text = frozen_people.read_text()
    content = json.loads(text)
    [people] = [row for row in content["rows"] if row["kind"] == "human"]
    assert people["overall"]["score"] == pytest.approx(5 / 6)
    assert sum(sum(counts.values()) for _, counts in people["votes"]) == 18
    assert differences_in(content) == []
    assert "study-0" not in text  # no participant's code
    # a changed vote is found
    content = json.loads(frozen_people.read_text())
    [people] = [row for row in content["rows"] if row["kind"] == "human"]
    people["votes"][0][1] = {"yes": 0, "no": 3} if "yes" in people["votes"][0][1] else {"yes": 3}
    assert differences_in(content | {"sha256": digest(content)})


def test_a_tie_counts_half(physics, study, tmp_path):
    item = physics.items.get(key="clip0")
    study.judgments.filter(item=item, participant__code="study-2").delete()
    study.judgments.filter(item=item, participant__code="study-1").update(answer="yes")
    Trial.objects.update(answers_version=2)
    answered(physics, "yes")
    call_command("snapshot", "make", "grasp", out=tmp_path / "board.json", level="2")
    content = json.loads((tmp_path / "board.json").read_text())
    assert differences_in(content) == []
    [people] = [row for row in content["rows"] if row["kind"] == "human"]
    assert people["overall"]["score"] == pytest.approx(4.5 / 6)


def test_simulated_people_are_left_out(physics, study, tmp_path):
    study.is_simulated = True
    study.save()
    answered(physics, "yes")
    call_command("snapshot", "make", "grasp", out=tmp_path / "board.json", level="2")
    content = json.loads((tmp_path / "board.json").read_text())
    assert [row["kind"] for row in content["rows"]] == ["run"]


def changed(content, change):
    change(content)
    return content | {"sha256": digest(content)}  # a forger can also compute a new digest


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda c: c["rows"][0]["overall"].update(score=0.99), "overall: score is stored as 0.99"),
        (lambda c: c["rows"][1]["cells"]["Shape"].update(high=0.7), "Shape: high is stored as 0.7"),
        (lambda c: c["rows"][0]["answers"][0].__setitem__(2, 0.5), "overall: score"),
        (lambda c: c["rows"][0].update(rank=[3, 3]), "the rank is stored as [3, 3], but the answers give"),
        (lambda c: c["rows"][0]["answers"].pop(), "n is stored as 16"),
        (lambda c: c["items"][0].update(expected="maybe"), "it can't be computed"),
    ],
)
def test_a_changed_number_or_answer_is_found(frozen, change, told):
    found = differences_in(changed(json.loads(frozen.read_text()), change))
    assert any(told in each for each in found), found


def test_the_signature_shows_whose_snapshot_it_is(frozen, visitor, capsys):
    content = json.loads(frozen.read_text())
    key = visitor.get("/snapshots/key/").content.decode().strip()
    assert key == content["key"]
    assert key in visitor.get(Snapshot.objects.get().get_absolute_url()).content.decode()
    call_command("snapshot", "verify", str(frozen), key=key, sha256=content["sha256"])
    assert f"The owner of the key {key} signed them" in capsys.readouterr().out
    call_command("snapshot", "verify", str(frozen))
    assert "Give --key" in capsys.readouterr().out
    other = Ed25519PrivateKey.generate()
    forged = changed(content, lambda c: c.update(made="2020-01-01T00:00:00+00:00"))
    forged |= {"key": other.public_key().public_bytes_raw().hex()}
    forged |= {"signature": other.sign(bytes.fromhex(forged["sha256"])).hex()}
    assert differences_in(forged) == []  # consistent, but somebody else's
    assert differences_in(forged, key=key) == [f"the signature is not by the owner of the key {key}"]
    assert "the digest is" in differences_in(forged, sha256=content["sha256"])[0]


def test_a_difference_ends_with_1_and_verifying_asks_no_database(frozen, capsys, django_assert_num_queries):
    with django_assert_num_queries(0):
        call_command("snapshot", "verify", str(frozen))
    assert "every number follows" in capsys.readouterr().out
    assert connection.vendor  # the connection exists and was not used
    content = json.loads(frozen.read_text())
    content["rows"][0]["overall"]["score"] = 0.1
    frozen.write_text(json.dumps(content))
    with pytest.raises(SystemExit) as ended:
        call_command("snapshot", "verify", str(frozen))
    assert ended.value.code == 1


EMPTY = {"format": "benchsite-snapshot", "version": 1, "items": [], "rows": [{}]}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "Expecting value"),
        ("[]", "no benchsite-snapshot"),
        ('{"format": "benchsite-snapshot", "version": 9}', "9"),
        ('{"format": "benchsite-snapshot", "version": 1}', "it lacks items, rows, sha256, key, signature"),
        (json.dumps(dict.fromkeys(("sha256", "key", "signature"), "") | EMPTY), "invalid form at"),
    ],
)
def test_what_is_no_snapshot_is_one_clear_line(tmp_path, text, told):
    (tmp_path / "file.json").write_text(text)
    with pytest.raises(CallerMistake, match=told):
        call_command("snapshot", "verify", str(tmp_path / "file.json"))
    with pytest.raises(CallerMistake, match="No such file"):
        call_command("snapshot", "verify", str(tmp_path / "nothing.json"))


@pytest.mark.parametrize(
    ("slug", "more", "told"),
    [("chess", {}, "chess"), ("grasp", {"level": "9"}, "level"), ("grasp", {"pack": "none"}, "none")],
)
def test_a_view_that_does_not_exist_is_not_frozen(board, tmp_path, slug, more, told):
    with pytest.raises(CallerMistake, match=told):
        call_command("snapshot", "make", slug, out=tmp_path / "x.json", **more)
    assert not (tmp_path / "x.json").exists()
    assert not Snapshot.objects.exists()


def test_an_empty_board_has_nothing_to_freeze(db, tmp_path, visitor):
    with pytest.raises(CallerMistake, match="nothing to freeze"):
        call_command("snapshot", "make", "grasp", out=tmp_path / "x.json")
    # without one the list says how
    assert "snapshot make" in visitor.get("/snapshots/").content.decode()
    assert visitor.get("/snapshots/none/").status_code == 404


def test_it_has_an_address_that_stays_when_the_board_moves(frozen, visitor, board):
    [kept] = Snapshot.objects.all()
    before = visitor.get(kept.get_absolute_url()).content
    answered(board[0].pack, "no", "Newcomer")
    refresh()
    assert visitor.get(kept.get_absolute_url()).content == before
    assert b"Newcomer" not in before
    assert b"Mumbler" in before
    assert f"@misc{{{kept.slug},".encode() in before
    assert kept.slug in visitor.get("/snapshots/").content.decode()
    assert json.loads(visitor.get(f"{kept.get_absolute_url()}file/").content)["sha256"] == kept.sha256


def test_the_file_of_a_board_is_closed_while_a_study_asks_what_it_holds(client, physics, tmp_path):
    answered(physics, "yes")
    call_command("snapshot", "make", "grasp", out=tmp_path / "board.json", level="2")
    slug = Snapshot.objects.get().slug
    assert client.get(f"/snapshots/{slug}/file/").status_code == 200
    hide(physics.items.filter(kind="plausibility").values_list("pk", flat=True)[:1], by="trial:fresh")
    closed = client.get(f"/snapshots/{slug}/file/")
    assert (closed.status_code, "once the study" in closed.content.decode()) == (403, True)
    assert "expected" not in closed.content.decode()
    assert client.get(f"/snapshots/{slug}/").status_code == 200
    show(by="trial:fresh")
    assert client.get(f"/snapshots/{slug}/file/").json()["items"]


def test_items_that_an_open_study_seals_are_not_frozen(board, tmp_path):
    ItemSeal.objects.create(item=board[0].pack.items.first(), by="trial:one")
    with pytest.raises(CallerMistake, match="sealed by an open study"):
        call_command("snapshot", "make", "grasp", out=tmp_path / "board.json", verbosity=0)
    assert not (tmp_path / "board.json").exists()
    assert not Snapshot.objects.exists()
