"""Uploaded files: each is read in its own process, and an error names the file."""

import json
import re
import shutil

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F
from kombu.exceptions import OperationalError

from benchmarks.encoding.frames import frames
from benchmarks.leasing import lapse, take
from benchmarks.storage.store import store
from extensions.annotation.material import processing
from extensions.annotation.material.make_pack import order_pack
from extensions.annotation.material.processing import read_file, unread
from extensions.annotation.material.review import clips_of
from extensions.annotation.material.uploads import PACK, READ, FileRefused, remove_file, stored_name, take_in
from extensions.annotation.models import FileState, Material, MaterialFile
from extensions.annotation.tasks import sweep_material
from tests.benchmarks.odd_clips import NEAR, Odd, distance, write
from tests.extensions.annotation.material.conftest import FIT, send

pytestmark = pytest.mark.django_db
forked = pytest.mark.usefixtures("forked_readers")  # the other tests start their readers as a worker does


@pytest.fixture
def read(material, django_capture_on_commit_callbacks):
    def put_aside_and_read(path):
        with django_capture_on_commit_callbacks(execute=True):
            read_file(send(material, path).pk)
        return MaterialFile.objects.latest("pk")

    return put_aside_and_read


def parts(file):
    start = stored_name(file, "")
    return {name.removeprefix(start) for name in store().names(start)}


def test_a_fit_clip_is_kept_with_its_picture_and_the_file_itself_goes(material, read, videos):
    file = read(videos / "fit.mp4")
    assert (file.state, file.seconds, file.frames) == (FileState.READ, 5.0, 25)
    (clip,) = clips_of(material)
    assert clip.is_kept
    assert clip.heard["other"] == 1.0
    assert parts(file) == {"0.mp4", "0.jpg", "0.npy"}


@forked
def test_a_turned_film_is_reviewed_upright(material, read, tmp_path):
    odd = Odd("mov", turn="turned by 90°", times=tuple(number / 10 for number in range(50)), sound=5.0)
    file = read(write(tmp_path / "phone.mov", odd))
    (clip,) = clips_of(material)
    assert (file.state, clip.width, clip.height, clip.seconds) == (FileState.READ, *odd.size, 5.0)
    for frame in frames(store().local(stored_name(file, "0.mp4")), (0, 25, 49)):
        assert distance(frame.picture, frame.index, odd) < NEAR


@forked
@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("broken.mp4", "broken.mp4: not a readable video"),
        ("short.mp4", "short.mp4: is 3.0 s long: too short, 4 s at least are needed"),
        ("mute.mp4", "mute.mp4: holds no sound"),
        ("no-picture.mp4", "no-picture.mp4: holds no video"),
    ],
)
def test_a_file_that_cannot_be_used_says_why_with_its_name(read, videos, name, problem):
    file = read(videos / name)
    assert file.state == FileState.REFUSED
    assert file.problem.startswith(problem)
    assert parts(file) == set()


@forked
def test_of_two_clips_that_overlap_the_first_is_kept(material, read, videos):
    read(videos / "first.mp4")
    read(videos / "later.mp4")
    first, later = clips_of(material)
    assert first.is_kept
    ((code, sentence),) = later.reasons
    assert code == "overlap"
    assert re.fullmatch(r"2\.[01] s of it are in first\.mp4 0\.00–5\.00 s, too", sentence)


def test_a_file_whose_reader_is_lost_is_read_again_and_then_given_up(material, videos, monkeypatch):
    monkeypatch.setattr(processing, "MEGABYTES", 40)  # less than the process needs to start
    file = send(material, videos / "fit.mp4")
    assert read_file(file.pk).state == FileState.WAITING
    assert unread() == [file.pk]
    refused = read_file(file.pk)
    assert refused.state == FileState.REFUSED
    assert refused.problem == "fit.mp4: reading it took too long, or too much memory, or broke the decoder"
    assert unread() == []


def test_a_file_is_read_by_one_at_a_time_until_its_reader_falls_silent(material, videos):
    file = send(material, videos / "fit.mp4")
    assert take(MaterialFile.objects.all(), seconds=60)
    assert unread() == []
    assert read_file(file.pk) is None
    lapse(MaterialFile.objects.all())
    assert unread() == [file.pk]
    MaterialFile.objects.update(attempts=2)
    assert read_file(file.pk).problem == f"fit.mp4: {processing.LOST}"


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [("notes.txt", b"text", "notes.txt: no video by its name"), ("empty.mp4", b"", "empty.mp4: the file is empty")],
)
def test_what_is_no_video_is_not_taken_in(material, name, content, problem, settings):
    with pytest.raises(FileRefused, match=problem):
        take_in(material=material, name=name, chunks=[content])
    assert not MaterialFile.objects.exists()
    assert list((settings.MEDIA_ROOT / "material").glob("*")) == []


def test_a_file_that_is_taken_out_leaves_nothing(reviewed):
    file = reviewed.files.first()
    remove_file(file)
    assert parts(file) == set()
    assert len(clips_of(reviewed)) == 2


@forked
def test_the_command_reads_names_what_is_wrong_and_makes_the_pack(videos, capsys, db, tmp_path):
    again = shutil.copy(videos / "fit.mp4", tmp_path / "again.mp4")
    files = [*(str(videos / f"{name}.mp4") for name in ("fit", "rubbed", "silent", "short")), str(again)]
    with pytest.raises(CommandError, match="1 of 5 files can't be used") as error:
        call_command("gather_material", "wood", *files, "--make-pack", "--json")
    assert error.value.returncode == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["clips"], told["kept"], told["pack"]) == (3, 2, "wood")
    assert told["dropped"] == {"silence": 1}
    assert [problem["where"] for problem in told["problems"]] == ["short.mp4"]
    assert told["here_already"] == [{"file": "again.mp4", "as": "fit.mp4", "clips": 1, "kept": 1}]
    (dropped,) = MaterialFile.objects.get(name="silent.mp4").clips.all()
    assert dropped.reasons[0] == ["silence", "silence: 100 % of its time (at most 20 %)"]


def told_of(capsys, *arguments):
    call_command("gather_material", "wood", *map(str, arguments))
    return capsys.readouterr().out


def test_the_same_files_once_more_change_nothing_and_say_where_their_clips_are(reviewed, videos, capsys, settings):
    settings.SITE_URL = "https://site.example"
    files = [videos / f"{name}.mp4" for name in ("fit", "rubbed", "talks")]
    first = told_of(capsys, *files, "--make-pack")
    stands = list(reviewed.files.values()), [(clip.pk, clip.is_kept) for clip in clips_of(reviewed)]
    assert told_of(capsys, *files, "--make-pack") == first  # the pack exists by now, and the task succeeds again
    assert (list(reviewed.files.values()), [(clip.pk, clip.is_kept) for clip in clips_of(reviewed)]) == stands
    assert (
        "3 of 3 files are here already, and nothing of them was changed: fit.mp4: 1 clip, 1 kept; rubbed.mp4: 1 clip, "
        "1 kept; talks.mp4: 1 clip, 0 kept. Their clips: https://site.example/material/wood/"
    ) in first
    assert "wood: 2 of 3 clips kept, pack wood" in first


def test_beside_what_is_here_a_new_file_is_refused_once_the_pack_is_made(reviewed, videos, capsys):
    told_of(capsys, "--make-pack")
    with pytest.raises(CommandError, match="1 of 2 files can't be used") as error:
        told_of(capsys, videos / "fit.mp4", videos / "silent.mp4", "--make-pack")
    assert error.value.returncode == 1
    told = capsys.readouterr().out
    assert "silent.mp4: the pack of wood is made, nothing can be added any more" in told
    assert "1 of 2 files is here already" in told


@forked
def test_what_could_not_be_used_before_still_cannot(material, read, videos, tmp_path, capsys):
    read(videos / "short.mp4")
    again = shutil.copy(videos / "short.mp4", tmp_path / "again.mp4")
    with pytest.raises(CommandError, match="1 of 1 files can't be used"):
        told_of(capsys, again)
    assert "again.mp4: is 3.0 s long: too short" in capsys.readouterr().out


@forked
def test_a_file_that_came_before_and_was_never_read_is_read(material, videos, capsys):
    send(material, videos / "fit.mp4")
    assert "fit.mp4: 1 clip, 1 kept" in told_of(capsys, videos / "fit.mp4")
    assert MaterialFile.objects.get().state == FileState.READ


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["wood", "/nowhere/clip.mp4"], "/nowhere/clip.mp4: no such file"),
        (["No Name"], "'No Name' is no name"),
        (["wood", "--seed", "-1"], "--seed -1: must be at least 0"),
        (["wood", "--make-pack"], "there is no material wood: name a file to begin it with"),
        (["wood", "--shortest", "9"], "there is no material wood"),
    ],
)
def test_a_mistake_of_the_caller_is_one_clear_line(db, arguments, message):
    with pytest.raises(CommandError, match=message) as error:
        call_command("gather_material", *arguments)
    assert error.value.returncode == 2


@forked
def test_a_slip_leaves_no_entry(db, videos, tmp_path, capsys):
    text = tmp_path / "notes.txt"
    text.write_text("no video")
    with pytest.raises(CommandError, match="1 of 1 files can't be used"):
        call_command("gather_material", "wod", str(text))
    with pytest.raises(CommandError, match="1 of 1 files can't be used"):
        call_command("gather_material", "wod", str(videos / "short.mp4"))
    with pytest.raises(CommandError, match="the shortest clip can't last 9 s"):
        call_command("gather_material", "wod", str(text), "--shortest", "9")
    assert not Material.objects.exists()
    assert list(store().names("material/")) == []


@forked
def test_clips_of_three_seconds_are_gathered_where_the_material_says_so(db, videos, capsys):
    call_command("gather_material", "tapped", str(videos / "short.mp4"), "--shortest", "3")
    assert Material.objects.get().shortest == 3
    assert "tapped: 1 of 1 clips kept" in capsys.readouterr().out


def test_the_sweep_wakes_for_what_waits_and_a_queue_that_is_away_loses_nothing(reviewed, videos, monkeypatch, caplog):
    file = send(reviewed, videos / "silent.mp4")
    sent = []
    monkeypatch.setattr("celery.current_app.send_task", lambda task, args, **_: sent.append((task, args)))
    sweep_material()
    assert sent == [(READ, [file.pk])]
    file.delete()
    production = order_pack(reviewed)
    sweep_material()
    assert sent[1:] == [(PACK, [production.pk])]

    def gone(*_, **__):
        raise OperationalError("no broker")

    monkeypatch.setattr("celery.current_app.send_task", gone)
    sweep_material()
    assert "waits for the sweep" in caplog.text


def test_a_reader_that_was_given_up_stores_nothing(material, videos, monkeypatch):
    file = send(material, videos / "fit.mp4")
    clip = {"start": 0, "end": 5, "shot": 0, "seconds": 5, "width": 128, "height": 72, "heard": FIT}
    found = {"seconds": 5.0, "fps": 5.0, "frames": 25, "is_clip": True, "clips": [clip]}

    def taken_by_another(file, folder, progress):
        MaterialFile.objects.filter(pk=file.pk).update(epoch=F("epoch") + 1)
        return {"found": found}

    monkeypatch.setattr(processing, "_read_by_child", taken_by_another)
    read_file(file.pk)
    assert clips_of(material) == []
    assert MaterialFile.objects.get().state == FileState.READING
