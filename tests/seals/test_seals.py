"""The attacks learn no sealed answer, unless a seal is broken on purpose."""

import logging

import pytest
from django.db import transaction

from tests.seals.attacker import AT_FULL_SIZE, Attacker
from tests.seals.breakages import BREAKAGES, Scene
from tests.seals.doors import InnerDoor
from tests.seals.site import STUDY, Built, build, list_what_is_proposed, with_fewer
from tests.seals.verdict import ALPHA, FEWER, ITEMS, better_than_chance, tried
from tests.seals.ways import ALL, IN_A_MINUTE, ON_FEWER

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_metrics")]


@pytest.fixture(scope="module")
def built(django_db_setup, django_db_blocker, tmp_path_factory):
    """One site for all attacks; it is rolled back to its initial state after each attack, and removed at the end."""
    folder = tmp_path_factory.mktemp("attacked")
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch, transaction.atomic():
        from django.conf import settings

        patch.setattr(settings, "MEDIA_ROOT", folder / "media")
        patch.setattr(settings, "PASSWORD_HASHERS", ["django.contrib.auth.hashers.MD5PasswordHasher"])
        (folder / "media").mkdir()
        log = logging.getLogger("benchsite.logs.request_logging")
        log.setLevel(logging.WARNING)
        yield build(folder), folder
        log.setLevel(logging.NOTSET)
        transaction.set_rollback(True)


@pytest.fixture
def attacked(built, settings, db):
    found, folder = built
    settings.MEDIA_ROOT = folder / "media"
    settings.SUBMISSIONS_A_DAY = settings.SUBMISSIONS_IN_ALL = 100_000
    return found, folder


def attacker_of(built: Built) -> Attacker:
    visitor, member, author = InnerDoor(), InnerDoor("ada"), InnerDoor("author")
    return Attacker(visitor, member, author, built.targets, STUDY, list_what_is_proposed, InnerDoor)


def test_no_way_learns_a_sealed_answer(attacked):
    built, _folder = attacked
    ways = dict.fromkeys(IN_A_MINUTE, ALL) if AT_FULL_SIZE else IN_A_MINUTE
    fewer = () if AT_FULL_SIZE else ON_FEWER
    results = list(tried(attacker_of(built), built, {way: on for way, on in ways.items() if way not in fewer}))
    assert all(result.items == ITEMS for result in results)
    small = with_fewer(built, FEWER)
    on_fewer = list(tried(attacker_of(small), small, {way: ways[way] for way in fewer}))
    assert all(result.items == FEWER for result in on_fewer)
    results += on_fewer
    print(*results, sep="\n")
    assert [str(result) for result in better_than_chance(results)] == []


@pytest.mark.parametrize("breakage", [one for one in BREAKAGES if AT_FULL_SIZE or one.in_a_minute], ids=str)
def test_where_a_seal_is_broken_its_way_learns_the_answers(attacked, monkeypatch, breakage):
    whole, folder = attacked
    built = with_fewer(whole, ITEMS if AT_FULL_SIZE else breakage.items)
    scene = Scene(monkeypatch, built, attacker_of(built), folder)
    try:
        breakage.breaking(scene)
        [result] = tried(scene.attacker, scene.built, {breakage.way: [breakage.target]})
    finally:
        for back in scene.undo:
            back()
    print(result)
    assert result.p <= ALPHA, result
