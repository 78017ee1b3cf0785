"""Public ids reveal nothing, can't be computed, and can be changed; old ids of public items remain valid."""

import csv
import hashlib
import io
import json
import stat
from base64 import b32encode

import pytest
from django.core.management import CommandError, call_command

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Item, ItemSeal
from benchmarks.packs.id_tables import BadIdList, read_ids
from benchmarks.packs.import_release import import_release
from humantrials.models import Trial
from leaderboard.items.item_list import list_of
from leaderboard.standings.refresh import refresh
from tests.benchmarks.pacs_releases import small
from tests.factories import make_item, make_pack, make_run
from tests.leaderboard.conftest import answer_all

pytestmark = pytest.mark.django_db
OLD = "abcdefghijkl"


def computed(item: Item) -> str:
    """The public id by the old formula: from public facts and the key, which is one of a few hundred."""
    facts = (item.pack.benchmark, item.pack.manifest_hash, item.key, item.kind, item.variant)
    return b32encode(hashlib.sha256("\n".join(facts).encode()).digest()).decode().lower()[:12]


def old_item(**values) -> Item:
    return make_item(draw_key=OLD, keeps_old_id=True, **values)


def facts_of(*arguments) -> dict:
    out = io.StringIO()
    call_command(*arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


def test_no_id_follows_from_what_is_public(small_pack):
    items = list(small_pack.items.select_related("pack"))
    assert not {item.public_id for item in items} & {computed(item) for item in items}


def test_what_an_item_is_drawn_by_is_computed_where_the_release_tells_its_answer(small_pack):
    assert all(item.draw_key == computed(item) for item in small_pack.items.select_related("pack"))


def test_what_a_withheld_item_is_drawn_by_is_not(tmp_path):
    root = small(tmp_path, test_data={"object0003_object0002": {"question0001": {"text": "Which?"}}})
    pack = import_release(BENCHMARKS["pacs"], root).pack
    withheld, told = pack.items.get(expected=None), pack.items.exclude(expected=None).first()
    assert withheld.draw_key != computed(withheld)
    assert told.draw_key == computed(told)


def test_items_are_found_by_their_old_ids_until_something_seals_them():
    item = old_item()
    assert Item.objects.find(OLD) == Item.objects.find(item.public_id) == item
    ItemSeal.objects.create(item=item, by="trial:one")
    assert Item.objects.find(OLD) is None
    assert Item.objects.find(item.public_id) == item


def test_an_item_that_never_had_a_public_draw_key_is_not_found_by_it():
    make_item(draw_key=OLD)
    assert Item.objects.find(OLD) is None


def test_an_old_link_keeps_what_it_asks_for(client):
    item = old_item()
    answer = client.get(f"/benchmarks/grasp/items/{OLD}/?page=1")
    assert answer.headers["Location"] == f"/benchmarks/grasp/items/{item.public_id}/?page=1"
    assert client.get(f"/benchmarks/pacs/items/{OLD}/").status_code == 404


def test_a_rotated_pack_has_new_ids_and_answers_to_no_old_name(client):
    item, other = old_item(), make_item()
    before = item.public_id
    told = facts_of("rotate_ids", "grasp", "--pack", item.pack.name)
    assert told == {"benchmark": "grasp", "pack": item.pack.name, "items": 1}
    item.refresh_from_db()
    assert item.public_id not in (before, OLD)
    for name, status in ((before, 404), (OLD, 404), (item.public_id, 200), (other.public_id, 200)):
        assert client.get(f"/benchmarks/grasp/items/{name}/").status_code == status
        assert client.get(f"/api/v1/items/{name}/").status_code == status
    facts_of("rotate_ids", "grasp", "--pack", item.pack.name)
    assert client.get(f"/benchmarks/grasp/items/{item.public_id}/").status_code == 404


def test_kept_lists_and_boards_are_drawn_anew_when_ids_rotate(client):
    pack = make_pack()
    for number in range(8):
        make_item(pack, expected="yes" if number % 2 else "no")
    run = make_run(pack)
    answer_all(run, lambda item: "yes")
    refresh()

    def shown() -> list[str]:
        page = list_of(BENCHMARKS["grasp"], {"row": f"run-{run.pk}"}).page("1")
        return [row.item.public_id for row in page.object_list]

    board = client.get("/leaderboard/grasp/").headers["ETag"]
    before = shown()
    facts_of("rotate_ids", "grasp")
    assert not set(shown()) & set(before)
    assert shown() == sorted(shown())
    assert client.get("/leaderboard/grasp/", headers={"cache-control": "no-cache"}).headers["ETag"] != board


def test_studies_of_a_rotated_pack_hear_of_it(physics_trial):
    facts_of("rotate_ids", "grasp")
    assert Trial.objects.get(pk=physics_trial.pk).answers_version == physics_trial.answers_version + 1


@pytest.fixture
def physics_trial(db) -> Trial:
    from tests.factories import make_trial

    return make_trial(make_pack())


@pytest.mark.parametrize("command", [["rotate_ids"], ["export_ids", "--out", "ids.csv"]])
@pytest.mark.parametrize(
    ("named", "what"),
    [
        (["grasp", "--pack", "none"], "there is no pack 'none'; packs of grasp: pack-"),
        (["nothing"], "no benchmark 'nothing'"),
    ],
)
def test_a_pack_that_is_not_there_is_a_mistake_of_the_caller(tmp_path, monkeypatch, command, named, what):
    monkeypatch.chdir(tmp_path)
    item = make_item()
    before = item.public_id
    with pytest.raises(CommandError, match=what) as mistake:
        call_command(command[0], *named, *command[1:])
    item.refresh_from_db()
    assert (mistake.value.returncode, item.public_id, list(tmp_path.glob("*.csv"))) == (2, before, [])


def test_the_list_of_ids_names_every_item_and_is_its_owner_s(small_pack, tmp_path):
    ItemSeal.objects.create(item=small_pack.items.first(), by="trial:one")
    out = tmp_path / "ids.csv"
    assert facts_of("export_ids", "grasp", "--out", str(out))["items"] == small_pack.items.count()
    rows = list(csv.DictReader(out.read_text().splitlines()))
    official = small_pack.items.order_by().values_list("key", "kind", "variant", "public_id")
    assert [tuple(row.values()) for row in rows] == sorted(official)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    with pytest.raises(CommandError, match="exists already") as mistake:
        call_command("export_ids", "grasp", "--out", str(out))
    assert mistake.value.returncode == 2


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "line 1: the columns key, kind, variant, item"),
        ("item,key\n", "line 1: the columns"),
        ("key,kind,variant,item\na,b,c\n", "line 2: a line has"),
        ("key,kind,variant,item\na,b,c,x\na,b,d,x\n", "line 3: x appears twice"),
        ("key,kind,variant,item\na,b,c,\n", "line 2: a line has"),
    ],
)
def test_a_bad_list_of_ids_is_named_by_its_line(tmp_path, text, what):
    (tmp_path / "ids.csv").write_text(text)
    with pytest.raises(BadIdList, match=what):
        read_ids(tmp_path / "ids.csv")
