"""The staff's page accepts a folder as a ZIP and checks, previews and imports it; no path escapes, size is limited."""

import errno
import io
import json
import zipfile
from dataclasses import replace

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import User
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.gallery import file_upload, folder_queue
from benchmarks.leasing import lapse, lease_end
from benchmarks.models import BenchmarkFile, FolderState, FolderUpload, Pack
from benchmarks.packs import folder_process
from benchmarks.policy import LIMITS
from benchmarks.tasks import sweep_folders
from tests.benchmarks.definitions.files.folders import write_folder
from tests.benchmarks.odd_clips import ZOO, write

pytestmark = pytest.mark.django_db
ADDRESS = "/benchmark-files/"


TOML, TABLE = "falling/benchmark.toml", "falling/items.csv"


def zipped(files, method=zipfile.ZIP_STORED):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()


@pytest.fixture
def folder(tmp_path):
    root = write_folder(tmp_path / "falling", pairs=2)
    return {f"falling/{path.relative_to(root)}": path.read_bytes() for path in root.rglob("*") if path.is_file()}


def send(client, content, button="check"):
    return client.post(ADDRESS, {"folder": SimpleUploadedFile("folder.zip", content), button: ""})


def test_it_is_checked_and_then_imported(staff, folder):
    page = send(staff, zipped(folder)).content.decode()
    assert "6 questions about 4 clips" in page
    assert "study falling-people" in page
    assert "What does it do?<br>(A) falls" in page
    assert not BenchmarkFile.objects.exists()
    done = send(staff, zipped(folder), "import")
    assert (done.status_code, done["Location"]) == (302, "/benchmarks/falling/")
    assert Pack.objects.get(benchmark="falling").items.count() == 6


def test_what_a_file_manager_put_into_the_zip_is_ignored(staff, folder):
    litter = {"__MACOSX/falling/._items.csv": b"\x00", "falling/.DS_Store": b"\x00", "falling/clips/Thumbs.db": b"\x00"}
    assert "6 questions about 4 clips" in send(staff, zipped(litter | folder)).content.decode()


@pytest.mark.parametrize("limit", ["time", "memory"])
def test_a_check_ends_at_its_limits_and_the_page_says_so(staff, folder, settings, monkeypatch, limit):
    """The limits are those of a process of its own, so that the web process loses neither."""
    if limit == "memory":
        settings.UPLOAD_MEMORY_MB = 50
    else:
        monkeypatch.setattr(folder_process, "SECONDS", 1)
        lines = (b"x%d,,plausible,Why?,,yes,,,s,drop,," % n for n in range(400_000))
        folder[TABLE] = b"\n".join([folder[TABLE].partition(b"\n")[0], *lines])
    answer = send(staff, zipped(folder))
    assert (answer.status_code, answer.context["refusal"]) == (422, folder_process.TOO_MUCH)


def test_what_was_checked_is_imported_without_being_chosen_again(staff, folder, settings):
    checked = send(staff, zipped(folder)).context["checked"]
    assert staff.post(ADDRESS, {"checked": "0" * 64, "import": ""}).status_code == 422
    done = staff.post(ADDRESS, {"checked": checked, "import": ""})
    assert (done.status_code, done["Location"]) == (302, "/benchmarks/falling/")
    assert not list((settings.MEDIA_ROOT / folder_queue.PLACE).iterdir())
    again = staff.post(ADDRESS, {"checked": checked, "import": ""})
    assert "not here any more: choose it again" in again.content.decode()


def test_another_file_chosen_after_the_check_is_the_one_imported(staff, folder):
    checked = send(staff, zipped(folder)).context["checked"]
    other = {name: data.replace(b"Falling", b"Rising") for name, data in folder.items()}
    sent = {"folder": SimpleUploadedFile("other.zip", zipped(other)), "checked": checked, "import": ""}
    assert staff.post(ADDRESS, sent).status_code == 302
    assert BENCHMARKS["falling"].title.startswith("Rising")


def test_nobody_sees_or_imports_what_somebody_else_checked(staff, folder):
    checked = send(staff, zipped(folder)).context["checked"]
    other = Client()
    other.force_login(User.objects.create_superuser("other", "other@example.org"))
    assert other.get(ADDRESS).context["upload"] is None
    assert "choose it again" in other.post(ADDRESS, {"checked": checked, "import": ""}).content.decode()


def test_mistakes_are_listed_with_line_and_key(staff, folder):
    wrong = folder[TOML].replace(b'rule = "all"', b'rule = "some"').replace(b"size = 2", b"size = 1")
    page = send(staff, zipped(folder | {TOML: wrong}), "import")
    text = page.content.decode()
    assert page.status_code == 422
    assert "2 mistakes in benchmark.toml; nothing is stored." in text
    assert "groups.rule: &quot;some&quot; is not allowed; there is: all, square, chain" in text
    assert "falling" not in BENCHMARKS


@pytest.mark.parametrize(("name", "begins"), [("benchmark.toml", b"x = "), ("items.jsonl", b"")])
def test_what_is_nested_too_deeply_is_a_mistake_like_others(staff, folder, name, begins):
    folder[TOML] = folder[TOML].replace(b"items.csv", b"items.jsonl")
    folder[f"falling/{name}"] = begins + b"[" * 9000
    page = send(staff, zipped(folder))
    assert page.status_code == 422
    assert f"1 mistake in {name}; nothing is stored." in page.content.decode()
    assert "nested too deeply" in page.content.decode()


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (["../benchmark.toml"], "outside of its folder"),
        (["clips/a.mp4"], "there is no benchmark.toml in the ZIP"),
        ([f"{number}" for number in range(LIMITS["benchmark files"].most + 1)], "2001 files; at most 2000"),
        # names that no folder can hold
        (["benchmark.toml/inner", "items.csv"], ""),
        (["clips", "clips/a.mp4"], ""),
        (["clips/a.mp4", "clips"], ""),
        (["x" * 300], ""),
        (["/".join(["x" * 200] * 30)], ""),
    ],
)
def test_a_strange_zip_is_refused(staff, files, said):
    page = send(staff, zipped(dict.fromkeys(files, b"")))
    assert page.status_code == 422
    assert said in page.content.decode()


def test_what_is_no_zip_or_too_large_is_refused(staff, folder, monkeypatch):
    assert "is no ZIP" in send(staff, b"PK\x03\x04nothing").content.decode()
    monkeypatch.setitem(LIMITS, "benchmark unpacked", replace(LIMITS["benchmark unpacked"], most=0))
    assert "more than 0 kB" in send(staff, zipped(folder)).content.decode()
    monkeypatch.setattr(file_upload, "PACKED", 0)
    assert "more than 500 MB; import it" in send(staff, zipped(folder)).content.decode()


def test_only_staff_with_the_right_may_come(visitor, client, django_user_model):
    assert visitor.get(ADDRESS).status_code == 302
    client.force_login(django_user_model.objects.create_user("ada"))
    assert client.get(ADDRESS).status_code == 403


# --- what a folder may name, and what can't be stored ---


def with_keys(folder, **items):
    """The folder whose benchmark.toml names other places for its table or its clips."""
    keys = "".join(f"{key} = {json.dumps(value)}\n" for key, value in items.items())
    return changed(folder, TOML, '[items]\nfile = "items.csv"\n', f"[items]\n{keys}")


def changed(folder, name, old, new):
    """The folder with this part of a file replaced once."""
    return folder | {name: folder[name].replace(old.encode(), new.encode(), 1)}


@pytest.mark.parametrize(
    ("items", "keys"),
    [
        ({"clips": "/"}, ["items.clips"]),
        ({"clips": ".."}, ["items.clips"]),
        ({"clips": "clips/../../other"}, ["items.clips"]),
        ({"file": "/etc/secret.csv"}, ["items.file"]),
        ({"file": "../items.csv"}, ["items.file"]),
        ({"file": "/tmp/a.jsonl", "clips": "/tmp"}, ["items.file", "items.clips"]),
        ({"file": "x" * 5000 + ".csv"}, ["items.file"]),
    ],
)
@pytest.mark.parametrize("button", ["check", "import"])
def test_no_key_leads_out_of_the_folder(staff, folder, items, keys, button):
    page = send(staff, zipped(with_keys(folder, **items)), button)
    mistakes = page.context["mistakes"]
    assert (page.status_code, [mistake.key for mistake in mistakes]) == (422, keys)
    lines = with_keys(folder, **items)[TOML].decode().splitlines()
    for mistake in mistakes:
        assert lines[mistake.line - 1].startswith(mistake.key.removeprefix("items."))
    assert not BenchmarkFile.objects.exists()


def in_json(folder, **cells):
    """The folder whose table is JSON Lines with one question."""
    row = {"id": "a", "kind": "plausible", "question": "Can it?", "answer": "yes"} | cells
    return with_keys(folder, file="items.jsonl") | {"falling/items.jsonl": json.dumps(row).encode()}


def with_clip(name):
    return lambda folder: changed(folder, TABLE, "00-1.mp4", name)


def with_cell(key, text):
    return lambda folder: in_json(folder, **{key: text})


def with_label(folder):
    folder = changed(folder, TOML, 'answer = "choice"', 'answer = "label"')
    return in_json(folder, kind="what", options=["x" * 201, "y"], answer="x" * 201)


NO_CLIPS = ("../../secret.mp4", "/etc/secret.mp4", "a\0b.mp4", "x" * 5000 + ".mp4", "x" * 121 + ".mp4")
NOT_STORED = [(key, text) for key in ("id", "question", "lead_in", "scene") for text in ("a\0b", "a\ud800b")]


@pytest.mark.parametrize(
    ("change", "line", "key"),
    [
        *((with_clip(name), 2, "clip") for name in NO_CLIPS),
        *((with_cell(key, text), 1, key) for key, text in NOT_STORED),
        (lambda folder: changed(folder, TOML, "Falling things", "a\\u0000b"), 3, "title"),
        (with_label, 1, "answer"),
        (lambda folder: folder | {TABLE: folder[TABLE] + b'x,00-1.mp4,plausible,"' + b"x" * 140_000}, 8, ""),
    ],
)
def test_a_path_out_of_the_folder_and_what_no_database_stores_are_named_by_line_and_key(
    staff, folder, change, line, key
):
    page = send(staff, zipped(change(folder)), "import")
    assert page.status_code == 422
    assert (line, key) in [(mistake.line, mistake.key) for mistake in page.context["mistakes"]]


def test_a_long_option_is_stored_where_answers_are_by_letter(staff, folder):
    assert send(staff, zipped(in_json(folder, kind="what", options=["x" * 201, "y"], answer="y"))).status_code == 200


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_zip_is_refused(staff, folder, method):
    """Its packed data are cut off inside, as by a broken download that was patched together."""
    data = bytearray(zipped({name: content * 50 for name, content in folder.items()}, method))
    data[60:100] = b"\xff" * 40
    page = send(staff, bytes(data))
    assert (page.status_code, "the ZIP is damaged" in page.content.decode()) == (422, True)


def test_a_full_disk_is_no_mistake_of_the_file(staff, folder, monkeypatch):
    def full(*which):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folder_queue, "_copy", full)
    assert send(staff, zipped(folder)).status_code == 503


# --- the queue ---


@pytest.fixture
def queued(monkeypatch):
    """The ids of folders that were sent to workers, none of which is there."""
    sent = []
    monkeypatch.setattr(folder_queue, "queue_task", lambda task, pk: sent.append(pk))
    monkeypatch.setattr(folder_queue, "WAIT", 0.0)
    return sent


@pytest.fixture
def no_reading(monkeypatch):
    """Fails where a web process reads a folder itself."""

    def read(*what, **how):
        raise AssertionError("the web process reads the folder")

    for name in ("check_within_limits", "import_folder", "unpacked"):
        monkeypatch.setattr(folder_queue, name, read)


@pytest.mark.parametrize("button", ["check", "import"])
def test_the_page_answers_before_anything_is_read(staff, folder, queued, no_reading, button):
    answer = send(staff, zipped(folder), button)
    assert (answer.status_code, answer["Location"]) == (302, ADDRESS)
    page = staff.get(ADDRESS).content.decode()
    assert "data-live-part" in page
    assert queued == [FolderUpload.objects.get().pk] == folder_queue.unread()


def test_a_worker_reads_it_later_and_the_page_shows_what_it_found(staff, folder, queued):
    send(staff, zipped(folder))
    folder_queue.carry_out(queued[0])
    assert "6 questions about 4 clips" in staff.get(ADDRESS).content.decode()
    staff.post(ADDRESS, {"checked": FolderUpload.objects.get().key, "import": ""})
    folder_queue.carry_out(queued[1])
    assert 'href="/benchmarks/falling/"' in staff.get(ADDRESS).content.decode()
    assert Pack.objects.get(benchmark="falling").items.count() == 6


def test_clips_that_the_import_changes_or_leaves_out_are_listed(staff, folder, tmp_path):
    folder["falling/clips/00-1.mp4"] = write(tmp_path / "odd.mp4", ZOO["turned by 90°"]).read_bytes()
    folder["falling/clips/00-2.mp4"] = b"no video"
    report = send(staff, zipped(folder)).context["report"]
    assert report["changes"] == [["clips/00-1.mp4", "turned by 90°"]]
    assert [where for where, _what in report["findings"]] == ["clips/00-2.mp4"]


def test_the_folder_of_a_deleted_account_is_deleted(staff, folder, queued):
    send(staff, zipped(folder))
    path = folder_queue.path_of(FolderUpload.objects.get())
    sweep_folders()
    assert default_storage.exists(path)
    User.objects.all().delete()
    sweep_folders()
    assert not default_storage.exists(path)
    assert not FolderUpload.objects.exists()


def test_another_file_waits_until_the_last_one_is_read(staff, folder, queued):
    send(staff, zipped(folder))
    assert send(staff, zipped(folder)).context["refusal"] == folder_queue.BUSY
    folder_queue.carry_out(queued[0])
    assert send(staff, zipped(folder)).status_code == 302


def test_a_folder_is_read_once_and_again_after_the_loss_of_its_worker(staff, folder, queued):
    send(staff, zipped(folder))
    upload = FolderUpload.objects.all()
    upload.update(state=FolderState.READING, attempts=1, lease_until=lease_end(60))
    folder_queue.carry_out(queued[0])
    assert (upload.get().is_open, folder_queue.unread()) == (True, [])
    lapse(upload)
    assert folder_queue.unread() == queued
    folder_queue.carry_out(queued[0])
    assert staff.get(ADDRESS).context["report"]["lines"]
    upload.update(state=FolderState.READING, attempts=2, lease_until=lease_end(-1))
    folder_queue.carry_out(queued[0])
    assert staff.get(ADDRESS).context["refusal"] == folder_queue.LOST
