"""A site from before public ids were random: a backup by its own version, restored and upgraded here."""

import gzip
import json
import uuid
from pathlib import Path

import pytest

from tests.benchsite.old_site_now import MADE_UP
from tests.benchsite.sites import Place, on_sqlite
from tests.humantrials.subprocesses import own_postgres
from tests.site import environment
from tests.tables import lay_into
from tests.warm import python

DATA = Path(__file__).parent / "data"
FACTS = DATA / "before-random-ids.json"


@pytest.fixture(scope="module")
def facts() -> dict:
    return json.loads(FACTS.read_text())


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def now(request, tmp_path_factory) -> dict:
    """The report about the restored site."""
    folder = tmp_path_factory.mktemp("old")
    (folder / "old.tar").write_bytes(gzip.decompress((DATA / "before-random-ids.tar.gz").read_bytes()))
    if request.param == "sqlite":
        place = on_sqlite(folder / "site")
        lay_into(place.folder)  # otherwise `restore` applies all migrations before it begins with those of the backup
        return look(place, folder / "old.tar")
    name = f"old_ids_{uuid.uuid4().hex[:8]}"
    (folder / "site" / "var").mkdir(parents=True)
    (folder / "site" / "media").mkdir()
    try:
        return look(Place(folder / "site", own_postgres(name, "CREATE")), folder / "old.tar")
    finally:
        own_postgres(name, "DROP")


def look(place: Place, backup: Path) -> dict:
    assert place.good("restore", str(backup))["rows"] > 500
    command = ["-m", "tests.benchsite.old_site_now", str(FACTS)]
    done = python(command, environment(place.folder) | place.extra, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def secret(facts) -> set[str]:
    """Old ids of items that a study seals, or whose answers are withheld, loaded or not."""
    return {*facts["sealed"], *facts["withheld"]}


def test_every_item_has_another_id_and_draws_by_the_old_one(now, facts):
    assert set(now["items"]) == set(facts["items"].values())
    assert not set(now["items"]) & set(now["items"].values())
    assert len(set(now["items"].values())) == len(now["items"]) == 12


def test_links_to_public_items_lead_to_their_new_ids(now, facts, secret):
    public = set(facts["items"].values()) - secret
    assert len(public) == 4
    for name in public:
        page = f"/benchmarks/grasp/items/{now['items'][name]}/"
        assert now["answers"][name] == [[302, page], [200, ""]]


def test_old_ids_of_sealed_and_withheld_items_are_as_unknown_as_a_made_up_one(now, secret):
    assert len(secret) == 8
    for name in secret:
        assert now["answers"][name] == now["answers"][MADE_UP] == [[404, ""], [404, ""]]
        assert now["words"][name] == now["words"][MADE_UP]


def test_they_stay_so_when_the_study_closes(now, facts):
    assert now["closed"] == [404] * len(facts["sealed"])


def test_an_old_upload_is_read_and_an_old_snapshot_verified(now):
    assert now["upload"] == {"ok": True, "rows": 4, "score": 0.5, "problems": [], "parser": "as-given 1"}
    assert now["snapshot"] == []


def test_designs_examples_and_batches_are_what_they_were(now, facts):
    assert now["designs"]["drafted"] == [facts["drafted"], True]
    assert now["designs"]["sealing"][1] is True
    assert now["examples"]
    assert all(shown == again for shown, again in now["examples"])
    assert now["batches"] == facts["waiting"]
    assert now["resumed"] == {"answered": len(facts["waiting"])}


def test_replies_of_before_name_their_examples_by_new_ids(now):
    assert now["turns"]
    assert set(now["turns"]) <= set(now["items"].values())


def test_staff_load_answers_and_find_clips_by_old_ids(now, facts):
    assert now["again"] == {"items": 1, "known": 1, "waiting": 0}
    assert now["withdraws"] == len(facts["items"])


def test_rotated_ids_end_all_old_names_and_nothing_else(now):
    assert now["rotated"] == {"old": [404], "new": [200], "upload": False, "snapshot": [], "designs": [True, True]}
