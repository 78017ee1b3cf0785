"""Folders as people send them: a prompt pack, and clip sets of small clips."""

import io
import json
import zipfile

from django.core.management import call_command
from PIL import Image

from tests.extensions.generated.test_seeing import encoded, square_at

PACK = """
slug = "falling"
title = "Falling things"
about = "What falls, rests or bounces."
version = "1.0"
licence = "CC0"
source = "https://example.org/falling"
preset = "videophy2"
"""
PROMPTS = """id,prompt,laws,first_frame
ball,"A ball falls, and bounces.",gravity|collision,frames/ball.png
cup,A cup slides off a table.,gravity,
"""
CARD = """
prompts = "falling"
generator = "{generator}"
version = "1"
input = "t2v"
access = "open"
fps = 24
seconds = 1.25
width = 128
height = 96
date = "2026-06"
best_of = 1
right_to_show = true
"""
MANIFEST = "prompt,file,seed\nball,clips/a.mp4,1\ncup,clips/b.mp4,2\n"
MADE_HERE = {"access": "made here", "generator": "Six in ten"}
TRUTH = "prompt,take,is_broken,kind,onset,visible_from,severity\nball,,yes,vanishes,0.5,0.6,2\ncup,,no,,,,\n"


def pack_folder(root, pack=PACK, prompts=PROMPTS):
    (root / "frames").mkdir(parents=True)
    Image.new("RGB", (64, 48), (90, 90, 90)).save(root / "frames" / "ball.png")
    (root / "benchmark.toml").write_text(pack)
    (root / "prompts.csv").write_text(prompts)
    return root


def card_of(**fields):
    """The card with other fields; None leaves one out."""
    lines = CARD.format(generator=fields.pop("generator", "Sora 9")).strip().splitlines()
    lines = [line for line in lines if line.partition(" ")[0] not in fields]
    values = {name: value for name, value in fields.items() if value is not None}
    texts = (f'{name} = "{value}"' if isinstance(value, str) else f"{name} = {value}" for name, value in values.items())
    return "\n".join([*lines, *texts]) + "\n"


def clip_set_folder(root, start=4, *, manifest=MANIFEST, truth="", **fields):
    """Clips of a square that moves from `start` on, so that other sets have other bytes."""
    (root / "clips").mkdir(parents=True)
    (root / "card.toml").write_text(card_of(**fields))
    (root / "manifest.csv").write_text(manifest)
    if truth:
        (root / "truth.csv").write_text(truth)
    moving = [square_at(start + 3 * number) for number in range(30)]
    encoded(root / "clips" / "a.mp4", moving)
    encoded(root / "clips" / "b.mp4", moving[::-1])
    return root


def zipped(root):
    """The bytes of a ZIP of the folder."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(root.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(root).as_posix())
    return target.getvalue()


def imported(root, capsys):
    """What the command prints that imports the folder."""
    capsys.readouterr()
    call_command("import_benchmark", str(root), "--json")
    return json.loads(capsys.readouterr().out)
