"""A page is notified of a change within about a second, and of nothing else."""

import pytest
from asgiref.sync import async_to_sync
from channels.db import database_sync_to_async
from channels.testing import WebsocketCommunicator

from benchsite.asgi import application
from evaluation.runs.lifecycle import start_run
from evaluation.runs.pages import live_updates
from evaluation.workers.loop import work_on
from evaluation.workers.recording import CellReply, record
from tests.factories import make_item, make_model

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(pack, monkeypatch):
    monkeypatch.setattr(live_updates, "PAUSE", 0.05)
    make_item(pack), make_item(pack)
    return start_run(model=make_model(), pack=pack, strategy="binary", condition="question-only")


def test_counts_are_told_when_they_change_until_the_run_is_over(run):
    async def listen() -> list[dict]:
        page = WebsocketCommunicator(application, f"/ws/runs/{run.pk}/")
        assert (await page.connect())[0]
        heard = [await page.receive_json_from(5)]
        assert await page.receive_nothing(0.3)
        await database_sync_to_async(lambda: record([CellReply(run.cells.first(), "yes")]))()
        heard.append(await page.receive_json_from(5))
        await database_sync_to_async(work_on)(run.pk)
        while heard[-1]["state"] != "finished":
            heard.append(await page.receive_json_from(5))
        assert (await page.receive_output(5))["type"] == "websocket.close"
        return heard

    heard = async_to_sync(listen)()
    assert heard[:2] == [{"state": "queued", "answers_version": 0}, {"state": "queued", "answers_version": 1}]
    assert [each["answers_version"] for each in heard] == sorted({each["answers_version"] for each in heard})


def test_a_page_that_is_closed_stops_the_looking(run):
    async def leave() -> None:
        page = WebsocketCommunicator(application, f"/ws/runs/{run.pk}/")
        await page.connect()
        await page.receive_json_from(5)
        await page.disconnect()

    async_to_sync(leave)()


@pytest.mark.parametrize("listing", ["private", "submitted", "declined", "gone"])
def test_nothing_is_told_of_private_or_missing_runs(run, listing):
    run.listing = listing
    run.delete() if listing == "gone" else run.save()

    async def listen() -> bool:
        return (await WebsocketCommunicator(application, f"/ws/runs/{run.pk or 999}/").connect())[0]

    assert async_to_sync(listen)() is False
