"""The film strip: the model's frames beside its reply, for users who may see both run and clip."""

import io
import re
from dataclasses import replace

import numpy as np
import pytest
from django.utils import timezone
from PIL import Image

from benchmarks.definitions.registry import find_benchmark
from benchmarks.models.answers import ItemSeal
from evaluation.inputs.frame_cache import forget
from evaluation.models import Listing, ModelResponse, Run
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work_on
from tests.factories import make_model

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(pack, make_filmed):
    def ask(**choice):
        make_filmed(1)
        run = start_run(model=make_model(), pack=pack, strategy="binary", **({"sampler": "uniform-4"} | choice))
        work_on(run.pk)
        return ModelResponse.objects.filter(cell__run=run).order_by("cell__item__public_id").last()

    return ask


def pictures(page) -> list[str]:
    return re.findall(r'src="(/runs/\d+/replies/\d+/frames/\d+\.jpg)"', page.content.decode())


def address(response: ModelResponse, position: int = 0) -> str:
    return f"/runs/{response.cell.run_id}/replies/{response.pk}/frames/{position}.jpg"


@pytest.mark.parametrize("choice", [{}, {"condition": "shuffled-frames"}, {"condition": "last-frame", "sampler": None}])
def test_run_and_item_page_show_what_the_model_saw_in_its_order(visitor, asked, choice):
    response = asked(**choice)
    for page in (visitor.get(response.cell.run.get_absolute_url()), visitor.get(response.cell.item.get_absolute_url())):
        shown = [src for src in pictures(page) if f"/{response.pk}/" in src]
        assert shown == [address(response, position) for position in range(len(response.frame_indices))]
    greys = []
    for src in shown:
        answer = visitor.get(src)
        assert answer.headers["Content-Type"] == "image/jpeg"
        greys.append(round(float(np.asarray(Image.open(io.BytesIO(answer.content))).mean()) / 10))
    assert greys == response.frame_indices


def test_a_picture_comes_back_after_the_cache_lost_it_and_none_that_is_not_there(visitor, asked):
    response = asked()
    forget(response.cell.item.clip.sha256)
    assert visitor.get(address(response)).status_code == 200
    others = (address(response).replace("replies/", "replies/9"), f"/runs/99999999/replies/{response.pk}/frames/0.jpg")
    for wrong in (address(response, 4), address(response, 99), *others):
        assert visitor.get(wrong).status_code == 404


def test_words_alone_have_no_strip(visitor, asked):
    response = asked(condition="question-only", sampler=None)
    assert pictures(visitor.get(response.cell.run.get_absolute_url())) == []
    assert visitor.get(address(response)).status_code == 404


def test_a_private_runs_strip_is_for_its_owner_and_staff_alone(visitor, asked, django_user_model):
    response = asked()
    owner = django_user_model.objects.create_user("owner", "owner@example.org", "a long password 1")
    Run.objects.update(listing=Listing.PRIVATE, owner=owner)
    assert visitor.get(address(response)).status_code == 404
    visitor.force_login(owner)
    answer = visitor.get(address(response))
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "private, max-age=3600"


def seal(response, monkeypatch):
    ItemSeal.objects.create(item=response.cell.item, by="trial:open")


def withdraw(response, monkeypatch):
    type(response.cell.item.clip).objects.update(withdrawn_at=timezone.now())


def forbid(response, monkeypatch):
    grasp = replace(find_benchmark("grasp"), media_policy="none")
    monkeypatch.setattr("benchmarks.disclosure.doors.find_benchmark", lambda slug: grasp)


@pytest.mark.parametrize("hide", [seal, withdraw, forbid])
def test_what_may_not_be_seen_has_neither_strip_nor_pictures(visitor, asked, monkeypatch, hide):
    response = asked()
    assert visitor.get(address(response)).status_code == 200
    hide(response, monkeypatch)
    assert visitor.get(address(response)).status_code == 404
    page = visitor.get(response.cell.run.get_absolute_url())
    assert [src for src in pictures(page) if f"/{response.pk}/" in src] == []
