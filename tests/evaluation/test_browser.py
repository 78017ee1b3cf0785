"""Every state of a run, wide, narrow and dark: no overflow, no console errors, no axe findings."""

import pytest

from evaluation.queue.leases import claim
from evaluation.runs.lifecycle import cancel_run, start_run
from evaluation.workers.loop import work_on
from evaluation.workers.recording import CellReply, record
from tests.accessibility import findings
from tests.factories import make_item, make_model

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LOOKS = (
    {"viewport": {"width": 1280, "height": 900}},
    {"viewport": {"width": 360, "height": 740}},
    {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
)
TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture
def runs(pack):
    """One run in each state."""
    for _ in range(4):
        make_item(pack)

    def start(**options):
        model = make_model(kind="scripted", options=options, made_here=True, card={"what": "A script."})
        return start_run(model=model, pack=pack, strategy="binary", condition="question-only")

    finished, failed, cancelled = start(), start(path="/nowhere"), start()
    partial = start(errors={pack.items.earliest("pk").public_id: "the conversation is too long for this model"})
    running, queued = start(), start()
    for run in (finished, failed, partial):
        work_on(run.pk)
    cancel_run(run=cancelled)
    claim(run=running, holder="worker")
    asked = [{"role": "user", "text": "Is it?", "frames": 8}]
    record([CellReply(running.cells.earliest("pk"), "Yes, " * 60, asked)])
    return [finished, failed, cancelled, partial, running, queued]


@pytest.mark.parametrize("look", LOOKS, ids=["wide", "phone", "dark"])
def test_every_state_is_in_order(chromium, live_server, runs, look):
    said: list[str] = []
    known: set[str] = set()
    context = chromium.new_context(base_url=live_server.url, **look)
    page = context.new_page()
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    for path in (*(run.get_absolute_url() for run in runs), "/models/", runs[0].model.get_absolute_url()):
        page.goto(path)
        assert findings(page, known) == [], path
        assert not page.evaluate(TOO_WIDE), path
    context.close()
    assert said == []


def test_without_a_script_the_page_asks_again_by_itself(chromium, live_server, runs):
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(runs[4].get_absolute_url())
    assert page.get_by_text("Running").is_visible()
    with page.expect_navigation(timeout=30_000):
        pass
    assert page.get_by_role("heading", name="Run card").is_visible()
    context.close()
