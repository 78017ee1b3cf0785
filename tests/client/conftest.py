"""Fixtures for the client: it comes from its folder, and its calls go to the site in this process."""

import sys
from hashlib import sha256

import httpx
import pytest

from accounts.models import User, new_token
from benchmarks.models import Rendition
from benchmarks.storage.access import path_of
from tests.evaluation.submissions.uploads import small_pack
from tests.factories import make_clip
from tests.humantrials.site_content import write_files
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


@pytest.fixture
def site(pack):
    """The site as its submitter sees it."""
    from benchsite_client import Site
    from django.core.wsgi import get_wsgi_application

    user = User.objects.create_user("ada", "ada@example.org")
    key = new_token(user=user, name="client")
    return Site("http://testserver", key, transport=httpx.WSGITransport(app=get_wsgi_application()))


@pytest.fixture
def work(site):
    return site.work(benchmark="grasp", pack="small", strategy="binary", model="My model")
