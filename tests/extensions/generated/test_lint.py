"""A bad clip set: every defect is named in its place, at once; a good one has none."""

import hashlib
from dataclasses import replace

import pytest

from extensions.generated.clipsets.card import read_card
from extensions.generated.clipsets.clip_facts import ClipSeen, UnseenClipError
from extensions.generated.clipsets.findings import Weight
from extensions.generated.clipsets.lint import lint
from extensions.generated.clipsets.manifest import read_manifest

CARD = """
prompts = "falling"
generator = "Falling"
version = "1"
input = "t2v"
access = "open"
fps = 24
seconds = 5
width = 640
height = 360
date = "2026-06"
best_of = 1
right_to_show = true
"""
PROMPTS = ["ball", "cup", "Ice"]
MANIFEST = "prompt,file,seed\nball,a.mp4,1\ncup,b.mp4,2\nIce,c.mp4,3\n"
GOOD = ClipSeen(640, 360, 24.0, 5.0, False, 10_000, "", 90.0, 40.0, 0.1, 0.2)


def linted(manifest=MANIFEST, card=CARD, files=("a.mp4", "b.mp4", "c.mp4"), prompts=PROMPTS, **odd):
    """The report; `odd` replaces what is seen of a file, by the letter of its name."""

    def see(entry):
        wrong = odd.get(entry.file[0], {})
        if isinstance(wrong, str):
            raise UnseenClipError(wrong)
        return replace(GOOD, **{"sha256": hashlib.sha256(entry.file.encode()).hexdigest(), **wrong})

    return lint(read_card(card), read_manifest(manifest), prompts, files, see)


def test_good_set_has_no_finding():
    assert linted().findings == ()


CARD_DEFECTS = {
    "card-unreadable": "generator = ",
    "card-missing": CARD.replace('version = "1"', ""),
    "card-unknown": CARD + "colour = 1\n",
    "card-text": CARD + "comments = 5\n",
    "card-number": CARD.replace("fps = 24", "fps = -24"),
    "card-choice": CARD.replace('"t2v"', '"x2v"'),
    "no-right": CARD.replace("right_to_show = true", "right_to_show = false"),
    "best-of-undeclared": CARD.replace("best_of = 1", ""),
    "best-of-how": CARD.replace("best_of = 1", "best_of = 16"),
    "best-of": CARD.replace("best_of = 1", 'best_of = 16\nbest_of_how = "by a judge"'),
    "upsampler": CARD + 'prompt_text = "upsampled"\n',
}
MANIFEST_DEFECTS = {
    "columns": "prompt,clip\nball,a.mp4\n",
    "empty": MANIFEST + "ball,,4\n",
    "path": MANIFEST + "ball,../../secret.mp4,4\n",
    "no-video": MANIFEST + "ball,a.txt,4\n",
    "csv": MANIFEST + 'ball,"a.mp4,4\n',
    "prompt-case": MANIFEST.replace("Ice", "ice"),
    "prompt-unknown": MANIFEST.replace("Ice", "fire"),
    "prompt-missing": MANIFEST.replace("Ice,c.mp4,3\n", ""),
    "take-missing": "prompt,file,seed,take\nball,a.mp4,1,1\nball,b.mp4,2,2\ncup,c.mp4,3,1\nIce,d.mp4,4,1\n",
    "clip-twice": MANIFEST + "ball,d.mp4,4\n",
    "file-twice": MANIFEST.replace("b.mp4", "a.mp4"),
    "seed-twice": "prompt,file,seed,take\nball,a.mp4,1,1\nball,b.mp4,1,2\n",
    "file-missing": MANIFEST.replace("c.mp4", "z.mp4"),
    "file-unnamed": MANIFEST.replace("Ice,c.mp4,3\n", ""),
    "no-seed": MANIFEST.replace(",3\n", ",\n"),
}
CLIP_DEFECTS = {
    "unreadable": "truncated: 3 of 120 frames",
    "fps": {"fps": 23.98},
    "width": {"width": 1280},
    "height": {"height": 720},
    "length": {"seconds": 5.2},
    "too-large": {"size": 600_000_000},
    "nothing-moves": {"moved": 0.0, "largest_jump": 0.0},
    "jump": {"largest_jump": 0.97},
    "black": {"darkest": 0.0},
    "one-colour": {"flattest": 0.0},
    "sound": {"has_sound": True},
    "same-bytes": {"sha256": hashlib.sha256(b"a.mp4").hexdigest()},
}


@pytest.mark.parametrize("code", CARD_DEFECTS)
def test_defect_of_the_card_is_named(code):
    findings = linted(card=CARD_DEFECTS[code]).findings
    assert code in {finding.code for finding in findings}
    assert all(finding.place.startswith("card.toml") for finding in findings)


@pytest.mark.parametrize("code", MANIFEST_DEFECTS)
def test_defect_of_the_manifest_is_named(code):
    findings = linted(MANIFEST_DEFECTS[code], files=("a.mp4", "b.mp4", "c.mp4", "d.mp4")).findings
    assert code in {finding.code for finding in findings}


@pytest.mark.parametrize("code", CLIP_DEFECTS)
def test_defect_of_a_clip_is_named_with_its_line(code):
    (finding,) = linted(b=CLIP_DEFECTS[code]).findings
    assert (finding.code, finding.place) == (code, "manifest.csv, line 3")


def test_forty_defects_are_named_at_once():
    """Ten of the manifest, ten of the card, twenty of clips, in one report."""
    lines = [f"p{number},{number:02}.mp4,{number}" for number in range(20)]
    lines[0:4] = ["p0,../0.mp4,0", "P1,01.mp4,1", "what,02.mp4,2", "p3,03.txt,3"]
    lines += ["p4,04.mp4,4", "p5,50.mp4,5", "p6", "p7,,7"]
    card = """
prompts = "falling"
generator = 1
version = ""
input = "x"
access = "y"
fps = 0
seconds = true
width = 1.5
height = 360
best_of = 4
prompt_text = "upsampled"
right_to_show = false
colour = 1
"""
    seen = {f"{number:02}.mp4": {"height": 720} for number in range(8, 20)}

    def see(entry):
        return replace(GOOD, sha256=entry.file, **seen.get(entry.file, {}))

    report = lint(
        read_card(card),
        read_manifest("prompt,file,seed\n" + "\n".join(lines)),
        [f"p{number}" for number in range(20)],
        [f"{number:02}.mp4" for number in range(21)],
        see,
    )
    codes = [finding.code for finding in report.findings]
    assert len(report.errors) >= 40
    assert {"path", "prompt-case", "prompt-unknown", "no-video", "clip-twice", "file-missing", "empty"} < set(codes)
    assert codes.count("height") == 12
    assert [finding.weight for finding in report.findings] == sorted(finding.weight for finding in report.findings)


@pytest.mark.parametrize("line", ["ball,d.mp4,4,5\n", 'ball,"d.mp4,4\n'])
def test_line_that_is_no_csv_is_named_and_what_follows_is_not_called_missing(line):
    (finding,) = linted(MANIFEST[: MANIFEST.index("Ice")] + line + "Ice,c.mp4,3\n").findings
    assert (finding.code, finding.place) == ("csv", "manifest.csv, line 4")


def test_notes_don_t_block():
    report = linted(b={"has_sound": True})
    assert (report.errors, len(report.notes)) == ([], 1)
    assert report.notes[0].weight == Weight.NOTE


def test_other_files_are_looked_at_after_one_that_breaks():
    report = linted(a="broken", c={"fps": 30})
    assert [finding.code for finding in report.findings] == ["unreadable", "fps"]
