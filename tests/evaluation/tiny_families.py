"""Tiny models of the real families, from their configuration classes, made and saved in an instant.

Weights are random and the tokenizer is trained here; classes, processors and chat formats are the real ones.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from evaluation.adapters import torchvision_shim

torchvision_shim.declared()

import transformers  # noqa: E402
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers  # noqa: E402

hf: Any = transformers  # its classes take more arguments than in their signatures
PAD, BEGIN, END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
START = "<s>"  # both in the template and added by the tokenizer, as in the families of Llama, Gemma and Mistral
WORDS = ("The ball on the table is red. Is this true? Answer only with yes or no.", "What can you see in this video?")
HALF = [0.5, 0.5, 0.5]
MOST_TOKENS = 4096
SIZE = "the size of the vocabulary"  # in a configuration
SMALL = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
LAYER = SMALL | {"intermediate_size": 48}
SPEECH = {**LAYER, "num_key_value_heads": 2, "max_position_embeddings": MOST_TOKENS, "vocab_size": SIZE}
LLAMA = {"model_type": "llama", **SPEECH}
QWEN2 = {"model_type": "qwen2", **SPEECH}
PATCHES = {**LAYER, "patch_size": 14}
SIGLIP = {**PATCHES, "image_size": 28}
HEADLESS = {**SIGLIP, "vision_use_head": False, "model_type": "siglip_vision_model"}
CLIP = {**SIGLIP, "num_hidden_layers": 2, "projection_dim": 32, "model_type": "clip_vision_model"}
SIGHT = {"depth": 1, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "out_hidden_size": 32}  # as Qwen's
ROPE = {"rope_type": "default", "rope_theta": 10000.0}
SQUARE = {"height": 28, "width": 28}
CROPPED = {"size": {"shortest_edge": 28}, "crop_size": SQUARE}
CROPPED_56 = {"size": {"shortest_edge": 56}, "crop_size": {"height": 56, "width": 56}}
UP_TO_28 = {"size": {"longest_edge": 28}, "max_image_size": {"longest_edge": 28}}


# Qwen3's template lets a caller switch thoughts off; DeepSeek's opens them itself.
THINKING = "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}"
OPENED = "<think>\n"


def template(
    image: str, video: str = "[no clips]", *, audio: str = "", ending: str = "", start: str = "{{ bos_token }}"
) -> str:
    """ChatML with places for pictures, clips and sounds, as in most of these families."""
    return (
        start + "{% for message in messages %}" + BEGIN + "{{ message['role'] }}\n"
        "{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for part in message['content'] %}"
        "{% if part['type'] == 'image' %}"
        + image
        + "{% elif part['type'] == 'video' %}"
        + video
        + "{% elif part['type'] == 'audio' %}"
        + audio
        + "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}"
        + END
        + "\n{% endfor %}"
        "{% if add_generation_prompt %}" + BEGIN + "assistant\n" + ending + "{% endif %}"
    )


def tokenizer(extra: dict[str, str] | None = None, more: tuple[str, ...] = ()) -> Any:
    """A byte-level BPE tokenizer over a few words; `extra` are the special tokens that the processor needs by name."""
    special = list(dict.fromkeys([PAD, BEGIN, END, START, *(extra or {}).values(), *more]))
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    how: dict[str, Any] = {"show_progress": False, "initial_alphabet": pre_tokenizers.ByteLevel.alphabet()}
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=special, **how)
    raw.train_from_iterator(WORDS, trainer)
    raw.post_processor = processors.TemplateProcessing(f"{START} $A", special_tokens=[(START, raw.token_to_id(START))])
    marks = {"pad_token": PAD, "bos_token": START, "eos_token": END, "extra_special_tokens": extra or {}}
    names = ["input_ids", "attention_mask"]
    return hf.PreTrainedTokenizerFast(tokenizer_object=raw, model_input_names=names, **marks)


def saved(folder: Path, processor: Any, build: Callable[[], Any], words: Any) -> Path:
    """Save model and processor to the folder, with random weights from one seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = build()
    tokens = {"bos_token_id": words.bos_token_id, "eos_token_id": words.vocab[END], "pad_token_id": words.pad_token_id}
    model.generation_config = hf.GenerationConfig(**tokens)
    processor.save_pretrained(folder)
    model.save_pretrained(folder)
    return folder


class Token(str):
    """A special token, for which a configuration has its number."""


def numbered(value: Any, vocabulary: dict[str, int]) -> Any:
    """This part of a configuration with the numbers of its tokens."""
    match value:
        case Token():
            return vocabulary[value]
        case dict():
            return {name: numbered(part, vocabulary) for name, part in value.items()}
        case list():
            return [numbered(part, vocabulary) for part in value]
    return len(vocabulary) if value is SIZE else value


@dataclass(frozen=True, eq=False)
class Family:
    """Saves a tiny model of a family in a folder."""

    name: str  # of its classes
    tokens: dict[str, str]  # special tokens that the processor needs by name
    chat: str
    parts: dict[str, Any]  # of the processor; functions make them
    config: dict[str, Any]
    more: tuple[str, ...] = ()  # special tokens without a name
    processor: str = ""  # the family whose processor it has, if it is another
    model: str = ""  # its class, if it is named otherwise

    def __call__(self, folder: Path) -> Path:
        words = self.words()
        parts = {name: part() if callable(part) else part for name, part in self.parts.items()}
        kind = getattr(hf, f"{self.processor or self.name}Processor")
        config = getattr(hf, f"{self.name}Config")(**numbered(self.config, words.vocab))
        processor = kind(**parts, tokenizer=words, chat_template=self.chat)
        return saved(folder, processor, lambda: self.model_of(config), words)

    def words(self) -> Any:
        return tokenizer(self.tokens, self.more)

    def model_of(self, config: Any) -> Any:
        return getattr(hf, self.model or f"{self.name}ForConditionalGeneration")(config)


def looks(images: str, videos: str = "", edge: int = 28, **of_clips: Any) -> dict[str, Any]:
    """The parts of these families for pictures and clips that keep their shape, `edge` to twice `edge` pixels a side.

    `of_clips` are settings of the part for clips.
    """
    look: dict[str, Any] = {"size": {"shortest_edge": edge**2, "longest_edge": 32 * edge**2}, "patch_size": edge // 2}
    return {
        "image_processor": lambda: getattr(hf, f"{images}ImageProcessor")(**look),
        "video_processor": lambda: getattr(hf, f"{videos or images}VideoProcessor")(**look, **of_clips),
    }


def ids(tokens: dict[str, str], ending: str = "id") -> dict[str, Token]:
    """The settings that are numbers of these tokens of a processor."""
    return {f"{name}_{ending}": Token(token) for name, token in tokens.items()}


IMAGE = {"image_token": "<image>"}
CLIPS = {**IMAGE, "video_token": "<video>"}
PADS = {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"}
QWEN = PADS | {f"vision_{end}_token": f"<|vision_{end}|>" for end in ("start", "end")}
PLACES = [f"<|vision_start|><|{kind}_pad|><|vision_end|>" for kind in ("image", "video")]
INTERN = {"start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>"}
IDEFICS = {**IMAGE, "fake_image_token": "<fake_token_around_image>", "global_image_token": "<global-img>"}
IDEFICS |= {"end_of_utterance_token": "<end_of_utterance>"}
SEEN_BY_LLAVA = {  # pictures of 28 pixels, two patches an edge, before the words
    "image_processor": lambda: hf.CLIPImageProcessor(**CROPPED),
    "patch_size": 14,
    "vision_feature_select_strategy": "default",
    "num_additional_image_tokens": 1,
}
SEEN_BY_LLAVA_NEXT = SEEN_BY_LLAVA | {
    "image_processor": lambda: hf.LlavaNextImageProcessor(image_grid_pinpoints=[[56, 56]], **CROPPED_56)
}

VIDEO: dict[str, Callable[[Path], Path]] = {
    "llava_onevision": Family(
        "LlavaOnevision",
        CLIPS,
        template("<image>", "<video>"),
        {
            "image_processor": lambda: hf.LlavaOnevisionImageProcessor(
                image_grid_pinpoints=[[28, 28]], size=SQUARE, image_mean=HALF, image_std=HALF
            ),
            "video_processor": lambda: hf.LlavaOnevisionVideoProcessor(size=SQUARE, image_mean=HALF, image_std=HALF),
            "num_image_tokens": 4,
            "vision_feature_select_strategy": "full",
        },
        {
            "vision_config": HEADLESS,
            "text_config": QWEN2,
            **ids(CLIPS, "index"),
            "vision_feature_layer": -1,
            "image_grid_pinpoints": [[28, 28]],
        },
    ),
    "llava_next_video": Family(
        "LlavaNextVideo",
        CLIPS,
        template("<image>", "<video>"),
        {**SEEN_BY_LLAVA_NEXT, "video_processor": lambda: hf.LlavaNextVideoVideoProcessor(**CROPPED_56)},
        {
            "vision_config": {**CLIP, "image_size": 56},
            "text_config": LLAMA,
            **ids(CLIPS, "index"),
            "image_grid_pinpoints": [[56, 56]],
        },
    ),
    "internvl": Family(
        "InternVL",
        {**INTERN, "video_token": "<video>"},
        template("<IMG_CONTEXT>\n", "<video>\n"),
        {
            "image_processor": lambda: hf.GotOcr2ImageProcessor(size=SQUARE),
            "video_processor": lambda: hf.InternVLVideoProcessor(size=SQUARE),
            "image_seq_length": 1,
        },
        {
            "tie_word_embeddings": False,
            "vision_config": SIGLIP,
            "text_config": QWEN2,
            "image_token_id": Token("<IMG_CONTEXT>"),
            "image_seq_length": 1,
        },
    ),
    "qwen2_5_vl": Family(
        "Qwen2_5_VL",
        QWEN,
        template(*PLACES),
        looks("Qwen2VL"),
        {
            "vision_config": {**SIGHT, "fullatt_block_indexes": [0], "window_size": 56},
            "text_config": {**SPEECH, "rope_parameters": {**ROPE, "mrope_section": [2, 3, 3]}},
            **ids(QWEN),
        },
    ),
    "qwen3_vl": Family(
        "Qwen3VL",
        QWEN,
        template(*PLACES),
        looks("Qwen2VL", "Qwen3VL", edge=32),
        {
            "vision_config": {**SIGHT, "depth": 2, "num_position_embeddings": 64, "deepstack_visual_indexes": [0]},
            "text_config": {
                **SPEECH,
                "head_dim": 16,
                "rope_parameters": {**ROPE, "mrope_section": [4, 2, 2], "mrope_interleaved": True},
            },
            **ids(QWEN),
        },
    ),
    "smolvlm": Family(
        "SmolVLM",
        {**IDEFICS, "video_token": "<video>"},
        template("<image>", "<video>"),
        {
            "image_processor": lambda: hf.SmolVLMImageProcessor(do_image_splitting=False, **UP_TO_28),
            "video_processor": lambda: hf.SmolVLMVideoProcessor(
                video_sampling={"max_frames": 64, "fps": 1, "video_size": {"longest_edge": 28}}, **UP_TO_28
            ),
            "image_seq_len": 1,
        },
        {
            "vision_config": SIGLIP,
            "text_config": LLAMA,
            "scale_factor": 2,
            "image_token_id": Token("<image>"),
            "pad_token_id": Token(PAD),
        },
    ),
}


def _reader(chat: str, *more: str) -> Callable[[Path], Path]:
    def build(folder: Path) -> Path:
        words = tokenizer(more=more)
        words.chat_template = chat
        config = hf.LlamaConfig(**numbered(SPEECH, words.vocab))
        return saved(folder, words, lambda: hf.LlamaForCausalLM(config), words)

    return build


llava = Family(
    "Llava",
    IMAGE,
    template("<image>\n"),
    SEEN_BY_LLAVA,
    {"vision_config": CLIP, "text_config": LLAMA, **ids(IMAGE, "index")},
)
text_alone = _reader(template("", ""))
thinker = _reader(template("", "", ending=THINKING))  # its template can switch its thoughts off
made_to_think = _reader(template("", "", ending=OPENED), "<think>", "</think>")  # it opens and marks them

BUILDS = VIDEO | {"llava": llava, "text_alone": text_alone, "thinker": thinker, "made_to_think": made_to_think}
