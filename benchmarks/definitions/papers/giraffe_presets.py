"""Settings of the Giraffe paper for each of its models: system prompt, input template, kind of query, temperature,
length.

The templates only document the places of images and query: on this site a model uses its own chat template with this
system prompt. Of a garbled source only the legible part is kept.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Preset:
    """The settings of one family of models, as printed (section 4, appendix, Table 8)."""

    name: str
    title: str
    query: str  # "images" or "video": the kind of question
    temperature: float
    template: str
    system: str = ""
    max_new_tokens: int = 512
    rows: tuple[str, ...] = ()  # names in the paper's tables
    note: str = ""


PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "llava", "LLaVA", "images", 0.2, "USER: <image> ... <image> <query> ASSISTANT:",
            "A chat between a curious human and an artificial intelligence assistant. The assistant gives helpful,"
            " detailed, and polite answers to the human's questions.",
            rows=("LLaVA-13B", "LLaVA-7B"),
            note="The paper prints the system prompt alone; the template is that of the model's own code.",
        ),
        Preset(
            "minigpt-4", "MiniGPT-4", "images", 1.0,
            "Human: <Img><ImageHere></Img> ... <Img><ImageHere></Img> <query> ASSISTANT:",
            "Give the following images: <Img>ImageContent</Img> You will be able to see the images once I provide it to"
            " you. Please answer my questions",
            max_new_tokens=150, rows=("MiniGPT-4",), note="The tags are garbled in the source.",
        ),
        Preset(
            "mplug-owl", "mPLUG-Owl", "images", 0.7, "Human: <image> ... <image>\nHuman: <query>\nAI:",
            "The following is a conversation between a curious human and AI assistant. The assistant gives helpful,"
            " detailed, and polite answers to the user's questions.",
            rows=("mPLUG-Owl",), note="What stands between the images and `AI:` is left out in the source.",
        ),
        Preset(
            "instructblip", "InstructBLIP", "video", 1.0, "<image> ... <image> <query>",
            rows=("InstructBLIP-13B", "InstructBLIP-7B"),
        ),
        Preset("lynx", "Lynx", "images", 1.0, "<image> ... <image>\nUser: <query> Bot:", rows=("Lynx",)),
        Preset("otter", "Otter", "video", 1.0, "<video>\nUser: <query> GPT:", rows=("Otter",)),
    )
}  # fmt: skip
