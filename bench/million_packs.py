"""The packs of bench/million.py: both levels of GRASP in the official sizes, and questions of CRAFT."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from bench.bulk import Table

CLIPS_A_TEST = 128  # as in the release
TEMPLATES, QUESTIONS_A_TEMPLATE, QUESTIONS_A_CLIP = 24, 167, 8
HUMAN_CLIPS = 20  # a side of each test


@dataclass(frozen=True)
class Question:
    """One item before it is written: what the draw of its answers needs, and where it stands."""

    pk: int
    clip: int
    expected: str
    other: str  # what a wrong reply says


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
