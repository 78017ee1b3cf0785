"""Programs, weights, folders and addresses are set by commands on the machine: no role can set them in a browser."""

import json
import os
import re

import pytest
from django.contrib.admin import autodiscover, site
from django.db.models import JSONField
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.roles import Role
from benchmarks.models import Production
from evaluation.models import Model
from extensions.training.progress import curves_of
from tests.accounts.test_roles import client_of
from tests.factories import make_model, make_run
from tests.programs import CODE, ROOT

pytestmark = pytest.mark.django_db
RUNS = {
    "program": ["/bin/sh", "-c", "id"],
    "folder": "/etc",
    "variables": ["SECRET_KEY"],
    "path": "/srv/models/x",
    "audio_path": "/srv/models/y",
    "asked_on": {},
    "device": "cuda",
}
SERVER = {"base_url": "http://127.0.0.1:9/v1", "model": "x"}
ROLES = tuple(role.value for role in Role)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("field", RUNS)
def test_no_role_names_a_program_a_folder_or_a_variable_with_a_browser(role, field):
    client, add = client_of(role), reverse("admin:evaluation_model_add")
    for kind in ("command", "transformers", "similarity", "openai"):
        form = {"slug": "mine", "name": "Mine", "revision": "", "kind": kind, "made_here": "on", "card": "{}"}
        for options in ({field: RUNS[field]}, SERVER | {field: RUNS[field]}):
            assert (client.post(add, form | {"options": json.dumps(options)}).status_code == 200) == (role == "admin")
            assert not Model.objects.exists()


@pytest.mark.parametrize("role", ROLES)
def test_no_role_changes_what_a_model_runs(role):
    options = {"program": ["/opt/model/answer"], "folder": "/opt/model"}
    model = make_model(kind="command", options=options, revision="1")
    changed = {"name": "Other", "card": "{}", "kind": "openai", "options": json.dumps(RUNS), "revision": "2"}
    answer = client_of(role).post(reverse("admin:evaluation_model_change", args=[model.pk]), changed)
    model.refresh_from_db()
    assert (model.kind, model.options, model.revision) == ("command", options, "1")
    assert (model.name == "Other") == (role == "admin"), answer.status_code


@pytest.mark.parametrize("role", ROLES)
def test_paths_and_programs_are_on_no_page_and_in_no_answer_of_the_api(role):
    secret = "/srv/inner/weights"
    model = make_model(kind="command", options={"program": [secret], "folder": secret, "variables": ["KEY_OF_OURS"]})
    run = make_run(model=model, listing="listed")
    client = client_of(role)
    pages = (
        *(model.get_absolute_url(), "/models/", "/api/v1/models/", f"/api/v1/models/{model.slug}/"),
        *(run.get_absolute_url(), f"{run.get_absolute_url()}card.json", "/api/v1/runs/", f"/api/v1/runs/{run.pk}/"),
    )
    for page in pages:
        answer = client.get(page)
        assert answer.status_code == 200, page
        assert secret not in answer.content.decode(), page
        assert "KEY_OF_OURS" not in answer.content.decode(), page


@pytest.mark.parametrize("folder", ["/etc", "../..", ".", "", "release/../../etc", "\0"])
def test_an_import_is_ordered_of_the_folders_for_releases_alone(folder, settings, tmp_path):
    settings.RELEASES_DIR = tmp_path
    (tmp_path / "release").mkdir()
    form = {"benchmark": "grasp", "folder": folder, "pack_name": "x", "split": ""}
    assert client_of("admin").post(reverse("admin:benchmarks_production_add"), form).status_code == 200
    assert not Production.objects.exists()


def test_a_card_that_was_changed_with_a_browser_has_no_other_file_read(settings, tmp_path):
    told = {"curve": [{"step": 1, "loss": 0.5}, {"step": 2, "loss": 0.25}]}
    for name in ("curve.json", "secret.json"):
        (tmp_path / name).write_text(json.dumps(told))
    os.mkfifo(tmp_path / "pipe")
    model = make_model(card={"curve": str(tmp_path / "curve.json")})
    assert len(curves_of(model)) == 1
    for path in ("secret.json", "pipe", "../../etc/passwd", "/dev/zero", "curve.json/../secret.json"):
        model.card = {"curves": {"x": str(tmp_path / path)}, "curve": path}
        assert curves_of(model) == []


def test_what_admins_can_write_into_a_table_is_known_field_by_field():
    """JSON can hold anything: each JSON field in a form of the administration is checked here."""
    autodiscover()
    admin = client_of("admin").user
    request = type("Asked", (), {"user": admin, "GET": {}, "method": "GET"})()
    offered = set()
    for model, shown in site._registry.items():
        if not model.__module__.startswith(tuple(CODE)):
            continue
        for obj in (None, model()):
            allowed = shown.has_add_permission(request) if obj is None else shown.has_change_permission(request, obj)
            fields = set(shown.get_form(request, obj).base_fields) if allowed else set()
            offered |= {
                f"{model.__name__}.{field.name}"
                for field in model._meta.get_fields()
                if isinstance(field, JSONField) and field.name in fields
            }
    # Options are checked by ServerModelForm, cards hold words and `curve` (see above).
    assert offered <= {"Model.options", "Model.card", "Trial.settings", "Token.scopes"}, offered
    assert {"Model.options", "Model.card"} <= offered


def test_the_api_writes_submissions_and_nothing_else():
    """A new writable address must be added here, and to the tests above if it names a program to run."""

    def addresses(patterns, before=""):
        for one in patterns:
            path = before + str(one.pattern)
            if isinstance(one, URLResolver):
                yield from addresses(one.url_patterns, path)
            elif isinstance(one, URLPattern) and path.startswith("api/"):
                yield path, one

    writes = ("post", "put", "patch", "delete")
    writing = set()
    for path, one in addresses(get_resolver().url_patterns):
        kind = getattr(one.callback, "cls", None) or getattr(one.callback, "view_class", None)
        if any(hasattr(kind, name) for name in writes):
            writing.add(path)
    assert writing == {"api/v1/submissions/", "api/v1/clipsets/", "api/v1/clipsets/<slug:key>/"}


def test_what_can_be_sent_is_answers_and_material():
    """A further file field must be as restricted, and be added here and to docs/security.md."""
    taking = {
        str(path.relative_to(ROOT))
        for folder in CODE
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"\b(File|Image|FilePath)Field\b|request\.FILES", path.read_text())
    }
    assert taking == {
        "benchsite/sqlite/base.py",  # the checks of such columns: takes no file
        "evaluation/submissions/api.py",
        "evaluation/submissions/forms.py",
        "evaluation/submissions/views.py",
        "benchmarks/gallery/file_upload.py",
        "extensions/annotation/material/forms.py",
        "extensions/annotation/material/views.py",
        "extensions/generated/pages/sets.py",
    }
