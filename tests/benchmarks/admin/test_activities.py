"""Experts watch a video of Charades, correct its text and cut, and accept or refuse it; three must agree."""

from io import StringIO

import pytest
from django.core.management import call_command

from benchmarks.models.activity_drafts import ActivityDraft, review
from tests.benchmarks.upstream_files import charades_row, write_charades, write_video

pytestmark = pytest.mark.django_db

QUEUE = "/admin/benchmarks/activitydraft/"
GOOD = {
    "context": "A man sits on a chair.",
    "target": "He drinks.",
    "starts": "3.5",
    "note": "x",
    "verdict": "accepted",
}


@pytest.fixture
def waiting():
    values = {"context": "A man sits.", "target": "He drinks water.", "code": "c106", "starts": 4.0}
    return ActivityDraft.objects.create(key="46GP8", proposed=values, **values)


def page_of(draft: ActivityDraft) -> str:
    return f"{QUEUE}{draft.pk}/change/"


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("starts", "0", "cut after"),
        ("context", "a man", "whole sentences"),
        ("target", "", "required"),
        ("verdict", "perhaps", "not one of the available choices"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(staff, waiting, field, value, said):
    answer = staff.post(page_of(waiting), GOOD | {field: value})
    assert list(answer.context["adminform"].form.errors) == [field]
    assert said in answer.content.decode()
    assert not waiting.reviews.exists()


def test_an_expert_mends_and_accepts_and_two_more_have_to(staff, waiting):
    assert "as the three steps left it" in staff.get(page_of(waiting)).content.decode().lower()
    assert staff.post(page_of(waiting), GOOD).status_code == 302
    waiting.refresh_from_db()
    assert (waiting.starts, waiting.state, waiting.proposed["starts"]) == (3.5, "waiting", 4.0)
    assert waiting.verdicts() == {"staff": "accepted"}
    assert "1 of 3" in staff.get(QUEUE).content.decode()
    for expert in ("second", "second", "third"):
        assert waiting.state == "waiting"
        review(draft=waiting, expert=expert, verdict="accepted")
        waiting.refresh_from_db()
    assert waiting.state == "accepted"


def test_whoever_accepted_another_text_has_not_accepted_this_one(staff, waiting):
    for expert in ("first", "second", "third"):
        review(draft=waiting, expert=expert, verdict="accepted")
    staff.post(page_of(waiting), GOOD | {"verdict": ""})
    waiting.refresh_from_db()
    assert (waiting.state, waiting.verdicts()) == ("waiting", {})
    page = staff.get(page_of(waiting)).content.decode()
    assert page.count("accepted what it was before") == 3


def test_one_refusal_is_enough(staff, waiting):
    for expert in ("first", "second", "third"):
        review(draft=waiting, expert=expert, verdict="accepted")
    staff.post(QUEUE, {"action": "refuse", "_selected_action": [waiting.pk]})
    waiting.refresh_from_db()
    assert waiting.state == "refused"
    staff.post(QUEUE, {"action": "accept", "_selected_action": [waiting.pk]})
    waiting.refresh_from_db()
    assert waiting.state == "accepted"
    assert staff.get(f"{QUEUE}add/").status_code == 403


def test_the_video_is_watched_up_to_the_cut_and_on(staff, client, tmp_path):
    write_charades(tmp_path / "charades", charades_row())
    write_video(tmp_path / "videos" / "46GP8.mp4", 12)
    out = StringIO()
    call_command("prepare_giraffe", "charades", str(tmp_path / "charades"), stdout=out)
    draft = ActivityDraft.objects.get()
    assert "not here: prepare_giraffe charades" in staff.get(page_of(draft)).content.decode()
    assert staff.get(f"{QUEUE}{draft.pk}/video/").status_code == 404
    call_command("prepare_giraffe", "charades", str(tmp_path / "charades"), videos=tmp_path / "videos", stdout=out)
    assert "0 videos in the experts' queue, 1 existed already, 0 not usable; 1 can be watched" in out.getvalue()
    address = f"{QUEUE}{draft.pk}/video/"
    assert f'src="{address}#t=0,{draft.starts:g}"' in staff.get(page_of(draft)).content.decode()
    part = staff.get(address, headers={"range": "bytes=0-99"})
    assert (part.status_code, part["Content-Type"], len(b"".join(part.streaming_content))) == (206, "video/mp4", 100)
    client.logout()
    assert client.get(address).status_code == 302
