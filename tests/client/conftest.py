"""Fixtures for the client: it comes from its folder, and its calls go to the site in this process."""

import re
import sys
from functools import cache
from hashlib import sha256

import httpx
import pytest

from accounts.models import User, new_token
from benchmarks.definitions.papers.grasp_tests import LEVEL_2
from benchmarks.models import Rendition
from benchmarks.storage.access import path_of
from humantrials.models import TrialState
from leaderboard.standings.refresh import refresh
from tests.evaluation.submissions.uploads import small_pack
from tests.factories import answer_to, make_answers, make_clip, make_item, make_model, make_pack, make_run, make_trial
from tests.humantrials.site_content import write_files
from tests.leaderboard.conftest import vote
from tests.programs import ROOT

sys.path.insert(0, str(ROOT / "client"))


@pytest.fixture
def pack(db):
    pack = small_pack()
    for number, item in enumerate(pack.items.all()):
        item.media.create(clip=make_clip(pack, key=f"clip-{number}"), position=0)
    write_files(pack, 0.4)
    for rendition in Rendition.objects.all():
        content = path_of(rendition).read_bytes()
        rendition.sha256, rendition.size = sha256(content).hexdigest(), len(content)
        rendition.save()
    return pack


@cache
def documented():
    """Calls of the site's own OpenAPI document: (method, pattern of the path), and the names of its parameters."""
    from leaderboard.api.schema_views import schema

    found = []
    for path, calls in schema()["paths"].items():
        pattern = re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)))
        for method, call in calls.items():
            names = {each["name"] for each in call.get("parameters", ())} | {"format"}
            found.append(((method.upper(), pattern), names))
    return found


class DocumentedTransport(httpx.WSGITransport):
    """The site in this process; a call that its OpenAPI document lacks fails the test, unless the site refused it."""

    def handle_request(self, request):
        response, path, given = super().handle_request(request), request.url.path, set(request.url.params)
        known = [
            names for (method, pattern), names in documented() if method == request.method and pattern.fullmatch(path)
        ]
        if path.startswith("/api/") and response.status_code < 400:
            assert any(given <= names for names in known), f"{request.method} {request.url}"
        return response


@pytest.fixture
def site_of():
    """The site as this user sees it, or a visitor."""

    def make(user=None):
        from benchsite_client import Site
        from django.core.wsgi import get_wsgi_application

        key = new_token(user=user, name="client") if user else ""
        return Site("http://testserver", key, transport=DocumentedTransport(app=get_wsgi_application()))

    return make


@pytest.fixture
def site(pack, site_of):
    """The site as its submitter sees it."""
    return site_of(User.objects.create_user("ada", "ada@example.org"))


@pytest.fixture
def work(site):
    return site.work(benchmark="grasp", pack="small", strategy="binary", model="My model")


@pytest.fixture
def level_2(db, tmp_path):
    """Two clips of each of GRASP's tests of level 2, two models that answered, and people of a simulated study."""
    pack = make_pack(name="physics", title="Physics")
    for test in LEVEL_2:
        for number, expected in enumerate(("yes", "no")):
            polarity = "plausible" if expected == "yes" else "implausible"
            facets = {"level": ("2",), "test": (test.name,), "concept": test.concepts, "polarity": (polarity,)}
            clip = make_clip(pack, key=f"{test.name}-{number}")
            make_item(pack, clip=clip, key=clip.key, kind="plausibility", variant="", expected=expected, facets=facets)
    items = list(pack.items.order_by("pk"))
    for name, answer_of in {"Yes": lambda item: "yes", "Right": answer_to}.items():
        run = make_run(pack, model=make_model(name=name, slug=name.lower()), strategy="plausibility")
        make_answers(run, {item: answer_of(item) for item in items})
    trial = make_trial(pack, slug="study", state=TrialState.CLOSED, is_simulated=True, answers_version=1)
    for item in items:
        vote(trial, item, [answer_to(item), answer_to(item), "yes"])
    refresh()
    return pack
