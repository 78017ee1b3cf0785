"""Every state of a run, wide, narrow and dark: no overflow, no console errors, no axe findings."""

import pytest

from evaluation.queue.leases import claim
from evaluation.runs.lifecycle import cancel_run, start_run
from evaluation.workers.loop import work_on
from evaluation.workers.recording import CellReply, record
from tests.accessibility import bring_axe, findings
from tests.factories import make_item, make_model

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
LOOKS = ((WIDE, "light"), (WIDE, "dark"), (PHONE, "light"))
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


def test_every_state_is_in_order(chromium, live_server, runs):
    """Each page is loaded once and then changed; the dark theme differs in colours alone."""
    said: list[str] = []
    known: set[str] = set()
    context = chromium.new_context(base_url=live_server.url)
    page = context.new_page()
    bring_axe(page)
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    for path in (*(run.get_absolute_url() for run in runs), "/models/", runs[0].model.get_absolute_url()):
        page.goto(path)
        for viewport, theme in LOOKS:
            page.set_viewport_size(viewport)
            page.emulate_media(color_scheme=theme)
            assert findings(page, known, only_contrast=theme == "dark") == [], (path, viewport, theme)
            assert not page.evaluate(TOO_WIDE), (path, viewport, theme)
    context.close()
    assert said == []


def test_without_a_script_the_page_asks_again_by_itself(chromium, live_server, runs):
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(runs[4].get_absolute_url())
    assert page.get_by_text("Running").is_visible()
    with page.expect_navigation(timeout=30_000):
        pass
    assert page.get_by_text("Run card: settings").is_visible()
    context.close()
