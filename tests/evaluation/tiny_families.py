"""Tiny models of the real families, from their configuration classes, made and saved in an instant.

Weights are random and the tokenizer is trained here; classes, processors and chat formats are the real ones.
"""

from collections.abc import Callable
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
LAYER = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1, "num_attention_heads": 2}
SPEECH = LAYER | {"num_key_value_heads": 2, "max_position_embeddings": MOST_TOKENS}
SIGLIP = LAYER | {"image_size": 28, "patch_size": 14}
SIGHT = {"depth": 1, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "out_hidden_size": 32}  # as Qwen's
ROPE = {"rope_type": "default", "rope_theta": 10000.0}


# Qwen3's template lets a caller switch thoughts off; DeepSeek's opens them itself.
THINKING = "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}"
OPENED = "<think>\n"


def template(image: str, video: str, *, audio: str = "", ending: str = "", start: str = "{{ bos_token }}") -> str:
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


def with_clips(
    name: str, words: Any, chat: str, *, images: str = "", videos: str = "", edge: int = 28, **of_clips: Any
) -> Any:
    """The processor of a family whose pictures and clips keep their shape, `edge` to twice `edge` pixels a side.

    `images` and `videos` name the families whose parts it shares; `of_clips` are settings of the part for clips.
    """
    look: dict[str, Any] = {"size": {"shortest_edge": edge**2, "longest_edge": 32 * edge**2}, "patch_size": edge // 2}
    return getattr(hf, f"{name}Processor")(
        image_processor=getattr(hf, f"{images or name}ImageProcessor")(**look),
        video_processor=getattr(hf, f"{videos or name}VideoProcessor")(**look, **of_clips),
        tokenizer=words,
        chat_template=chat,
    )


def llava_onevision(folder: Path) -> Path:
    words = tokenizer({"image_token": "<image>", "video_token": "<video>"})
    look: dict[str, Any] = {"size": {"height": 28, "width": 28}, "image_mean": HALF, "image_std": HALF}
    processor = hf.LlavaOnevisionProcessor(
        image_processor=hf.LlavaOnevisionImageProcessor(image_grid_pinpoints=[[28, 28]], **look),
        tokenizer=words,
        video_processor=hf.LlavaOnevisionVideoProcessor(**look),
        num_image_tokens=4,
        vision_feature_select_strategy="full",
        chat_template=template("<image>", "<video>"),
    )
    config = hf.LlavaOnevisionConfig(
        vision_config=hf.SiglipVisionConfig(**SIGLIP, vision_use_head=False).to_dict(),
        text_config=hf.Qwen2Config(vocab_size=len(words), **SPEECH).to_dict(),
        image_token_index=words.vocab["<image>"],
        video_token_index=words.vocab["<video>"],
        vision_feature_layer=-1,
        image_grid_pinpoints=[[28, 28]],
    )
    return saved(folder, processor, lambda: hf.LlavaOnevisionForConditionalGeneration(config), words)


def clip_sight(edge: int) -> dict[str, Any]:
    sizes = SIGLIP | {"num_hidden_layers": 2, "image_size": edge, "projection_dim": 32}
    return hf.CLIPVisionConfig(**sizes).to_dict()


def llava_next_video(folder: Path) -> Path:
    words = tokenizer({"image_token": "<image>", "video_token": "<video>"})
    look: dict[str, Any] = {"size": {"shortest_edge": 56}, "crop_size": {"height": 56, "width": 56}}
    processor = hf.LlavaNextVideoProcessor(
        video_processor=hf.LlavaNextVideoVideoProcessor(**look),
        tokenizer=words,
        patch_size=14,
        image_processor=hf.LlavaNextImageProcessor(image_grid_pinpoints=[[56, 56]], **look),
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=template("<image>", "<video>"),
    )
    config = hf.LlavaNextVideoConfig(
        vision_config=clip_sight(56),
        text_config=hf.LlamaConfig(vocab_size=len(words), **SPEECH).to_dict(),
        image_token_index=words.vocab["<image>"],
        video_token_index=words.vocab["<video>"],
        image_grid_pinpoints=[[56, 56]],
    )
    return saved(folder, processor, lambda: hf.LlavaNextVideoForConditionalGeneration(config), words)


def internvl(folder: Path) -> Path:
    names = {"start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>"}
    words = tokenizer(names | {"video_token": "<video>"})
    look: dict[str, Any] = {"size": {"height": 28, "width": 28}}
    processor = hf.InternVLProcessor(
        image_processor=hf.GotOcr2ImageProcessor(**look),
        video_processor=hf.InternVLVideoProcessor(**look),
        tokenizer=words,
        image_seq_length=1,
        chat_template=template("<IMG_CONTEXT>\n", "<video>\n"),
    )
    config = hf.InternVLConfig(
        tie_word_embeddings=False,
        vision_config=hf.InternVLVisionConfig(**SIGLIP).to_dict(),
        text_config=hf.Qwen2Config(vocab_size=len(words), **SPEECH).to_dict(),
        image_token_id=words.vocab["<IMG_CONTEXT>"],
        image_seq_length=1,
    )
    return saved(folder, processor, lambda: hf.InternVLForConditionalGeneration(config), words)


QWEN = {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"}
QWEN |= {f"vision_{end}_token": f"<|vision_{end}|>" for end in ("start", "end")}
PLACES = [f"<|vision_start|><|{kind}_pad|><|vision_end|>" for kind in ("image", "video")]


def qwen_ids(words: Any) -> dict[str, int]:
    return {f"{name}_id": words.vocab[token] for name, token in QWEN.items()}


def qwen2_5_vl(folder: Path) -> Path:
    words = tokenizer(QWEN)
    processor = with_clips("Qwen2_5_VL", words, template(*PLACES), images="Qwen2VL", videos="Qwen2VL")
    turn = {"rope_type": "default", "mrope_section": [2, 3, 3], "rope_theta": 10000.0}
    config = hf.Qwen2_5_VLConfig(
        vision_config={**SIGHT, "fullatt_block_indexes": [0], "window_size": 56},
        text_config={"vocab_size": len(words), "rope_parameters": turn, **SPEECH},
        **qwen_ids(words),
    )
    return saved(folder, processor, lambda: hf.Qwen2_5_VLForConditionalGeneration(config), words)


def qwen3_vl(folder: Path) -> Path:
    words = tokenizer(QWEN)
    processor = with_clips("Qwen3VL", words, template(*PLACES), images="Qwen2VL", edge=32)
    turn = {"rope_type": "default", "mrope_section": [4, 2, 2], "rope_theta": 10000.0, "mrope_interleaved": True}
    config = hf.Qwen3VLConfig(
        vision_config={**SIGHT, "depth": 2, "num_position_embeddings": 64, "deepstack_visual_indexes": [0]},
        text_config={"vocab_size": len(words), "head_dim": 16, "rope_parameters": turn, **SPEECH},
        **qwen_ids(words),
    )
    return saved(folder, processor, lambda: hf.Qwen3VLForConditionalGeneration(config), words)


def smolvlm(folder: Path) -> Path:
    names = {
        "fake_image_token": "<fake_token_around_image>",
        "image_token": "<image>",
        "video_token": "<video>",
        "end_of_utterance_token": "<end_of_utterance>",
        "global_image_token": "<global-img>",
    }
    words = tokenizer(names)
    look: dict[str, Any] = {"size": {"longest_edge": 28}, "max_image_size": {"longest_edge": 28}}
    sampling = {"max_frames": 64, "fps": 1, "video_size": {"longest_edge": 28}}
    processor = hf.SmolVLMProcessor(
        image_processor=hf.SmolVLMImageProcessor(do_image_splitting=False, **look),
        tokenizer=words,
        video_processor=hf.SmolVLMVideoProcessor(video_sampling=sampling, **look),
        image_seq_len=1,
        chat_template=template("<image>", "<video>"),
    )
    config = hf.SmolVLMConfig(
        vision_config=SIGLIP,
        text_config=hf.LlamaConfig(vocab_size=len(words), **SPEECH).to_dict(),
        scale_factor=2,
        image_token_id=words.vocab["<image>"],
        pad_token_id=words.pad_token_id,
    )
    return saved(folder, processor, lambda: hf.SmolVLMForConditionalGeneration(config), words)


def llava_processor(words: Any) -> Any:
    """Pictures of 28 pixels, two patches an edge, before the words."""
    look: dict[str, Any] = {"size": {"shortest_edge": 28}, "crop_size": {"height": 28, "width": 28}}
    return hf.LlavaProcessor(
        image_processor=hf.CLIPImageProcessor(**look),
        tokenizer=words,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=template("<image>\n", "[no clips]"),
    )


def llava(folder: Path) -> Path:
    """A family with pictures but no clips."""
    words = tokenizer({"image_token": "<image>"})
    config = hf.LlavaConfig(
        vision_config=clip_sight(28),
        text_config=hf.LlamaConfig(vocab_size=len(words), **SPEECH).to_dict(),
        image_token_index=words.vocab["<image>"],
    )
    return saved(folder, llava_processor(words), lambda: hf.LlavaForConditionalGeneration(config), words)


def text_alone(folder: Path) -> Path:
    """A text-only family."""
    return _reader(folder, template("", ""))


def thinker(folder: Path) -> Path:
    """A family whose template can switch its thoughts off."""
    return _reader(folder, template("", "", ending=THINKING))


def made_to_think(folder: Path) -> Path:
    """A family whose template opens its thoughts, and marks them by special tokens."""
    return _reader(folder, template("", "", ending=OPENED), "<think>", "</think>")


def _reader(folder: Path, chat: str, *more: str) -> Path:
    words = tokenizer(more=more)
    words.chat_template = chat
    config = hf.LlamaConfig(vocab_size=len(words), **SPEECH)
    return saved(folder, words, lambda: hf.LlamaForCausalLM(config), words)


VIDEO = {one.__name__: one for one in (llava_onevision, llava_next_video, internvl, qwen2_5_vl, qwen3_vl, smolvlm)}
