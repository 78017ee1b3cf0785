"""Clips in an S3-compatible store: the same bytes for the same people as from a folder, and a message if it is away."""

import io
import os
import socket

import pytest
from django.conf import settings as site_settings
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.core.management.base import CommandError

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure.doors import signed_address
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.errors import StoreAway
from benchmarks.models import Clip, Item, Pack, Rendition, RenditionKind
from benchmarks.models.answers import ItemSeal
from benchmarks.packs.export import export_pack
from benchmarks.packs.import_release import import_release
from benchmarks.storage.access import decodable, muted, withdraw
from benchmarks.storage.s3 import COPIES
from benchmarks.storage.store import sha256_of, staging, store
from evaluation.errors import ClipUnreadable
from evaluation.inputs.frames import frames_of
from evaluation.models import UploadState
from evaluation.submissions.files.rows import Spool
from evaluation.submissions.lint.check import LintReport
from evaluation.submissions.lint.reports import find, store_report
from evaluation.submissions.store import upload_queue
from evaluation.workers.failures import code_of
from extensions.annotation.material.processing import read_file
from extensions.annotation.material.uploads import begin_material, remove_file, take_in
from tests.benchmarks.grasp_release import write_release, write_trajectories
from tests.deployment.bucket import client, closed_port, point_to
from tests.extensions.annotation.analysis.sounds import taps, write_video

pytestmark = pytest.mark.django_db
SCENES = ("ColorRed", "P_Gravity")


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    root = write_release(tmp_path_factory.mktemp("release"), SCENES, 1)
    write_trajectories(root)
    return root


@pytest.fixture
def keys(settings, object_store):
    """Store this site's media in a bucket; returns the bucket's keys."""
    point_to(settings, object_store)
    bucket = client(object_store)

    def held() -> set[str]:
        return {found["Key"] for found in bucket.list_objects_v2(Bucket="clips").get("Contents", ())}

    for key in held():
        bucket.delete_object(Bucket="clips", Key=key)
    return held


@pytest.fixture
def pack(keys, release) -> Pack:
    return import_release(BENCHMARKS["grasp"], release, pack_name="small").pack


@pytest.fixture
def original(pack) -> Rendition:
    return Rendition.objects.filter(clip__pack=pack, kind=RenditionKind.ORIGINAL)[0]


@pytest.fixture
def slow():
    """A store that accepts connections and never answers."""
    with socket.socket() as never:
        never.bind(("127.0.0.1", 0))
        never.listen()
        yield f"http://127.0.0.1:{never.getsockname()[1]}"


def body(response) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


def test_an_import_is_in_the_bucket_whole_and_nowhere_else(pack, keys):
    names = {f"clips/{name}" for name in Rendition.objects.values_list("name", flat=True)}
    motions = set(Clip.objects.values_list("trajectory", flat=True))
    assert len(motions) == 2
    assert keys() == names | motions
    assert [path for path in site_settings.MEDIA_ROOT.rglob("*") if path.is_file()] == []


def test_an_import_that_can_not_be_stored_whole_leaves_nothing(keys, release, monkeypatch):
    from benchmarks.storage import s3 as object_store

    sent, send = [], object_store._send

    def fails_late(client, bucket, path, name):
        if len(sent) == 4:
            raise StoreAway("the media store is slow or away: EndpointConnectionError")
        sent.append(name)
        send(client, bucket, path, name)

    monkeypatch.setattr(object_store, "AT_ONCE", 1)
    monkeypatch.setattr(object_store, "_send", fails_late)
    with pytest.raises(StoreAway):
        import_release(BENCHMARKS["grasp"], release, pack_name="small")
    assert len(sent) == 4
    assert keys() == set()
    assert not Pack.objects.exists()


PARTS = (
    ("", 200, slice(None)),
    ("bytes=0-0", 206, slice(0, 1)),
    ("bytes=100-199", 206, slice(100, 200)),
    ("bytes=-500", 206, slice(-500, None)),
    ("bytes=999999999-", 416, slice(0, 0)),
)


def test_a_clip_is_served_from_the_bucket_in_the_part_asked_for(visitor, original):
    whole = store().local(f"clips/{original.name}").read_bytes()
    assert len(whole) == original.size
    for asked, status, part in PARTS:
        response = visitor.get(original.get_absolute_url(), headers={"Range": asked} if asked else {})
        assert (response.status_code, body(response)) == (status, whole[part]), asked
        assert "Last-Modified" not in response
        assert response["Accept-Ranges"] == "bytes"


def test_what_is_not_in_the_bucket_is_not_found(visitor, original):
    store().remove([f"clips/{original.name}"])
    assert visitor.get(original.get_absolute_url()).status_code == 404
    assert visitor.head(original.get_absolute_url()).status_code == 404
    with pytest.raises(ClipUnreadable):
        frames_of(original.clip)


def test_who_has_a_signed_address_gets_a_clip_of_a_hidden_split(visitor, original):
    for item in Item.objects.filter(media__clip=original.clip):
        ItemSeal.objects.create(item=item, by=WITHHELD)
    assert visitor.get(original.get_absolute_url()).status_code == 404
    assert len(body(visitor.get(signed_address(original)))) == original.size


def test_frames_and_forms_are_made_from_a_copy_and_forms_go_to_the_bucket(original, keys):
    assert len(frames_of(original.clip).indices) == 8
    copy = decodable(original.clip)
    assert copy.is_relative_to(COPIES.root())
    assert sha256_of(copy) == original.sha256
    silent = muted(original.clip)
    assert f"clips/{silent.name}" in keys()
    assert sha256_of(store().local(f"clips/{silent.name}")) == silent.sha256


def test_copies_never_take_more_than_their_bound(keys, settings):
    settings.CACHE_MB = 1
    room = 0
    for number in range(4):
        with staging() as folder:
            made = folder / f"{number}.bin"
            made.write_bytes(os.urandom(400_000))
            store().put({made: f"clips/{number}.bin"})
        assert store().local(f"clips/{number}.bin").stat().st_size == 400_000
        room = sum(path.stat().st_size for path in COPIES.root().glob("*/*"))
        assert room <= 1_000_000
    assert room == 800_000
    assert not (COPIES.root() / "clips/0.bin").exists()


def test_a_withdrawn_clip_leaves_the_bucket_and_this_machine(original, keys):
    clip = original.clip
    frames_of(clip), muted(clip)
    with staging() as folder:
        made = folder / "variation.mp4"
        made.write_bytes(b"filmed")
        store().put({made: f"variations/{clip.trajectory.rpartition('/')[2].partition('.')[0]}-3.mp4"})
    gone = {f"clips/{each.name}" for each in clip.renditions.all()} | {clip.trajectory}
    assert gone < keys()
    others = keys() - gone - {key for key in keys() if key.startswith("variations/")}
    withdraw(clip=Clip.objects.get(pk=clip.pk), why="its rights ended")
    assert keys() == others
    assert not [path for path in COPIES.root().glob("*/*") if path.name == original.name]


def test_a_clip_can_not_be_withdrawn_while_its_files_can_not(original, settings, keys):
    point_to(settings, closed_port())
    with pytest.raises(StoreAway):
        withdraw(clip=Clip.objects.get(pk=original.clip_id), why="its rights ended")
    assert Clip.objects.get(pk=original.clip_id).withdrawn_at is None
    assert Rendition.objects.filter(pk=original.pk).exists()


def test_a_pack_taken_along_holds_the_same_files(pack, tmp_path):
    counts = export_pack(BENCHMARKS["grasp"], pack, tmp_path / "out", with_truth=True)
    assert counts["clips"] == counts["ground_truth"] == 2
    for rendition in Rendition.objects.filter(kind=RenditionKind.ORIGINAL):
        assert sha256_of(tmp_path / "out/clips" / rendition.name) == rendition.sha256


@pytest.mark.parametrize("away", ["absent", "slow"])
def test_a_store_that_is_away_is_told_in_words(visitor, original, settings, away, slow):
    point_to(settings, slow if away == "slow" else closed_port())
    page = visitor.get(original.get_absolute_url())
    assert (page.status_code, page["Retry-After"]) == (503, "5")
    assert "The site is busy just now" in page.content.decode()
    with pytest.raises(StoreAway, match="the media store is slow or away: ") as told:
        frames_of(original.clip)
    assert code_of(told.value) == "store-away"
    assert visitor.get("/benchmarks/grasp/").status_code == 200


def test_a_command_that_finds_the_store_away_says_so_and_leaves_nothing(pack, settings, tmp_path):
    point_to(settings, closed_port())
    with pytest.raises(CommandError, match="the media store is slow or away"):
        call_command("export_benchmark", "grasp", "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_key_that_the_store_refuses_is_told(keys, monkeypatch):
    from botocore.exceptions import ClientError

    def refuses(**asked):
        raise ClientError({"Error": {"Code": "InvalidAccessKeyId"}}, "HeadObject")

    monkeypatch.setattr(default_storage.client, "head_object", refuses)
    with pytest.raises(StoreAway, match="the media store refuses: InvalidAccessKeyId"):
        store().size("clips/any.mp4")


def test_material_for_annotation_is_in_the_bucket_for_every_machine_to_read(
    keys, tmp_path, django_capture_on_commit_callbacks
):
    video = tmp_path / "fit.mp4"
    write_video(video, ((5, 0),), taps(seconds=5))
    file = take_in(material=begin_material(slug="wood"), name="fit.mp4", chunks=[video.read_bytes()])
    assert keys() == {f"material/{file.place}-source"}
    with django_capture_on_commit_callbacks(execute=True):
        file = read_file(file.pk)
    assert file.problem == ""
    assert keys() == {f"material/{file.place}-0.{kind}" for kind in ("mp4", "jpg", "npy")}
    elsewhere = [path for path in site_settings.MEDIA_ROOT.rglob("*") if path.is_file()]
    assert all(path.is_relative_to(COPIES.root()) for path in elsewhere)
    remove_file(file)
    assert keys() == set()


def test_reports_on_uploads_are_kept_in_the_bucket_for_a_week(submitter, keys):
    report = LintReport()
    key = store_report(report=report, user=submitter.user, name="mine.jsonl")
    assert f"uploads/reports/{key}.json" in keys()
    assert find(key=key, user=submitter.user)["name"] == "mine.jsonl"
    assert find(key="0" * 32, user=submitter.user) is None


def test_a_large_upload_waits_in_the_bucket_and_is_not_given_up_while_the_store_is_away(
    submitter, keys, settings, object_store, monkeypatch
):
    monkeypatch.setattr(upload_queue, "notify_worker", lambda: None)
    upload = upload_queue.put_aside(file=io.BytesIO(b"what?\n"), name="large.jsonl", user=submitter.user, header={})
    assert f"uploads/waiting/{upload.key}" in keys()
    point_to(settings, closed_port())
    for _ in range(upload_queue.ATTEMPTS + 1):
        with pytest.raises(StoreAway):
            upload_queue.check(upload_queue.take(), Spool())
    point_to(settings, object_store)
    upload_queue.check(upload_queue.take(), Spool())
    upload.refresh_from_db()
    assert upload.state == UploadState.REFUSED
    assert f"uploads/waiting/{upload.key}" not in keys()
