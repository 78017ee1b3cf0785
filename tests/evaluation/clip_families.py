"""Families of vision models with a part of their own for clips, built like those of `tiny_families`."""

from pathlib import Path
from typing import Any

from tests.evaluation.related_families import LINEAR
from tests.evaluation.tiny_families import (
    CLIPS,
    HALF,
    LLAMA,
    PADS,
    PATCHES,
    PLACES,
    QWEN,
    ROPE,
    SIGHT,
    SIGLIP,
    SMALL,
    SPEECH,
    SQUARE,
    Family,
    Token,
    hf,
    ids,
    looks,
    numbered,
    saved,
    template,
    tokenizer,
)

LATENT = {"q_lora_rank": 8, "kv_lora_rank": 8, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 16}
ROUTED = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "n_group": 1, "topk_group": 1}
HEADS = {"num_key_value_heads": 2, "head_dim": 16}
FONT = Path(__file__).parents[2] / "static" / "fonts" / "inter-latin.woff2"
KINDS = ("image", "video")
MARKED = {"image_token": "<|image|>", "video_token": "<|video|>"}
ERNIE = {
    f"{kind}{end}_token": f"<|{kind.upper()}{end.upper() or '_PLACEHOLDER'}|>"
    for kind in KINDS
    for end in ("", "_start", "_end")
}
ERNIE_PLACES = ["".join(ERNIE[f"{kind}{end}_token"] for end in ("_start", "", "_end")) for kind in KINDS]
LENGTH = "{\"video_duration\": {{ part.get('video_duration', '<|video_duration|>') }}}"
KIMI = {"image_token": "<|media_pad|>", "video_token": "<|kimi_k25_video_placeholder|>"}
KIMI_MARKS = ("<|media_begin|>", "<|media_content|>", "<|media_end|>")
KIMI_PICTURE = "<|media_begin|>image<|media_content|><|media_pad|><|media_end|>"

MINICPM = dict(PADS)
MINICPM |= {f"{kind}_start_token": f"<{kind}>" for kind in ("image", "slice", "image_id")}
MINICPM |= {f"{kind}_end_token": f"</{kind}>" for kind in ("image", "slice", "image_id")}
MINICPM_IDS = {
    f"{kind}_{end}": MINICPM[f"{kind}_{end}_token"] for kind in ("image", "slice") for end in ("start", "end")
}


def _minicpm(name: str, looks: str = "MiniCPMV4_6", mode: str = "16x", **more: Any) -> Family:
    """Pictures and frames in slices, each with a mark before and after it."""
    look = {"scale_resolution": 56, "max_slice_nums": 4, "downsample_mode": mode}
    return Family(
        name,
        MINICPM,
        template("<|image_pad|>\n", "<|video_pad|>\n"),
        {
            "image_processor": lambda: getattr(hf, f"{looks}ImageProcessor")(**look),
            "video_processor": lambda: getattr(hf, f"{looks}VideoProcessor")(**look),
        },
        {
            "vision_config": {**PATCHES, "num_hidden_layers": 2, "image_size": 56},
            "text_config": {"model_type": "qwen3_5_text", "head_dim": 16, **SPEECH, **LINEAR},
            "insert_layer_id": 0,
            "downsample_mode": mode,
            "tie_word_embeddings": False,
            **ids(PADS),
            **more,
        },
    )


MINIMAX = {"image": "]<]image[>[", "video": "]<]video[>["}
MINIMAX_LOOK: dict[str, Any] = {"min_pixels": 28 * 28, "max_pixels": 56 * 56}
MOLMO = ("im_patch", "im_col", "im_start", "low_res_im_start", "frame_start", "im_end", "frame_end", "im_low")
MOLMO_LOOK: dict[str, Any] = {"size": {"height": 56, "width": 56}, "patch_size": 14}
MOLMO_IDS = {
    "image_start_token": "<im_start>",
    "low_res_image_start_token": "<low_res_im_start>",
    "image_end_token": "<im_end>",
    "image_patch": "<im_patch>",
    "frame_start_token": "<frame_start>",
    "frame_end_token": "<frame_end>",
}

MUSE_MARKS = ("patch", "image_start", "image_end", "video", "vid_frame_separator", "vid_start", "vid_end")
MUSE_TEXT = {**SPEECH, "head_dim": 16, "num_hidden_layers": 2, "sliding_window": 64}
MUSE_PARTS = {
    "image_processor": lambda: hf.MuseGlimmerImageProcessor(max_image_tokens=4),
    "video_processor": lambda: hf.MuseGlimmerVideoProcessor(max_video_frame_tokens=4),
}
MUSE = {
    "vision_config": {**PATCHES, "pos_emb_height": 4, "pos_emb_width": 4, "max_position_embeddings": 16},
    "text_config": MUSE_TEXT,
    "out_hidden_size": 128,
    "projector_hidden_size": 32,
    "image_token_id": Token("<|patch|>"),
    "video_token_id": Token("<|video|>"),
}


def nemotron_h_omni(folder: Path) -> Path:
    names = {**CLIPS, "audio_token": "<so_embedding>", "image_start_token": "<img>", "image_end_token": "</img>"}
    words = tokenizer(names, ("<so_start>", "<so_end>"))
    look: dict[str, Any] = {"norm_mean": HALF, "norm_std": HALF}
    processor = hf.NemotronH_Omni_Reasoning_V3Processor(
        image_processor=hf.NemotronH_Omni_Reasoning_V3ImageProcessor(min_num_patches=4, max_num_patches=16, **look),
        video_processor=hf.NemotronH_Omni_Reasoning_V3VideoProcessor(video_target_num_patches=16, **look),
        tokenizer=words,
        feature_extractor=hf.ParakeetFeatureExtractor(feature_size=16),
        chat_template=template("<image>", "<video>", audio="<so_embedding>"),
    )
    state = {"ssm_state_size": 8, "mamba_num_heads": 4, "mamba_head_dim": 16, "n_groups": 2, "chunk_size": 16}
    experts = {**ROUTED, "moe_shared_expert_intermediate_size": 16, "head_dim": 16}
    ears = {"projection_hidden_size": 32, "projection_bias": False, "subsampling_conv_channels": 8, "num_mel_bins": 16}
    config = {
        "vision_config": SMALL
        | {"mlp_ratio": 2.0, "image_size": 64, "max_img_size": 64, "video_temporal_patch_size": 2},
        "text_config": {"model_type": "nemotron_h", **SPEECH, **state, **experts},
        "audio_config": {**SMALL, **ears, "intermediate_size": 48},
        "projector_hidden_size": 32,
        "vision_hidden_size": 32,
        **{f"{kind}_token_id": Token(names[f"{kind}_token"]) for kind in (*KINDS, "audio")},
    }
    whole = hf.NemotronH_Omni_Reasoning_V3_Config(**numbered(config, words.vocab))
    return saved(folder, processor, lambda: hf.NemotronH_Omni_Reasoning_V3(whole), words)


SEEING = {
    "kimi_k25": Family(  # clips in chunks of four frames, each with its time of day
        "Kimi_K25",
        KIMI,
        template(KIMI_PICTURE, "<|kimi_k25_video_placeholder|>"),
        {
            "image_processor": lambda: hf.Kimi_K25ImageProcessor(size={"max_height": 4, "max_width": 4}),
            "video_processor": lambda: hf.Kimi_K25VideoProcessor(size={"max_height": 4, "max_width": 4}),
        },
        {
            "tie_word_embeddings": False,
            "vision_config": {**PATCHES, "pos_emb_height": 4, "pos_emb_width": 4},
            "text_config": {"model_type": "deepseek_v3", **SPEECH, **LATENT, **ROUTED},
            "projection_hidden_size": 32,
            **ids(KIMI),
        },
        more=KIMI_MARKS,
    ),
    "minicpmv4_6": _minicpm("MiniCPMV4_6"),
    "minicpmv4_7": _minicpm(  # its positions follow the marks of pictures and slices
        "MiniCPMV4_7", newline_id=Token("Ċ"), **ids(MINICPM_IDS)
    ),
    "minicpm_ocr": _minicpm("MiniCPMOcr", "MiniCPMOcr", mode="4x"),
    "minimax_m3_vl": Family(
        "MiniMaxM3VL",
        {},
        template(*MINIMAX.values()),
        {
            "image_processor": lambda: hf.MiniMaxM3VLImageProcessor(**MINIMAX_LOOK),
            "video_processor": lambda: hf.MiniMaxM3VLVideoProcessor(**MINIMAX_LOOK),
        },
        {
            "vision_config": {**SIGLIP, "image_size": 56},
            "text_config": SPEECH
            | {"head_dim": 16, "rotary_dim": 8, "num_local_experts": 4, "num_experts_per_tok": 2}
            | {"dense_intermediate_size": 48, "shared_intermediate_size": 16, "index_n_heads": 2}
            | {"index_head_dim": 16, "index_block_size": 16, "index_topk_blocks": 4}
            | {"num_hidden_layers": 2, "layer_types": ["full_attention", "minimax_m3_sparse"]}
            | {"mlp_layer_types": ["dense", "sparse"]},
            "projector_hidden_size": 32,
            **ids({f"{kind}_token": token for kind, token in MINIMAX.items()}, "index"),
        },
        more=(*MINIMAX.values(), "]<]start of image[>[", "]<]end of image[>["),
        model="MiniMaxM3SparseForConditionalGeneration",
    ),
    "molmo2": Family(  # pictures as a small view and crops; at most one clip a conversation
        "Molmo2",
        MARKED,
        template("<|image|>", "<|video|>"),
        {
            "image_processor": lambda: hf.Molmo2ImageProcessor(max_crops=2, overlap_margins=[1, 1], **MOLMO_LOOK),
            "video_processor": lambda: hf.Molmo2VideoProcessor(**MOLMO_LOOK),
        },
        {
            "vision_config": {**SIGLIP, **HEADS, "image_size": [56, 56]},
            "adapter_config": {**PATCHES, **HEADS, "vision_feature_layer": [0, -1], "text_hidden_size": 32},
            "text_config": {"additional_vocab_size": 8, **SPEECH, **HEADS},
            **ids(MOLMO_IDS),
        },
        more=tuple(f"<{mark}>" for mark in MOLMO),
    ),
    "muse_glimmer": Family(
        "MuseGlimmer",
        {},
        template("<|patch|>", "<|video|>"),
        MUSE_PARTS,
        MUSE,
        more=tuple(f"<|{mark}|>" for mark in MUSE_MARKS),
    ),
    "muse_spark": Family(  # sound as a waveform of 24 kHz, 80 ms a token
        "MuseSpark",
        {},
        template("<|patch|>", "<|video|>", audio="<|audio|>"),
        {**MUSE_PARTS, "feature_extractor": lambda: hf.MuseSparkFeatureExtractor()},
        MUSE
        | {
            "text_config": MUSE_TEXT
            | {"num_local_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
            | {"moe_hidden_size": 16},
            "audio_config": {"hidden_sizes": [4, 4, 8, 8], "depths": [1, 1, 1, 1], "out_hidden_size": 32},
            "audio_token_id": Token("<|audio|>"),
        },
        more=tuple(f"<|{mark}|>" for mark in (*MUSE_MARKS, "audio", "soft_audio_start", "soft_audio_end")),
    ),
    "nemotron_h_omni": nemotron_h_omni,
    "cosmos3_edge": Family(  # it opens a place of its own for every frame, in place of the template's one for the clip
        "Cosmos3Edge",
        QWEN,
        template(*PLACES),
        looks("Cosmos3Edge", edge=32),
        {
            "vision_config": {**PATCHES, "patch_size": 16, "num_patches": 16},
            "text_config": {**SPEECH, "head_dim": 16, "rope_parameters": {**ROPE, "mrope_section": [2, 3, 3]}},
            "projector_hidden_size": 32,
            **ids(QWEN),
        },
    ),
    "ernie4_5_vl_moe": Family(  # it draws the times on the frames, in a font that lies in its folder
        "Ernie4_5_VLMoe",
        ERNIE,
        template(*ERNIE_PLACES),
        looks("Ernie4_5_VLMoe", font=str(FONT)),
        {
            "tie_word_embeddings": False,
            "vision_config": {"depth": 1, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2},
            "text_config": {
                **SPEECH,
                "rope_parameters": {**ROPE, "mrope_section": [3, 3, 2]},
                "num_hidden_layers": 2,
                "moe_intermediate_size": [16, 16],
                "moe_k": 2,
                "moe_num_experts": 4,
                "moe_num_shared_experts": 1,
            },
            **ids(ERNIE),
        },
    ),
    "hyperclovax_vision_v2": Family(  # its template leaves a mark for the clip's length, which its processor fills in
        "HyperCLOVAXVisionV2",
        PADS,
        template("<|image_pad|>", f"{LENGTH}<|video_pad|>"),
        looks("Qwen2VL"),
        {
            "vision_config": {
                **SIGHT,
                "fullatt_block_indexes": [0],
                "window_size": 56,
                "model_type": "qwen2_5_vl_vision",
            },
            "text_config": {"model_type": "hyperclovax", **SPEECH},
            **ids(PADS),
            "tie_word_embeddings": False,
        },
    ),
}
WITH_TIMM = {
    "perception_lm": Family(  # its encoder is one of timm's
        "PerceptionLM",
        MARKED,
        template("<|image|>", "<|video|>"),
        {
            "video_processor": lambda: hf.PerceptionLMVideoProcessor(size=SQUARE),
            "image_processor": lambda: hf.PerceptionLMImageProcessor(tile_size=28, max_num_tiles=2),
            "patch_size": 14,
            "pooling_ratio": 1,
        },
        {
            "tie_word_embeddings": False,
            "vision_config": {
                "model_type": "timm_wrapper",
                "architecture": "vit_pe_core_large_patch14_336",
                "model_args": {"embed_dim": 32, "depth": 1, "num_heads": 2, "img_size": [28, 28]}
                | {"ref_feat_shape": [2, 2], "global_pool": "", "use_post_transformer_norm": False}
                | {"init_values": 0.1},
            },
            "text_config": LLAMA,
            **ids(MARKED),
        },
    )
}
