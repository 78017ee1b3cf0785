"""The description of a pack in Croissant 1.1 (https://docs.mlcommons.org/croissant/docs/croissant-spec.html)."""

import hashlib
from collections.abc import Mapping
from typing import Any

from leaderboard.publications.citable import UNLICENSED, Citable

TERMS = (  # words of Croissant's own vocabulary
    "arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "extract", "field", "fileObject",
    "fileProperty", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath", "key", "md5",
    "parentField", "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "separator",
    "source", "subField", "transform",
)  # fmt: skip
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    **{term: f"cr:{term}" for term in TERMS},
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
}
FIELDS = {"items": ("item", "kind", "text", "clip"), "answers": ("item", "test", "expected")}


def croissant_of(cited: Citable, citation: str, files: Mapping[str, bytes], *, has_clips: bool) -> dict[str, Any]:
    """A pack's description for its archive; `files` are the tables by name, `citation` is the benchmark's."""
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": cited.name,
        "description": cited.about,
        "url": cited.address,
        "version": cited.version,
        "license": cited.licence or UNLICENSED,
        "citeAs": citation,
        "datePublished": cited.day,
        "distribution": [
            *(_file(name, content) for name, content in files.items()),
            *([_clips()] if has_clips else []),
        ],
        "recordSet": [_records(name.removesuffix(".jsonl")) for name in files],
    }


def _file(name: str, content: bytes) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{len(content)} B",
        "encodingFormat": "application/jsonlines",
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _clips() -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": "clips",
        "name": "clips",
        "encodingFormat": ["video/mp4", "image/png"],
        "includes": ["clips/*.mp4", "clips/*.png"],
    }


def _records(name: str) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "key": {"@id": f"{name}/item"},
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column}",
                "name": column,
                "dataType": "sc:Text",
                "source": {"fileObject": {"@id": f"{name}.jsonl"}, "extract": {"column": column}},
            }
            for column in FIELDS[name]
        ],
    }
