"""The archive of a pack: the same bytes whole or by range, only public content, and a scorer that agrees with ours."""

import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import mlcroissant
import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models.answers import ItemSeal
from benchmarks.packs.import_release import import_release
from evaluation.models import Score
from leaderboard.pages.publications import pack_archives
from leaderboard.publications import score_replies
from leaderboard.publications.pack_archive import archive_of
from tests.benchmarks.grasp_release import write_release
from tests.factories import make_answer, make_model, make_run

pytestmark = pytest.mark.django_db
ADDRESS = "/benchmarks/grasp/pack.tar?pack=small"


@pytest.fixture
def small(tmp_path):
    scenes = ("ColorRed", "P_Gravity", "IP_Gravity")
    return import_release(BENCHMARKS["grasp"], write_release(tmp_path / "release", scenes), pack_name="small").pack


def fetched(visitor, **headers):
    response = visitor.get(ADDRESS, headers=headers)
    return response, b"".join(response.streaming_content) if response.streaming else b""


def files_in(content):
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        found = {one.name: archive.extractfile(one).read() for one in archive.getmembers()}
    return {name.removeprefix("grasp-small/"): content for name, content in found.items()}


def rows(content):
    return [json.loads(line) for line in content.splitlines()]


def test_it_holds_all_that_its_sums_list_and_an_interrupted_download_goes_on(visitor, small):
    response, content = fetched(visitor)
    assert int(response["Content-Length"]) == len(content)
    files = files_in(content)
    listed = dict(reversed(line.split("  ")) for line in files["SHA256SUMS"].decode().splitlines())
    assert listed == {name: hashlib.sha256(text).hexdigest() for name, text in files.items() if name != "SHA256SUMS"}
    named = {row["clip"] for row in rows(files["items.jsonl"]) if row["clip"]}
    assert named == {name for name in files if name.startswith("clips/")}
    assert len(rows(files["answers.jsonl"])) == len(rows(files["items.jsonl"])) == small.items.count()
    described = json.loads(files["croissant.json"])
    sums = {one["@id"]: one["sha256"] for one in described["distribution"] if "sha256" in one}
    assert sums == {name: listed[name] for name in ("items.jsonl", "answers.jsonl")}
    # an interrupted download goes on
    whole = fetched(visitor)[1]
    for start in (0, 511, 512, 5000, -1024):
        response, rest = fetched(visitor, range=f"bytes={start}-" if start >= 0 else f"bytes={start}")
        assert (response.status_code, rest) == (206, whole[start:])
        assert response["Content-Range"].endswith(f"/{len(whole)}")
    # the page of a benchmark offers it with its size
    page = visitor.get("/benchmarks/grasp/").content.decode()
    assert 'href="/benchmarks/grasp/pack.tar?pack=small"' in page
    assert visitor.get("/benchmarks/grasp/pack.tar?pack=none").status_code == 404


def unpack(archive: bytes, folder: Path) -> None:
    (folder / "pack.tar").write_bytes(archive)
    shutil.unpack_archive(folder / "pack.tar", folder)


def test_mlcroissant_reads_it_without_a_warning(visitor, small, tmp_path, caplog):
    unpack(fetched(visitor)[1], tmp_path)
    data = mlcroissant.Dataset(tmp_path / "grasp-small" / "croissant.json")
    assert not data.metadata.issues.errors | data.metadata.issues.warnings
    assert [one.getMessage() for one in caplog.records if one.name in ("absl", "root")] == []
    for name in ("items", "answers"):
        assert len(list(data.records(name))) == small.items.count()
    shown = {one["items/clip"] for one in data.records("items")} - {None}
    assert {name.decode() for name in shown} == {f"clips/{path.name}" for path in tmp_path.glob("grasp-small/clips/*")}


def test_a_part_of_another_content_is_not_appended(visitor, small):
    tag = fetched(visitor)[0]["ETag"]
    assert fetched(visitor, range="bytes=600-", **{"if-range": tag})[0].status_code == 206
    ItemSeal.objects.create(item=small.items.filter(media__isnull=False).first(), by="trial:other")
    changed = fetched(visitor, range="bytes=600-", **{"if-range": tag})[0]
    assert (changed.status_code, changed["ETag"] == tag) == (200, False)


def test_nothing_of_an_open_study_and_no_withheld_answer_is_in_it(visitor, small):
    asked = small.items.filter(media__isnull=False).order_by("pk")
    sealed, withheld = asked.first(), asked.exclude(media__clip=asked.first().clip).first()
    ItemSeal.objects.create(item=sealed, by="trial:other")
    ItemSeal.objects.create(item=withheld, by=WITHHELD)
    files = files_in(fetched(visitor)[1])
    for item in (sealed, withheld):
        assert item.public_id not in files["answers.jsonl"].decode()
        assert f"clips/{item.clip.displayed_file.name}" not in files
    questions = {row["item"]: row["clip"] for row in rows(files["items.jsonl"])}
    assert sealed.public_id not in questions
    assert questions[withheld.public_id] is None
    assert "1 questions of a study that is open, 1 answers that are withheld" in files["README.md"].decode()


def test_clips_that_belong_to_others_are_not_in_it(visitor, small, monkeypatch):
    monkeypatch.setattr("benchmarks.disclosure.doors.policy_of", lambda pack: "participants")
    files = files_in(fetched(visitor)[1])
    assert not [name for name in files if name.startswith("clips/")]
    assert not any(row["clip"] for row in rows(files["items.jsonl"]))


def test_its_scorer_says_what_the_site_says(small, tmp_path):
    run = make_run(small, strategy="plausibility", model=make_model(name="Says much"))
    replies = ("Yes.", "no", "Yes or no", "It is plausible")
    items = list(small.items.filter(kind="plausibility").order_by("pk"))
    lines = [{"strategy": "plausibility"}]
    for number, item in enumerate(items):
        lines.append({"item": item.public_id, "reply": replies[number % len(replies)]})
        make_answer(run, item, "yes" if number % len(replies) == 0 else "no" if number % len(replies) == 1 else "")
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, lines)))
    unpack(whole_of(small), tmp_path)
    asked = [sys.executable, "-S", tmp_path / "grasp-small/scorer/score_replies.py", tmp_path / "mine.jsonl"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False, cwd=tmp_path)  # -S: nothing installed
    of_site = list(Score.objects.counting().filter(reading__response__cell__run=run).values_list("value", flat=True))
    expected = f"all {100 * sum(of_site) / len(of_site):.1f} % of {len(items)}"
    assert " ".join(said.stdout.splitlines()[0].split()) == expected, said.stderr


def test_its_scorer_names_the_line_that_it_cannot_read(small, tmp_path):
    unpack(whole_of(small), tmp_path)
    for text, said in {
        "": "line 1: no header",
        '{"strategy": "magic"}': "line 1: no strategy 'magic'; there is: binary",
        '{"strategy": "binary"}\n{"item": "x"}': "line 2: item 'x' is not in this pack",
        '{"strategy": "binary"}\n{': "mine.jsonl, line 2: ",
        '{"strategy": "binary"}\n' + "[" * 5000: "mine.jsonl, line 2: ",
        '{"strategy": "binary"}\n' + "9" * 5000: "mine.jsonl, line 2: ",
    }.items():
        (tmp_path / "mine.jsonl").write_text(text)
        with pytest.raises(score_replies.BadReplies, match=said):
            score_replies.scored(tmp_path / "mine.jsonl", tmp_path / "grasp-small")


def whole_of(pack):
    archive, _tag = archive_of(BENCHMARKS["grasp"], pack)
    return b"".join(archive.pieces(0, archive.size - 1))


def test_too_many_downloads_at_once_wait_and_each_gives_its_place_back(visitor, small):
    open_ones = [visitor.get(ADDRESS) for _ in range(pack_archives.AT_ONCE)]
    refused = visitor.get(ADDRESS)
    assert (refused.status_code, refused["Retry-After"]) == (503, "60")
    assert visitor.head(ADDRESS).status_code == 200
    for response in open_ones:
        response.close()
    assert [visitor.get(ADDRESS, headers={"range": "bytes=999999999-"}).status_code for _ in range(5)] == [416] * 5
    assert fetched(visitor)[0].status_code == 200
