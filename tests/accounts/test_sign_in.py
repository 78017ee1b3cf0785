"""Password guessing, second factors, and the audit log of staff."""

import time
from types import SimpleNamespace

import pytest
from allauth.mfa.totp.internal import auth as totp
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from accounts.audit_log import StaffActs
from accounts.callers import address_of
from accounts.models import Act, User
from tests.markup import words

pytestmark = pytest.mark.django_db
PASSWORD = "a long password 1"


def sign_in(client, password=PASSWORD, login="ada", **address):
    return client.post(reverse("account_login"), {"login": login, "password": password}, **address)


def code_of(secret, period):
    return totp.format_hotp_value(totp.hotp_value(secret, period))


def code_now(secret):
    return code_of(secret, int(time.time()) // 30)


@pytest.fixture
def ada(db):
    return User.objects.create_user("ada", "ada@example.org", PASSWORD)


def test_who_guesses_too_often_waits_and_others_do_not(client, ada, settings):
    for _try in range(settings.AXES_FAILURE_LIMIT):
        page = sign_in(client, "wrong")
    assert page.status_code == 429
    page = sign_in(client)  # the right one, too late
    assert (page.status_code, page["Retry-After"]) == (429, "900")
    assert "can be tried again in 15 minutes" in words(page)
    assert sign_in(Client(), REMOTE_ADDR="192.0.2.7").status_code == 302


def test_the_right_password_forgets_wrong_ones(client, ada, settings):
    for password in (["wrong"] * (settings.AXES_FAILURE_LIMIT - 1) + [PASSWORD]) * 2:
        page = sign_in(client, password)
        Client.logout(client)
    assert page.status_code == 302


@pytest.mark.parametrize(("proxies", "address"), [(0, "127.0.0.1"), (1, "192.0.2.3"), (2, "192.0.2.2"), (9, "made up")])
def test_only_what_our_own_proxies_saw_is_believed(settings, proxies, address):
    settings.PROXIES = proxies
    request = RequestFactory().get("/", HTTP_X_FORWARDED_FOR="made up, 192.0.2.2, 192.0.2.3")
    assert address_of(request) == address


def test_an_address_that_was_forgotten_nobody_learns_whether_it_is_known(client, ada):
    pages = [
        client.post(reverse("account_reset_password"), {"email": email}, follow=True)
        for email in ("ada@example.org", "nobody@example.org")
    ]
    assert words(pages[0]) == words(pages[1])


# --- second factor ---


@pytest.mark.parametrize(("ago", "counts"), [(0, True), (1, True), (2, False)])
def test_a_code_that_changed_while_it_was_typed_counts_and_no_older_one(monkeypatch, ago, counts):
    secret, then = totp.generate_totp_secret(), 1_000
    monkeypatch.setattr(totp, "time", SimpleNamespace(time=lambda: 30 * (then + ago)))
    assert totp.validate_totp_code(secret, code_of(secret, then)) is counts


def activate(client, user):
    """Turn on the second factor through the pages; returns its secret."""
    secret = client.get(reverse("mfa_activate_totp")).context["form"].secret
    assert client.post(reverse("mfa_activate_totp"), {"code": code_now(secret)}).status_code == 302
    return secret


def test_staff_get_no_further_than_their_account_without_a_second_factor(client, ada, settings):
    settings.STAFF_SECOND_FACTOR = True
    sign_in(client)
    assert client.get("/submit/").status_code == 200  # others may leave it
    User.objects.update(is_staff=True, is_superuser=True)
    page = client.get("/admin/", follow=True)
    assert page.redirect_chain == [(reverse("mfa_activate_totp"), 302)]
    assert "Staff sign in with a second factor. Set it up first" in words(page)
    assert client.post("/submit/")["Location"] == reverse("mfa_activate_totp")
    secret = activate(client, ada)
    assert client.get("/admin/").status_code == 200
    fresh = Client()
    assert sign_in(fresh)["Location"] == reverse("mfa_authenticate")
    assert fresh.get("/admin/").status_code == 302
    wrong = f"{(int(code_now(secret)) + 1) % 10**6:06}"
    assert "Incorrect code" in words(fresh.post(reverse("mfa_authenticate"), {"code": wrong}))


def test_staff_read_public_pages_as_visitors_until_their_second_factor_is_set_up(client, ada, settings):
    settings.STAFF_SECOND_FACTOR = True
    sign_in(client)
    User.objects.update(is_staff=True, is_superuser=True)
    page = client.get("/submit/")
    assert page.status_code == 200
    assert "Set up the second factor" in words(page)
    assert "Sign in to upload" in words(page)  # what a visitor reads
    assert "Operations" not in words(page)


@pytest.mark.parametrize("wanted", ["/operations/", "/submit/inbox/?page=1", "/admin/"])
def test_after_the_second_factor_one_lands_where_one_wanted_to_go(client, ada, settings, wanted):
    settings.STAFF_SECOND_FACTOR = True
    User.objects.update(is_staff=True, is_superuser=True)
    sign_in(client)
    assert client.get(wanted)["Location"] == reverse("mfa_activate_totp")
    secret = activate(client, ada)
    onward = f'href="{wanted}"'
    assert onward in words(client.get(reverse("mfa_view_recovery_codes")))
    assert client.get(wanted).status_code == 200
    assert onward not in words(client.get(reverse("mfa_view_recovery_codes"))).partition('<main id="main"')[2]
    fresh = Client()  # with a factor the page is opened by signing in
    assert f'name="next" value="{wanted}"' in words(fresh.get(wanted, follow=True))
    fresh.post(reverse("account_login"), {"login": "ada", "password": PASSWORD, "next": wanted})
    unused = code_of(secret, int(time.time()) // 30 - 1)  # a code counts once
    assert fresh.post(reverse("mfa_authenticate"), {"code": unused})["Location"] == wanted


def test_the_password_is_asked_for_once_and_again_only_later(client, ada, monkeypatch):
    sign_in(client)
    assert client.get(reverse("mfa_activate_totp")).status_code == 200
    monkeypatch.setattr("accounts.sign_in.REAUTHENTICATION_TIMEOUT", -1)
    assert reverse("account_reauthenticate") in client.get(reverse("mfa_activate_totp"))["Location"]


BEFORE_SIGN_IN = ("account_reset_password", "account_reset_password_done", "account_inactive")
OF_ONES_OWN = ("account_email", "account_logout", "account_change_password", "account_reauthenticate")
OF_A_FACTOR = ("index", "generate_recovery_codes", "view_recovery_codes", "deactivate_totp")


def test_pages_of_ones_own_safety_have_the_sites_look_and_nothing_inline(client, visitor, ada):
    pages = {name: words(visitor.get(reverse(name))) for name in BEFORE_SIGN_IN}
    sign_in(client, login="ada@example.org")
    pages |= {name: words(client.get(reverse(name))) for name in (*OF_ONES_OWN, "mfa_activate_totp")}
    activate(client, ada)
    pages |= {name: words(client.get(reverse(f"mfa_{name}"))) for name in OF_A_FACTOR}
    assert [name for name, page in pages.items() if '<header class="top">' not in page] == []
    assert [name for name, page in pages.items() if "style=" in page or "<script>" in page] == []


# --- audit log ---


def test_every_act_of_staff_leaves_a_row_without_secrets_and_no_act_of_others(staff, ada):
    (other := Client()).force_login(ada)
    other.post(reverse("account"), {"first_name": "Ada"})
    staff.post(f"/admin/accounts/user/{staff.user.pk}/change/", {"role": "author", "password": "hidden"})
    staff.get("/admin/")
    act = Act.objects.get()
    assert (act.username, act.what, act.status) == ("staff", "admin:accounts_user_change", 200)
    assert act.details == {"role": ["author"]}


@pytest.mark.parametrize("address", ["/submit/", "/api/v1/submissions/"])
def test_a_broken_request_of_staff_is_no_error_of_ours(staff, address):
    assert staff.post(address, b"--x", content_type="multipart/form-data; boundary=x").status_code in (200, 400)
    assert Act.objects.get().details == {}


def test_an_act_that_can_not_be_logged_is_an_error_unless_nothing_was_done(staff, monkeypatch):
    def refused(**row):
        raise OperationalError("disk full")

    monkeypatch.setattr(Act.objects, "create", refused)
    request = RequestFactory().post("/submit/")
    request.user, request.resolver_match = staff.user, None
    assert StaffActs(lambda request: HttpResponse(status=503))(request).status_code == 503
    with pytest.raises(OperationalError):
        StaffActs(lambda request: HttpResponse(status=200))(request)


def test_a_row_outlives_the_account(staff):
    staff.post("/submit/0/propose/")
    User.objects.all().delete()
    assert Act.objects.values_list("username", "by", "status").get() == ("staff", None, 404)


def test_pages_may_use_neither_camera_nor_place(visitor):
    policy = visitor.get(reverse("account_login"))["Permissions-Policy"]
    refused = ("camera", "display-capture", "geolocation", "microphone", "midi", "payment", "serial", "usb")
    assert policy == ", ".join(f"{feature}=()" for feature in refused)
