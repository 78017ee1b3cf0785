"""Writes the families of docs/models.md: what reaches each, tested on tiny builds or declared by the library.

`python -m tests.evaluation.families_table` rewrites that part of the page; a test compares the two.
"""

import inspect
import os
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from evaluation.adapters import torchvision_shim
from evaluation.adapters.base import Request, Turn
from tests.evaluation.saved_families import saved_once

torchvision_shim.declared()  # must precede the first use of a transformers class

PAGE = Path(__file__).parents[2] / "docs" / "models.md"
SENSES = {"images": "image_processor", "video": "video_processor", "sound": "feature_extractor"}
READS = "captions or reads one picture; no chat template known"
WITHOUT = "no chat template known; a folder with one opens"
TRANSCRIBES = "transcribes speech, and answers no questions"
UNASKABLE = {
    **dict.fromkeys(("blip", "git", "pix2struct", "udop", "vision-encoder-decoder", "florence2", "idefics"), READS),
    **dict.fromkeys(("kosmos-2", "kosmos-2.5", "pp_formulanet", "pp_chart2table", "blip-2", "instructblip"), READS),
    **dict.fromkeys(("instructblipvideo", "fuyu", "paligemma", "chameleon", "video_llava"), WITHOUT),
    **dict.fromkeys(("glmasr", "fun_asr_nano", "kyutai_speech_to_text", "qwen3_asr", "nemo_speechlm"), TRANSCRIBES),
    **dict.fromkeys(("vibevoice_asr", "voxtral_realtime", "moss_transcribe_diarize"), TRANSCRIBES),
    "idefics2": "its processor takes pictures of Pillow alone",
    "voxtral": "its processor lays out conversations with mistral-common, as tokens and never as text",
    "got_ocr2": "reads a page: its processor refuses a question without a picture, and several questions at once",
    "evolla": "reads proteins",
    "pi0": "moves robots",
    "diffusion_gemma": "writes in blocks, not from left to right",
    "shieldgemma2": "judges pictures by a fixed policy",
}
BEGIN, END = "<!-- families: written by `python -m tests.evaluation.families_table` -->\n", "<!-- /families -->"
HEAD = """
Families of transformers {version} whose tokens and replies are the library's own (tests, on tiny builds):

| clips as | pictures as | times of frames | sound | families |
|---|---|---|---|---|
"""
NEEDING_A_PACKAGE = ("gemma3n", "perception_lm", "granite_speech", "granite_speech_plus")


def seeing_builds() -> dict[str, Any]:
    from tests.evaluation import clip_families, picture_families, related_families, tiny_families

    own = {**tiny_families.VIDEO, "llava": tiny_families.llava}
    return own | related_families.SEEING | clip_families.SEEING | picture_families.SEEING


@cache
def tiny_builds() -> dict[str, Any]:
    from tests.evaluation import tiny_families, tiny_hearing

    reading = {"llama (text)": tiny_families.text_alone, "llama (thinking)": tiny_families.thinker}
    return {**seeing_builds(), **tiny_hearing.WATCHING, **tiny_hearing.LISTENING, **reading}


def inputs_of(name: str, build: Any) -> tuple[str, ...]:
    """What reaches this family: the cells of its row."""
    from evaluation.adapters.transformers.abilities import abilities_of, question_for
    from evaluation.adapters.transformers.adapter import TransformersModel

    model = TransformersModel(path=str(saved_once(build)), batch_size=2)
    able = abilities_of(model.opened)
    assert able.system == "read", name
    assert bool(able.thinking) == (name == "llama (thinking)"), name
    assert answers_alike_in_a_batch(model, question_for(able)), name
    return tuple(word or "–" for word in (able.clips, able.pictures, able.times, able.sound))


def answers_alike_in_a_batch(model: Any, question: Request) -> bool:
    """Whether two prompts of different lengths get the same replies in a batch as alone."""
    (turn, reply) = question.turns
    assert isinstance(turn, Turn)
    longer = replace(question, turns=(replace(turn, text=f"{turn.text} Look at all of it before you say so."), reply))
    asked = [replace(one, max_new_tokens=4) for one in (question, longer)]
    alone, together = [next(model.answer([one])) for one in asked], list(model.answer(asked))
    assert not any(one.error for one in (*alone, *together))
    return [one.turns for one in alone] == [one.turns for one in together]


def line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def declared() -> dict[str, tuple[str, ...]]:
    """For each family of the library without a tiny build: ✓ or ✗ by sense, as its processor's class declares."""
    import transformers
    from transformers.models.auto.modeling_auto import MODEL_FOR_MULTIMODAL_LM_MAPPING_NAMES as FAMILIES
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES as PROCESSORS

    found = {}
    for name in sorted(FAMILIES):
        if name in tiny_builds() or name.removesuffix("_thinker") in tiny_builds():
            continue
        kind = getattr(transformers, PROCESSORS.get(name, "") or "", None)
        takes = set(inspect.signature(kind.__init__).parameters) if kind else set()
        takes |= {"feature_extractor"} if "audio_processor" in takes else set()
        found[name] = tuple("✓" if part in takes else "✗" for part in SENSES.values())
    return found


def written() -> str:
    """The part of the page that this module writes."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def written_inputs() -> dict[str, tuple[str, ...]]:
    rows = [row.strip("| ").split(" | ") for row in written().splitlines() if row.startswith("| ")]
    return {name: tuple(cells) for *cells, names in rows for name in names.split(", ")}


def part(opened: Collection[str]) -> str:
    """The part of the page; what reaches a family that is not opened is copied from the page."""
    import transformers

    before, rows = written_inputs(), dict[tuple[str, ...], list[str]]()
    for name, build in tiny_builds().items():
        inputs = inputs_of(name, build) if name in opened else before.get(name, ())
        rows.setdefault(inputs, []).append(name)
    table = "".join(line(*inputs, ", ".join(names)) for inputs, names in rows.items())
    return f"{HEAD.format(version=transformers.__version__)}{table}\n"


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    import django

    django.setup()
    PAGE.write_text(PAGE.read_text(encoding="utf-8").replace(written(), part(tiny_builds())), encoding="utf-8")
