"""What a pack is made of: each file's official path with its digest, and one hash that stands for all."""

import hashlib
from base64 import b32encode
from pathlib import Path

from benchmarks.definition import Benchmark, Release
from benchmarks.errors import ContentRefused
from benchmarks.media_store import sha256_of
from benchmarks.models import Pack


def manifest_of(release: Release) -> dict[str, str]:
    """Official path -> SHA-256 of every file that the questions come from."""
    files = (*(clip.path for clip in release.clips), *release.texts)
    return {path.relative_to(release.root).as_posix(): sha256_of(Path(path)) for path in sorted(files)}


def manifest_hash(manifest: dict[str, str], definition_version: str, split: str | None) -> str:
    lines = [f"{path} {digest}" for path, digest in sorted(manifest.items())]
    lines.append(f"definition {definition_version}")
    if split:
        lines.append(f"split {split}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def public_id(benchmark: str, manifest: str, key: str, kind: str, variant: str) -> str:
    """The same id for the same content in every installation, so that a submission fits all of them."""
    digest = hashlib.sha256("\n".join((benchmark, manifest, key, kind, variant)).encode()).digest()
    return b32encode(digest).decode().lower()[:12]


def refuse_other_content(pack: Pack, manifest: dict[str, str], benchmark: Benchmark) -> None:
    """Name the first file that differs from what stands under the pack's name."""
    if pack.definition_version != benchmark.version:
        what = f"was imported under definition {pack.definition_version}, this is {benchmark.version}"
    else:
        what = _first_difference(dict(pack.files.values_list("path", "sha256")), manifest)
    raise ContentRefused(f"pack {pack.name} has other content: {what}; choose another name with --pack")


def _first_difference(standing: dict[str, str], given: dict[str, str]) -> str:
    for path in sorted(standing.keys() | given.keys()):
        if path not in given:
            return f"{path} is missing"
        if path not in standing:
            return f"{path} is new"
        if standing[path] != given[path]:
            return f"{path} differs"
    return "another part of it was imported"
