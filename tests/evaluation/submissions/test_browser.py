"""Uploads in a real browser: by dropping a file, by choosing one, and without JavaScript."""

import pytest

from evaluation.models import Run, Upload, UploadState
from tests.accessibility import findings
from tests.evaluation.submissions.uploads import good_file, json_lines, stored

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PASSWORD = "a long password 1"
DROP = """([target, name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    target.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }
}"""


@pytest.fixture
def open_page(chromium, live_server, django_user_model):
    """A page of a signed-in user; the console must have no errors at the end."""
    said, contexts = [], []

    def opened(path="/submit/", *, is_staff=False, **settings):
        name = "staff" if is_staff else "ada"
        make = django_user_model.objects.create_superuser if is_staff else django_user_model.objects.create_user
        make(name, "ada@example.org", PASSWORD)
        contexts.append(chromium.new_context(base_url=live_server.url, **settings))
        page = contexts[-1].new_page()
        page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(f"/account/sign-in/?next={path}")
        page.fill("[name=login]", name)
        page.fill("[name=password]", PASSWORD)
        page.click("main button")
        page.wait_for_url(f"**{path}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []


def test_a_dropped_file_is_stored_and_submitted_to_the_board(open_page, pack):
    page = open_page()
    assert findings(page) == []
    page.evaluate(DROP, [page.query_selector("[data-drop]"), "answers.jsonl", good_file(pack).decode()])
    assert page.evaluate("document.querySelector('input[type=file]').files[0].name") == "answers.jsonl"
    page.get_by_role("button", name="Check and store").click()
    page.wait_for_url("**/submit/*/")
    assert page.get_by_text("50.0 %").is_visible()
    assert findings(page) == []
    page.get_by_role("button", name="Submit to the board").click()
    page.get_by_text("waiting for staff").wait_for()
    assert Run.objects.get().listing == "submitted"


def test_a_wrong_file_leads_to_its_report(open_page, pack):
    page = open_page()
    content = good_file(pack) + json_lines({"item": "nothing", "answer": "yes"})
    page.set_input_files("[type=file]", {"name": "a.jsonl", "mimeType": "text/plain", "buffer": content})
    page.get_by_role("button", name="Check and store").click()
    page.wait_for_url("**/submit/reports/*/")
    assert page.get_by_role("heading", level=1).inner_text() == "1 problem in the file"
    assert findings(page) == []


def test_what_the_form_refuses_is_said_in_its_place_and_it_can_be_sent_again(open_page, pack, django_user_model):
    stored(pack, django_user_model.objects.create_user("bea"))
    page = open_page()
    for name, outcome in (("A model", "taken by somebody else"), ("My own", "50.0 %")):
        content = good_file(pack, model=name)
        page.set_input_files("[type=file]", {"name": "a.jsonl", "mimeType": "text/plain", "buffer": content})
        page.get_by_role("button", name="Check and store").click()
        page.get_by_text(outcome).wait_for()


def test_a_large_file_has_a_clean_page_to_wait_on_which_goes_on_by_itself(open_page, pack, django_user_model):
    page = open_page(viewport={"width": 360, "height": 740})
    waiting = Upload.objects.create(owner=django_user_model.objects.get(), key="a" * 32, name="answers.jsonl")
    page.goto(waiting.get_absolute_url())
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    Upload.objects.update(state=UploadState.CHECKING, rows=1200)
    page.get_by_text("1,200 valid rows so far").wait_for()
    Upload.objects.update(state=UploadState.FAILED, reason="It took more memory than a file may.")
    page.get_by_role("heading", name="Nothing of the file was stored").wait_for()
    assert page.get_by_text("It took more memory").is_visible()


def test_without_javascript_the_form_does_the_same(open_page, pack):
    page = open_page(java_script_enabled=False)
    page.set_input_files("[type=file]", {"name": "a.jsonl", "mimeType": "text/plain", "buffer": good_file(pack)})
    page.get_by_role("button", name="Check and store").click()
    page.wait_for_url("**/submit/*/")
    assert Run.objects.count() == 1


def test_account_pages_are_clean_on_a_phone(open_page):
    page = open_page("/account/", viewport={"width": 360, "height": 740})
    for path in ("/account/", "/account/password/"):
        page.goto(path)
        assert findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_the_administration_works_under_the_same_policy(open_page, pack):
    page = open_page("/admin/", is_staff=True)
    for path in ("evaluation/run/", "benchmarks/item/", f"benchmarks/pack/{pack.pk}/change/", "accounts/user/add/"):
        page.goto(f"/admin/{path}")
        assert page.locator("#content h1").is_visible()
