"""Prerequisites of trials: packs of Level-2 items, and participants who have consented."""

from collections.abc import Callable
from itertools import product
from typing import Any, TypeVar

from django.db.models import Model

from accounts.models import User
from benchmarks.definitions.papers.grasp_prompts import LEVEL_2 as PROMPTS
from benchmarks.definitions.papers.grasp_tests import LEVEL_2
from benchmarks.models import Item, Pack
from humantrials.assignment.claims import claim_sheet, record_judgment
from humantrials.models import Participant, Slot, Trial
from humantrials.running.lifecycle import create_trial, open_trial
from tests.factories import make_clip, make_item, make_pack, make_participant

Row = TypeVar("Row", bound=Model)
TESTS = tuple(test.name for test in LEVEL_2)


def physics_item(
    pack: Pack, test: str, *, is_plausible: bool, split: tuple[str, ...] = ("all", "human"), key: str = "", **shape
) -> Item:
    polarity = "plausible" if is_plausible else "implausible"
    clip = make_clip(pack, **{"seconds": 2.0, **shape})
    clip.key = key or f"level2/{polarity}/{clip.pk}"
    clip.save()
    return make_item(
        pack,
        clip=clip,
        key=clip.key,
        kind="plausibility",
        variant="",
        text=PROMPTS[test],
        expected="yes" if is_plausible else "no",
        facets={"level": ("2",), "test": (test,), "polarity": (polarity,), "split": split},
    )


def physics_pack(*, tests: int = 4, clips: int = 1, **values) -> Pack:
    """A pack with so many plausible and equally many implausible clips of the first tests."""
    pack = make_pack(**values)
    for test in TESTS[:tests]:
        for _ in range(clips):
            physics_item(pack, test, is_plausible=True)
            physics_item(pack, test, is_plausible=False)
    return pack


def twin_pack(
    tests: int = 4, pairs: int = 2, *, seconds: float = 6.0, breaks: tuple[float, float] = (2.5, 3.25), **values
) -> Pack:
    """Pairs of the first tests; in impossible clips the violation happens, and is known, at these seconds."""
    pack = make_pack(**values)
    happens, known = ({"state": round(40 * at), "seconds": at} for at in breaks)
    facts = {"first_violation": happens, "first_knowable": known}
    for test, number, folder in product(TESTS[:tests], range(pairs), ("P", "IP")):
        is_plausible, key = folder == "P", f"level2/{folder}_{test}/{number:03}"
        shape = {"seconds": seconds, "frames": round(25 * seconds), "facts": {} if is_plausible else facts}
        physics_item(pack, test, is_plausible=is_plausible, split=("all",), key=key, **shape)
    return pack


def running_trial(
    pack: Pack | None = None,
    *,
    slug: str = "running",
    seed: int = 1,
    protocol: str = "grasp-plausibility",
    author: User | None = None,
    **settings,
) -> Trial:
    """An open trial; `settings` as an author would set them."""
    pack = pack or physics_pack()
    trial = create_trial(slug=slug, protocol=protocol, pack=pack, seed=seed, settings=settings, author=author)
    open_trial(trial=trial)
    return trial


def short_trial(*, tests: int = 2, **settings) -> Trial:
    """Two sheets, each with a clip of each test, one answer per clip; a clip that is not asked about is practised."""
    pack = physics_pack(tests=tests)
    physics_item(pack, "Gravity", is_plausible=True, split=("all",))
    return running_trial(pack, replicates=1, **settings)


def altered(row: Row, **values: Any) -> Row:
    """Store these values past all rules; the row knows them, too."""
    type(row)._base_manager.filter(pk=row.pk).update(**values)
    row.refresh_from_db()
    return row


def newcomer(trial: Trial) -> Participant:
    """Somebody who has just agreed."""
    return make_participant(trial, step="instructions")


def consented(trial: Trial) -> Participant:
    return make_participant(trial, step="trials")


def whole_sheet(trial: Trial, answer: Callable[[Slot], Any] = lambda slot: "yes", **records) -> Participant:
    """Somebody who gave this answer to each slot of a sheet, which finished it."""
    person = consented(trial)
    sheet = claim_sheet(participant=person)
    assert sheet
    for slot in sheet.slots.select_related("item"):
        record_judgment(participant=person, position=slot.position, answer=answer(slot), records=records)
    return Participant.objects.get(pk=person.pk)
