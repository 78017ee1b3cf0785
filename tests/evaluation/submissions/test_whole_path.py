"""From sign-up to a row on the board in a real browser: sign up, confirm, upload, submit; staff list it."""

import re
import time

import pytest
from allauth.mfa.totp.internal import auth as totp
from django.core import mail
from playwright.sync_api import expect

from accounts.models import Act
from evaluation.models import Run
from leaderboard.standings.refresh import refresh
from tests.evaluation.submissions.uploads import good_file, json_lines, small_pack

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PASSWORD = "a long password 1"


@pytest.fixture
def people(chromium, live_server, settings):
    """A fresh browser for each person; as in production addresses are confirmed and staff have a second factor."""
    settings.ACCOUNT_EMAIL_VERIFICATION, settings.MFA_ALLOW_UNVERIFIED_EMAIL = "mandatory", False
    settings.STAFF_SECOND_FACTOR = True
    contexts = []

    def newcomer():
        contexts.append(chromium.new_context(base_url=live_server.url))
        return contexts[-1].new_page()

    yield newcomer
    for context in contexts:
        context.close()


def link_in(letter):
    """The link in an e-mail, without its host, which the test's site does not have."""
    return re.search(r"https?://[^/\s]+(/\S+)", letter.body)[1]


def sign_up(page, name):
    page.goto("/submit/")
    page.get_by_role("link", name="Create an account").click()
    page.fill("[name=username]", name)
    page.fill("[name=email]", f"{name}@example.org")
    page.fill("[name=password1]", PASSWORD)
    page.fill("[name=password2]", PASSWORD)
    page.get_by_role("button", name="Create the account").click()
    page.wait_for_load_state()
    (letter,) = [letter for letter in mail.outbox if letter.to == [f"{name}@example.org"]]
    page.goto(link_in(letter))
    page.locator("main form button").first.click()
    page.wait_for_load_state()


def sign_in(page, name, onward):
    page.goto(f"/account/sign-in/?next={onward}")
    if page.locator("[name=login]").count():
        page.fill("[name=login]", name)
        page.fill("[name=password]", PASSWORD)
        page.locator("main form button").first.click()
        page.wait_for_url(lambda address: "sign-in" not in address)
        page.goto(onward)


def upload(page, content):
    page.goto("/submit/")
    page.set_input_files("[type=file]", {"name": "answers.jsonl", "mimeType": "text/plain", "buffer": content})
    page.get_by_role("button", name="Check and store").click()


def set_up_second_factor(page):
    """Set up the second factor as at the first sign-in of staff; the secret is read from the page."""
    page.wait_for_url("**/second-factor/totp/activate/")  # the password, typed a moment ago, is not asked for again
    secret = page.locator("#authenticator_secret").input_value()
    page.fill("[name=code]", totp.format_hotp_value(totp.hotp_value(secret, int(time.time()) // 30)))
    page.locator("main form button").first.click()
    page.wait_for_load_state()


def test_from_signing_up_to_a_row_on_the_board(people, django_user_model):
    pack = small_pack()
    sender = people()
    sign_up(sender, "ada")
    sign_in(sender, "ada", "/submit/")
    upload(sender, good_file(pack, model="My model") + json_lines({"item": "nothing", "answer": "yes"}))
    expect(sender.get_by_role("heading", level=1)).to_have_text("1 problem in the file")
    upload(sender, good_file(pack, model="My model"))
    expect(sender.get_by_text("50.0 %")).to_be_visible(timeout=60_000)
    sender.get_by_role("button", name="Submit to the board").click()
    expect(sender.get_by_text("waiting for staff")).to_be_visible(timeout=60_000)

    django_user_model.objects.create_superuser("chief", "chief@example.org", PASSWORD)
    confirmed(django_user_model.objects.get(username="chief"))
    staff = people()
    sign_in(staff, "chief", "/submit/inbox/")
    set_up_second_factor(staff)
    staff.goto("/submit/inbox/")
    staff.get_by_label("Choose My model").check()
    staff.get_by_role("button", name="Put the chosen on the board").click()
    expect(staff.get_by_text("everybody sees its answers")).to_be_visible()
    staff.get_by_role("button", name="Put on the board").click()
    staff.get_by_text("1 put on the board").wait_for()
    assert Run.objects.get().listing == "listed"
    assert Act.objects.filter(username="chief", what="submission-inbox").exists()
    assert "ada@example.org" in mail.outbox[-1].to

    refresh()  # the site's scheduler does this every few seconds
    visitor = people()
    visitor.goto(f"/leaderboard/grasp/?pack={pack.name}&level=1")
    expect(visitor.get_by_role("rowheader", name=re.compile("My model")).first).to_be_visible()


def confirmed(user):
    from allauth.account.models import EmailAddress

    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
