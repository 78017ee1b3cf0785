"""Relatives of the families in `tiny_families`, built in the same way, for the page of families."""

from typing import Any

from tests.evaluation import further_families
from tests.evaluation.tiny_families import (
    CLIP,
    HEADLESS,
    IDEFICS,
    IMAGE,
    LLAMA,
    PADS,
    PATCHES,
    PLACES,
    QWEN,
    QWEN2,
    ROPE,
    SEEN_BY_LLAVA,
    SEEN_BY_LLAVA_NEXT,
    SIGHT,
    SIGLIP,
    SPEECH,
    SQUARE,
    UP_TO_28,
    Family,
    Token,
    hf,
    ids,
    looks,
    template,
)

EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "decoder_sparse_step": 1}
LINEAR: dict[str, Any] = {"num_hidden_layers": 2, "layer_types": ["linear_attention", "full_attention"]}
LINEAR |= {f"linear_{kind}_head_dim": 8 for kind in ("key", "value")}
LINEAR |= {f"linear_num_{kind}_heads": 2 for kind in ("key", "value")}
SHARED = {**EXPERTS, "shared_expert_intermediate_size": 16, **LINEAR}
# Tables of word pairs and triples, and an index that chooses the tokens to attend to.
PAIRS = {"ple_layer_ids": [1], "heads_per_ngram": 2, "ngram_vocab_size_base": 64, "split_ngram_parts": 1}
INDEX = {"n_heads": 2, "kv_heads": 1, "head_dim": 16, "budget": 64, "compress_ratio": 16}
INDEXED = PAIRS | {"hc_lowrank": 8, "eos_token_id": 2} | {f"indexer_{name}": size for name, size in INDEX.items()}


def _qwen3(name: str, **text: Any) -> Family:
    turn = {**ROPE, "mrope_section": [4, 2, 2], "mrope_interleaved": True}
    sight = {**SIGHT, "num_position_embeddings": 64, "deepstack_visual_indexes": [0]}
    text = {**SPEECH, "head_dim": 16, "rope_parameters": turn, **text}
    config = {"vision_config": sight, "text_config": text, **ids(QWEN)}
    return Family(name, QWEN, template(*PLACES), looks("Qwen2VL", "Qwen3VL", edge=32), config, processor="Qwen3VL")


GLM = {"image_token": "<|image|>", "video_token": "<|video|>"}
GLM_ENDS = {
    f"{kind}_{end}_token": f"<|{word}_of_{kind}|>"
    for kind in ("image", "video")
    for end, word in (("start", "begin"), ("end", "end"))
}
GLM_PLACES = [f"<|begin_of_{kind}|><|{kind}|><|end_of_{kind}|>" for kind in ("image", "video")]
GLM_EXPERTS: dict[str, Any] = {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_shared_experts": 1}
GLM_EXPERTS |= {"moe_intermediate_size": 16}
# Half of the layers carry a state, the others look at a few tokens that an index chooses.
GLM_NEXT: dict[str, Any] = {"kv_lora_rank": 16, "q_lora_rank": 16, "qk_nope_head_dim": 16, "v_head_dim": 16}
GLM_NEXT |= {"index_topk": 16, "index_head_dim": 16, "index_n_heads": 2, "index_kpool": 4}
GLM_NEXT |= {"linear_head_dim": 8, "linear_num_heads": 2, "hc_mult": 2, "num_hidden_layers": 2}
GLM_NEXT |= {"layer_types": ["linear_attention", "indexed_attention"], "mlp_layer_types": ["dense", "sparse"]}


def _glm(name: str, kind: str = "", look: dict[str, Any] | None = None, **text: Any) -> Family:
    """GLM's vision families, whose processors write the time of every pair of frames."""
    turn = {**ROPE, "mrope_section": [2, 3, 3], "partial_rotary_factor": 1.0}
    config = {
        "vision_config": {**SIGHT, "image_size": 28, "patch_size": 14},
        "text_config": {**SPEECH, "rope_parameters": turn, "pad_token_id": 0, **text},
        **ids(GLM | GLM_ENDS),
    }
    parts = looks(kind or name, **(look or {}))
    more = tuple(GLM_ENDS.values())
    return Family(name, GLM, template(*GLM_PLACES), parts, config, more=more, processor=kind)


GEMMA = {"image_token": "<image_soft_token>", "boi_token": "<start_of_image>", "eoi_token": "<end_of_image>"}
SEEN_BY_GEMMA = {"image_processor": lambda: hf.Gemma3ImageProcessor(size=SQUARE), "image_seq_length": 4}

PIXTRAL = {"image_token": "[IMG]", "image_break_token": "[IMG_BREAK]", "image_end_token": "[IMG_END]"}
SEEN_BY_PIXTRAL = {  # pictures keep their shape: a token a patch, a mark after each row
    "image_processor": lambda: hf.PixtralImageProcessor(
        size={"longest_edge": 56}, patch_size={"height": 14, "width": 14}
    ),
    "patch_size": 14,
    "spatial_merge_size": 2,
    **PIXTRAL,
}
PIXTRAL_SIGHT = {**SIGLIP, "image_size": 56, "head_dim": 16, "model_type": "pixtral"}

AYA = {
    "image_token": "<image>",
    "start_of_img_token": "<|START_OF_IMG|>",
    "end_of_img_token": "<|END_OF_IMG|>",
    "img_patch_token": "<|IMG_PATCH|>",
    "img_line_break_token": "<|IMG_LINE_BREAK|>",
    "tile_token": "TILE",
    "tile_global_token": "TILE_GLOBAL",
}

SEEING: dict[str, Family] = {
    "qwen2_vl": Family(
        "Qwen2VL",
        QWEN,
        template(*PLACES),
        looks("Qwen2VL"),
        {
            "vision_config": {"depth": 1, "embed_dim": 32, "hidden_size": 32, "num_heads": 2, "mlp_ratio": 2},
            "text_config": {**SPEECH, "rope_parameters": {**ROPE, "mrope_section": [2, 3, 3]}},
            **ids(QWEN),
        },
    ),
    "qwen3_vl_moe": _qwen3("Qwen3VLMoe", **EXPERTS),
    "qwen3_5": _qwen3("Qwen3_5", **LINEAR),
    "qwen3_5_moe": _qwen3("Qwen3_5Moe", **SHARED),
    "qwen4_exp": _qwen3("Qwen4Exp", **SHARED, **INDEXED),
    "glm4v": _glm("Glm4v"),
    "glm46v": _glm("Glm46V"),
    "glm4v_moe": _glm("Glm4vMoe", "Glm4v", first_k_dense_replace=0, n_group=1, topk_group=1, **GLM_EXPERTS),
    "glm5_next": _glm("Glm5Next", look={"min_image_tokens": 4, "max_image_tokens": 64}, **GLM_NEXT, **GLM_EXPERTS),
    "video_llama_3": Family(
        "VideoLlama3",
        PADS,
        template("<|image_pad|>", "<|video_pad|>"),
        looks("VideoLlama3"),
        {"vision_config": PATCHES, "text_config": QWEN2, **ids(PADS)},
    ),
    "llava_next": Family(
        "LlavaNext",
        IMAGE,
        template("<image>\n"),
        SEEN_BY_LLAVA_NEXT,
        {
            "vision_config": {**CLIP, "image_size": 56},
            "text_config": LLAMA,
            **ids(IMAGE, "index"),
            "image_grid_pinpoints": [[56, 56]],
        },
    ),
    "vipllava": Family(
        "VipLlava",
        IMAGE,
        template("<image>\n"),
        SEEN_BY_LLAVA,
        {"vision_config": CLIP, "text_config": LLAMA, **ids(IMAGE, "index"), "vision_feature_layers": [-1, -2]},
        processor="Llava",
    ),
    "idefics3": Family(
        "Idefics3",
        IDEFICS,
        template("<image>"),
        {
            "image_processor": lambda: hf.Idefics3ImageProcessor(do_image_splitting=False, **UP_TO_28),
            "image_seq_len": 1,
        },
        {
            "vision_config": SIGLIP,
            "text_config": LLAMA,
            "scale_factor": 2,
            **ids(IMAGE),
            "pad_token_id": Token("<|endoftext|>"),
        },
    ),
    "gemma3": Family(  # its template begins with BOS, and its pictures have bidirectional attention
        "Gemma3",
        GEMMA,
        template("<start_of_image>"),
        SEEN_BY_GEMMA,
        {
            "vision_config": SIGLIP,
            "text_config": {**SPEECH, "head_dim": 16, "sliding_window": 64},
            "mm_tokens_per_image": 4,
            **ids(GEMMA, "index"),
        },
    ),
    "mistral3": Family(
        "Mistral3",
        PIXTRAL,
        template("[IMG]"),
        SEEN_BY_PIXTRAL,
        {
            "tie_word_embeddings": False,
            "vision_config": PIXTRAL_SIGHT,
            "text_config": {**SPEECH, "head_dim": 16, "model_type": "mistral"},
            "image_token_index": Token("[IMG]"),
            "spatial_merge_size": 2,
            "vision_feature_layer": -1,
        },
        processor="Pixtral",
    ),
    "aya_vision": Family(
        "AyaVision",
        AYA,
        template("<image>"),
        {
            "image_processor": lambda: hf.GotOcr2ImageProcessor(size=SQUARE),
            "patch_size": 14,
            "img_size": 28,
            "downsample_factor": 2,
            **AYA,
        },
        {
            "tie_word_embeddings": False,
            "vision_config": HEADLESS,
            "text_config": {**SPEECH, "head_dim": 16, "sliding_window": 64, "model_type": "cohere2"},
            "image_token_index": Token("<|IMG_PATCH|>"),
            "downsample_factor": 2,
            "alignment_intermediate_size": 64,
        },
    ),
    **further_families.SEEING,
}
