"""SHA-256 of clips: generated folders, stored files, and small packs drawn in each look and profile."""

import hashlib
import tempfile
from pathlib import Path

from django.conf import settings
from django.core.management import call_command

from benchmarks.models import Rendition
from benchmarks.storage.access import path_of
from tools.bench.before.store import Flat

WAYS = {
    "grasp": ("--look=classic", "--look=plain"),
    "tapped": ("--look=classic", "--look=plain"),
    "craft": ("--profile=corrected", "--profile=faithful"),
    "giraffe": ("--seed=7",),
}
SIZES = {"grasp": "160x120", "tapped": "160x90", "craft": "128x128", "giraffe": "128x128"}


def stored() -> Flat:
    """The demo's generated folders, and what the import made of them; stored names are random, so kinds are keys."""
    folders = sorted(Path(settings.VAR_DIR).glob("demo-*"))
    found = {f"made {folder.name} {name}": sha256 for folder in folders for name, sha256 in _files(folder).items()}
    for each in Rendition.objects.select_related("clip__pack").order_by("pk"):
        found[f"stored {each.clip.pack} {each.clip.key} {each.kind}"] = _sha256(path_of(each))
    return found


def generated() -> Flat:
    """A pack of one clip a scene of each benchmark in each of its looks and profiles: minutes of work."""
    found: Flat = {}
    for slug, way in ((slug, way) for slug, ways in WAYS.items() for way in ways):
        with tempfile.TemporaryDirectory() as place:
            call_command("generate_benchmark", slug, f"--out={place}", f"--size={SIZES[slug]}", "--count=1", way)
            found |= {f"generated {slug} {way} {name}": sha256 for name, sha256 in _files(Path(place)).items()}
    return found


def _files(folder: Path) -> dict[str, str]:
    return {str(file.relative_to(folder)): _sha256(file) for file in sorted(folder.rglob("*")) if file.is_file()}


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
