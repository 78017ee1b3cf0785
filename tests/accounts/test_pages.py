"""Sign-up, sign-in, the user's account and its keys."""

import re

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.models import Token, User, new_token
from tests.factories import make_model, make_run
from tests.markup import words

pytestmark = pytest.mark.django_db
PASSWORD = "a long password 1"


def sign_up(client, **changes):
    fields = {"username": "ada", "email": "ada@example.org", "password1": PASSWORD, "password2": PASSWORD} | changes
    return client.post(reverse("account_signup"), fields, follow=True)


def test_from_sign_up_to_the_account_and_out_and_in_again(visitor):
    assert '<h1><bdi>ada</bdi></h1> <span class="badge plain">submitter</span>' in words(sign_up(visitor))
    for next_page, led_to in (("/submit/", "/submit/"), ("https://elsewhere.example/", reverse("account"))):
        visitor.post(reverse("account_logout"))
        for name in ("account", "account_change_password"):
            assert visitor.get(reverse(name))["Location"] == f"{reverse('account_login')}?next={reverse(name)}"
        page = visitor.post(reverse("account_login"), {"login": "ada", "password": PASSWORD, "next": next_page})
        assert (page.status_code, page["Location"]) == (302, led_to)
    assert "too common" in words(sign_up(Client(), username="bea", password1="12345678", password2="12345678"))
    assert (User.objects.count(), mail.outbox) == (1, [])


def test_name_and_password_can_be_changed(submitter):
    submitter.post(reverse("account"), {"first_name": "Ada", "last_name": "L."})
    change = {"oldpassword": PASSWORD, "password1": "another long one 2", "password2": "another long one 2"}
    assert "Password successfully changed." in words(
        submitter.post(reverse("account_change_password"), change, follow=True)
    )
    user = User.objects.get()
    assert (user.first_name, user.check_password("another long one 2")) == ("Ada", True)


def test_without_a_mail_server_the_address_is_changed_there_and_signs_in(submitter):
    User.objects.create_user("bea", "bea@example.org")
    assert "Another account has" in words(submitter.post(reverse("account"), {"email": "BEA@example.org"}))
    submitter.post(reverse("account"), {"email": "new@example.org"})
    page = Client().post(reverse("account_login"), {"login": "new@example.org", "password": PASSWORD})
    assert page["Location"] == reverse("account")


def sheet_of(page):
    """The hidden mark of the form for a new key on this page."""
    return re.findall(r'name="sheet" value="([\w-]{36})"', page.content.decode())[0]


def asked(page, **changes):
    return {"name": "laptop", "scopes": ["read"], "days": 30, "sheet": sheet_of(page)} | changes


def test_loading_the_page_of_a_new_key_again_makes_no_second_key_and_says_so(submitter):
    sent = asked(submitter.get(reverse("account")))
    first = submitter.post(reverse("make-token"), sent)
    again = submitter.post(reverse("make-token"), sent, follow=True)
    assert "has made its key" in words(again)
    assert again.redirect_chain == [(reverse("account"), 302)]
    assert Token.objects.count() == 1
    submitter.post(reverse("make-token"), asked(first, name="desk"))
    assert {token.name for token in Token.objects.all()} == {"laptop", "desk"}


def test_a_form_that_was_refused_is_still_good_and_its_address_leads_back(submitter):
    refused = submitter.post(reverse("make-token"), asked(submitter.get(reverse("account")), name=""))
    assert "This field is required" in words(refused)
    assert "Your new key" in words(submitter.post(reverse("make-token"), asked(refused)))
    assert submitter.get(reverse("make-token"))["Location"] == reverse("account")


def test_a_key_is_shown_once_and_only_its_digest_is_kept(submitter):
    page = submitter.get(reverse("account"))
    days = re.findall(r'<option value="(\d+)"( selected)?', page.content.decode())
    assert days == [("7", ""), ("30", ""), ("90", " selected"), ("365", "")]
    page = submitter.post(reverse("make-token"), asked(page))
    (plain,) = re.findall(r"<pre[^>]*>([\w-]{43})</pre>", page.content.decode())
    assert page["Cache-Control"].startswith("max-age=0, no-cache, no-store")
    assert Token.objects.live(plain).user == submitter.user
    assert plain not in str(Token.objects.values())
    assert plain not in words(submitter.get(reverse("account")))


def test_a_key_is_revoked_by_its_owner_alone(submitter):
    plain = new_token(user=submitter.user, name="laptop")
    other = new_token(user=User.objects.create_user("bea"), name="laptop")
    mine, theirs = Token.objects.order_by("pk")
    assert [submitter.post(reverse("revoke-token", args=[key.pk])).status_code for key in (mine, theirs)] == [302, 404]
    assert (Token.objects.live(plain), Token.objects.live(other)) == (None, theirs)


@pytest.mark.parametrize(("chosen", "left"), [({"end_keys": "on"}, 0), ({}, 1)])
def test_a_new_password_ends_the_keys_unless_they_are_to_stay(submitter, chosen, left):
    address = reverse("account_change_password")
    assert "API keys" not in submitter.get(address).content.decode()
    new_token(user=submitter.user, name="laptop")
    assert re.search(r'name="end_keys"[^>]*checked', submitter.get(address).content.decode())
    sent = {"oldpassword": PASSWORD, "password1": "another long 2", "password2": "another long 2"}
    assert submitter.post(address, sent | chosen).status_code == 302
    assert Token.objects.count() == left


@pytest.mark.usefixtures("one_window")
def test_guessed_keys_count_against_their_address_and_known_ones_go_on(submitter, client):
    plain = new_token(user=submitter.user, name="laptop")
    guesses = [client.get("/api/v1/boards/", headers={"Authorization": f"Token guess-{n}"}) for n in range(21)]
    assert [guess.status_code for guess in guesses] == [401] * 20 + [429]
    assert guesses[-1]["Retry-After"] == "840"  # until the next quarter of an hour
    assert client.get("/api/v1/boards/", headers={"Authorization": f"Token {plain}"}).status_code == 200


def test_an_expired_key_or_that_of_a_blocked_user_is_worth_nothing(db):
    user = User.objects.create_user("ada")
    assert Token.objects.live(expired := new_token(user=user, name="old", days=-1)) is None
    assert expired
    live = new_token(user=user, name="live")
    User.objects.update(is_active=False)
    assert Token.objects.live(live) is None


def test_one_sees_ones_own_runs_alone(submitter):
    make_run(model=make_model(name="Mine"), owner=submitter.user)
    make_run(model=make_model(name="Of somebody else"))
    page = words(submitter.get(reverse("account")))
    assert "Mine" in page
    assert "Of somebody else" not in page


def test_the_page_takes_the_same_queries_however_many_runs(submitter, django_assert_num_queries):
    for number in range(8):
        make_run(owner=submitter.user)
        new_token(user=submitter.user, name=f"key {number}")
    with django_assert_num_queries(6):
        submitter.get(reverse("account"))


def test_signing_out_needs_a_post(submitter):
    submitter.get(reverse("account_logout"))
    assert "<h1><bdi>submitter" in words(submitter.get(reverse("account")))
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(submitter.user)
    assert strict.post(reverse("account_logout")).status_code == 403
