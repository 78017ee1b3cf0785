"""The material subset by PACS' rule (fact sheet, section 5): the same pairs, asked for one material. Pure.

For every material that only one of the two objects has there is one datapoint, its template drawn; pairs of equal
materials have none.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from humantrials.design import lot
from scenes.tapped.questions import TEMPLATES


@dataclass(frozen=True)
class MaterialPoint:
    """Which of the two is made of it; label 0 is the first object."""

    first: str
    second: str
    split: str
    text: str
    label: int

    @property
    def pair(self) -> str:
        return f"{self.first}_{self.second}"


def material_points(
    pairs: Sequence[tuple[str, str, str]], materials: Mapping[str, Sequence[str]], seed: int
) -> Iterator[MaterialPoint]:
    """Every datapoint of the pairs (first, second, split), those of the first object's materials before the other's."""
    for first, second, split in pairs:
        for label, own, other in ((0, first, second), (1, second, first)):
            for material in dict.fromkeys(materials[own]):
                if material not in materials[other]:
                    template = _drawn(f"{first}_{second}", material, seed)
                    yield MaterialPoint(first, second, split, template.format(material), label)


def material_bank(points: Sequence[MaterialPoint]) -> dict[str, str]:
    """Question id -> text of every question that is asked, each text once, in the order of the alphabet."""
    texts = sorted({point.text for point in points})
    return {f"q{number:04}": text for number, text in enumerate(texts)}


def _drawn(pair: str, material: str, seed: int) -> str:
    return min(TEMPLATES, key=lambda template: lot(f"{seed}/material/{pair}/{material}", template))
