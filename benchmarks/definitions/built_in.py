"""The benchmarks of this site: their files, with code for what files can't hold: generators, audits, some caveats."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.definitions.definition import Benchmark, PackContents
from benchmarks.definitions.files.compile import BenchmarkText, compiled
from benchmarks.definitions.files.layouts import reader_of
from benchmarks.definitions.importers.grasp_layout import draw_of, twin_key
from benchmarks.definitions.papers.grasp_tables import write_tables

PAPER_BOOLEANS, PAPER_A_VIDEO = 0.61, 5.8  # share of true-or-false questions (Table 1, row MFA); 58K of 10K videos
OFF = 0.03  # a share that differs from the paper's by more than this makes another test


def of_craft(contents: PackContents) -> tuple[str, ...]:
    """Small packs have other proportions of answer types than the paper."""
    if not contents.questions or not contents.videos:
        return ()
    booleans = contents.counts.get(("answer", "Boolean"), 0) / contents.questions
    if abs(booleans - PAPER_BOOLEANS) <= OFF:
        return ()
    figures = {
        "booleans": f"{100 * booleans:.0f}",
        "questions": f"{contents.questions:,}",
        "paper_booleans": f"{100 * PAPER_BOOLEANS:.0f}",
        "a_video": f"{contents.questions / contents.videos:.1f}",
        "paper_a_video": f"{PAPER_A_VIDEO:.1f}",
    }
    text = (
        "Scores on this pack do not compare with the paper's Table 1: %(booleans)s %% of its %(questions)s questions"
        " are true or false, in the paper about %(paper_booleans)s %%; it has %(a_video)s questions per video, the"
        " paper %(paper_a_video)s, so chance and baseline scores differ too."
    )
    return (text % figures,)


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
