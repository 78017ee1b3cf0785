"""Breaks each seal on purpose, one at a time; the attack that it guards against must then learn the answers."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings

from benchmarks.models import Item, ItemQuerySet, Pack, Rendition
from benchmarks.storage.store import opaque_name
from humantrials.models import Trial
from humantrials.running.lifecycle import close_trial, create_trial, open_trial
from tests.factories import answer_to
from tests.seals.attacker import Attacker, Target
from tests.seals.places import stand_open
from tests.seals.site import Built
from tests.seals.verdict import FEWER, ITEMS
from tests.seals.ways import Way, clips, ids, listings, lists, name_of, people
from tests.seals.ways.ids import draw_key_of
from tests.seals.ways.people import ATTENTION

# A breakage patches the site's code, or changes its rows (which are rolled back), its files or the attacker.
Breaking = Callable[["Scene"], None]


@dataclass
class Scene:
    """Everything that a breakage may change."""

    patch: pytest.MonkeyPatch
    built: Built
    attacker: Attacker
    folder: Path
    undo: list[Callable[[], object]] = field(default_factory=list)  # undoes what a rollback of rows doesn't

    def rename(self, names: dict[str, str]) -> None:
        """Change the public ids of these items, in the rows and in the attacker's knowledge."""
        for old, new in names.items():
            Item.objects.filter(public_id=old).update(public_id=new)
        self.built.targets = [_renamed(target, names) for target in self.built.targets]
        self.built.truth = {
            name: {names.get(one, one): answer for one, answer in truth.items()}
            for name, truth in self.built.truth.items()
        }
        self.attacker.targets = self.built.targets


def _renamed(target: Target, names: dict[str, str]) -> Target:
    def new(given: Mapping[str, str]) -> dict[str, str]:
        return {names.get(one, one): value for one, value in given.items()}

    ids = tuple(names.get(one, one) for one in target.ids)
    return replace(target, ids=ids, told=new(target.told), public=new(target.public), tests=new(target.tests))


def _items(pack: str) -> list[Item]:
    return list(Item.objects.filter(pack__name=pack, kind="plausibility").select_related("pack").order_by("pk"))


def draw_keys_as_ids(scene: Scene) -> None:
    """Ids are hashes of public facts."""
    scene.rename({item.public_id: draw_key_of("grasp", item.pack.manifest_hash, item.key) for item in _items("round")})


def ids_in_the_order_of_the_release(scene: Scene) -> None:
    """Ids are ascending in the order of the items."""
    scene.rename(
        {
            item.public_id: f"item{chr(97 + n // 676)}{chr(97 + n // 26 % 26)}{chr(97 + n % 26)}aaaaa"
            for n, item in enumerate(_items("round"))
        }
    )


def files_named_without_a_secret(scene: Scene) -> None:
    """Clips' names are made with an empty secret."""
    pack = Pack.objects.get(name="round")
    for rendition in Rendition.objects.filter(clip__pack=pack, kind="original").select_related("clip"):
        name = opaque_name(b"", f"{pack.manifest_hash}/{rendition.clip.key}", "original")
        Rendition.objects.filter(pk=rendition.pk).update(name=name)


def listings_have_no_budget(scene: Scene) -> None:
    """The number of rows with hidden answers listed per month is unlimited."""
    scene.patch.setattr(settings, "HIDDEN_LISTINGS_A_MONTH", 1000)


def lists_in_the_order_of_the_release(scene: Scene) -> None:
    """Lists are in the order of import."""
    order_by = ItemQuerySet.order_by

    def by_key(self: ItemQuerySet, *names: str) -> ItemQuerySet:
        return order_by(self, *("pk" if name == "public_id" else name for name in names))

    scene.patch.setattr(ItemQuerySet, "order_by", by_key)


def files_as_they_came(scene: Scene) -> None:
    """Clips are served as released, with the folder's name as title and with their own length."""
    for pack in ("open", "round"):
        for rendition in Rendition.objects.filter(clip__pack__name=pack, kind="original").select_related("clip"):
            came = (scene.folder / pack / "videos" / f"{rendition.clip.key}.mp4").read_bytes()
            path = Path(settings.MEDIA_ROOT) / "clips" / rendition.name
            scene.undo.append(partial(path.write_bytes, path.read_bytes()))
            path.write_bytes(came)


def files_with_their_date(scene: Scene) -> None:
    """Headers reveal when a file was written, and files are written in the order of the release."""
    from benchmarks.storage import ranged_responses

    headers_of = ranged_responses.headers_of
    for rendition in Rendition.objects.filter(kind="original"):
        os.utime(Path(settings.MEDIA_ROOT) / "clips" / rendition.name, (rendition.clip_id, rendition.clip_id))

    def dated(name: str, cache: str) -> dict[str, str]:
        written = (Path(settings.MEDIA_ROOT) / name).stat().st_mtime_ns
        return headers_of(name, cache) | {"ETag": f'"{written:x}"'}

    scene.patch.setattr(ranged_responses, "headers_of", dated)


def pages_take_as_long_as_the_answer_says(scene: Scene) -> None:
    """The page of a sealed item takes a time that depends on its answer."""
    from leaderboard.items import item_detail

    find_item = item_detail.find_item

    def slowly(slug: str, public_id: str) -> Item | None:
        found = find_item(slug, public_id)
        until = time.process_time() + (0.06 if found and answer_to(found) == "no" else 0)
        while time.process_time() < until:
            pass
        return found

    scene.patch.setattr(item_detail, "find_item", slowly)


def snapshots_stay_open(scene: Scene) -> None:
    """The file of an earlier snapshot can be downloaded while a study is open."""
    scene.patch.setattr("leaderboard.pages.publications.snapshots.is_out_of_sight", lambda content: False)


def designs_without_a_salt(scene: Scene) -> None:
    """A study draws from its seed alone."""
    scene.patch.setattr(Trial, "draw_seed", property(lambda self: self.seed))
    trial = create_trial(
        slug="unsalted",
        protocol="grasp-plausibility",
        pack=Pack.objects.get(name="open"),
        seed=3,
        settings={"per_test": 6, "replicates": 2},
    )
    open_trial(trial=trial)
    scene.attacker.study = "unsalted"


def attention_items_may_be_secret(scene: Scene) -> None:
    """An author may name any item for attention, and reads who got it right."""
    for place in ("assignment.item_pool", "judging.attention_checks", "desk.people_views"):
        stand_open(scene.patch, f"humantrials.{place}")


def twins_stay_open(scene: Scene) -> None:
    """A study seals only what it asks about, and asks about one clip of a pair."""
    scene.patch.setattr("benchmarks.disclosure.seals.closure", set)
    close_trial(trial=Trial.objects.get(slug=scene.attacker.study))
    settings = {"per_test": 1, "replicates": 2}
    trial = create_trial(
        slug="halves", protocol="grasp-plausibility", pack=Pack.objects.get(name="open"), seed=3, settings=settings
    )
    open_trial(trial=trial)
    scene.attacker.study = "halves"


@dataclass(frozen=True)
class Breakage:
    """A broken seal, and the attack that must then learn the answers of a target."""

    breaking: Breaking
    way: Way
    target: str
    in_a_minute: bool = True  # also tried in `make test`
    items: int = ITEMS  # to guess in `make test`; fewer where an attack is costly and guesses each one right

    def __str__(self) -> str:
        return f"{self.breaking.__name__}-{name_of(self.way)}"


BREAKAGES = (
    Breakage(draw_keys_as_ids, ids.preimage, "withheld"),
    Breakage(ids_in_the_order_of_the_release, ids.orders_of_ids, "withheld"),
    Breakage(files_named_without_a_secret, ids.media_names, "withheld"),
    Breakage(listings_have_no_budget, listings.edges_after_listing, "hidden", items=12),  # p = 2.4e-4
    Breakage(lists_in_the_order_of_the_release, lists.orders, "withheld"),
    Breakage(files_as_they_came, clips.files, "withheld"),
    Breakage(files_as_they_came, people.files_of_seats, "sealed", in_a_minute=False),
    Breakage(files_with_their_date, clips.files, "withheld"),
    Breakage(pages_take_as_long_as_the_answer_says, lists.response_times, "sealed", items=FEWER),
    Breakage(snapshots_stay_open, clips.frozen, "sealed"),
    Breakage(designs_without_a_salt, people.design_from_the_source, "sealed"),
    Breakage(twins_stay_open, people.first_pictures, "sealed"),
    Breakage(attention_items_may_be_secret, people.attention_items, "withheld", items=ATTENTION),  # p = 9.8e-4
)
