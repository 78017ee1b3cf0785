"""The review: people's decisions override the rules, can be undone, and result in a pack of clips."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BenchmarkError
from benchmarks.gallery.browse import pack_cards
from benchmarks.models import MATERIAL, Clip, Pack, ProductionState
from benchmarks.storage.store import store
from extensions.annotation.material.make_pack import make_pack, order_pack
from extensions.annotation.material.review import clips_of, decide, overview, undo
from extensions.annotation.models import Material, MaterialFile
from tests.accounts.test_roles import client_of
from tests.extensions.annotation.material.conftest import send

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(reviewed):
    client = client_of("author")
    Material.objects.update(author=client.user)
    return client


def act(client, clip, **sent):
    return client.post(f"/material/wood/clips/{clip.pk}/", sent, follow=True)


def kept(material):
    return [clip.is_kept for clip in clips_of(material)]


def test_the_page_shows_every_clip_with_the_reason_why_it_was_dropped(owner):
    page = owner.get("/material/wood/").content.decode()
    assert "talking: 90 % of its time (at most 20 %)" in page
    assert page.count("<article") == 3
    assert "Make the pack of 2 clips" in page


def test_a_decision_goes_before_the_rules_and_the_last_one_can_be_undone(owner, reviewed):
    fit, _, talks = clips_of(reviewed)
    act(owner, talks, act="keep")
    act(owner, fit, act="drop", reason="blurry", words="at the end")
    assert kept(reviewed) == [False, True, True]
    assert clips_of(reviewed)[0].decision.reason == "blurry or artefacts: at the end"
    assert overview(reviewed, clips_of(reviewed)).dropped_by == (("people", 1),)
    act(owner, fit, act="undo")
    act(owner, talks, act="undo")
    assert kept(reviewed) == [True, True, False]


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"act": "drop"}, "say why it is dropped"),
        ({"act": "undo"}, "nobody has decided anything"),
        ({"act": "burn"}, "act: Select a valid choice"),
        ({"act": "drop", "reason": "taste"}, "reason: Select a valid choice"),
    ],
)
def test_what_cannot_be_decided_is_said_and_changes_nothing(owner, reviewed, sent, words):
    page = act(owner, clips_of(reviewed)[0], **sent)
    assert words in page.content.decode()
    assert kept(reviewed) == [True, True, False]


def test_the_script_gets_the_card_alone(owner, reviewed):
    clip = clips_of(reviewed)[0]
    card = owner.post(f"/material/wood/clips/{clip.pk}/", {"act": "drop", "reason": "cut"}, headers={"X-Part": "card"})
    assert card.content.decode().startswith("<article")
    said = " ".join(card.content.decode().split())
    assert "kept (1)</a>" in said
    assert "Make the pack of 1 clip" in said
    assert "cuts to something else half-way" in card.content.decode()


@pytest.mark.parametrize(("show", "count"), [("all", 3), ("kept", 2), ("dropped", 1), ("open", 3)])
def test_clips_can_be_chosen_by_their_state(owner, show, count):
    assert owner.get(f"/material/wood/?show={show}").content.decode().count("<article") == count


def test_uploads_are_put_aside_and_each_refused_one_is_named(owner, videos, django_capture_on_commit_callbacks):
    sent = [(videos / name).open("rb") for name in ("silent.mp4", "fit.mp4")]
    page = owner.post("/material/wood/", {"videos": sent}, follow=True).content.decode()
    assert "1 file has arrived" in page
    assert "1 of 2 files is here already, and nothing of it was changed: fit.mp4: 1 clip, 1 kept" in page
    assert "error" not in re.findall(r'<p class="(\w+)" role="status">', page)
    assert MaterialFile.objects.filter(name="silent.mp4", state="waiting").exists()


def test_an_upload_without_a_file_says_so(owner):
    page = owner.post("/material/wood/", {})
    assert page.status_code == 400
    assert "This field is required" in page.content.decode()


def test_a_clip_and_its_picture_are_served_in_parts_to_its_people_alone(owner, reviewed):
    clip = clips_of(reviewed)[0]
    part = owner.get(f"/material/wood/clips/{clip.pk}.mp4", headers={"Range": "bytes=0-9"})
    assert (part.status_code, len(part.getvalue())) == (206, 10)
    assert owner.get(f"/material/wood/clips/{clip.pk}.jpg")["Content-Type"] == "image/jpeg"
    assert owner.get(f"/material/wood/clips/{clip.pk}.npy").status_code == 404
    assert client_of("author", username="other").get(f"/material/wood/clips/{clip.pk}.mp4").status_code == 403


@pytest.mark.parametrize("address", ["/material/", "/material/wood/"])
def test_the_pages_are_for_authors_and_staff(owner, staff, address):
    assert Client().get(address).status_code == 302
    assert owner.get(address).status_code == 200
    assert staff.get(address).status_code == 200
    assert client_of("author", username="other").get(address).status_code == (200 if address == "/material/" else 403)


def test_a_submitter_makes_no_material(submitter):
    assert submitter.get("/material/").status_code == 403


def test_a_new_material_is_begun_and_a_taken_name_refused(owner):
    form = {"title": "Stone", "slug": "stone", "seed": "3"}
    assert "5.0" in owner.post("/material/", form | {"shortest": "9"}).content.decode()
    made = owner.post("/material/", form | {"shortest": "3"}, follow=True)
    assert "No clips yet" in made.content.decode()
    owner.post("/material/", form | {"slug": "as-before"})
    assert dict(Material.objects.values_list("slug", "shortest")) == {"wood": 4, "stone": 3, "as-before": 4}
    again = owner.post("/material/", form)
    assert again.status_code == 400
    assert "there is a material stone already" in again.content.decode()


def test_what_is_kept_becomes_a_pack_of_clips_and_then_nothing_changes(owner, reviewed):
    make_pack(order_pack(reviewed).pk)
    reviewed.refresh_from_db()
    assert (reviewed.pack.profile, reviewed.pack.clips.count(), reviewed.pack.items.count()) == (MATERIAL, 2, 0)
    clip = Clip.objects.order_by("key").first()
    assert clip.facts["source"] == "fit.mp4"
    assert clip.facts["source_frames"] == [0, 25, 12]
    assert {rendition.kind for rendition in clip.renditions.all()} >= {"original", "poster"}
    with pytest.raises(BenchmarkError, match="is made"):
        decide(clip=clips_of(reviewed)[0], keeps=True)
    with pytest.raises(BenchmarkError, match="is made"):
        undo(clip=clips_of(reviewed)[0])
    late = SimpleUploadedFile("late.mp4", b"a video")
    assert "can be added" in owner.post("/material/wood/", {"videos": [late]}, follow=True).content.decode()
    assert "pacs-annotation" in owner.get("/material/wood/").content.decode()
    assert "be removed any more" in owner.post("/material/wood/discard/", follow=True).content.decode()
    assert Material.objects.exists()
    assert not Pack.objects.on_boards().exists()
    assert pack_cards(find_benchmark("pacs")) == []


def test_the_pack_is_made_only_after_a_second_yes(owner, reviewed):
    page = owner.post("/material/wood/pack/").content.decode()
    assert "nothing of the material changes" in page
    assert reviewed.production is None
    assert "2 clips" in owner.get("/material/wood/pack/").content.decode()
    owner.post("/material/wood/pack/", {"confirmed": "1"})
    assert reviewed.production is not None
    assert owner.get("/material/wood/pack/").status_code == 302


def test_a_wrong_material_is_removed_after_a_question_and_with_its_files(owner, reviewed):
    assert "Remove this material?" in owner.get("/material/wood/discard/").content.decode()
    assert Material.objects.exists()
    assert client_of("author", username="other").post("/material/wood/discard/").status_code == 403
    page = owner.post("/material/wood/discard/", follow=True).content.decode()
    assert "Wooden things is removed, with its files and clips" in page
    assert not Material.objects.exists()
    assert list(store().names("material/")) == []


def test_a_pack_is_made_once_and_not_before_all_is_read(reviewed, videos):
    file = send(reviewed, videos / "silent.mp4")
    with pytest.raises(BenchmarkError, match=r"silent\.mp4 is not read yet"):
        order_pack(reviewed)
    file.delete()
    production = order_pack(reviewed)
    with pytest.raises(BenchmarkError, match="being made already"):
        order_pack(reviewed)
    make_pack(production.pk)
    make_pack(production.pk)
    production.refresh_from_db()
    assert (production.state, Pack.objects.count()) == (ProductionState.DONE, 1)
    with pytest.raises(BenchmarkError, match="is made already"):
        order_pack(reviewed)
