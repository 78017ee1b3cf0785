"""The benchmarks of this site: their files, with code for what files can't hold: generators, audits, some caveats."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.files.compile import BenchmarkText, compiled
from benchmarks.definitions.files.layouts import reader_of
from benchmarks.definitions.importers.grasp_layout import draw_of, twin_key
from benchmarks.definitions.pack_caveats import of_craft
from benchmarks.definitions.papers.grasp_tables import write_tables

FILES = Path(__file__).with_name("files") / "built_in"
# In the order of the pages.
CODE: dict[str, dict[str, Any]] = {
    "grasp": {
        "generate": "scenes.registry.SCENES",
        "write_official": write_tables,
        "audit": "scenes.audit.audit_folder",
        "twin_key": twin_key,
        "draw_of": draw_of,
    },
    "craft": {
        "generate_set": "benchmarks.generation.set_makers.CraftVideos",
        "audit": "scenes.craft.audit.audit_folder",
        "caveats": of_craft,
        "caveat_facets": ("answer",),
    },
    "pacs": {},
    "tapped": {
        "generate_set": "benchmarks.generation.set_makers.TappedPairs",
        "audit": "scenes.tapped.auditing.audit_folder",
    },
    "giraffe": {"generate_set": "benchmarks.generation.set_makers.GiraffePatterns"},
}


def read_built_in(slug: str) -> Benchmark:
    """The definition of a built-in benchmark. Tests, not every start, check that its file has no mistakes."""
    text = (FILES / f"{slug}.toml").read_text(encoding="utf-8")
    own = BenchmarkText(text, tomllib.loads(text))
    return replace(compiled(own, {}, reader_of(own)), is_file=False, **CODE[slug])
