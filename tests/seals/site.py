"""Builds the site to attack, with real rows from the site's own imports, studies and uploads.

There are three targets of sealed items: those of an open study, of a split whose answers were loaded, and of pairs
without clips. Each pack also has open items, and the attacker knows some answers of each target to learn from.
"""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from django.test import Client

from accounts.models import Role, User
from benchmarks.definitions.papers.grasp_tests import LEVEL_2
from benchmarks.definitions.registry import BENCHMARKS, find_benchmark
from benchmarks.models import Item, Pack
from benchmarks.packs.import_release import import_release, release_of, store_release
from benchmarks.packs.withheld_answers import import_answers
from evaluation.models import Run
from evaluation.submissions.listing import lifecycle
from evaluation.submissions.store.submit import submit
from humantrials.models import Participant, Trial
from humantrials.running.lifecycle import close_trial, create_trial, open_trial
from leaderboard.board.query import available_packs, view_of
from leaderboard.publications.snapshot import content_of, store_snapshot
from leaderboard.standings.refresh import refresh
from tests.benchmarks.grasp_release import write_clip, write_trajectories
from tests.evaluation.submissions.uploads import json_lines, upload
from tests.factories import answer_to
from tests.humantrials.plain_client import Walker
from tests.seals.attacker import AT_FULL_SIZE, Target

# `make test` attacks a smaller site: fewer tests, and fewer items of each.
TESTS = tuple(test.name for test in LEVEL_2)[: 16 if AT_FULL_SIZE else 12]
OF_A_FOLDER, SEALED_OF_A_TEST, TOLD_OF_A_TEST = (4, 6, 2) if AT_FULL_SIZE else (3, 4, 2)
PASSWORD = "a long password 1"
STUDY, EARLIER = "study", "earlier"
QUESTIONS, OPEN_QUESTIONS, TOLD_QUESTIONS = (128, 32, 32) if AT_FULL_SIZE else (72, 16, 32)


@dataclass
class Built:
    """The targets and their true answers, which the attacker doesn't get."""

    targets: list[Target]
    truth: dict[str, dict[str, str]]  # target -> item -> answer


def build(folder: Path, *, seed: int = 0) -> Built:
    """Build the site in this folder; the settings already point to its media."""
    chance = random.Random(seed)
    staff = User.objects.create_superuser("staff", "staff@example.org", PASSWORD)
    User.objects.create_user("ada", "ada@example.org", PASSWORD)
    User.objects.create_user("author", "author@example.org", PASSWORD, role=Role.AUTHOR)
    targets = [
        _sealed(folder / "open", chance, staff),
        _withheld(folder / "round", chance, staff),
        _hidden(folder / "pairs", chance, staff),
    ]
    refresh()
    rows = {item.public_id: answer_to(item) or "" for item in Item.objects.all()}
    return Built(targets, {target.name: {name: rows[name] for name in target.ids} for target in targets})


def _sealed(root: Path, chance: random.Random, staff: User) -> Target:
    """A pack made here that had results and a snapshot before a study sealed most of it."""
    _write_clips(root, chance, are_twins=True)
    write_trajectories(root)
    pack = import_release(BENCHMARKS["grasp"], root, pack_name="open").pack
    _listed(pack, chance, staff)
    refresh()
    view = view_of(
        BENCHMARKS["grasp"], {"level": "2", "pack": "open", "strategy": "plausibility"}, available_packs("grasp")
    )
    store_snapshot(content_of(view))
    settings = {"per_test": SEALED_OF_A_TEST, "replicates": 2}
    trial = create_trial(slug=STUDY, protocol="grasp-plausibility", pack=pack, seed=3, settings=settings)
    open_trial(trial=trial)
    sealed = set(trial.slots.values_list("item__public_id", flat=True))
    return _physics_target("sealed", pack, sealed, chance)


def _withheld(root: Path, chance: random.Random, staff: User) -> Target:
    """A pack most of whose answers were loaded separately; people and models have answered it."""
    _write_clips(root, chance)
    benchmark = find_benchmark("grasp")
    release = release_of(benchmark, root)
    by_folder: dict[str, list[str]] = defaultdict(list)
    for row in release.rows:
        if row.kind == "plausibility":
            by_folder[row.key.rpartition("/")[0]].append(row.key)
    kept_back = {key for keys in by_folder.values() for key in chance.sample(keys, SEALED_OF_A_TEST // 2)}
    answers = {row.key: row.expected for row in release.rows if row.key in kept_back}
    rows = tuple(replace(row, expected=None) if row.key in kept_back else row for row in release.rows)
    pack = store_release(benchmark, replace(release, rows=rows), pack_name="round").pack
    ids = dict(pack.items.filter(key__in=answers).values_list("public_id", "key"))
    table = root / "answers.csv"
    table.write_text("item,answer\n" + "".join(f"{name},{answers[key]}\n" for name, key in ids.items()))
    import_answers(benchmark, table)
    _listed(pack, chance, staff)
    _asked_people(pack)
    return _physics_target("withheld", pack, set(ids), chance)


def _hidden(root: Path, chance: random.Random, staff: User) -> Target:
    """Questions about pairs in PACS' layout; the answers of the test split come from a separate file of labels."""
    labels = [0, 1] * (QUESTIONS // 2)
    for start, end in (
        (0, OPEN_QUESTIONS),
        (OPEN_QUESTIONS, OPEN_QUESTIONS + TOLD_QUESTIONS),
        (OPEN_QUESTIONS + TOLD_QUESTIONS, QUESTIONS),
    ):
        part = labels[start:end]
        chance.shuffle(part)
        labels[start:end] = part
    pairs = [f"object{2 * n + 1:04}_object{2 * n + 2:04}" for n in range(QUESTIONS)]
    question = {"question0001": {"text": "Which is heavier?"}}
    told = {pair: {"question0001": {"label": label}} for pair, label in zip(pairs, labels, strict=True)}
    files = {
        "val_data": {
            pair: {"question0001": {**question["question0001"], **told[pair]["question0001"]}}
            for pair in pairs[:OPEN_QUESTIONS]
        },
        "test_data": dict.fromkeys(pairs[OPEN_QUESTIONS:], question),
        "objects": {
            name: {"duration": 5.0, "bounding_box": [320, 180, 960, 540], "fps": 30, "materials": ["wood"]}
            for pair in pairs
            for name in pair.split("_")
        },
        "questions": {"question0001": {"properties": ["Weight", "", ""], "question": "Which is heavier?"}},
    }
    (root / "json").mkdir(parents=True)
    for name, content in files.items():
        (root / "json" / f"{name}.json").write_text(json.dumps(content))
    pack = import_release(BENCHMARKS["pacs"], root, pack_name="pairs").pack
    answers = root / "answers.json"
    answers.write_text(json.dumps({pair: told[pair] for pair in pairs[OPEN_QUESTIONS:]}))
    import_answers(BENCHMARKS["pacs"], answers)
    _listed(pack, chance, staff, strategy="pair", condition="question-only", split="test")
    ids = {item.key.rpartition("/")[0]: item for item in pack.items.filter(kind="pair")}
    handed = {ids[pair].public_id: answer_to(ids[pair]) or "" for pair in pairs[OPEN_QUESTIONS:][:TOLD_QUESTIONS]}
    asked = sorted(ids[pair].public_id for pair in pairs[OPEN_QUESTIONS + TOLD_QUESTIONS :])
    public = {ids[pair].public_id: answer_to(ids[pair]) or "" for pair in pairs[:OPEN_QUESTIONS]}
    return Target("hidden", "pacs", "pairs", "pair", "test", ("object 1", "object 2"), tuple(asked), handed, public)


def _write_clips(root: Path, chance: random.Random, *, are_twins: bool = False) -> None:
    """Write clips of noise; only title and length, which an import removes, differ between the answers.

    Twins begin with the same picture, like those of one draw.
    """
    for number, test in product(range(OF_A_FOLDER), TESTS):
        draw = chance.getrandbits(32) if are_twins else None
        for truth in ("P", "IP"):
            place = root / "videos" / "level2" / f"{truth}_{test}" / f"{number:03}.mp4"
            write_clip(place, seed=chance.getrandbits(32), frames=5, draw=draw)


def _physics_target(name: str, pack: Pack, sealed: set[str], chance: random.Random) -> Target:
    """The target for a pack: known and wanted items of a test have both answers equally often; others are public."""
    by_answer: dict[tuple[str, str], list[str]] = defaultdict(list)
    tests: dict[str, str] = {}
    items = pack.items.filter(kind="plausibility").prefetch_related("facets")
    for item in sorted(items, key=lambda item: item.key):
        tests[item.public_id] = item.facet_values("test")[0]
        by_answer[tests[item.public_id], answer_to(item) or ""].append(item.public_id)
    told: dict[str, str] = {}
    asked: list[str] = []
    public: dict[str, str] = {}
    for (_test, answer), ids in by_answer.items():
        hidden = [one for one in ids if one in sealed]
        handed = chance.sample(hidden, TOLD_OF_A_TEST // 2)
        told |= dict.fromkeys(handed, answer)
        asked += [one for one in hidden if one not in handed]
        public |= dict.fromkeys((one for one in ids if one not in sealed), answer)
    options = ("yes", "no")
    return Target(name, "grasp", pack.name, "plausibility", "all", options, tuple(sorted(asked)), told, public, tests)


def _listed(pack: Pack, chance: random.Random, staff: User, **header: str) -> None:
    """Two listed runs: one that is nearly always right, one that always gives the same answer."""
    asked = {"strategy": "plausibility", "condition": "video", "split": "all"} | header
    kind = BENCHMARKS[pack.benchmark].strategy(asked["strategy"]).kinds[0]
    items = list(pack.items.filter(kind=kind).in_split(asked["split"]).order_by("public_id"))
    sender = User.objects.create_user(f"sender-of-{pack.name}")  # a sender may list only three runs a month
    for name, share in (("Knows", 0.9), ("Same", 0.0)):
        head = {"benchmark": pack.benchmark, "pack": pack.name, "model": f"{name} {pack.name}", **asked}
        rows = [{"item": item.public_id, "answer": _answer(item, share, chance)} for item in items]
        run = submit(file=upload(json_lines(head, *rows)), user=sender)
        lifecycle.list_run(run=lifecycle.propose(run=run, by=sender), by=staff)


def _answer(item: Item, share: float, chance: random.Random) -> str:
    right = answer_to(item) or item.options[0]
    return right if chance.random() < share else item.options[0]


def _asked_people(pack: Pack, people: int = 5) -> None:
    """A closed study of as many people as results need; its votes are public except on items with withheld answers."""
    trial: Trial = create_trial(
        slug=EARLIER, protocol="grasp-plausibility", pack=pack, seed=5, settings={"replicates": 1}
    )
    open_trial(trial=trial)
    for number in range(people):
        walker = Walker(Client(), trial, name=f"person{number}").reach_trials()
        while walker.reader.positions:
            walker.answer(_seen(walker))
    close_trial(trial=trial)


def _seen(walker: Walker) -> str:
    """The right answer to the walker's current item."""
    slot = walker.person.sheet.slots.get(position=int(walker.reader.positions[0]))  # type: ignore[union-attr]
    return answer_to(slot.item) or "yes"


def with_fewer(built: Built, most: int) -> Built:
    """The same site with at most so many items to guess, and as many told ones, per target: half of each answer."""
    kept = {target.name: _of_each_answer(built.truth[target.name], most) for target in built.targets}
    targets = [
        replace(target, ids=tuple(sorted(kept[target.name])), told=_of_each_answer(target.told, most))
        for target in built.targets
    ]
    return Built(targets, kept)


def _of_each_answer(answers: Mapping[str, str], most: int) -> dict[str, str]:
    taken: Counter[str] = Counter()
    found: dict[str, str] = {}
    for name, answer in sorted(answers.items()):
        taken[answer] += 1
        if taken[answer] <= most // 2:
            found[name] = answer
    return found


def list_what_is_proposed() -> None:
    """List all submitted runs as staff would, and refresh the boards as the periodic task does."""
    staff = User.objects.get(username="staff")
    for run in Run.objects.filter(listing="submitted"):
        try:
            lifecycle.list_run(run=run, by=staff)
        except lifecycle.SubmissionRefused:
            continue
    refresh()


def answers_of_seats(tokens: Iterable[str]) -> dict[str, str]:
    """The right answer by "TOKEN/POSITION", for every slot on these participants' sheets."""
    people = Participant.objects.filter(token__in=list(tokens)).prefetch_related("sheet__slots__item")
    return {
        f"{person.token}/{slot.position}": answer_to(slot.item) or ""
        for person in people
        if person.sheet
        for slot in person.sheet.slots.all()
    }
