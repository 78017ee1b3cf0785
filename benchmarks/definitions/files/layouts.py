"""The layouts of a benchmark's questions, each loaded on use."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path

from benchmarks.definitions.definition import Release
from benchmarks.definitions.files.compile import BenchmarkText
from benchmarks.definitions.release_bounds import refuse_links, refuse_release
from benchmarks.errors import BadRelease

# Name -> module and reader, called with the definition and the folder.
LAYOUTS = {
    "table": ("files.items_table", "read_table"),
    "intphys2": ("files.neighbours", "read_intphys2"),
    "mvp": ("files.neighbours", "read_mvp"),
    "causalvqa": ("files.neighbours", "read_causalvqa"),
}
# Name -> module and reader, called with the folder only, since the layout contains everything else.
OWN_LAYOUTS = {
    "craft": ("importers.craft", "read_release"),
    "pacs": ("importers.pacs", "read_release"),
    "tapped": ("importers.pacs", "read_tapped"),
    "grasp": ("importers.grasp", "read_release"),
    "giraffe": ("importers.giraffe", "read_release"),
}


THUMBNAILS = {"first": 0.0, "middle": 0.5, "last": 1.0}  # position in the clip, 0 to 1


def reader_of(own: BenchmarkText) -> Callable[[Path], Release]:
    """The importer of this definition: folder -> release."""
    return partial(read_folder, own)


def read_folder(own: BenchmarkText, root: Path) -> Release:
    """The clips and questions in this folder; raises BadRelease for kinds that the definition lacks."""
    refuse_links(root)
    if own.layout in LAYOUTS:
        release: Release = _loaded(*LAYOUTS[own.layout])(own, root)
    else:
        release = _loaded(*OWN_LAYOUTS[own.layout])(root)
    if unknown := sorted({row.kind for row in release.rows} - own.kinds.keys()):
        raise BadRelease(f"{root.name}: holds questions of kind {unknown[0]!r}; {own.slug} has: {', '.join(own.kinds)}")
    refuse_release(release, root)
    poster = THUMBNAILS[own.data.get("thumbnails", "middle")]
    return replace(release, clips=tuple(replace(clip, poster=poster) for clip in release.clips))


def _loaded(module: str, name: str) -> Callable[..., Release]:
    found: Callable[..., Release] = getattr(import_module(f"benchmarks.definitions.{module}"), name)
    return found
