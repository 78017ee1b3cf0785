"""Clip sets: sent in parts, checked by a worker, stored, listed, withdrawn; everything that is wrong is named."""

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError
from django.db import IntegrityError

from benchmarks import leasing
from benchmarks.errors import ContentRefused
from benchmarks.storage.store import store
from extensions.generated.clipsets import checking, moderation, uploads
from extensions.generated.models import ClipSet, ClipSetState, GeneratedClip, Generator, RowChange
from extensions.generated.tasks import sweep_clip_sets
from tests.extensions.generated.sets.folders import MADE_HERE, MANIFEST, TRUTH, clip_set_folder, imported, zipped

pytestmark = pytest.mark.django_db


def sent(content, pack, user, part=uploads.PART):
    """The set after its archive came in parts of so many bytes."""
    clip_set = uploads.begin(pack=pack, archive="set.zip", size=len(content), uploader_id=user.pk)
    for start in range(0, len(content), part):
        uploads.add_part(clip_set, start, content[start : start + part])
        clip_set.refresh_from_db()
    return clip_set


@pytest.fixture
def waiting(pack, tmp_path, admin_user, monkeypatch):
    """A good set whose archive has arrived, and that waits for a worker."""
    monkeypatch.setattr(uploads, "queue_task", lambda task, pk: None)
    return sent(zipped(clip_set_folder(tmp_path / "set")), pack, admin_user)


def texts(clip_set):
    clip_set.refresh_from_db()
    return [f"{finding['place']}: {finding['text']}" for finding in clip_set.findings]


def test_set_is_stored_by_command_with_its_row_and_hash(pack, tmp_path, capsys):
    facts = imported(clip_set_folder(tmp_path / "set", sampling="50 steps"), capsys)
    clip_set = ClipSet.objects.get()
    assert facts == {"clip_set": "sora-9-1", "clips": 2, "state": "checked", "is_new": True}
    assert clip_set.identity == "sora 9 | 1 | t2v |  | 50 steps | best of 1 | prompts: original | 24 fps"
    assert (clip_set.generator.title, clip_set.generator.access, clip_set.is_simulated) == ("Sora 9", "open", False)
    assert len(clip_set.sha256) == 64
    ball, cup = clip_set.clips.all()
    assert (ball.prompt.key, ball.seed, ball.truth, ball.facts["fps"]) == ("ball", "1", None, 24.0)
    assert store().size(ball.stored)
    assert store().size(cup.stored)
    assert [change.what for change in clip_set.changes.all()] == ["checked: 2 clips without errors"]


def test_same_set_changes_nothing_and_another_of_its_row_is_refused_by_name(pack, tmp_path, capsys):
    root = clip_set_folder(tmp_path / "set")
    imported(root, capsys)
    assert not imported(root, capsys)["is_new"]
    with pytest.raises(CommandError, match=r"card.toml, version: Sora 9 1 \(sora-9-1\) is the same row"):
        imported(clip_set_folder(tmp_path / "other", 8), capsys)
    for number, other in enumerate(({"version": "2"}, {"sampling": "20 steps"}, {"templater": "none"}), 3):
        assert imported(clip_set_folder(tmp_path / str(number), 4 + number, **other), capsys)["is_new"]
    assert ClipSet.objects.count() == 4
    assert Generator.objects.count() == 1


def test_two_sets_of_a_row_can_t_be_stored_at_once(listed):
    first, second, _ = listed
    with pytest.raises(IntegrityError):
        ClipSet.objects.filter(pk=second.pk).update(identity=first.identity)


def test_hash_is_of_names_and_contents(pack, tmp_path, capsys):
    imported(clip_set_folder(tmp_path / "a"), capsys)
    names = MANIFEST.replace("clips/a", "clips/c")
    root = clip_set_folder(tmp_path / "b", manifest=names, version="2")
    (root / "clips" / "a.mp4").rename(root / "clips" / "c.mp4")
    imported(root, capsys)
    first, second = ClipSet.objects.all()
    assert sorted(first.clips.values_list("sha256")) == sorted(second.clips.values_list("sha256"))
    assert first.sha256 != second.sha256


def test_truth_is_read_of_sets_that_were_made_here(pack, tmp_path, capsys):
    imported(clip_set_folder(tmp_path / "set", truth=TRUTH, **MADE_HERE), capsys)
    clip_set = ClipSet.objects.get()
    assert clip_set.is_simulated
    assert [clip.truth for clip in clip_set.clips.all()] == [
        {"is_broken": True, "kind": "vanishes", "onset": 0.5, "visible_from": 0.6, "severity": 2},
        {"is_broken": False, "kind": "", "onset": None, "visible_from": None, "severity": None},
    ]


@pytest.mark.parametrize(
    ("truth", "card", "place", "what"),
    [
        (TRUTH, {}, "truth.csv", "is read of clips alone whose card says"),
        (TRUTH.replace("vanishes", "explodes"), MADE_HERE, "truth.csv, line 2", "kind is 'explodes'"),
        (TRUTH.replace("0.5", "half"), MADE_HERE, "truth.csv, line 2", "onset is 'half'"),
        (TRUTH.replace(",2\n", ",9\n"), MADE_HERE, "truth.csv, line 2", "severity is '9'"),
        (TRUTH.replace("yes", "maybe"), MADE_HERE, "truth.csv, line 2", "is_broken is 'maybe'"),
        (TRUTH.replace("cup,,no,,,,\n", ""), MADE_HERE, "truth.csv", "no line for 'cup '"),
        (TRUTH + "cup,,no,,,,\n", MADE_HERE, "truth.csv, line 4", "again 'cup '"),
        (TRUTH + "jar,,no,,,,\n", MADE_HERE, "truth.csv, line 4", "no clip of 'jar '"),
        (TRUTH.replace("onset", "begin"), MADE_HERE, "truth.csv, line 1", "has no column onset"),
    ],
)
def test_wrong_truth_is_named(pack, tmp_path, capsys, truth, card, place, what):
    with pytest.raises(CommandError, match=f"^{place}: .*{what}"):
        imported(clip_set_folder(tmp_path / "set", truth=truth, **card), capsys)


def test_archive_in_parts_is_checked_by_a_worker(waiting, capsys):
    assert waiting.state == ClipSetState.WAITING
    checking.carry_out(waiting.pk)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.slug, waiting.clips.count(), texts(waiting)) == ("checked", "sora-9-1", 2, [])
    assert (waiting.clips_done, waiting.clips_total) == (2, 2)
    assert uploads._parts(waiting) == []


def test_upload_goes_on_where_it_broke_off(
    pack, tmp_path, admin_user, uploads_at_once, django_capture_on_commit_callbacks
):
    content = zipped(clip_set_folder(tmp_path / "set"))
    clip_set = uploads.begin(pack=pack, archive="set.zip", size=len(content), uploader_id=admin_user.pk)
    uploads.add_part(clip_set, 0, content[:1000])
    again = uploads.begin(pack=pack, archive="set.zip", size=len(content), uploader_id=admin_user.pk)
    assert (again.pk, again.received) == (clip_set.pk, 1000)
    with pytest.raises(uploads.OtherPartWanted, match="byte 1000"):
        uploads.add_part(again, 0, b"x" * 1000)
    with django_capture_on_commit_callbacks(execute=True):
        uploads.add_part(again, 1000, content[1000:])
    again.refresh_from_db()
    assert again.state == ClipSetState.CHECKED


def test_part_that_does_not_fit_is_refused(pack, admin_user):
    clip_set = uploads.begin(pack=pack, archive="set.zip", size=10, uploader_id=admin_user.pk)
    for content in (b"", b"12345678901"):
        with pytest.raises(ContentRefused, match="ends within the file's 10"):
            uploads.add_part(clip_set, 0, content)
    with pytest.raises(ContentRefused, match="larger than 20,000 MB"):
        uploads.begin(pack=pack, archive="x.zip", size=10**12, uploader_id=admin_user.pk)


def test_two_senders_of_a_part_store_it_once(pack, admin_user):
    clip_set = uploads.begin(pack=pack, archive="set.zip", size=10, uploader_id=admin_user.pk)
    other = ClipSet.objects.get(pk=clip_set.pk)
    uploads.add_part(clip_set, 0, b"12345")
    with pytest.raises(uploads.OtherPartWanted):
        uploads.add_part(other, 0, b"12345")
    assert len(uploads._parts(clip_set)) == 1


def test_broken_set_is_refused_with_every_error_and_leaves_nothing(pack, tmp_path, admin_user):
    root = clip_set_folder(tmp_path / "set", fps=30)
    (root / "clips" / "b.mp4").write_bytes(b"no video")
    clip_set = sent(zipped(root), pack, admin_user)
    checking.carry_out(clip_set.pk)
    assert len(texts(clip_set)) == 2
    assert "the card says 30" in texts(clip_set)[0]
    assert (clip_set.state, clip_set.card["fps"], clip_set.clips.count()) == (ClipSetState.REFUSED, 30, 0)
    assert uploads._parts(clip_set) == []
    assert store().names("clipsets/") == []


@pytest.mark.parametrize(("content", "said"), [(b"PK\x03\x04 nothing", "is no ZIP"), (b"x" * 200, "is no ZIP")])
def test_what_is_no_archive_is_refused(pack, admin_user, content, said):
    clip_set = sent(content, pack, admin_user)
    checking.carry_out(clip_set.pk)
    assert said in texts(clip_set)[0]


def test_archive_without_manifest_or_for_other_prompts_is_refused(pack, tmp_path, admin_user):
    root = clip_set_folder(tmp_path / "set", prompts="flying")
    other = sent(zipped(root), pack, admin_user)
    (root / "manifest.csv").unlink()
    without = sent(zipped(root), pack, admin_user)
    for clip_set in (other, without):
        checking.carry_out(clip_set.pk)
    assert texts(other) == ["card.toml, prompts: says 'flying', and was sent for 'falling'"]
    assert texts(without) == ["archive: there is no manifest.csv in the ZIP"]


def test_only_administrators_say_made_here_through_the_page(pack, tmp_path, admin_user, django_user_model):
    content = zipped(clip_set_folder(tmp_path / "set", truth=TRUTH, **MADE_HERE))
    own = sent(content, pack, django_user_model.objects.create_user("author"))
    checking.carry_out(own.pk)
    assert texts(own) == ["card.toml, access: only this site's administrators say so"]
    staff = sent(content, pack, admin_user)
    checking.carry_out(staff.pk)
    assert texts(staff) == []


def test_lost_worker_is_replaced_and_two_losses_are_told(waiting):
    for _loss in range(checking.ATTEMPTS):
        taken = leasing.take(ClipSet.objects.filter(pk=waiting.pk), seconds=60, attempts=waiting.attempts + 1)
        assert uploads.unread() == []
        leasing.lapse(ClipSet.objects.filter(pk=waiting.pk))
        assert uploads.unread() == [waiting.pk]
        waiting.refresh_from_db()
    checking.carry_out(waiting.pk)
    assert taken.attempts == checking.ATTEMPTS
    assert texts(waiting) == [f"archive: {checking.LOST}"]


def test_worker_that_lost_its_lease_writes_nothing(waiting, monkeypatch):
    def lose(checked, folder):
        leasing.lapse(ClipSet.objects.filter(pk=waiting.pk))
        leasing.take(ClipSet.objects.filter(pk=waiting.pk), seconds=60)
        return in_one_form(checked, folder)

    in_one_form = checking._in_one_form
    monkeypatch.setattr(checking, "_in_one_form", lose)
    checking.carry_out(waiting.pk)
    waiting.refresh_from_db()
    assert (waiting.state, GeneratedClip.objects.count(), len(uploads._parts(waiting))) == ("checking", 0, 1)


def test_set_waits_while_the_store_is_away_and_nothing_is_lost(waiting, monkeypatch):
    def away(*arguments):
        raise OSError("away")

    with monkeypatch.context() as patch:
        patch.setattr(checking, "_save", away)
        with pytest.raises(OSError, match="away"):
            checking.carry_out(waiting.pk)
    assert uploads.unread() == [waiting.pk]
    checking.carry_out(waiting.pk)
    waiting.refresh_from_db()
    assert waiting.state == ClipSetState.CHECKED


def test_sweep_drops_what_never_ended_and_queues_what_waits(waiting, pack, admin_user, monkeypatch):
    queued = []
    monkeypatch.setattr("extensions.generated.tasks.queue_task", lambda task, pk: queued.append(pk))
    old = uploads.begin(pack=pack, archive="old.zip", size=10, uploader_id=admin_user.pk)
    uploads.add_part(old, 0, b"12345")
    name = uploads._parts(old)[0]
    ClipSet.objects.filter(pk=old.pk).update(created_at="2020-01-01T00:00Z")
    sweep_clip_sets()
    assert queued == [waiting.pk]
    assert not ClipSet.objects.filter(pk=old.pk).exists()
    assert not default_storage.exists(name)


def test_listing_and_withdrawing_have_public_lines(listed, admin_user):
    clip_set = listed[0]
    moderation.withdraw(clip_set=clip_set, reason="clips were cut", requester=moderation.UPLOADER, by_id=admin_user.pk)
    clip_set.refresh_from_db()
    lines = [(change.asked_by, change.what) for change in clip_set.changes.all()]
    assert clip_set.state == ClipSetState.WITHDRAWN
    assert lines[:2] == [("its uploader", "withdrawn: clips were cut"), ("staff of this site", "listed")]
    with pytest.raises(ContentRefused, match="is withdrawn: it can't be listed"):
        moderation.list_set(clip_set=clip_set, by_id=admin_user.pk)
    with pytest.raises(ContentRefused, match="say why"):
        moderation.withdraw(clip_set=listed[1], reason=" ", requester="x", by_id=admin_user.pk)


def test_withdrawn_row_is_free_again(listed, tmp_path, capsys, admin_user):
    moderation.withdraw(clip_set=listed[0], reason="cut", requester="x", by_id=admin_user.pk)
    assert imported(clip_set_folder(tmp_path / "again", 20), capsys)["clip_set"] == "sora-9-1-2"
    assert ClipSet.objects.get(slug="sora-9-1-2").title == "Sora 9 1 (2)"


def test_dispute_is_appended_and_never_edited(listed, admin_user):
    moderation.dispute(
        clip_set=listed[0], requester="Sora's makers", what="Prompt ball is cut: it is.", by_id=admin_user.pk
    )
    change = RowChange.objects.first()
    assert (change.asked_by, change.what) == ("Sora's makers", "Prompt ball is cut: it is.")
    with pytest.raises(TypeError):
        change.save()


def test_generator_is_found_whatever_its_capitals_and_keeps_its_role(pack, tmp_path, capsys):
    Generator.objects.create(slug="sora-nine", title="SORA 9")
    imported(clip_set_folder(tmp_path / "set"), capsys)
    assert ClipSet.objects.get().generator.slug == "sora-nine"
    with pytest.raises(CommandError, match="is floor, and SORA 9 is a generator here"):
        imported(clip_set_folder(tmp_path / "floor", 9, role="floor", version="2"), capsys)


def test_first_frame_that_differs_is_a_note(pack, tmp_path, capsys):
    imported(clip_set_folder(tmp_path / "set", input="i2v"), capsys)
    (note,) = texts(ClipSet.objects.get())
    assert "manifest.csv, line 2: the first picture of 'clips/a.mp4' differs from the one that was given" in note
