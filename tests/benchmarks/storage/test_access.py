"""Clips are served by range, under one cache rule, to people who may see them."""

import json
import os
from datetime import timedelta

import av
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from benchmarks.disclosure import doors
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.encoding.conform import is_conform
from benchmarks.encoding.encode import size_class
from benchmarks.encoding.probe import UnreadableMedia, probe
from benchmarks.models import Item, Rendition, RenditionKind
from benchmarks.models.answers import ItemSeal
from benchmarks.storage import access
from benchmarks.storage.access import clip_withdrawn, muted, path_of, withdraw
from benchmarks.storage.folder import FolderStore
from tests.benchmarks.grasp_release import FRAMES, SIZE, write_clip

SIZE_OF_FILE = 65536


@pytest.fixture
def original(small_pack):
    return Rendition.objects.filter(clip__pack=small_pack, kind=RenditionKind.ORIGINAL).first()


def body(response):
    return b"".join(response.streaming_content) if response.streaming else response.content


@pytest.mark.parametrize(
    ("asked", "status", "part"),
    [
        ("", 200, (0, SIZE_OF_FILE)),
        ("bytes=0-0", 206, (0, 1)),
        ("bytes=0-", 206, (0, SIZE_OF_FILE)),
        ("bytes=100-199", 206, (100, 200)),
        ("bytes=65000-99999999", 206, (65000, SIZE_OF_FILE)),
        ("bytes=-500", 206, (SIZE_OF_FILE - 500, SIZE_OF_FILE)),
        ("bytes=-99999999", 206, (0, SIZE_OF_FILE)),
        ("bytes=0-1,5-9", 200, (0, SIZE_OF_FILE)),
        ("bytes=9-5", 200, (0, SIZE_OF_FILE)),
        ("bytes=-", 200, (0, SIZE_OF_FILE)),
        ("bytes=x-y", 200, (0, SIZE_OF_FILE)),
        ("pages=1-2", 200, (0, SIZE_OF_FILE)),
        (f"bytes=0-{'9' * 5000}", 200, (0, SIZE_OF_FILE)),  # more digits than Python reads as a number
    ],
)
def test_a_clip_is_served_whole_or_in_the_part_asked_for(visitor, original, asked, status, part):
    response = visitor.get(original.get_absolute_url(), headers={"Range": asked} if asked else {})
    start, end = part
    assert response.status_code == status
    assert body(response) == path_of(original).read_bytes()[start:end]
    assert int(response["Content-Length"]) == end - start
    assert response.get("Content-Range", "") == (f"bytes {start}-{end - 1}/{SIZE_OF_FILE}" if status == 206 else "")


@pytest.mark.parametrize("asked", [f"bytes={SIZE_OF_FILE}-", "bytes=99999999-", "bytes=-0"])
def test_a_part_outside_the_file_is_refused(visitor, original, asked):
    response = visitor.get(original.get_absolute_url(), headers={"Range": asked})
    assert (response.status_code, response["Content-Range"]) == (416, f"bytes */{SIZE_OF_FILE}")


def test_headers_say_keep_it_for_ever_and_nothing_about_when_it_was_made(visitor, original):
    response = visitor.get(original.get_absolute_url())
    assert "immutable" in response["Cache-Control"]
    assert response["Accept-Ranges"] == "bytes"
    assert response["Content-Type"] == "video/mp4"
    assert not {"Last-Modified", "Content-Disposition", "Set-Cookie"} & set(response.headers)
    assert "Cookie" not in response.get("Vary", "")


@pytest.mark.parametrize(("kind", "type_of_it"), [("original", "video/mp4"), ("poster", "image/jpeg")])
def test_media_are_served_as_what_they_are_and_nothing_else(visitor, original, kind, type_of_it):
    response = visitor.get(original.clip.rendition(kind).get_absolute_url())
    assert (response["Content-Type"], response["X-Content-Type-Options"]) == (type_of_it, "nosniff")
    assert "script-src 'self'" in response["Content-Security-Policy"]
    assert set(access.CONTENT_TYPES.values()) == {"video/mp4", "image/jpeg", "image/png", "audio/wav"}, "no markup"


@pytest.mark.parametrize("headers", [{}, {"Range": "bytes=0-9"}])
def test_head_has_the_headers_of_the_whole_file_and_no_body(visitor, original, headers):
    response = visitor.head(original.get_absolute_url(), headers=headers)
    assert (response.status_code, response["Content-Length"], response.content) == (200, str(SIZE_OF_FILE), b"")


def test_what_is_known_already_is_not_sent_again(visitor, original):
    tag = visitor.get(original.get_absolute_url())["ETag"]
    assert visitor.get(original.get_absolute_url(), headers={"If-None-Match": tag}).status_code == 304
    stale = {"Range": "bytes=0-9", "If-Range": '"another"'}
    assert visitor.get(original.get_absolute_url(), headers=stale).status_code == 200


@pytest.mark.parametrize("name", ["nothing.mp4", "..%2Fdb.sqlite3", "clips", "x" * 300, "a%00b.mp4"])
def test_unknown_names_are_not_found(visitor, small_pack, name):
    assert visitor.get(f"/media/{name}").status_code == 404


def test_a_clip_of_a_sealed_item_is_hidden_from_the_public_and_shown_to_staff(client, django_user_model, original):
    seal = ItemSeal.objects.create(item=original.clip.uses.first().item, by="trial:one")
    assert client.get(original.get_absolute_url()).status_code == 404
    client.force_login(django_user_model.objects.create_superuser("staff", "staff@example.org", "a long password 1"))
    assert client.get(original.get_absolute_url()).status_code == 200
    seal.delete()
    client.logout()
    assert client.get(original.get_absolute_url()).status_code == 200


def test_a_clip_of_a_hidden_split_has_an_address_for_who_has_an_account_good_for_a_day(
    client, django_user_model, original, monkeypatch
):
    item = original.clip.uses.first().item
    ItemSeal.objects.create(item=item, by=WITHHELD)
    lines = f"/benchmarks/grasp/items.jsonl?pack={item.pack.name}"
    plain = original.get_absolute_url()
    assert plain in body(client.get(lines)).decode()
    assert "signed=" not in body(client.get(lines)).decode()
    assert client.get(plain).status_code == 404
    client.force_login(django_user_model.objects.create_user("ada"))
    (signed,) = {json.loads(line)["clip"] for line in body(client.get(lines)).splitlines() if b"signed=" in line}
    client.logout()
    answer = client.get(signed)
    assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-store")
    other = Rendition.objects.exclude(clip=original.clip).filter(kind="original").first()
    ItemSeal.objects.create(item=other.clip.uses.first().item, by=WITHHELD)
    assert client.get(f"{other.get_absolute_url()}?{signed.partition('?')[2]}").status_code == 404
    assert client.get(f"{plain}?signed=x:y").status_code == 404
    monkeypatch.setattr(doors, "SIGNED_FOR", timedelta(seconds=-1))
    assert client.get(signed).status_code == 404
    monkeypatch.undo()
    ItemSeal.objects.create(item=item, by="trial:one")
    assert client.get(signed).status_code == 404, "an open study wants fresh eyes"


def test_a_file_that_is_gone_is_not_found(visitor, original):
    path_of(original).unlink()
    assert visitor.get(original.get_absolute_url()).status_code == 404


def test_a_withdrawn_clip_leaves_its_files_and_tells_the_caches(
    visitor, original, django_capture_on_commit_callbacks, settings
):
    heard = []
    listener = lambda sender, clip, **kwargs: heard.append(clip.pk)  # noqa: E731
    clip_withdrawn.connect(listener)
    clip = original.clip
    files = [path_of(rendition) for rendition in clip.renditions.all()]
    with django_capture_on_commit_callbacks(execute=True):
        withdraw(clip=clip, why="a person is in the picture")
    clip_withdrawn.disconnect(listener)
    assert heard == [clip.pk]
    assert not any(path.exists() for path in files)
    assert visitor.get(original.get_absolute_url()).status_code == 404
    clip.refresh_from_db()
    assert clip.withdrawal_note == "a person is in the picture"
    assert not Item.objects.askable().filter(media__clip=clip).exists()


def test_the_muted_form_is_as_large_and_made_once(original):
    first = muted(original.clip)
    assert path_of(first).stat().st_size == first.size == original.size
    assert muted(original.clip) == first
    assert first.name != original.name
    with av.open(str(path_of(first))) as container:
        assert not container.streams.audio
        assert sum(1 for _ in container.decode(video=0)) == FRAMES


@pytest.mark.parametrize("codec", ["libx264", "mpeg4"])
def test_probing_finds_size_rate_and_length(tmp_path, codec):
    facts = probe(write_clip(tmp_path / "clip.mp4", codec=codec))
    assert (facts.width, facts.height, facts.frames, facts.fps) == (SIZE, SIZE, FRAMES, 10.0)
    assert is_conform(facts) == (codec == "libx264")


def test_a_title_in_an_old_encoding_breaks_nothing(tmp_path):
    path, said, meant = tmp_path / "clip.avi", b"Caf? noir", "Café noir".encode("latin-1")
    with av.open(str(path), "w", format="avi") as made:
        made.metadata["title"] = said.decode()
        stream = made.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 36, "yuv420p"
        for _ in range(10):
            made.mux(stream.encode(av.VideoFrame(64, 36, "yuv420p")))
        made.mux(stream.encode(None))
    assert said in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(said, meant))
    assert probe(path).frames == 10


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_clip_is_unreadable_wherever_it_ends(tmp_path, kept):
    path = write_clip(tmp_path / "clip.mp4")
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * kept)])
    with pytest.raises(UnreadableMedia):
        probe(path)


@pytest.mark.parametrize(
    ("sizes", "expected"), [([], 4096), ([1], 4096), ([4088], 4096), ([4089], 8192), ([10, 9000], 12288)]
)
def test_one_size_for_all_leaves_room_for_the_box_that_fills_it(sizes, expected):
    assert size_class(sizes, 4096) == expected


def test_nginx_reads_what_processes_with_private_files_store(tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path / "media"
    (source := tmp_path / "clip").write_bytes(b"frames")
    before = os.umask(0o077)
    try:
        FolderStore().put({source: "clips/one.mp4"})
        default_storage.save("material/two.mp4", ContentFile(b"frames"))
    finally:
        os.umask(before)
    kept = sorted(path.relative_to(tmp_path).as_posix() for path in settings.MEDIA_ROOT.rglob("*"))
    assert kept == ["media/clips", "media/clips/one.mp4", "media/material", "media/material/two.mp4"]
    for path in (settings.MEDIA_ROOT, *settings.MEDIA_ROOT.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644), path
