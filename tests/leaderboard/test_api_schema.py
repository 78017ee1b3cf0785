"""Every call of the schema with fuzzed parameters, under all checks of schemathesis."""

import json
from functools import cache

import pytest
import schemathesis
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, given, settings

from benchsite.wsgi import application
from leaderboard.api import schema_views as kept

pytestmark = pytest.mark.django_db
EXAMPLES = 12
CALLS = [
    (method.upper(), path)
    for path, methods in SchemaGenerator().get_schema(public=True)["paths"].items()
    for method in methods
]


@pytest.fixture
def unhurried(settings, monkeypatch):
    """Turn off rate limits."""
    monkeypatch.setattr("rest_framework.views.APIView.throttle_classes", [])


@cache
def schema():
    """The schema as served, with the constants in the code of its views, which take 0.1 s to find."""
    return schemathesis.openapi.from_wsgi("/api/v1/schema/", application)


@pytest.mark.parametrize(("method", "path"), CALLS, ids=lambda value: value)
def test_no_call_breaks(method, path, board, study, unhurried):
    @given(case=schema()[path][method].as_strategy())
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    def call(case):
        (case.query or {}).pop("cursor", None)  # any but those that a list gave is a mistake: api/test_api.py
        case.call_and_validate()

    call()


def test_each_process_builds_the_schema_once_and_writes_each_form_once(client, monkeypatch):
    for each in (kept.schema, kept._written, kept._calls):
        each.cache_clear()
    built, real = [], SchemaGenerator.get_schema
    monkeypatch.setattr(SchemaGenerator, "get_schema", lambda self, **how: built.append(1) or real(self, **how))
    answers = [client.get("/api/v1/schema/", headers={"Accept": form}) for form in ("*/*", "application/json", "*/*")]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert answers[0].content == answers[2].content
    assert json.loads(answers[1].content)["info"]["title"] == "benchsite"
    assert client.get("/api/v1/schema/", headers={"If-None-Match": answers[0]["ETag"]}).status_code == 304
    assert "/api/v1/boards/" in client.get("/api/v1/docs/").content.decode()
    assert client.get("/api/v1/docs/").status_code == 200
    assert built == [1]
