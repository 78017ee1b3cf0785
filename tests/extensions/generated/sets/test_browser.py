"""Pages of clip sets in Chromium: an upload in parts that breaks off; no finding of axe in any shape and theme."""

import os
from pathlib import Path

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from extensions.generated.clipsets import uploads
from extensions.generated.clipsets.moderation import dispute
from extensions.generated.models import ClipSet
from extensions.generated.rounds.make_round import make_round
from tests.accessibility import findings
from tests.extensions.generated.sets.folders import clip_set_folder, zipped

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
SETS = "/leaderboard/generated/sets/"
SHAPES = ((1440, "light"), (390, "light"), (1440, "dark"), (390, "dark"))
SHOTS = os.environ.get("SHOTS")  # a folder for pictures of the pages, to look at


@pytest.fixture
def staff(chromium, live_server, admin_client):
    context = chromium.new_context()
    cookie = {"name": "sessionid", "value": admin_client.cookies["sessionid"].value, "url": live_server.url}
    context.add_cookies([cookie])
    page = context.new_page()
    page.said = []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    yield page
    context.close()
    BENCHMARKS.put_files({})


def looked_at(page, name):
    for width, theme in SHAPES:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme)
        if SHOTS:
            page.screenshot(path=str(Path(SHOTS) / f"{name}-{width}-{theme}.png"), full_page=True)
        assert findings(page) == [], (name, width, theme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)


def test_upload_in_parts_survives_a_broken_connection(staff, live_server, pack, tmp_path, uploads_at_once, monkeypatch):
    monkeypatch.setattr(uploads, "PART", 4000)
    content = zipped(clip_set_folder(tmp_path / "set", fps=30))
    (tmp_path / "set.zip").write_bytes(content)
    broken = []

    def break_once(route):
        broken.append(route.request.headers["content-range"])
        (route.abort if len(broken) == 2 else route.continue_)()

    staff.route("**/clipsets/*/", break_once)
    staff.goto(live_server.url + SETS)
    looked_at(staff, "list-empty")
    staff.set_input_files('input[type="file"]', tmp_path / "set.zip")
    staff.check('input[name="right"]')
    staff.click("text=Upload >> nth=-1")
    staff.wait_for_selector("text=2 errors", timeout=30_000)
    assert broken[1] == broken[2]
    assert len(broken) == -(-len(content) // 4000) + 1
    looked_at(staff, "refused")
    assert [line for line in staff.said if "ERR_FAILED" not in line] == []


def test_pages_have_no_finding_and_no_sideways_scroll(staff, live_server, listed, admin_user):
    dispute(
        clip_set=listed[0], requester="Makers of Sora", what="Clip ball is cut short: it is not.", by_id=admin_user.pk
    )
    make_round(listed[0].pack, listed, "Autumn", ("clip", "pair", "break"))
    ClipSet.objects.filter(pk=listed[1].pk).update(state="checked")
    for name, address in {
        "list": SETS,
        "set": f"{SETS}sora-9-1/",
        "checked": f"{SETS}veo-9-1/",
        "rounds": "/leaderboard/generated/rounds/",
    }.items():
        staff.goto(live_server.url + address)
        for fold in staff.query_selector_all("main details"):
            fold.evaluate("fold => { fold.open = true; }")
        looked_at(staff, name)
    assert staff.said == []
