"""Participants and strangers get no hidden clips, items, other people's pages or internal errors."""

import pytest

from benchmarks.models import Rendition
from benchmarks.storage.access import path_of

pytestmark = pytest.mark.django_db


def write_files() -> None:
    for rendition in Rendition.objects.all():
        path_of(rendition).parent.mkdir(parents=True, exist_ok=True)
        path_of(rendition).write_bytes(b"0123456789")


def test_a_clip_is_served_in_parts_under_a_name_that_tells_nothing(walker):
    write_files()
    walker.reach_trials()
    page = walker.client.get(f"{walker.road}m/0", headers={"range": "bytes=2-4"})
    assert (page.status_code, b"".join(page.streaming_content)) == (206, b"234")
    assert page["Cache-Control"] == "private, no-store"
    told = " ".join(f"{name}: {value}" for name, value in page.headers.items())
    assert not any(word in told for word in ("ETag", "Last-Modified", "opaque", "item", "plausible"))


def test_nothing_on_a_trial_page_tells_the_item(walker, trial):
    page = walker.reach_trials().text
    for slot in trial.slots.select_related("item"):
        assert slot.item.public_id not in page
        assert slot.item.key not in page
    assert "expected" not in page


def test_a_clip_that_is_not_theirs_is_not_served_and_none_after_the_end(walker):
    for path in ("", "answer/", "m/0"):
        assert walker.client.get(f"/p/nobody/{path}").status_code == 404
    write_files()
    walker.reach_trials()
    for address in ("m/7", "m/99999999999999999999", "m/x", "m/practice/1"):
        assert walker.client.get(f"{walker.road}{address}").status_code == 404, address
    assert walker.client.get(f"{walker.road}m/0").status_code == 200
    walker.answer().answer()
    assert walker.client.get(f"{walker.road}m/0").status_code == 404


STRANGE = ("\x00", "a\r\nSet-Cookie: x=1", "😀" * 99, "' OR 1=1 --", "../../etc/passwd", "{{ 7*7 }}", "-1", "")


@pytest.mark.parametrize("text", STRANGE)
def test_strange_input_is_never_an_error_of_ours(walker, trial, text):
    client = walker.client
    walker.reach_trials()
    fields = dict.fromkeys(("step", "choice", "digest", "answer", "position", "seconds", "clock", "problem"), text)
    replies = [client.post(f"{walker.road}{path}", fields) for path in ("", "answer/", "problem/", "beat/")]
    replies.append(client.post(walker.road, {"step": "practised", "answer": text}))
    replies.append(client.post(f"{walker.road}answer/", {**fields, "position": "0", "answer": "yes"}))
    replies.append(client.get(f"/t/{trial.slug}/", {"participant": text, "STUDY_ID": text, "lang": text}))
    replies.append(client.get(walker.road, {"practised": text, "lang": text}))
    assert all(reply.status_code < 500 for reply in replies)
    assert not client.cookies
