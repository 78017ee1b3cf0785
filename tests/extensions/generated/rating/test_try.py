import pytest
from tests.extensions.generated.rating.rounds import make_round
from tests.humantrials.site_content import write_files
from humantrials.running.lifecycle import create_trial, open_trial
from tests.accessibility import findings

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

def test_x(chromium, live_server):
    pack, clips = make_round(seconds=1.2)
    write_files(pack, 1.2)
    for name in ("rate","pairs","break"):
        t = create_trial(slug=name, protocol=f"made-{name}", pack=pack, settings={"replicates": 2})
        open_trial(trial=t)
        for w,h,theme in ((390,844,"light"),(1440,900,"light"),(390,844,"dark")):
            c = chromium.new_context(viewport={"width":w,"height":h}, color_scheme=theme)
            page = c.new_page(); page.on("console", lambda m: print(m.text)); page.on("pageerror", lambda m: print("ERR", m))
            page.goto(f"{live_server.url}/t/{name}/?participant=x{w}{theme}")
            page.locator("button[value=yes]").click()
            page.wait_for_timeout(500)
            page.locator("main form button[type=submit]").first.click()
            page.wait_for_timeout(1000)
            page.screenshot(path=f"/tmp/shots/{name}-{w}-{theme}.png")
            print(name, w, theme, findings(page), page.evaluate("document.documentElement.scrollWidth"), page.evaluate("document.querySelector('.answers').getBoundingClientRect().bottom"))
            if name == "rate":
                page.locator("[data-trial]").dispatch_event("trial:problem")
                page.locator("[data-play]").focus(); page.keyboard.press("2"); page.keyboard.press("Tab"); page.keyboard.press("0")
                page.wait_for_timeout(300)
                page.screenshot(path=f"/tmp/shots/{name}-{w}-{theme}-b.png")
                page.keyboard.press("Enter")
                page.wait_for_timeout(1500)
                page.screenshot(path=f"/tmp/shots/{name}-{w}-{theme}-c.png")
            if name == "break":
                page.locator("[data-trial]").dispatch_event("trial:problem")
                page.locator("[data-play]").focus(); page.keyboard.press("m")
                page.wait_for_timeout(300)
                page.screenshot(path=f"/tmp/shots/{name}-{w}-{theme}-b.png", full_page=True)
                print(findings(page))
            c.close()
