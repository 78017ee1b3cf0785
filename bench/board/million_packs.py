"""The packs of bench/board/million.py: both levels of GRASP in the official sizes, and questions of CRAFT."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from bench.board.bulk_rows import Table

CLIPS_A_TEST = 128  # as in the release
TEMPLATES, QUESTIONS_A_TEMPLATE, QUESTIONS_A_CLIP = 24, 167, 8
HUMAN_CLIPS = 20  # for each side of each test


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
    options: tuple[str, ...]
    expected: str
    facets: tuple[tuple[str, str], ...]


def grounding() -> Iterator[PackItem]:
    """Yield the items of GRASP level 1: a true and a false statement about each clip of every folder."""
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
                    yield PackItem(
                        f"level1/{folder}/{number:03}",
                        place,
                        "binary",
                        variant,
                        "yes-no",
                        ("yes", "no"),
                        expected,
                        facets,
                    )


def physics(first_clip: int) -> Iterator[PackItem]:
    """Yield the items of GRASP level 2: 128 plausible and 128 implausible clips a test; people saw 20 of each."""
    from benchmarks.definitions.grasp_tests import LEVEL_2

    clip = count(first_clip)
    for test in LEVEL_2:
        concepts = tuple(("concept", name) for name in test.concepts)
        caution = (("caution", test.caution),) if test.caution else ()
        for expected, side in (("yes", "plausible"), ("no", "implausible")):
            for number in range(CLIPS_A_TEST):
                human = (("split", "human"),) if number < HUMAN_CLIPS else ()
                facets = (
                    ("level", "2"),
                    ("split", "all"),
                    ("test", test.name),
                    *concepts,
                    *caution,
                    *human,
                    ("polarity", side),
                )
                yield PackItem(
                    f"level2/{test.name}/{side}/{number:03}",
                    next(clip),
                    "plausibility",
                    "",
                    "yes-no",
                    ("yes", "no"),
                    expected,
                    facets,
                )


def causes() -> Iterator[PackItem]:
    """Yield the items of CRAFT: questions of 24 templates, eight a clip."""
    from benchmarks.definitions.registry import BENCHMARKS

    craft = BENCHMARKS["craft"]
    templates = [value.value for value in craft.facet("template").values][:TEMPLATES]
    types = [value.value for value in craft.facet("test").values]
    for place in range(TEMPLATES * QUESTIONS_A_TEMPLATE):
        template, clip = place % TEMPLATES, place // QUESTIONS_A_CLIP
        facets = (
            ("level", "1"),
            ("split", "all"),
            ("test", types[template % len(types)]),
            ("answer", "Boolean"),
            ("scene", f"scene-{clip % 20 + 1}"),
            ("template", templates[template]),
        )
        yield PackItem(
            f"{clip}/{place}",
            clip,
            "question",
            str(place),
            "label",
            ("true", "false"),
            ("true", "false")[place // TEMPLATES % 2],
            facets,
        )


class Packs:
    """Writes the rows of packs, one pack after the other, and counts their ids."""

    def __init__(self) -> None:
        from benchmarks.models import Clip, Item, ItemFacet, ItemMedia

        self.clips = Table(Clip, "pack_id", "key", "sha256", "width", "height", "fps", "frames", "seconds")
        self.items = Table(
            Item,
            "pack_id",
            "key",
            "kind",
            "variant",
            "public_id",
            "draw_key",
            "text",
            "answer_kind",
            "options",
            "expected",
        )
        self.media = Table(ItemMedia, "item_id", "clip_id")
        self.facets = Table(ItemFacet, "item_id", "name", "value")
        self.next_clip, self.next_item, self.next_facet = 1, 1, count(1)

    def write(self, benchmark: str, pack_items: list[PackItem]) -> tuple[int, dict[str, tuple[Question, ...]]]:
        """Write a pack and return its id and its questions by kind."""
        from benchmarks.models import Pack

        pack = Pack.objects.create(
            benchmark=benchmark, name="bench", title="Bench", origin="generated", manifest_hash="0" * 64
        )
        items = list(enumerate(pack_items, self.next_item))
        keys = {self.next_clip + one.clip: one.key for _, one in items}
        self.clips.write(
            (pk, pack.pk, f"{key} {pk}", f"{pk:064}", 320, 240, 25.0, 250, 10.0) for pk, key in keys.items()
        )
        options = {one.options: self.items.value("options", list(one.options)) for one in pack_items}
        self.items.write(
            (
                pk,
                pack.pk,
                one.key,
                one.kind,
                one.variant,
                f"{pk:012}",
                f"{pk:012}",
                "Is this so?",
                one.answer_kind,
                options[one.options],
                one.expected,
            )
            for pk, one in items
        )
        self.media.write((pk, pk, self.next_clip + one.clip) for pk, one in items)
        self.facets.write((next(self.next_facet), pk, *facet) for pk, one in items for facet in one.facets)
        questions: dict[str, list[Question]] = {}
        for pk, one in items:
            other = next(option for option in one.options if option != one.expected)
            questions.setdefault(one.kind, []).append(Question(pk, self.next_clip + one.clip, one.expected, other))
        self.next_item, self.next_clip = items[-1][0] + 1, max(keys) + 1
        return pack.pk, {kind: tuple(found) for kind, found in questions.items()}
