"""Participants' pages are in the reader's language, all others in English."""

import pytest

from tests.factories import make_trial

pytestmark = pytest.mark.django_db
PUBLIC = (
    *("/", "/leaderboard/", "/leaderboard/grasp/", "/embed/leaderboard/grasp/charts/profile/"),
    *("/benchmarks/", "/benchmarks/grasp/", "/benchmarks/grasp/items/", "/models/", "/concepts/gravity/", "/explore/"),
    *("/compare/", "/trials/", "/trials/of-nobody/", "/docs/", "/about/statistics/", "/account/login/", "/missing/"),
)
OF_STAFF = ("/submit/", "/account/", "/admin/", "/admin/benchmarks/clip/", "/operations/", "/trials/new/")


def is_english(page) -> bool:
    is_marked = b'<html lang="en' in page.content[:100]
    return is_marked and page["Content-Language"] == "en" and "Accept-Language" not in page.get("Vary", "")


@pytest.mark.parametrize("language", ["de", "ar"])
def test_a_readers_page_is_english_for_every_browser_and_offers_no_other_language(visitor, language):
    for address in PUBLIC:
        page = visitor.get(address, headers={"Accept-Language": language})
        assert is_english(page), address
        assert "hreflang" not in page.content.decode(), address


def test_so_are_the_pages_of_submitters_and_staff(staff):
    for address in OF_STAFF:
        assert is_english(staff.get(address, headers={"Accept-Language": "de"})), address


@pytest.mark.parametrize(("language", "direction"), [("de", "ltr"), ("ar", "rtl"), ("en", "ltr")])
def test_a_participants_page_is_in_the_language_of_the_browser(visitor, language, direction):
    trial = make_trial(state="open")
    for address in (f"/t/{trial.slug}/?participant=x", "/t/missing/", "/p/missing/", "/p/no/such/page/", "/withdraw/"):
        page = visitor.get(address, headers={"Accept-Language": f"{language},en;q=0.5"})
        assert f'<html lang="{language}" dir="{direction}">' in page.content.decode(), address
        assert (page["Content-Language"], "Accept-Language" in page["Vary"]) == (language, True), address
