"""Writes docs/adapters/families.md: the inputs of each family, tested on tiny builds or declared by the library.

`python -m tests.evaluation.families_table` rewrites the page; a test compares the two.
"""

import inspect
import os
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from evaluation.adapters import torchvision_shim
from evaluation.adapters.base import Request, Turn
from tests.evaluation.saved_families import saved_once

torchvision_shim.declared()  # must precede the first use of a transformers class

PAGE = Path(__file__).parents[2] / "docs" / "adapters" / "families.md"
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
HEAD = """# Families of saved models

<!-- Written by `python -m tests.evaluation.families_table`. -->

Which families of transformers {version} can be asked with `add_model PATH`, and what reaches them.
`add_model` says the same of a folder of yours.

## Held against the library

A tiny build of each, made from its own configuration class and saved as its makers save it, is opened by the site's
own code; tokens and replies are those of a plain loop of the library, alone and in a batch padded on the left.
–: its processor has no part for it; under *times*, neither words nor positions nor pictures follow them; under
*thinking*, its template has no switch for thoughts.

* kimi_k25 and nemotron_h_omni have a part for clips that this version of the library can't run: it splits Kimi's
  features by frames that it has pooled, and reads Nemotron's list of metadata as that of a single clip. Their clips are
  shown as images.
* molmo2 takes one clip a conversation: a strategy that shows two is refused.
* Padding before a prompt changes the replies of minimax_m3_vl, which attends to blocks of tokens. Prompts of different
  lengths are therefore answered one by one.
* t5gemma2 has an encoder and a decoder: it weighs options by their first tokens, and refuses options that begin alike.

| family | clips | pictures of their own | times of frames | sound | system prompt | thinking | in a batch |
|---|---|---|---|---|---|---|---|
"""
DECLARED = """
## Declared by the library

These open through `AutoModelForMultimodalLM` and the same code. What they take is what their processor's class
declares. *Needs*: a package that opening one wants and this site does not install; "held": a tiny build was held like
those above where that package was. Where the column does not say so, look at the prompt on the run's page before
trusting a figure. ✗: the class has no part for it. Where that is video, clips are shown as images; where it is images
as well, the model is asked with words or sound alone; where it is sound, conditions of sound are refused.

| family | images | video | sound | needs |
|---|---|---|---|---|
"""
TIMM = "timm; held with timm 1.0.31 on 25 November 2026"
TORCHAUDIO = "torchaudio; held with the Python part of torchaudio 2.11.0 on 25 November 2026"
NEEDS = dict.fromkeys(("perception_lm", "gemma3n"), TIMM)
NEEDS |= dict.fromkeys(("granite_speech", "granite_speech_plus"), TORCHAUDIO)
OUT = """
## Not asked

| family | why |
|---|---|
"""


def seeing_builds() -> dict[str, Any]:
    from tests.evaluation import clip_families, document_families, picture_families, related_families, tiny_families

    own = {**tiny_families.VIDEO, "llava": tiny_families.llava}
    pictures = picture_families.SEEING | document_families.SEEING
    return own | related_families.SEEING | clip_families.SEEING | pictures


@cache
def tiny_builds() -> dict[str, Any]:
    from tests.evaluation import tiny_families, tiny_hearing

    reading = {"llama (text)": tiny_families.text_alone, "llama (thinking)": tiny_families.thinker}
    return {**seeing_builds(), **tiny_hearing.WATCHING, **tiny_hearing.LISTENING, **reading}


def row_of(name: str, build: Any) -> str:
    from evaluation.adapters.transformers.abilities import abilities_of, question_for
    from evaluation.adapters.transformers.adapter import TransformersModel

    model = TransformersModel(path=str(saved_once(build)), batch_size=2)
    able = abilities_of(model.opened)
    told = (able.clips, able.pictures, able.times, able.sound, able.system, able.thinking)
    return line(name, *(word or "–" for word in told), in_a_batch(model, question_for(able)))


def in_a_batch(model: Any, question: Request) -> str:
    """Whether two prompts of different lengths get the same replies in a batch as alone."""
    (turn, reply) = question.turns
    assert isinstance(turn, Turn)
    longer = replace(question, turns=(replace(turn, text=f"{turn.text} Look at all of it before you say so."), reply))
    asked = [replace(one, max_new_tokens=4) for one in (question, longer)]
    alone, together = [next(model.answer([one])) for one in asked], list(model.answer(asked))
    assert not any(one.error for one in (*alone, *together))
    return "as alone" if [one.turns for one in alone] == [one.turns for one in together] else "differs"


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


def written_row(name: str) -> str:
    """The row of this family as the page has it; '' if it has none or several."""
    rows = [row for row in PAGE.read_text(encoding="utf-8").splitlines(keepends=True) if row.startswith(f"| {name} |")]
    return rows[0] if len(rows) == 1 else ""


def page(opened: Collection[str]) -> Iterator[str]:
    """The page's parts; the rows of the families that are not opened are copied from the page."""
    import transformers

    yield HEAD.format(version=transformers.__version__)
    for name, build in tiny_builds().items():
        yield row_of(name, build) if name in opened else written_row(name)
    askable = {name: marks for name, marks in declared().items() if name not in UNASKABLE}
    yield DECLARED
    yield from (line(name, *marks, NEEDS.get(name, "–")) for name, marks in askable.items() if "✓" in marks)
    yield OUT
    reasons = {
        name: "the library registers no processor under its name; a folder that names one opens"
        for name, marks in askable.items()
        if "✓" not in marks
    }
    there = {name: UNASKABLE[name] for name in declared() if name in UNASKABLE}
    yield from (line(*each) for each in sorted((there | reasons).items()))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    import django

    django.setup()
    PAGE.write_text("".join(page(tiny_builds())), encoding="utf-8")
