"""Every call of the schema with what a fuzzer makes of its parameters, held against all of schemathesis' checks."""

import pytest
import schemathesis
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, given, settings

from benchsite.wsgi import application

pytestmark = [pytest.mark.issue("E"), pytest.mark.django_db]
EXAMPLES = 12
CALLS = [
    (method.upper(), path)
    for path, methods in SchemaGenerator().get_schema(public=True)["paths"].items()
    for method in methods
]


@pytest.fixture
def unhurried(settings, monkeypatch):
    """Nobody is told to come back later."""
    monkeypatch.setattr("rest_framework.views.APIView.throttle_classes", [])


@pytest.mark.parametrize(("method", "path"), CALLS, ids=lambda value: value)
def test_no_call_breaks(method, path, board, study, unhurried):
    schema = schemathesis.openapi.from_wsgi("/api/v1/schema/", application)

    @given(case=schema[path][method].as_strategy())
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    def call(case):
        case.call_and_validate()

    call()
