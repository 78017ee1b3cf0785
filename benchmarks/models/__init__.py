"""Packs, clips and items (the questions), and the base class of every answer, by models and people alike."""

import benchmarks.models.answers  # noqa: F401  # known to Django; `benchmarks.disclosure` alone opens these tables
from benchmarks.models.clips import Clip, Rendition, RenditionKind
from benchmarks.models.items import (
    OPEN_KINDS,
    AnswerKind,
    FlippedClip,
    Item,
    ItemFacet,
    ItemMedia,
    ItemQuerySet,
    Response,
)
from benchmarks.models.keys import Key
from benchmarks.models.packs import MATERIAL, RATING, BenchmarkFile, Origin, Pack, PackFile, PackQuerySet
from benchmarks.models.productions import FolderState, FolderUpload, Production, ProductionBatch, ProductionState

__all__ = [
    "MATERIAL",
    "OPEN_KINDS",
    "RATING",
    "AnswerKind",
    "BenchmarkFile",
    "Clip",
    "FlippedClip",
    "FolderState",
    "FolderUpload",
    "Item",
    "ItemFacet",
    "ItemMedia",
    "ItemQuerySet",
    "Key",
    "Origin",
    "Pack",
    "PackFile",
    "PackQuerySet",
    "Production",
    "ProductionBatch",
    "ProductionState",
    "Rendition",
    "RenditionKind",
    "Response",
]
