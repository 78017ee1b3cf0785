"""More families, built as they are: the second half of `related_families`."""

from typing import Any

from tokenizers import processors

from tests.evaluation.tiny_families import (
    HEADLESS,
    IMAGE,
    LAYER,
    LLAMA,
    PADS,
    PATCHES,
    PLACES,
    QWEN,
    QWEN2,
    ROPE,
    SIGHT,
    SIGLIP,
    SPEECH,
    SQUARE,
    Family,
    Token,
    hf,
    ids,
    looks,
    template,
)

SAM: dict[str, Any] = {"hidden_size": 32, "output_channels": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
SAM |= {"mlp_dim": 48, "window_size": 4, "global_attn_indexes": [0]}
LFM2 = {**SPEECH, "model_type": "lfm2", "layer_types": ["full_attention"]}
PLACE = {"image_token": "<image_placeholder>"}
COHERE = {f"{kind}_token": f"<|{kind.upper()}_PAD|>" for kind in ("image", "video")}
COHERE |= {f"vision_{end}_token": f"<|VISION_{end.upper()}|>" for end in ("start", "end")}
COHERE_ROPE = {**ROPE, "mrope_section": [2, 3, 3]}
LIGHTON = {"image_token": "[IMG]", "image_break_token": "[IMG_BREAK]", "image_end_token": "[IMG_END]"}
OVIS = ("<IMG_START>", "<IMG_GRID>", "<IMG_COL>", "<IMG_ROW>", "<IMG_END>")
COHERE_2 = {"image_token": "<|IMG_PATCH|>", "img_line_break_token": "<|IMG_LINE_BREAK|>"}
COHERE_2 |= {"boi_token": "<|START_OF_IMG|>", "eoi_token": "<|END_OF_IMG|>"}
LFM = {**IMAGE, "image_start_token": "<|image_start|>", "image_end_token": "<|image_end|>"}
LFM |= {"image_thumbnail": "<|img_thumbnail|>"}
EMU = {**IMAGE, "boi_token": "<|image start|>", "eoi_token": "<|image end|>", "image_wrapper_token": "<|image token|>"}
EMU |= {"eof_token": "<|extra_201|>"}
EMU_WORDS = ("<|extra_200|>", *(f"<|visual token {number:06}|>" for number in range(16)))
UNUSED = {"image_token": "<|unused_200054|>"}
NEAR = {"swa_num_attention_heads": 2, "swa_num_key_value_heads": 2, "swa_head_dim": 16, "sliding_window_size": 64}


def _without(sizes: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: size for name, size in sizes.items() if name not in names}


def _deepseek_vl(name: str, look: dict[str, Any], **more: Any) -> Family:
    return Family(
        name,
        PLACE,
        template("<image_placeholder>"),
        {
            "image_processor": lambda: getattr(hf, f"{name}ImageProcessor")(size=SQUARE, min_size=1, **look),
            "num_image_tokens": 4,
        },
        {"vision_config": HEADLESS, "text_config": LLAMA, **ids(PLACE), "tie_word_embeddings": False, **more},
    )


class Emu3(Family):
    """It reads a picture as words of its vocabulary, eight pixels a word; its processor writes the start token."""

    def words(self) -> Any:
        words = super().words()
        words.backend_tokenizer.post_processor = processors.ByteLevel()
        return words


SEEING: dict[str, Family] = {
    "exaone4_5": Family(
        "Exaone4_5_",
        PADS,
        template("<|image_pad|>", "<|video_pad|>"),
        looks("Qwen2VL"),
        {
            "vision_config": {**SIGHT, "num_key_value_heads": 2, "fullatt_block_indexes": [0], "window_size": 56},
            "text_config": {**SPEECH, "model_type": "exaone4", "sliding_window": 64, "sliding_window_pattern": 1},
            **ids(PADS),
        },
    ),
    "lfm3_vl": Family(
        "Lfm3Vl",
        QWEN,
        template(*PLACES),
        looks("Qwen2VL", "Qwen3VL", edge=32),
        {
            "tie_word_embeddings": False,
            "vision_config": {**LAYER, "num_key_value_heads": 2},
            "text_config": LFM2,
            "projector_hidden_size": 32,
            **ids(QWEN),
        },
    ),
    "lighton_ocr": Family(
        "LightOnOcr",
        LIGHTON,
        template("[IMG]"),
        {
            "image_processor": lambda: hf.PixtralImageProcessor(size={"longest_edge": 56}, patch_size=14),
            "patch_size": 14,
            "spatial_merge_size": 2,
        },
        {
            "tie_word_embeddings": False,
            "vision_config": {**SIGLIP, "image_size": 56, "head_dim": 16, "model_type": "pixtral"},
            "text_config": {**SPEECH, "model_type": "qwen3", "head_dim": 16},
            "image_token_id": Token("[IMG]"),
        },
    ),
    "cohere2_vision": Family(
        "Cohere2Vision",
        COHERE_2,
        template("<|IMG_PATCH|>"),
        {"image_processor": lambda: hf.Cohere2VisionImageProcessor(size=SQUARE, patch_size=1)},
        {
            "tie_word_embeddings": False,
            "vision_config": HEADLESS,
            "text_config": {**SPEECH, "model_type": "cohere2", "head_dim": 16, "sliding_window": 64},
            "image_token_id": Token("<|IMG_PATCH|>"),
            "downsample_factor": 2,
            "alignment_intermediate_size": 64,
        },
    ),
    "lfm2_vl": Family(
        "Lfm2Vl",
        LFM,
        template("<image>"),
        {
            "image_processor": lambda: hf.Lfm2VlImageProcessor(
                encoder_patch_size=14, tile_size=56, max_image_tokens=4, min_image_tokens=1, do_image_splitting=False
            )
        },
        {
            "tie_word_embeddings": False,
            "vision_config": {
                **PATCHES,
                "num_patches": 16,
                "model_type": "siglip2_vision_model",
                "vision_use_head": False,
            },
            "text_config": LFM2,
            "projector_hidden_size": 32,
            **ids(IMAGE),
        },
    ),
    "ovis2": Family(
        "Ovis2",
        IMAGE,
        template("<image>"),
        {"image_processor": lambda: hf.Ovis2ImageProcessor(size=SQUARE, crop_to_patches=False), "image_seq_length": 4},
        {
            "tie_word_embeddings": False,
            "vision_config": {**SIGLIP, "vocab_size": 64, "hidden_stride": 1},
            "text_config": QWEN2,
            "image_token_id": Token("<IMG_ATOM>"),
            "visual_indicator_token_ids": [Token(mark) for mark in OVIS],
            "vocab_size": SPEECH["vocab_size"],
            "hidden_size": 32,
        },
        more=("<IMG_ATOM>", *OVIS),
    ),
    "deepseek_vl": _deepseek_vl("DeepseekVL", {}),
    "deepseek_vl_hybrid": _deepseek_vl(  # it sees each picture twice: small, and large through the eyes of SAM
        "DeepseekVLHybrid",
        {"high_res_size": {"height": 64, "width": 64}},
        high_res_vision_config={**SAM, "image_size": 64, "patch_size": 16},
    ),
    "cohere_compass": Family(
        "CohereCompass",
        COHERE,
        template("<|VISION_START|><|IMAGE_PAD|><|VISION_END|>", "<|VIDEO_PAD|>"),
        looks("CohereCompass", edge=32),
        {
            "vision_config": {**SIGHT, "num_position_embeddings": 16, "deepstack_visual_indexes": [0]},
            "text_config": {
                **SPEECH,
                "sliding_window": 64,
                "layer_types": ["full_attention"],
                "eos_token_id": None,
                "rope_parameters": {"full_attention": COHERE_ROPE, "sliding_attention": COHERE_ROPE},
            },
            **ids(COHERE),
        },
    ),
    "aria": Family(
        "Aria",
        {"image_token": "<|img|>"},
        template("<|img|>"),
        {
            "image_processor": lambda: hf.AriaImageProcessor(max_image_size=980, min_image_size=336, split_image=False),
            "size_conversion": {980: 4},  # pictures of 980 pixels, seven patches an edge
        },
        {
            "vision_config": {**SIGLIP, "model_type": "idefics3_vision", "image_size": 980, "patch_size": 140},
            "text_config": {**SPEECH, "moe_num_experts": 4},
            "projector_patch_to_query_dict": {49: 4},
            "image_token_index": Token("<|img|>"),
        },
    ),
    "janus": Family(  # it sees pictures, and could draw some too
        "Janus",
        {**PLACE, "boi_token": "<begin_of_image>", "eoi_token": "<end_of_image>"},
        template("<image_placeholder>\n"),
        {"image_processor": lambda: hf.JanusImageProcessor(size=SQUARE, min_size=1), "num_image_tokens": 4},
        {
            "vision_config": {**_without(SIGLIP, "intermediate_size"), "num_image_tokens": 4, "projection_dim": 32},
            "text_config": LLAMA,
            "vq_config": {"embed_dim": 8, "num_embeddings": 16, "latent_channels": 32, "base_channels": 32}
            | {"num_patches": 2, "channel_multiplier": [1, 1], "projection_dim": 32}
            | {"image_token_embed_dim": 32},
            **ids(PLACE),
            "tie_word_embeddings": False,
        },
    ),
    "emu3": Emu3(
        "Emu3",
        EMU,
        template("<image>", start=""),
        {"image_processor": lambda: hf.Emu3ImageProcessor(min_pixels=8 * 8, max_pixels=16 * 16)},
        {
            "vq_config": {"codebook_size": 16, "base_channels": 32, "channel_multiplier": [1, 1, 1, 1]}
            | {"hidden_size": 32, "num_res_blocks": 1},
            "text_config": {**SPEECH, "pad_token_id": 0},
            "vocabulary_map": {token: Token(token) for token in ("<image>", *EMU_WORDS)},
        },
        more=EMU_WORDS,
    ),
    "inkling2": Family(  # pictures in squares of 40 pixels; distances between words are learnt
        "Inkling2",
        UNUSED,
        template("<|unused_200054|>"),
        {"image_processor": lambda: hf.Inkling2ImageProcessor()},
        {
            "vision_config": {**LAYER, "posemb_grid_size": 4, "projection_hidden_dim": 32, "text_hidden_size": 32},
            "text_config": {
                **_without(SPEECH, "intermediate_size"),
                **NEAR,
                "unpadded_vocab_size": SPEECH["vocab_size"],
                "head_dim": 16,
                "d_rel": 4,
                "rel_extent": 64,
                "num_hidden_layers": 2,
                "layer_types": ["hybrid_sliding", "hybrid"],
                "moe_intermediate_size": 16,
                "n_routed_experts": 4,
                "num_experts_per_tok": 2,
                "n_layers_per_attn_res_block": 1,
            },
            **ids(UNUSED),
        },
    ),
}
