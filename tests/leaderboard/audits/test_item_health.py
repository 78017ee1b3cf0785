"""Items with a wrong key are flagged once ten have answered; before that, the page says why there are no flags."""

import numpy as np
import pytest
from scipy.special import expit

from benchmarks.models.answers import ItemSeal
from leaderboard.audits.item_health import health_of
from leaderboard.standings.refresh import refresh
from scenes.generators.objects.unchangeableness import unchangeableness
from scenes.scene import Box
from tests.factories import answer_to, make_answers, make_item, make_model, make_pack, make_run

pytestmark = pytest.mark.django_db
ADDRESS = "/leaderboard/grasp/health/?pack=keys"


@pytest.fixture
def pack(db):
    """Sixty questions; the first three have a reversed key."""
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
            run, {one: answer_to(one) if ok else other[answer_to(one)] for one, ok in zip(items, right, strict=True)}
        )
    refresh()
    return [item.public_id for item in items[:3]]


@pytest.fixture
def wrong(pack):
    """The items with a reversed key, which 24 models answered."""
    return answer(pack, 24)


def test_wrong_keys_are_flagged_and_shown_unless_sealed(pack, wrong, client):
    found = health_of(pack, "binary")
    flagged = {one.item.public_id for one in found.flagged}
    assert (found.models, found.people, found.items) == (24, 0, 60)
    assert len(flagged & set(wrong)) >= 2
    assert len(flagged - set(wrong)) <= 1
    assert 0 <= found.by_chance < 2
    page = client.get(ADDRESS).content.decode()
    assert all(name in page for name in flagged)
    assert f"chance alone would flag about {found.by_chance:.1f}" in page
    # sealed items are not named
    for item in pack.items.filter(public_id__in=wrong):
        ItemSeal.objects.create(item=item, by="trial:open")
    assert not any(name in client.get(ADDRESS).content.decode() for name in wrong)


def shows_a_change(rng):
    """Whether an implausible clip of GRASP's test 1, in the published profile, shows a change."""
    scene = unchangeableness(rng, "implausible", "faithful")
    things = [body for body in scene.bodies if body.name.startswith("Object")]
    return scene.parameters["change"] == "colour" or not isinstance(things[scene.parameters["target"]], Box)


def test_official_clips_without_a_change_are_flagged(db):
    """The positive control: about a quarter of these clips show no change, and good viewers answer so."""
    rng, made = np.random.default_rng(11), make_pack(name="control")
    shown = [shows_a_change(rng) for _ in range(60)]
    assert 8 <= shown.count(False) <= 22
    for number, changes in enumerate([*shown, *[False] * 40]):
        expected = "no" if number < 60 else "yes"
        make_item(made, key=f"k{number}", kind="plausibility", expected=expected, lead_in=str(changes))
    items, hard = list(made.items.order_by("pk")), rng.normal(size=100)
    for ability in np.linspace(-2, 3, 24):
        looks = rng.random(100) < expit(1.5 * (ability - hard))
        guesses = rng.choice(["yes", "no"], 100)
        said = ["no" if item.lead_in == "True" else "yes" for item in items]
        told = {
            item: one if sees else str(guess)
            for item, one, sees, guess in zip(items, said, looks, guesses, strict=True)
        }
        make_answers(make_run(made, model=make_model(kind="scripted"), strategy="plausibility"), told)
    refresh()
    still = {item.pk for item, changes in zip(items, shown, strict=False) if not changes}
    flagged = {one.item.pk for one in health_of(made, "plausibility").flagged}
    print(f"{len(flagged & still)} of {len(still)} without a change, {len(flagged - still)} others")
    assert len(flagged & still) > len(still) / 2
    assert len(flagged - still) <= 2


def test_with_nine_the_page_says_why_there_is_nothing(pack, client):
    answer(pack, 9)
    page = " ".join(client.get(ADDRESS).content.decode().split())
    assert "9 models and 0 people have answered" in page
    assert health_of(pack, "binary").flagged == ()
