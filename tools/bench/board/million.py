"""Test data of a million responses: 40 models with six strategies on packs of official size, and a human study.

`DATABASE_URL=… DATA_DIR=… python -m tools.bench.board.million [MODELS]` loads them into an empty database, SQLite or
PostgreSQL. Rows are inserted in bulk into the site's tables under all constraints, every response with its cell,
reading and score: by COPY on PostgreSQL, by prepared inserts on SQLite. All answers are random, so they are no result.
"""

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from random import Random
from typing import Any

from tools.bench.measure import say, start_django

AT_ONCE = 5_000  # rows per statement


class Table:
    """One table for bulk inserts; the caller gives the ids, and columns that are not named get their defaults."""

    def __init__(self, model: Any, *names: str) -> None:
        from django.db import connection

        self.model, self.names = model, (model._meta.pk.attname, *names)
        fields = {field.attname: field for field in model._meta.local_concrete_fields}
        self.fields = [fields[name] for name in self.names]
        self.others = [field for name, field in fields.items() if name not in self.names]
        self.constants = tuple(
            field.get_db_prep_save(field.pre_save(model(), add=True), connection) for field in self.others
        )
        self.columns = ", ".join(connection.ops.quote_name(field.column) for field in (*self.fields, *self.others))

    def write(self, rows: Iterable[Sequence[Any]]) -> None:
        """Insert rows of (primary key, values in the order of the column names)."""
        from django.db import connection

        full = ((*row, *self.constants) for row in rows)
        write = self._copy if connection.vendor == "postgresql" else self._insert
        write(connection.ops.quote_name(self.model._meta.db_table), full)

    def value(self, name: str, value: Any) -> Any:
        """The value in the form that the database takes, for JSON columns."""
        from django.db import connection

        return self.model._meta.get_field(name).get_db_prep_save(value, connection)

    def _copy(self, table: str, rows: Iterator[tuple[Any, ...]]) -> None:
        from django.db import connection

        with connection.cursor() as cursor:
            with cursor.copy(f"COPY {table} ({self.columns}) FROM STDIN") as target:
                for row in rows:
                    target.write_row(row)
            if self.names[0] == "id":
                cursor.execute(
                    f"SELECT setval(pg_get_serial_sequence(%s, 'id'), (SELECT max(id) FROM {table}))",
                    [self.model._meta.db_table],
                )

    def _insert(self, table: str, rows: Iterator[tuple[Any, ...]]) -> None:
        from django.db import connection

        places = ", ".join(["%s"] * (len(self.fields) + len(self.others)))
        with connection.cursor() as cursor:
            while block := list(islice(rows, AT_ONCE)):
                cursor.executemany(f"INSERT INTO {table} ({self.columns}) VALUES ({places})", block)


def next_pk(*models: Any) -> int:
    """The first primary key that none of these tables has."""
    from django.db.models import Max

    return 1 + max(model.objects.aggregate(Max("pk"))["pk__max"] or 0 for model in models)


CLIPS_A_TEST = 128  # as in the release
TEMPLATES, QUESTIONS_A_TEMPLATE, QUESTIONS_A_CLIP = 24, 167, 8
HUMAN_CLIPS = 20  # for each side of each test
OPTIONS = {"yes-no": ("yes", "no"), "label": ("true", "false")}
CLIP_COLUMNS = ("pack_id", "key", "sha256", "width", "height", "fps", "frames", "seconds")
ITEM_COLUMNS = ("pack_id", "key", "kind", "variant", "public_id", "draw_key", "text", "answer_kind", "options")


@dataclass(frozen=True)
class Question:
    """One written item, with the values needed to generate answers to it."""

    pk: int
    clip: int
    expected: str
    other: str  # the wrong answer


@dataclass(frozen=True)
class PackItem:
    """One item to write: its clip's place in the pack, its kind, its answer and its facets."""

    key: str
    clip: int
    kind: str
    variant: str
    answer_kind: str
    expected: str
    facets: tuple[tuple[str, str], ...]


def grounding() -> Iterator[PackItem]:
    """Yield the items of GRASP level 1: a true and a false statement about each clip of every folder."""
    from benchmarks.definitions.papers.grasp_tests import LEVEL_1

    clip = count()
    for test in LEVEL_1:
        tests = (("test", test.name), *((("test", "Ordering"),) if test.objects else ()))
        common = (("level", "1"), ("split", "all"), ("split", "paper"), *tests)
        for folder in test.labels or (test.name,):
            for number in range(CLIPS_A_TEST):
                key, place = f"level1/{folder}/{number:03}", next(clip)
                for variant, answer, side in (("true", "yes", "positive"), ("false", "no", "negative")):
                    yield PackItem(key, place, "binary", variant, "yes-no", answer, (*common, ("polarity", side)))


def physics(first_clip: int) -> Iterator[PackItem]:
    """Yield the items of GRASP level 2: 128 plausible and 128 implausible clips a test; people saw 20 of each."""
    from benchmarks.definitions.papers.grasp_tests import LEVEL_2

    clip = count(first_clip)
    for test in LEVEL_2:
        common = [("level", "2"), ("split", "all"), ("test", test.name)]
        common += [("concept", name) for name in test.concepts] + ([("caution", test.caution)] if test.caution else [])
        for answer, side in (("yes", "plausible"), ("no", "implausible")):
            for number in range(CLIPS_A_TEST):
                own = [("polarity", side), *([("split", "human")] if number < HUMAN_CLIPS else [])]
                key = f"level2/{test.name}/{side}/{number:03}"
                yield PackItem(key, next(clip), "plausibility", "", "yes-no", answer, (*common, *own))


def causes() -> Iterator[PackItem]:
    """Yield the items of CRAFT: questions of 24 templates, eight a clip."""
    from benchmarks.definitions.registry import BENCHMARKS

    templates = [value.value for value in BENCHMARKS["craft"].facet("template").values][:TEMPLATES]
    types = [value.value for value in BENCHMARKS["craft"].facet("test").values]
    common = (("level", "1"), ("split", "all"), ("answer", "Boolean"))
    for place in range(TEMPLATES * QUESTIONS_A_TEMPLATE):
        template, clip = place % TEMPLATES, place // QUESTIONS_A_CLIP
        own = (("test", types[template % len(types)]), ("scene", f"scene-{clip % 20 + 1}"))
        facets = (*common, *own, ("template", templates[template]))
        answer = OPTIONS["label"][place // TEMPLATES % 2]
        yield PackItem(f"{clip}/{place}", clip, "question", str(place), "label", answer, facets)


def of_item(pk: int, item: PackItem) -> tuple[str, ...]:
    """Key, kind and variant, and ids that are no secret."""
    return item.key, item.kind, item.variant, f"{pk:012}", f"{pk:012}"


class Packs:
    """Writes the rows of packs, one pack after the other, and counts their ids."""

    def __init__(self) -> None:
        from benchmarks.models import Clip, Item, ItemFacet, ItemMedia
        from benchmarks.models.answers import ItemAnswer

        self.clips, self.items = Table(Clip, *CLIP_COLUMNS), Table(Item, *ITEM_COLUMNS)
        self.answers = Table(ItemAnswer, "expected")
        self.media, self.facets = Table(ItemMedia, "item_id", "clip_id"), Table(ItemFacet, "item_id", "name", "value")
        self.next_clip, self.next_item, self.next_facet = next_pk(Clip), next_pk(Item), count(next_pk(ItemFacet))

    def write(
        self, benchmark: str, pack_items: list[PackItem], name: str = "bench"
    ) -> tuple[int, dict[str, tuple[Question, ...]]]:
        """Write a pack and return its id and its questions by kind."""
        from benchmarks.models import Pack

        about = {"title": name.title(), "origin": "generated", "manifest_hash": "0" * 64}
        pack = Pack.objects.create(benchmark=benchmark, name=name, **about).pk
        items = list(enumerate(pack_items, self.next_item))
        keys = {self.next_clip + one.clip: one.key for _, one in items}
        self.clips.write((pk, pack, f"{key} {pk}", f"{pk:064}", 320, 240, 25.0, 250, 10.0) for pk, key in keys.items())
        options = {kind: self.items.value("options", list(values)) for kind, values in OPTIONS.items()}
        self.items.write(
            (pk, pack, *of_item(pk, one), "Is this so?", one.answer_kind, options[one.answer_kind]) for pk, one in items
        )
        self.answers.write((pk, one.expected) for pk, one in items)
        self.media.write((pk, pk, self.next_clip + one.clip) for pk, one in items)
        self.facets.write((next(self.next_facet), pk, *facet) for pk, one in items for facet in one.facets)
        questions: dict[str, list[Question]] = {}
        for pk, one in items:
            other = next(option for option in OPTIONS[one.answer_kind] if option != one.expected)
            questions.setdefault(one.kind, []).append(Question(pk, self.next_clip + one.clip, one.expected, other))
        self.next_item, self.next_clip = items[-1][0] + 1, max(keys) + 1
        return pack, {kind: tuple(found) for kind, found in questions.items()}


MODELS = 40
SHEETS, REPLICATES = 120, 3
SEED = 20240


@dataclass(frozen=True)
class Way:
    """One strategy with its pack, parser and questions."""

    strategy: str
    pack: int
    parser: str
    questions: tuple[Question, ...]


class Answers:
    """Writes the rows of finished runs, one run after the other, and counts their ids."""

    def __init__(self) -> None:
        from evaluation.models import Cell, ModelResponse, Reading, Score

        self.cells = Table(Cell, "run_id", "item_id", "seed", "state")
        self.responses = Table(ModelResponse, "cell_id", "raw")
        self.readings = Table(Reading, "response_id", "parser", "version", "answer", "problem")
        self.scores = Table(Score, "reading_id", "value")
        self.next = next_pk(Cell, ModelResponse, Reading, Score)

    def write(self, run: Any, to_ask: Sequence[Question], skill: float) -> None:
        """Write a reply to each question and seed: right with probability `skill`, more on easy clips; 1 % unparsed."""
        import numpy as np

        questions, every = list(to_ask) * len(run.seeds), [seed for seed in run.seeds for _ in to_ask]
        rng = np.random.default_rng([SEED, run.pk])
        ease = np.random.default_rng(SEED).normal(0, 0.15, 1 + max(one.clip for one in questions))
        clips = np.array([question.clip for question in questions])
        is_right = rng.random(len(questions)) < np.clip(skill + ease[clips], 0, 1)
        is_unread = rng.random(len(questions)) < 0.01
        rows = [
            ("", "unread", 0.0) if unread else (one.expected, "", 1.0) if right else (one.other, "", 0.0)
            for one, right, unread in zip(questions, is_right.tolist(), is_unread.tolist(), strict=True)
        ]
        ids, reader = range(self.next, self.next + len(rows)), (run.parser, run.parser_version)
        cells = zip(ids, questions, every, strict=True)
        self.cells.write((pk, run.pk, one.pk, seed, "answered") for pk, one, seed in cells)
        self.responses.write((pk, pk, row[0] or "I see a ball.") for pk, row in zip(ids, rows, strict=True))
        self.readings.write((pk, pk, *reader, *row[:2]) for pk, row in zip(ids, rows, strict=True))
        self.scores.write((pk, pk, row[2]) for pk, row in zip(ids, rows, strict=True))
        self.next += len(rows)


def ways() -> list[Way]:
    """Write the packs and return the six strategies with their questions."""
    packs = Packs()
    level_1 = list(grounding())
    grasp, of_grasp = packs.write("grasp", [*level_1, *physics(1 + level_1[-1].clip)])
    craft, of_craft = packs.write("craft", list(causes()))
    pairs = [(name, grasp, "grasp-paper", of_grasp["binary"]) for name in ("binary", "binary-cot", "binary-oneshot")]
    pairs.append(("plausibility", grasp, "grasp-paper", of_grasp["plausibility"]))
    pairs += [(name, craft, "craft-vocabulary", of_craft["question"]) for name in ("craft", "craft-cot")]
    return [Way(*pair) for pair in pairs]


def make_run(answers: Answers, way: Way, number: int, *, of: int) -> None:
    """Write a model and its finished run; the last of so many models is nearly always right."""
    from django.db import transaction

    from evaluation.models import Listing, Model, Run, RunState

    common = {"parser_version": "1", "seeds": [0], "sampler": "uniform-8", "answers_version": 1}
    common |= {"state": RunState.FINISHED, "listing": Listing.LISTED}
    with transaction.atomic():
        about = {"name": f"Model {number:02}", "kind": "random"}
        model, _ = Model.objects.get_or_create(slug=f"model-{number}", defaults=about)
        own = {"model": model, "pack_id": way.pack, "strategy": way.strategy, "parser": way.parser}
        answers.write(Run.objects.create(**own, **common), way.questions, 0.42 + 0.5 * number / of)


def make_people(pack: int, questions: Sequence[Question]) -> int:
    """Write a closed study of 120 people, 40 clips a test, three judgments a clip; return the number of judgments."""
    from django.db import transaction

    from benchmarks.models import ItemFacet
    from humantrials.models import Judgment, Slot, Trial, TrialState

    human = ItemFacet.objects.filter(name="split", value="human", item__pack=pack)
    sampled, rng = set(human.values_list("item_id", flat=True)), Random(SEED)
    # One replicate after the other: an item's slots go to different sheets, so nobody sees an item twice.
    asked = [one for one in sorted(questions, key=lambda one: one.pk) if one.pk in sampled]
    places = list(enumerate((one, replicate) for replicate in range(REPLICATES) for one in asked))
    with transaction.atomic():
        known = {"slug": "people", "title": "People", "protocol": "grasp-plausibility", "pack_id": pack}
        trial = Trial.objects.create(**known, state=TrialState.CLOSED, answers_version=1)
        people, sheets = _seats(trial)
        slots = Slot.objects.bulk_create(
            Slot(trial=trial, sheet=sheets[n % SHEETS], item_id=one.pk, replicate=replicate, position=n // SHEETS)
            for n, (one, replicate) in places
        )
        said = [one.expected if rng.random() < 0.8 else one.other for _, (one, _) in places]
        common = {"trial": trial, "epoch": 0, "counts": True}
        Judgment.objects.bulk_create(
            Judgment(slot=slot, item_id=slot.item_id, participant=people[n % SHEETS], answer=answer, **common)
            for n, (slot, answer) in enumerate(zip(slots, said, strict=True))
        )
    return len(slots)


def _seats(trial: Any) -> tuple[list[Any], list[Any]]:
    """Participants who have finished, and their sheets."""
    from humantrials.models import Participant, ParticipantState, Sheet, SheetState

    people = [
        Participant(trial=trial, token=f"token-{n}", code=f"code-{n}", state=ParticipantState.FINISHED)
        for n in range(SHEETS)
    ]
    Participant.objects.bulk_create(people)
    sheets = [Sheet(trial=trial, order=n, state=SheetState.DONE, holder=one) for n, one in enumerate(people)]
    Sheet.objects.bulk_create(sheets)
    return people, sheets


def analyse() -> None:
    """Update the planner's statistics, as the database's own maintenance does in time."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def load(models: int = MODELS) -> dict[str, Any]:
    """Write everything but the standings; return the counts and the time it took."""
    from django.db import connection, transaction

    began = time.perf_counter()
    with transaction.atomic():
        found = ways()
    answers = Answers()
    for number in range(models):
        for way in found:
            make_run(answers, way, number, of=models)
    facts = {"database": connection.vendor, "models": models, "responses": answers.next - 1}
    facts |= {"judgments": make_people(found[3].pack, found[3].questions)}
    analyse()
    return facts | {"load_s": round(time.perf_counter() - began, 1)}


if __name__ == "__main__":
    start_django()
    say(**load(int(sys.argv[1]) if len(sys.argv) > 1 else MODELS))
