"""What went wrong with clip sets of other benchmarks, thread by thread: each is named, and everything else still is."""

import pytest

from tests.extensions.generated.test_lint import CARD, MANIFEST, PROMPTS, linted

THREE = "prompt,file,seed,take\n" + "".join(
    f"{prompt},{prompt}-{take}.mp4,{take},{take}\n" for prompt in PROMPTS for take in (1, 2)
)
FILES = tuple(f"{prompt}-{take}.mp4" for prompt in PROMPTS for take in (1, 2))
NAMES = {
    # names and number
    "VBench #84: fewer clips than the benchmark wants": (
        {"manifest": THREE.replace("cup,cup-2.mp4,2,2\n", ""), "files": (*FILES[:3], *FILES[4:])},
        ["take-missing"],
    ),
    "VBench #84: two prompts that differ in case alone": (
        {"manifest": MANIFEST.replace("Ice", "ICE")},
        ["prompt-case", "prompt-missing"],
    ),
    "VBench #127: clips in folders": (
        {"manifest": MANIFEST.replace("a.mp4", "a/a.mp4"), "files": ("a/a.mp4", "b.mp4", "c.mp4")},
        [],
    ),
    "VBench #127: a prompt twice": ({"manifest": MANIFEST + "ball,c.mp4,4\n"}, ["clip-twice", "file-twice"]),
    "VBench #101, #112, #79: the prompt as the name, too long for a file": (
        {"manifest": MANIFEST.replace("a.mp4", f"{'a' * 300}.mp4")},
        ["file-missing", "file-unnamed"],
    ),
    "VBench #4, #11: no name matches, so nothing would be evaluated": (
        {"manifest": "prompt,file,seed\n0,a.mp4,1\n1,b.mp4,2\n2,c.mp4,3\n"},
        ["prompt-missing"] * 3 + ["prompt-unknown"] * 3,
    ),
    "endpoints #315: a name that leads elsewhere": (
        {"manifest": MANIFEST.replace("a.mp4", "../../a.mp4")},
        ["path", "prompt-missing", "file-unnamed"],
    ),
    "PhyGenBench #5: numbers that begin at 0": (
        {"manifest": MANIFEST, "files": ("output_video_0.mp4", "output_video_1.mp4", "output_video_2.mp4")},
        ["file-missing"] * 3 + ["file-unnamed"] * 3,
    ),
    "a file in other letters": ({"files": ("A.MP4", "b.mp4", "c.mp4")}, ["file-missing", "file-unnamed"]),
    "a note of a file manager as a clip": ({"files": ("._a.mp4", "a.mp4", "b.mp4", "c.mp4")}, ["file-unnamed"]),
    # rate and length
    "physics-IQ #75, #81: 121 pictures, the first is the given one": ({"a": {"seconds": 121 / 24}}, ["length"]),
    "physics-IQ #67: 15 pictures a second": ({"a": {"fps": 15.0}}, ["fps"]),
    "CogVideo #616: another length": ({"a": {"seconds": 6.125}}, ["length"]),
    "WorldScore: each model has a size of its own": ({"a": {"width": 832, "height": 480}}, ["height", "width"]),
    "given seconds in front": ({"card": CARD.replace("t2v", "v2v"), "a": {"seconds": 8.0}}, ["length"]),
    "29.97 is no 30": (
        {"card": CARD.replace("fps = 24", "fps = 30"), **{x: {"fps": 29.97} for x in "abc"}},
        ["fps"] * 3,
    ),
    # same model, different number
    "physics-IQ #57: the best of several, and nobody says so": (
        {"card": CARD.replace("best_of = 1", "")},
        ["best-of-undeclared"],
    ),
    "physics-IQ #70 to #72: the best of 16 by an own scorer": (
        {"card": CARD.replace("best_of = 1", "best_of = 16")},
        ["best-of-how"],
    ),
    "physics-IQ #64: prompts rewritten by a template that nobody has": (
        {"card": CARD + 'prompt_text = "upsampled"\n'},
        ["upsampler"],
    ),
    "physics-IQ #66, UniWorld-View #6: which version it was": (
        {"card": CARD.replace('version = "1"', 'version = ""')},
        ["card-missing"],
    ),
    "physics-IQ #46: clips that nobody may look at": (
        {"card": CARD.replace("right_to_show = true", "right_to_show = false")},
        ["no-right"],
    ),
    # first frames
    "Physion-Eval: the first pictures are black": ({"a": {"darkest": 0.0}}, ["black"]),
    "another first picture than the given one": ({"a": {"likeness": 0.4}}, ["first-frame"]),
    # missing clips
    "WorldModelBench: a missing clip is left out of the mean": (
        {"manifest": MANIFEST.replace("Ice,c.mp4,3\n", ""), "files": ("a.mp4", "b.mp4")},
        ["prompt-missing"],
    ),
    "VBench: essentials are missing": (
        {"card": "\n".join(line for line in CARD.splitlines() if "version" not in line and "date" not in line)},
        ["card-missing", "card-missing"],
    ),
    "an empty archive": ({"manifest": "prompt,file,seed\n", "files": ()}, ["prompt-missing"] * 3),
    # seeds
    "Physics-IQ: no seeds": ({"manifest": MANIFEST.replace(",1\n", ",\n").replace(",2\n", ",\n")}, ["no-seed"]),
    "VBench #185: one seed for two takes": (
        {"manifest": THREE.replace("ball-2.mp4,2", "ball-2.mp4,1"), "files": FILES},
        ["seed-twice"],
    ),
    "one clip under two seeds": ({"manifest": THREE, "files": FILES, "b": {"sha256": "same"}}, ["same-bytes"]),
}


@pytest.mark.parametrize("name", NAMES)
def test_it_is_named_and_nothing_else_is(name):
    changes, codes = NAMES[name]
    report = linted(**changes)
    assert [finding.code for finding in sorted(report.findings, key=lambda finding: finding.code)] == sorted(codes)
    assert all(finding.place and finding.text for finding in report.findings)


def test_one_picture_too_many_is_told_as_such():
    (finding,) = linted(a={"seconds": 121 / 24}).findings
    assert "one picture too many; if the first is the one that was given, cut it off" in finding.text
    assert linted(a={"seconds": 5.01}).findings == ()


def test_all_of_it_at_once_loses_none():
    """The manifest's, the card's and the clips' mistakes of one set, beside each other."""
    report = linted(
        MANIFEST.replace("Ice", "ICE").replace("b.mp4", "../b.mp4"),
        CARD.replace('version = "1"', ""),
        files=("a.mp4", "c.mp4", "x.mp4"),
        a={"fps": 15.0},
        c="broken",
    )
    codes = {finding.code for finding in report.errors}
    assert codes == {"card-missing", "path", "prompt-case", "prompt-missing", "file-unnamed", "fps", "unreadable"}
