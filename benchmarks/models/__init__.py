"""Packs, clips and items: what is asked. Also what an answer is, whoever gives it."""

from benchmarks.activities import ActivityDraft, ActivityReview
from benchmarks.drafts import PatternDraft
from benchmarks.models.clips import Clip, Rendition, RenditionKind
from benchmarks.models.items import AnswerKind, FlippedClip, Item, ItemFacet, ItemMedia, ItemQuerySet, ItemSeal
from benchmarks.models.keys import Key
from benchmarks.models.material import FileState, Material, MaterialClip, MaterialDecision, MaterialFile
from benchmarks.models.packs import MATERIAL, RATING, Origin, Pack, PackFile, PackQuerySet
from benchmarks.models.productions import Production, ProductionBatch, ProductionState
from benchmarks.models.responses import Response

__all__ = [
    "MATERIAL",
    "RATING",
    "ActivityDraft",
    "ActivityReview",
    "AnswerKind",
    "Clip",
    "FileState",
    "FlippedClip",
    "Item",
    "ItemFacet",
    "ItemMedia",
    "ItemQuerySet",
    "ItemSeal",
    "Key",
    "Material",
    "MaterialClip",
    "MaterialDecision",
    "MaterialFile",
    "Origin",
    "Pack",
    "PackFile",
    "PackQuerySet",
    "PatternDraft",
    "Production",
    "ProductionBatch",
    "ProductionState",
    "Rendition",
    "RenditionKind",
    "Response",
]
