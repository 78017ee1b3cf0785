"""Items with a wrong key are flagged once ten have answered; before, the page says why there is nothing."""

import numpy as np
import pytest
from scipy.special import expit

from benchmarks.models import ItemSeal
from leaderboard.audits.item_health import health_of
from leaderboard.standings.refresh import refresh
from tests.factories import make_answers, make_item, make_model, make_pack, make_run

pytestmark = pytest.mark.django_db
ADDRESS = "/leaderboard/grasp/health/?pack=keys"


@pytest.fixture
def pack():
    """Sixty questions, of which the first three have a key that is the wrong way round."""
    made = make_pack(name="keys")
    for number in range(60):
        make_item(made, key=f"k{number}", expected="yes" if number % 2 else "no")
    return made


def answer(pack, models):
    rng = np.random.default_rng(5)
    items, other = list(pack.items.order_by("pk")), {"yes": "no", "no": "yes"}
    hard = rng.normal(size=len(items))
    for ability in np.linspace(-2, 3, models):
        right = rng.random(len(items)) < expit(1.5 * (ability - hard))
        right[:3] = ~right[:3]
        run = make_run(pack, model=make_model(kind="scripted"))
        make_answers(
            run, {one: one.expected if ok else other[one.expected] for one, ok in zip(items, right, strict=True)}
        )
    refresh()
    return [item.public_id for item in items[:3]]


def test_wrong_keys_are_flagged_and_shown(pack, client):
    wrong = answer(pack, 24)
    found = health_of(pack, "binary")
    flagged = {one.item.public_id for one in found.flagged}
    assert (found.models, found.people, found.items) == (24, 0, 60)
    assert len(flagged & set(wrong)) >= 2
    assert len(flagged - set(wrong)) <= 1
    page = client.get(ADDRESS).content.decode()
    assert all(name in page for name in flagged)


def test_sealed_items_are_not_named(pack, client):
    wrong = answer(pack, 24)
    for item in pack.items.filter(public_id__in=wrong):
        ItemSeal.objects.create(item=item, by="trial:open")
    assert not any(name in client.get(ADDRESS).content.decode() for name in wrong)


def test_with_nine_the_page_says_why_there_is_nothing(pack, client):
    answer(pack, 9)
    page = " ".join(client.get(ADDRESS).content.decode().split())
    assert "9 models and 0 people have answered" in page
    assert health_of(pack, "binary").flagged == ()
