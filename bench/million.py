"""A million responses: 40 models asked in six ways on packs of the official sizes, and a study of people.

`DATABASE_URL=… DATA_DIR=… python bench/million.py [MODELS]` loads them into an empty database, SQLite or PostgreSQL.
They are written in bulk through the site's own tables, every response with its cell, reading and score, under all
constraints: PostgreSQL by COPY, SQLite by prepared inserts. What models and people answered is drawn, and no result.
"""

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MODELS = 40
CLIPS_A_TEST = 128  # as in the release
TEMPLATES, QUESTIONS_A_TEMPLATE, QUESTIONS_A_CLIP = 24, 167, 8
HUMAN_CLIPS, SHEETS, REPLICATES = 20, 120, 3
SEED = 20240
AT_ONCE = 5_000  # rows of one statement


@dataclass(frozen=True)
class Question:
    """One item before it is written: what the draw of its answers needs, and where it stands."""

    pk: int
    clip: int
    expected: str
    other: str  # what a wrong reply says


@dataclass(frozen=True)
class Way:
    """One strategy and what is asked by it."""

    strategy: str
    pack: int
    parser: str
    questions: tuple[Question, ...]


def set_up() -> None:
    """Django on the database that the environment names, with its tables."""
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    import django
    from django.conf import settings
    from django.core.management import call_command

    settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
    django.setup()
    call_command("migrate", verbosity=0)


class Table:
    """One table, filled in bulk; ids are given, columns that are not named have their defaults."""

    def __init__(self, model: Any, *names: str) -> None:
        from django.db import connection

        self.model, self.names = model, ("id", *names)
        fields = {field.attname: field for field in model._meta.local_concrete_fields}
        self.fields = [fields[name] for name in self.names]
        self.others = [field for name, field in fields.items() if name not in self.names]
        self.constants = tuple(
            field.get_db_prep_save(field.pre_save(model(), add=True), connection) for field in self.others
        )
        self.columns = ", ".join(connection.ops.quote_name(field.column) for field in (*self.fields, *self.others))

    def write(self, rows: Iterable[Sequence[Any]]) -> None:
        """Insert these rows, each (id, values in the order of the names)."""
        from django.db import connection

        full = ((*row, *self.constants) for row in rows)
        write = self._copy if connection.vendor == "postgresql" else self._insert
        write(connection.ops.quote_name(self.model._meta.db_table), full)

    def value(self, name: str, value: Any) -> Any:
        """As this database takes it; for columns that hold JSON."""
        from django.db import connection

        return self.model._meta.get_field(name).get_db_prep_save(value, connection)

    def _copy(self, table: str, rows: Iterator[tuple[Any, ...]]) -> None:
        from django.db import connection

        with connection.cursor() as cursor:
            with cursor.copy(f"COPY {table} ({self.columns}) FROM STDIN") as target:
                for row in rows:
                    target.write_row(row)
            cursor.execute(f"SELECT setval(pg_get_serial_sequence(%s, 'id'), (SELECT max(id) FROM {table}))", [
                self.model._meta.db_table
            ])  # fmt: skip

    def _insert(self, table: str, rows: Iterator[tuple[Any, ...]]) -> None:
        from django.db import connection

        places = ", ".join(["%s"] * (len(self.fields) + len(self.others)))
        with connection.cursor() as cursor:
            while block := list(islice(rows, AT_ONCE)):
                cursor.executemany(f"INSERT INTO {table} ({self.columns}) VALUES ({places})", block)


# --- what is asked ---


@dataclass(frozen=True)
class Asked:
    """One item to write: its clip's place in the pack, its kind, its answer and its facets."""

    key: str
    clip: int
    kind: str
    variant: str
    answer_kind: str
    options: tuple[str, ...]
    expected: str
    facets: tuple[tuple[str, str], ...]


def grounding() -> Iterator[Asked]:
    """Level 1 of GRASP: every folder's clips, a true and a false statement about each."""
    from benchmarks.definitions.grasp_tests import LEVEL_1

    clip = count()
    for test in LEVEL_1:
        tests = (("test", test.name), *((("test", "Ordering"),) if test.objects else ()))
        for folder in test.labels or (test.name,):
            for number in range(CLIPS_A_TEST):
                place = next(clip)
                common = (("level", "1"), ("split", "all"), ("split", "paper"), *tests)
                for variant, expected, side in (("true", "yes", "positive"), ("false", "no", "negative")):
                    facets = (*common, ("polarity", side))
                    yield Asked(f"level1/{folder}/{number:03}", place, "binary", variant, "yes-no", ("yes", "no"),
                                expected, facets)  # fmt: skip


def physics(first_clip: int) -> Iterator[Asked]:
    """Level 2 of GRASP: 128 plausible and 128 implausible clips a test, of which people saw twenty each."""
    from benchmarks.definitions.grasp_tests import LEVEL_2

    clip = count(first_clip)
    for test in LEVEL_2:
        concepts = tuple(("concept", name) for name in test.concepts)
        caution = (("caution", test.caution),) if test.caution else ()
        for expected, side in (("yes", "plausible"), ("no", "implausible")):
            for number in range(CLIPS_A_TEST):
                human = (("split", "human"),) if number < HUMAN_CLIPS else ()
                facets = (("level", "2"), ("split", "all"), ("test", test.name), *concepts, *caution, *human,
                          ("polarity", side))  # fmt: skip
                yield Asked(f"level2/{test.name}/{side}/{number:03}", next(clip), "plausibility", "", "yes-no",
                            ("yes", "no"), expected, facets)  # fmt: skip


def causes() -> Iterator[Asked]:
    """CRAFT: questions of 24 templates, eight a clip."""
    from benchmarks.registry import BENCHMARKS

    craft = BENCHMARKS["craft"]
    templates = [value.value for value in craft.facet("template").values][:TEMPLATES]
    types = [value.value for value in craft.facet("test").values]
    for place in range(TEMPLATES * QUESTIONS_A_TEMPLATE):
        template, clip = place % TEMPLATES, place // QUESTIONS_A_CLIP
        facets = (("level", "1"), ("split", "all"), ("test", types[template % len(types)]), ("answer", "Boolean"),
                  ("scene", f"scene-{clip % 20 + 1}"), ("template", templates[template]))  # fmt: skip
        yield Asked(f"{clip}/{place}", clip, "question", str(place), "label", ("true", "false"),
                    ("true", "false")[place // TEMPLATES % 2], facets)  # fmt: skip


class Packs:
    """Writes packs, one after the other, and counts the ids."""

    def __init__(self) -> None:
        from benchmarks.models import Clip, Item, ItemFacet, ItemMedia

        self.clips = Table(Clip, "pack_id", "key", "sha256", "width", "height", "fps", "frames", "seconds")
        self.items = Table(Item, "pack_id", "key", "kind", "variant", "public_id", "text", "answer_kind", "options",
                           "expected")  # fmt: skip
        self.media = Table(ItemMedia, "item_id", "clip_id")
        self.facets = Table(ItemFacet, "item_id", "name", "value")
        self.next_clip, self.next_item, self.next_facet = 1, 1, count(1)

    def write(self, benchmark: str, asked: list[Asked]) -> tuple[int, dict[str, tuple[Question, ...]]]:
        """The pack's id, and its questions by kind."""
        from benchmarks.models import Pack

        pack = Pack.objects.create(benchmark=benchmark, name="bench", title="Bench", origin="generated",
                                   manifest_hash="0" * 64)  # fmt: skip
        items = list(enumerate(asked, self.next_item))
        keys = {self.next_clip + one.clip: one.key for _, one in items}
        self.clips.write(
            (pk, pack.pk, f"{key} {pk}", f"{pk:064}", 320, 240, 25.0, 250, 10.0) for pk, key in keys.items()
        )
        options = {one.options: self.items.value("options", list(one.options)) for one in asked}
        self.items.write(
            (pk, pack.pk, one.key, one.kind, one.variant, f"{pk:012}", "Is this so?", one.answer_kind,
             options[one.options], one.expected)
            for pk, one in items
        )  # fmt: skip
        self.media.write((pk, pk, self.next_clip + one.clip) for pk, one in items)
        self.facets.write((next(self.next_facet), pk, *facet) for pk, one in items for facet in one.facets)
        questions: dict[str, list[Question]] = {}
        for pk, one in items:
            other = next(option for option in one.options if option != one.expected)
            questions.setdefault(one.kind, []).append(Question(pk, self.next_clip + one.clip, one.expected, other))
        self.next_item, self.next_clip = items[-1][0] + 1, max(keys) + 1
        return pack.pk, {kind: tuple(found) for kind, found in questions.items()}


# --- what was answered ---


class Answers:
    """Writes finished runs, one after the other, and counts the ids."""

    def __init__(self) -> None:
        from django.db.models import Max

        from evaluation.models import Cell, ModelResponse, Reading, Score

        self.cells = Table(Cell, "run_id", "item_id", "seed", "state")
        self.responses = Table(ModelResponse, "cell_id", "raw")
        self.readings = Table(Reading, "response_id", "parser", "version", "answer", "problem")
        self.scores = Table(Score, "reading_id", "value")
        tables = (Cell, ModelResponse, Reading, Score)
        self.next = 1 + max(table.objects.aggregate(Max("pk"))["pk__max"] or 0 for table in tables)

    def write(self, run: Any, asked: Sequence[Question], skill: float) -> None:
        """A reply to each question and seed: right as often as `skill` says, more often on easy clips; 1 % unread."""
        import numpy as np

        questions, seeds = list(asked) * len(run.seeds), [seed for seed in run.seeds for _ in asked]
        rng = np.random.default_rng([SEED, run.pk])
        ease = np.random.default_rng(SEED).normal(0, 0.15, 1 + max(one.clip for one in questions))
        clips = np.array([one.clip for one in questions])
        is_right = rng.random(len(questions)) < np.clip(skill + ease[clips], 0, 1)
        is_unread = rng.random(len(questions)) < 0.01
        rows = [
            ("", "unread", 0.0) if unread else (one.expected, "", 1.0) if right else (one.other, "", 0.0)
            for one, right, unread in zip(questions, is_right.tolist(), is_unread.tolist(), strict=True)
        ]
        ids = range(self.next, self.next + len(rows))
        self.cells.write(
            (pk, run.pk, one.pk, seed, "answered") for pk, one, seed in zip(ids, questions, seeds, strict=True)
        )
        self.responses.write((pk, pk, row[0] or "I see a ball.") for pk, row in zip(ids, rows, strict=True))
        self.readings.write(
            (pk, pk, run.parser, run.parser_version, *row[:2]) for pk, row in zip(ids, rows, strict=True)
        )
        self.scores.write((pk, pk, row[2]) for pk, row in zip(ids, rows, strict=True))
        self.next += len(rows)


def ways() -> list[Way]:
    """Write the packs; six strategies with what each asks."""
    packs = Packs()
    level_1 = list(grounding())
    grasp, of_grasp = packs.write("grasp", [*level_1, *physics(1 + level_1[-1].clip)])
    craft, of_craft = packs.write("craft", list(causes()))
    asked = [(name, grasp, "grasp-paper", of_grasp["binary"]) for name in ("binary", "binary-cot", "binary-oneshot")]
    asked.append(("plausibility", grasp, "grasp-paper", of_grasp["plausibility"]))
    asked += [(name, craft, "craft-vocabulary", of_craft["question"]) for name in ("craft", "craft-cot")]
    return [Way(*one) for one in asked]


def make_runs(found: list[Way], models: int) -> int:
    """The number of responses."""
    from django.db import transaction

    from evaluation.models import Listing, Model, Run, RunState

    answers = Answers()
    for number in range(models):
        with transaction.atomic():
            model = Model.objects.create(slug=f"model-{number}", name=f"Model {number:02}", kind="random")
            for way in found:
                run = Run.objects.create(
                    model=model, pack_id=way.pack, strategy=way.strategy, parser=way.parser, parser_version="1",
                    seeds=[0], sampler="uniform-8", state=RunState.FINISHED, listing=Listing.LISTED, answers_version=1,
                )  # fmt: skip
                answers.write(run, way.questions, 0.42 + 0.5 * number / models)
    return answers.next - 1


def make_people(pack: int, questions: Sequence[Question]) -> int:
    """A closed study: twenty plausible and twenty implausible clips a test, three of 120 people each; its judgments."""
    import numpy as np
    from django.db import transaction

    from benchmarks.models import ItemFacet
    from humantrials.models import Judgment, Participant, ParticipantState, Sheet, SheetState, Slot, Trial, TrialState

    shown = set(
        ItemFacet.objects.filter(name="split", value="human", item__pack=pack).values_list("item_id", flat=True)
    )
    slots = [(one, replicate) for one in questions if one.pk in shown for replicate in range(REPLICATES)]
    # Sheets take the slots of an item in turn, so that nobody sees one twice.
    slots.sort(key=lambda slot: (slot[1], slot[0].pk))
    is_right = np.random.default_rng(SEED).random(len(slots)) < 0.8
    with transaction.atomic():
        trial = Trial.objects.create(slug="people", title="People", protocol="grasp-plausibility", pack_id=pack,
                                     state=TrialState.CLOSED, answers_version=1)  # fmt: skip
        people = [Participant(trial=trial, token=f"token-{n}", code=f"code-{n}", state=ParticipantState.FINISHED)
                  for n in range(SHEETS)]  # fmt: skip
        Participant.objects.bulk_create(people)
        sheets = [Sheet(trial=trial, order=n, state=SheetState.DONE, holder=one) for n, one in enumerate(people)]
        Sheet.objects.bulk_create(sheets)
        rows = [
            Slot(trial=trial, sheet=sheets[n % SHEETS], item_id=one.pk, replicate=replicate, position=n // SHEETS)
            for n, (one, replicate) in enumerate(slots)
        ]
        Slot.objects.bulk_create(rows)
        Judgment.objects.bulk_create(
            Judgment(trial=trial, slot=slot, participant=people[n % SHEETS], item_id=one.pk, epoch=0, counts=True,
                     answer=one.expected if right else one.other)
            for n, (slot, (one, _), right) in enumerate(zip(rows, slots, is_right.tolist(), strict=True))
        )  # fmt: skip
    return len(slots)


def analyse() -> None:
    """Let the planner know what is there, as the database's own upkeep does in time."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def load(models: int = MODELS) -> dict[str, Any]:
    """Everything but the standings; what was written and how long it took."""
    from django.db import connection, transaction

    began = time.perf_counter()
    with transaction.atomic():
        found = ways()
    responses = make_runs(found, models)
    judgments = make_people(found[3].pack, found[3].questions)
    analyse()
    seconds = time.perf_counter() - began
    return {"database": connection.vendor, "models": models, "strategies": len(found), "responses": responses,
            "judgments": judgments, "load_s": round(seconds, 1)}  # fmt: skip


if __name__ == "__main__":
    set_up()
    print(json.dumps(load(int(sys.argv[1]) if len(sys.argv) > 1 else MODELS)))
