"""More families, built as they are: the second half of `related_families`."""

from pathlib import Path
from typing import Any

from tokenizers import processors

from tests.evaluation.tiny_families import (
    PLACES,
    QWEN,
    ROPE,
    SIGHT,
    SIGLIP,
    SPEECH,
    hf,
    qwen_ids,
    saved,
    template,
    tokenizer,
    with_clips,
)

SAM: dict[str, Any] = {
    "hidden_size": 32,
    "output_channels": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "mlp_dim": 48,
}
SAM |= {"window_size": 4, "global_attn_indexes": [0]}


def exaone4_5(folder: Path) -> Path:
    words = tokenizer({"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"})
    processor = with_clips(
        "Exaone4_5_", words, template("<|image_pad|>", "<|video_pad|>"), images="Qwen2VL", videos="Qwen2VL"
    )
    config = hf.Exaone4_5_Config(
        vision_config={**SIGHT, "num_key_value_heads": 2, "fullatt_block_indexes": [0], "window_size": 56},
        text_config=hf.Exaone4Config(
            vocab_size=len(words), sliding_window=64, sliding_window_pattern=1, **SPEECH
        ).to_dict(),
        image_token_id=words.vocab["<|image_pad|>"],
        video_token_id=words.vocab["<|video_pad|>"],
    )
    return saved(folder, processor, lambda: hf.Exaone4_5_ForConditionalGeneration(config), words)


def lfm3_vl(folder: Path) -> Path:
    words = tokenizer(QWEN)
    processor = with_clips("Lfm3Vl", words, template(*PLACES), images="Qwen2VL", videos="Qwen3VL", edge=32)
    sight = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = hf.Lfm3VlConfig(
        tie_word_embeddings=False,
        vision_config={**sight, "num_key_value_heads": 2},
        text_config=hf.Lfm2Config(vocab_size=len(words), layer_types=["full_attention"], **SPEECH).to_dict(),
        projector_hidden_size=32,
        **qwen_ids(words),
    )
    return saved(folder, processor, lambda: hf.Lfm3VlForConditionalGeneration(config), words)


def lighton_ocr(folder: Path) -> Path:
    names = {"image_token": "[IMG]", "image_break_token": "[IMG_BREAK]", "image_end_token": "[IMG_END]"}
    words = tokenizer(names)
    processor = hf.LightOnOcrProcessor(
        image_processor=hf.PixtralImageProcessor(size={"longest_edge": 56}, patch_size=14),
        tokenizer=words,
        patch_size=14,
        spatial_merge_size=2,
        chat_template=template("[IMG]", "[no clips]"),
    )
    config = hf.LightOnOcrConfig(
        tie_word_embeddings=False,
        vision_config={**SIGLIP, "image_size": 56, "head_dim": 16, "model_type": "pixtral"},
        text_config=hf.Qwen3Config(vocab_size=len(words), head_dim=16, **SPEECH).to_dict(),
        image_token_id=words.vocab["[IMG]"],
    )
    return saved(folder, processor, lambda: hf.LightOnOcrForConditionalGeneration(config), words)


def cohere2_vision(folder: Path) -> Path:
    names = {
        "image_token": "<|IMG_PATCH|>",
        "boi_token": "<|START_OF_IMG|>",
        "eoi_token": "<|END_OF_IMG|>",
        "img_line_break_token": "<|IMG_LINE_BREAK|>",
    }
    words = tokenizer(names)
    processor = hf.Cohere2VisionProcessor(
        image_processor=hf.Cohere2VisionImageProcessor(size={"height": 28, "width": 28}, patch_size=1),
        tokenizer=words,
        chat_template=template("<|IMG_PATCH|>", "[no clips]"),
    )
    config = hf.Cohere2VisionConfig(
        tie_word_embeddings=False,
        vision_config={**SIGLIP, "vision_use_head": False, "model_type": "siglip_vision_model"},
        text_config=hf.Cohere2Config(vocab_size=len(words), head_dim=16, sliding_window=64, **SPEECH).to_dict(),
        image_token_id=words.vocab["<|IMG_PATCH|>"],
        downsample_factor=2,
        alignment_intermediate_size=64,
    )
    return saved(folder, processor, lambda: hf.Cohere2VisionForConditionalGeneration(config), words)


def lfm2_vl(folder: Path) -> Path:
    names = {
        "image_token": "<image>",
        "image_start_token": "<|image_start|>",
        "image_end_token": "<|image_end|>",
        "image_thumbnail": "<|img_thumbnail|>",
    }
    words = tokenizer(names)
    processor = hf.Lfm2VlProcessor(
        image_processor=hf.Lfm2VlImageProcessor(
            encoder_patch_size=14, tile_size=56, max_image_tokens=4, min_image_tokens=1, do_image_splitting=False
        ),
        tokenizer=words,
        chat_template=template("<image>", "[no clips]"),
    )
    sight = {name: size for name, size in SIGLIP.items() if name != "image_size"}
    config = hf.Lfm2VlConfig(
        tie_word_embeddings=False,
        vision_config={**sight, "num_patches": 16, "model_type": "siglip2_vision_model", "vision_use_head": False},
        text_config=hf.Lfm2Config(vocab_size=len(words), layer_types=["full_attention"], **SPEECH).to_dict(),
        projector_hidden_size=32,
        image_token_id=words.vocab["<image>"],
    )
    return saved(folder, processor, lambda: hf.Lfm2VlForConditionalGeneration(config), words)


def ovis2(folder: Path) -> Path:
    marks = ("<IMG_START>", "<IMG_GRID>", "<IMG_COL>", "<IMG_ROW>", "<IMG_END>")
    words = tokenizer({"image_token": "<image>"}, ("<IMG_ATOM>", *marks))
    processor = hf.Ovis2Processor(
        image_processor=hf.Ovis2ImageProcessor(size={"height": 28, "width": 28}, crop_to_patches=False),
        tokenizer=words,
        image_seq_length=4,
        chat_template=template("<image>", "[no clips]"),
    )
    config = hf.Ovis2Config(
        tie_word_embeddings=False,
        vision_config={**SIGLIP, "vocab_size": 64, "hidden_stride": 1},
        text_config=hf.Qwen2Config(vocab_size=len(words), **SPEECH).to_dict(),
        image_token_id=words.vocab["<IMG_ATOM>"],
        visual_indicator_token_ids=[words.vocab[mark] for mark in marks],
        vocab_size=len(words),
        hidden_size=32,
    )
    return saved(folder, processor, lambda: hf.Ovis2ForConditionalGeneration(config), words)


def deepseek_vl(folder: Path) -> Path:
    return _deepseek_vl(folder, "DeepseekVL", {})


def deepseek_vl_hybrid(folder: Path) -> Path:
    """It sees each picture twice: small, and large through the eyes of SAM."""
    large = {"high_res_size": {"height": 64, "width": 64}}
    sam = {**SAM, "image_size": 64, "patch_size": 16}
    return _deepseek_vl(folder, "DeepseekVLHybrid", large, high_res_vision_config=sam)


def _deepseek_vl(folder: Path, name: str, look: dict[str, Any], **more: Any) -> Path:
    words = tokenizer({"image_token": "<image_placeholder>"})
    pictures = getattr(hf, f"{name}ImageProcessor")(size={"height": 28, "width": 28}, min_size=1, **look)
    processor = getattr(hf, f"{name}Processor")(
        image_processor=pictures,
        tokenizer=words,
        num_image_tokens=4,
        chat_template=template("<image_placeholder>", "[no clips]"),
    )
    config = getattr(hf, f"{name}Config")(
        vision_config={**SIGLIP, "vision_use_head": False, "model_type": "siglip_vision_model"},
        text_config=hf.LlamaConfig(vocab_size=len(words), **SPEECH).to_dict(),
        image_token_id=words.vocab["<image_placeholder>"],
        tie_word_embeddings=False,
        **more,
    )
    return saved(folder, processor, lambda: getattr(hf, f"{name}ForConditionalGeneration")(config), words)


def janus(folder: Path) -> Path:
    """It sees pictures, and could draw some too."""
    names = {"image_token": "<image_placeholder>", "boi_token": "<begin_of_image>", "eoi_token": "<end_of_image>"}
    words = tokenizer(names)
    processor = hf.JanusProcessor(
        image_processor=hf.JanusImageProcessor(size={"height": 28, "width": 28}, min_size=1),
        tokenizer=words,
        num_image_tokens=4,
        chat_template=template("<image_placeholder>\n", "[no clips]"),
    )
    sight = {name: size for name, size in SIGLIP.items() if name != "intermediate_size"}
    brush = {"embed_dim": 8, "num_embeddings": 16, "latent_channels": 32, "base_channels": 32, "num_patches": 2}
    config = hf.JanusConfig(
        vision_config={**sight, "num_image_tokens": 4, "projection_dim": 32},
        text_config=hf.LlamaConfig(vocab_size=len(words), **SPEECH).to_dict(),
        vq_config={**brush, "channel_multiplier": [1, 1], "projection_dim": 32, "image_token_embed_dim": 32},
        image_token_id=words.vocab["<image_placeholder>"],
        tie_word_embeddings=False,
    )
    return saved(folder, processor, lambda: hf.JanusForConditionalGeneration(config), words)


def emu3(folder: Path) -> Path:
    """It reads a picture as words of its vocabulary, eight pixels a word; its processor writes the start token."""
    names = {
        "image_token": "<image>",
        "boi_token": "<|image start|>",
        "eoi_token": "<|image end|>",
        "image_wrapper_token": "<|image token|>",
        "eof_token": "<|extra_201|>",
    }
    seen = [f"<|visual token {number:06}|>" for number in range(16)]
    words = tokenizer(names, ("<|extra_200|>", *seen))
    words.backend_tokenizer.post_processor = processors.ByteLevel()
    processor = hf.Emu3Processor(
        image_processor=hf.Emu3ImageProcessor(min_pixels=8 * 8, max_pixels=16 * 16),
        tokenizer=words,
        chat_template=template("<image>", "[no clips]", start=""),
    )
    eye = {"codebook_size": 16, "base_channels": 32, "channel_multiplier": [1, 1, 1, 1], "hidden_size": 32}
    config = hf.Emu3Config(
        vq_config={**eye, "num_res_blocks": 1},
        text_config={"vocab_size": len(words), **SPEECH, "pad_token_id": 0},
        vocabulary_map={token: words.vocab[token] for token in ("<image>", "<|extra_200|>", *seen)},
    )
    return saved(folder, processor, lambda: hf.Emu3ForConditionalGeneration(config), words)


def inkling2(folder: Path) -> Path:
    """Pictures in squares of 40 pixels; distances between words are learnt."""
    words = tokenizer({"image_token": "<|unused_200054|>"})
    processor = hf.Inkling2Processor(
        image_processor=hf.Inkling2ImageProcessor(),
        tokenizer=words,
        chat_template=template("<|unused_200054|>", "[no clips]"),
    )
    sight = {name: size for name, size in SIGLIP.items() if name not in ("image_size", "patch_size")}
    near = {"swa_num_attention_heads": 2, "swa_num_key_value_heads": 2, "swa_head_dim": 16, "sliding_window_size": 64}
    config = hf.Inkling2Config(
        vision_config={**sight, "posemb_grid_size": 4, "projection_hidden_dim": 32, "text_hidden_size": 32},
        text_config={
            "vocab_size": len(words),
            "unpadded_vocab_size": len(words),
            "head_dim": 16,
            "d_rel": 4,
            "rel_extent": 64,
            **{name: size for name, size in SPEECH.items() if name != "intermediate_size"},
            **near,
            "num_hidden_layers": 2,
            "layer_types": ["hybrid_sliding", "hybrid"],
            "moe_intermediate_size": 16,
            "n_routed_experts": 4,
            "num_experts_per_tok": 2,
            "n_layers_per_attn_res_block": 1,
        },
        image_token_id=words.vocab["<|unused_200054|>"],
    )
    return saved(folder, processor, lambda: hf.Inkling2ForConditionalGeneration(config), words)


def cohere_compass(folder: Path) -> Path:
    names = {f"{kind}_token": f"<|{kind.upper()}_PAD|>" for kind in ("image", "video")}
    names |= {f"vision_{end}_token": f"<|VISION_{end.upper()}|>" for end in ("start", "end")}
    words = tokenizer(names)
    processor = with_clips(
        "CohereCompass", words, template("<|VISION_START|><|IMAGE_PAD|><|VISION_END|>", "<|VIDEO_PAD|>"), edge=32
    )
    rope = {**ROPE, "mrope_section": [2, 3, 3]}
    text = {
        "vocab_size": len(words),
        "sliding_window": 64,
        "layer_types": ["full_attention"],
        "eos_token_id": None,
        "rope_parameters": {"full_attention": rope, "sliding_attention": rope},
    }
    config = hf.CohereCompassConfig(
        vision_config={**SIGHT, "num_position_embeddings": 16, "deepstack_visual_indexes": [0]},
        text_config={**text, **SPEECH},
        **{f"{name}_id": words.vocab[token] for name, token in names.items()},
    )
    return saved(folder, processor, lambda: hf.CohereCompassForConditionalGeneration(config), words)


def aria(folder: Path) -> Path:
    words = tokenizer({"image_token": "<|img|>"})
    processor = hf.AriaProcessor(
        image_processor=hf.AriaImageProcessor(max_image_size=980, min_image_size=336, split_image=False),
        tokenizer=words,
        chat_template=template("<|img|>", "[no clips]"),
        size_conversion={980: 4},  # pictures of 980 pixels, seven patches an edge
    )
    config = hf.AriaConfig(
        vision_config={**SIGLIP, "model_type": "idefics3_vision", "image_size": 980, "patch_size": 140},
        text_config={"vocab_size": len(words), "moe_num_experts": 4, **SPEECH},
        projector_patch_to_query_dict={49: 4},
        image_token_index=words.vocab["<|img|>"],
    )
    return saved(folder, processor, lambda: hf.AriaForConditionalGeneration(config), words)


SEEING = {
    one.__name__: one
    for one in (
        *(exaone4_5, lfm3_vl, lighton_ocr, cohere2_vision, lfm2_vl, ovis2, deepseek_vl, deepseek_vl_hybrid),
        *(cohere_compass, aria, janus, emu3, inkling2),
    )
}
