"""The packs of tools/bench/board/million.py: both levels of GRASP in the official sizes, and questions of CRAFT."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from tools.bench.board.bulk_rows import Table

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
        self.next_clip, self.next_item, self.next_facet = 1, 1, count(1)

    def write(self, benchmark: str, pack_items: list[PackItem]) -> tuple[int, dict[str, tuple[Question, ...]]]:
        """Write a pack and return its id and its questions by kind."""
        from benchmarks.models import Pack

        about = {"title": "Bench", "origin": "generated", "manifest_hash": "0" * 64}
        pack = Pack.objects.create(benchmark=benchmark, name="bench", **about).pk
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
