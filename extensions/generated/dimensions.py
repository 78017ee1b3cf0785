"""What raters and judges are asked about generated clips, in the published sets of such questions: presets/*.toml."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.definitions.rated_dimensions import RatedDimension, dimension_of

FOLDER = Path(__file__).with_name("presets")


@dataclass(frozen=True)
class DimensionPreset:
    """A published set of dimensions; `records` are its tables [[dimensions]]."""

    title: str
    paper: str
    records: tuple[Mapping[str, Any], ...]
    domains: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of laws
    joint: Mapping[str, int] = field(default_factory=dict)  # a clip is good by all that reach these steps

    @property
    def dimensions(self) -> tuple[RatedDimension, ...]:
        return tuple(map(dimension_of, self.records))


def _preset(path: Path) -> DimensionPreset:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    domains = {name: tuple(laws) for name, laws in data.get("domains", {}).items()}
    return DimensionPreset(data["title"], data["paper"], tuple(data["dimensions"]), domains, data.get("joint", {}))


PRESETS = {path.stem: _preset(path) for path in sorted(FOLDER.glob("*.toml"))}
PHYGROUND, DOMAINS = PRESETS["phyground"].dimensions, PRESETS["phyground"].domains
GENERAL = tuple(dimension for dimension in PHYGROUND if not dimension.laws)
LAWS = tuple(law for laws in DOMAINS.values() for law in laws)
