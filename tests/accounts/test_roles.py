"""The permissions of each role, and who may assign it."""

import pytest
from django.apps import apps
from django.contrib.admin import autodiscover, site
from django.test import Client
from django.urls import reverse

from accounts.models import User, new_token
from accounts.roles import LOOKED_AT, RIGHTS, Role

pytestmark = pytest.mark.django_db


def client_of(role, **values):
    user = User(**{"username": f"{role}-1", **values})
    user.take_role(role)
    user.save()
    client = Client()
    client.force_login(user)
    client.user = user
    return client


def test_every_right_is_one_that_the_tables_know():
    known = {
        f"{model._meta.app_label}.{act}_{model._meta.model_name}"
        for model in apps.get_models()
        for act in ("add", "change", "delete", "view")
    }
    assert set().union(*(rights.permissions for rights in RIGHTS.values())) <= known


@pytest.mark.parametrize(
    ("role", "may"),
    [
        ("reader", []),
        ("submitter", ["evaluation.add_run"]),
        ("author", ["evaluation.add_run", "humantrials.add_trial"]),
        ("admin", ["evaluation.add_run", "humantrials.add_trial", "evaluation.change_run", "accounts.change_user"]),
    ],
)
def test_a_role_may_what_its_row_says_and_no_more(role, may):
    user = client_of(role).user
    asked = [
        "evaluation.add_run",
        "humantrials.add_trial",
        "evaluation.change_run",
        "accounts.change_user",
        "humantrials.view_identity",
    ]
    assert [name for name in asked if user.has_perm(name)] == may
    assert user.is_staff == (role == "admin")
    assert not User(role=role, is_active=False).has_perm("evaluation.add_run")


def test_an_admin_opens_every_list_that_is_shown_to_him_and_orders_imports_and_adds_models():
    admin = client_of("admin")
    apps_shown = admin.get("/admin/").context["app_list"]
    addresses = [model["admin_url"] for app in apps_shown for model in app["models"]]
    assert reverse("admin:evaluation_run_changelist") in addresses
    assert reverse("admin:humantrials_identity_changelist") not in addresses
    addresses += [reverse(f"admin:{table}_add") for table in ("benchmarks_production", "evaluation_model")]
    assert [admin.get(address).status_code for address in addresses] == [200] * len(addresses)


SUPERUSERS_ALONE = {  # identities behind codes, proofs of identity, and lists that stay empty
    "humantrials.identity",
    "account.emailaddress",
    "mfa.authenticator",
    "axes.accesslog",
    "axes.accessfailurelog",
}


def test_every_table_of_the_administration_is_an_admins_to_see_or_named_as_superusers_alone():
    autodiscover()
    assert {model._meta.label_lower for model in site._registry} - set(LOOKED_AT) == SUPERUSERS_ALONE


@pytest.mark.parametrize("role", ["reader", "submitter", "author"])
def test_others_have_no_administration(role):
    assert client_of(role).get("/admin/").status_code in (302, 403)


def change(client, user, **fields):
    sent = {"username": user.username, "role": user.role, "is_active": "on"} | fields
    return client.post(reverse("admin:accounts_user_change", args=[user.pk]), sent)


def test_an_admin_makes_authors_but_neither_admins_nor_superusers():
    admin, other = client_of("admin"), client_of("submitter").user
    page = admin.get(reverse("admin:accounts_user_change", args=[other.pk])).content.decode()
    assert f"author: {RIGHTS[Role.AUTHOR].words}" in page
    change(admin, other, role="author")
    other.refresh_from_db()
    assert (other.role, other.is_staff) == ("author", False)
    change(admin, other, role="admin", is_superuser="on")
    other.refresh_from_db()
    assert (other.role, other.is_staff, other.is_superuser) == ("author", False, False)


def test_an_admin_changes_no_superuser():
    boss = User.objects.create_superuser("boss", password="a long password 1")
    admin = client_of("admin")
    assert change(admin, boss, username="mine").status_code == 403
    address = reverse("admin:auth_user_password_change", args=[boss.pk])
    assert admin.post(address, {"password1": "x", "password2": "x"}).status_code == 403


def test_a_superuser_makes_an_admin_who_then_is_staff(staff):
    other = client_of("submitter").user
    change(staff, other, role="admin")
    other.refresh_from_db()
    assert (other.role, other.is_staff) == (Role.ADMIN, True)


# --- keys ---


@pytest.mark.parametrize(("scopes", "status"), [(["read"], 403), (["submit"], 400), ([], 403)])
def test_a_key_uploads_only_within_its_scopes(scopes, status):
    user = client_of("submitter").user
    key = new_token(user=user, name="key", scopes=scopes)
    assert Client().post("/api/v1/submissions/", {}, headers={"Authorization": f"Token {key}"}).status_code == status
    assert user.tokens.get().last_used_at is not None


def test_a_password_is_no_key():
    User.objects.create_user("ada", password="a long password 1")
    answer = Client().post("/api/v1/submissions/", {}, headers={"Authorization": "Basic YWRhOmEgbG9uZyBwYXNzd29yZCAx"})
    assert answer.status_code == 401
