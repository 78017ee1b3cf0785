"""Public ids reveal nothing, can't be computed, and can be changed."""

import hashlib
from base64 import b32encode

import pytest
from django.core.management import CommandError, call_command

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import known_answers
from benchmarks.models import Item
from benchmarks.packs.import_release import import_release
from humantrials.models import Trial
from leaderboard.board.cache import version_of
from leaderboard.items.item_list import list_of
from leaderboard.standings.refresh import refresh
from tests.benchmarks.pacs_releases import small
from tests.commands import told
from tests.factories import make_item, make_pack, make_run, make_trial
from tests.leaderboard.conftest import answer_all

pytestmark = pytest.mark.django_db


def computed(item: Item) -> str:
    """The draw key: from public facts and the key, which is one of a few hundred."""
    facts = (item.pack.benchmark, item.pack.manifest_hash, item.key, item.kind, item.variant)
    return b32encode(hashlib.sha256("\n".join(facts).encode()).digest()).decode().lower()[:12]


def test_what_an_item_is_drawn_by_is_computed_where_the_release_tells_its_answer_and_its_id_is_not(small_pack):
    items = list(small_pack.items.select_related("pack"))
    assert all(item.draw_key == computed(item) for item in items)
    assert not {item.public_id for item in items} & {computed(item) for item in items}


def test_what_a_withheld_item_is_drawn_by_is_not(tmp_path):
    root = small(tmp_path, test_data={"object0003_object0002": {"question0001": {"text": "Which?"}}})
    pack = import_release(BENCHMARKS["pacs"], root).pack
    withheld, known = pack.items.get(~known_answers()), pack.items.filter(known_answers()).first()
    assert withheld.draw_key != computed(withheld)
    assert known.draw_key == computed(known)


def test_what_an_item_is_drawn_by_is_no_address(client):
    item = make_item()
    for place in ("/benchmarks/grasp/items/{}/", "/api/v1/items/{}/"):
        assert client.get(place.format(item.public_id)).status_code == 200
        assert client.get(place.format(item.draw_key)).status_code == 404


def test_a_rotated_pack_has_new_ids_and_answers_to_no_old_name(client):
    item, other = make_item(), make_item()
    before = item.public_id
    rotated = told("change_pack", "rotate-ids", "grasp", "--pack", item.pack.name)
    assert rotated == {"benchmark": "grasp", "pack": item.pack.name, "items": 1}
    item.refresh_from_db()
    assert item.public_id != before
    for name, status in ((before, 404), (item.public_id, 200), (other.public_id, 200)):
        assert client.get(f"/benchmarks/grasp/items/{name}/").status_code == status
        assert client.get(f"/api/v1/items/{name}/").status_code == status
    told("change_pack", "rotate-ids", "grasp", "--pack", item.pack.name)
    assert client.get(f"/benchmarks/grasp/items/{item.public_id}/").status_code == 404


def test_kept_lists_and_boards_are_drawn_anew_when_ids_rotate(db):
    pack = make_pack()
    for number in range(8):
        make_item(pack, expected="yes" if number % 2 else "no")
    run = make_run(pack)
    answer_all(run, lambda item: "yes")
    refresh()

    def shown() -> list[str]:
        listed = list_of(BENCHMARKS["grasp"], {"row": f"run-{run.pk}"}).items
        names = dict(pack.items.values_list("pk", "public_id"))
        return [names[item] for item in listed]

    board = version_of("grasp")
    before = shown()
    told("change_pack", "rotate-ids", "grasp")
    assert not set(shown()) & set(before)
    assert shown() == sorted(shown())
    assert version_of("grasp") != board


def test_studies_of_a_rotated_pack_hear_of_it():
    trial = make_trial(make_pack())
    told("change_pack", "rotate-ids", "grasp")
    assert Trial.objects.get(pk=trial.pk).answers_version == trial.answers_version + 1


@pytest.mark.parametrize(
    ("named", "what"),
    [
        (["grasp", "--pack", "none"], "there is no pack 'none'; packs of grasp: pack-"),
        (["nothing"], "no benchmark 'nothing'"),
    ],
)
def test_a_pack_that_is_not_there_is_a_mistake_of_the_caller(named, what):
    item = make_item()
    before = item.public_id
    with pytest.raises(CommandError, match=what) as mistake:
        call_command("change_pack", "rotate-ids", *named)
    item.refresh_from_db()
    assert (mistake.value.returncode, item.public_id) == (2, before)
