"""Families of vision models with a part of their own for clips, built like those of `tiny_families`."""

from pathlib import Path
from typing import Any

from tests.evaluation.related_families import LINEAR
from tests.evaluation.tiny_families import (
    HALF,
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

LATENT = {"q_lora_rank": 8, "kv_lora_rank": 8, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 16}
ROUTED = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "n_group": 1, "topk_group": 1}
PATCHES = {name: size for name, size in SIGLIP.items() if name != "image_size"}
FONT = Path(__file__).parents[2] / "static" / "fonts" / "inter-latin.woff2"


def cosmos3_edge(folder: Path) -> Path:
    """Its processor opens a place of its own for every frame, in place of the template's one for the clip."""
    words = tokenizer(QWEN)
    config = hf.Cosmos3EdgeConfig(
        vision_config={**PATCHES, "patch_size": 16, "num_patches": 16},
        text_config={
            "vocab_size": len(words),
            "head_dim": 16,
            "rope_parameters": {**ROPE, "mrope_section": [2, 3, 3]},
            **SPEECH,
        },
        projector_hidden_size=32,
        **qwen_ids(words),
    )
    processor = with_clips("Cosmos3Edge", words, template(*PLACES), edge=32)
    return saved(folder, processor, lambda: hf.Cosmos3EdgeForConditionalGeneration(config), words)


def ernie4_5_vl_moe(folder: Path) -> Path:
    """Its processor draws the times on the frames, in a font that lies in its folder."""
    names = {
        f"{kind}{end}_token": f"<|{kind.upper()}{end.upper() or '_PLACEHOLDER'}|>"
        for kind in ("image", "video")
        for end in ("", "_start", "_end")
    }
    words = tokenizer(names)
    places = ["".join(names[f"{kind}{end}_token"] for end in ("_start", "", "_end")) for kind in ("image", "video")]
    processor = with_clips("Ernie4_5_VLMoe", words, template(*places))
    processor.video_processor.font = str(FONT)
    config = hf.Ernie4_5_VLMoeConfig(
        tie_word_embeddings=False,
        vision_config={"depth": 1, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2},
        text_config={
            "vocab_size": len(words),
            "rope_parameters": {**ROPE, "mrope_section": [3, 3, 2]},
            **SPEECH,
            "num_hidden_layers": 2,
            "moe_intermediate_size": [16, 16],
            "moe_k": 2,
            "moe_num_experts": 4,
            "moe_num_shared_experts": 1,
        },
        **{f"{name}_id": words.vocab[token] for name, token in names.items()},
    )
    return saved(folder, processor, lambda: hf.Ernie4_5_VLMoeForConditionalGeneration(config), words)


def hyperclovax_vision_v2(folder: Path) -> Path:
    """Its template leaves a mark for the clip's length, which its processor fills in."""
    words = tokenizer({"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"})
    length = "{{ part.get('video_duration', '<|video_duration|>') }}"
    places = ("<|image_pad|>", '{"video_duration": ' + length + "}<|video_pad|>")
    processor = with_clips("HyperCLOVAXVisionV2", words, template(*places), images="Qwen2VL", videos="Qwen2VL")
    config = hf.HyperCLOVAXVisionV2Config(
        vision_config={**SIGHT, "fullatt_block_indexes": [0], "window_size": 56, "model_type": "qwen2_5_vl_vision"},
        text_config={"model_type": "hyperclovax", "vocab_size": len(words), **SPEECH},
        image_token_id=words.vocab["<|image_pad|>"],
        video_token_id=words.vocab["<|video_pad|>"],
        tie_word_embeddings=False,
    )
    return saved(folder, processor, lambda: hf.HyperCLOVAXVisionV2ForConditionalGeneration(config), words)


def kimi_k25(folder: Path) -> Path:
    """Clips in chunks of four frames, each with its time of day."""
    names = {"image_token": "<|media_pad|>", "video_token": "<|kimi_k25_video_placeholder|>"}
    words = tokenizer(names, ("<|media_begin|>", "<|media_content|>", "<|media_end|>"))
    look: dict[str, Any] = {"size": {"max_height": 4, "max_width": 4}}
    processor = hf.Kimi_K25Processor(
        image_processor=hf.Kimi_K25ImageProcessor(**look),
        video_processor=hf.Kimi_K25VideoProcessor(**look),
        tokenizer=words,
        chat_template=template(
            "<|media_begin|>image<|media_content|><|media_pad|><|media_end|>", "<|kimi_k25_video_placeholder|>"
        ),
    )
    config = hf.Kimi_K25Config(
        tie_word_embeddings=False,
        vision_config={**PATCHES, "pos_emb_height": 4, "pos_emb_width": 4},
        text_config={"model_type": "deepseek_v3", "vocab_size": len(words), **SPEECH, **LATENT, **ROUTED},
        projection_hidden_size=32,
        **{f"{name}_id": words.vocab[token] for name, token in names.items()},
    )
    return saved(folder, processor, lambda: hf.Kimi_K25ForConditionalGeneration(config), words)


ENDS = ("start", "end")
MINICPM = {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"}
MINICPM |= {f"{kind}_start_token": f"<{kind}>" for kind in ("image", "slice", "image_id")}
MINICPM |= {f"{kind}_end_token": f"</{kind}>" for kind in ("image", "slice", "image_id")}


def _minicpm(folder: Path, name: str, looks: str = "MiniCPMV4_6", mode: str = "16x", **more: Any) -> Path:
    """Pictures and frames in slices, each with a mark before and after it."""
    words = tokenizer(MINICPM)
    look = {"scale_resolution": 56, "max_slice_nums": 4, "downsample_mode": mode}
    processor = getattr(hf, f"{name}Processor")(
        image_processor=getattr(hf, f"{looks}ImageProcessor")(**look),
        video_processor=getattr(hf, f"{looks}VideoProcessor")(**look),
        tokenizer=words,
        chat_template=template("<|image_pad|>\n", "<|video_pad|>\n"),
    )
    config = getattr(hf, f"{name}Config")(
        vision_config={**PATCHES, "num_hidden_layers": 2, "image_size": 56},
        text_config={"model_type": "qwen3_5_text", "vocab_size": len(words), "head_dim": 16, **SPEECH, **LINEAR},
        insert_layer_id=0,
        downsample_mode=mode,
        tie_word_embeddings=False,
        image_token_id=words.vocab["<|image_pad|>"],
        video_token_id=words.vocab["<|video_pad|>"],
        **{place: words.vocab[token] for place, token in more.items()},
    )
    return saved(folder, processor, lambda: getattr(hf, f"{name}ForConditionalGeneration")(config), words)


def minicpmv4_6(folder: Path) -> Path:
    return _minicpm(folder, "MiniCPMV4_6")


def minicpmv4_7(folder: Path) -> Path:
    """Its positions follow the marks of pictures and slices."""
    marks = {f"{kind}_{end}_id": MINICPM[f"{kind}_{end}_token"] for kind in ("image", "slice") for end in ENDS}
    return _minicpm(folder, "MiniCPMV4_7", newline_id="Ċ", **marks)


def minicpm_ocr(folder: Path) -> Path:
    return _minicpm(folder, "MiniCPMOcr", "MiniCPMOcr", mode="4x")


def minimax_m3_vl(folder: Path) -> Path:
    names = {"image": "]<]image[>[", "video": "]<]video[>["}
    words = tokenizer(more=(*names.values(), "]<]start of image[>[", "]<]end of image[>["))
    look: dict[str, Any] = {"min_pixels": 28 * 28, "max_pixels": 56 * 56}
    processor = hf.MiniMaxM3VLProcessor(
        image_processor=hf.MiniMaxM3VLImageProcessor(**look),
        video_processor=hf.MiniMaxM3VLVideoProcessor(**look),
        tokenizer=words,
        chat_template=template(names["image"], names["video"]),
    )
    sparse = {
        "num_local_experts": 4,
        "num_experts_per_tok": 2,
        "dense_intermediate_size": 48,
        "shared_intermediate_size": 16,
    }
    index = {"index_n_heads": 2, "index_head_dim": 16, "index_block_size": 16, "index_topk_blocks": 4}
    layers = {
        "num_hidden_layers": 2,
        "layer_types": ["full_attention", "minimax_m3_sparse"],
        "mlp_layer_types": ["dense", "sparse"],
    }
    config = hf.MiniMaxM3VLConfig(
        vision_config={**SIGLIP, "image_size": 56},
        text_config={"vocab_size": len(words), "head_dim": 16, "rotary_dim": 8, **SPEECH, **sparse, **index, **layers},
        projector_hidden_size=32,
        image_token_index=words.vocab[names["image"]],
        video_token_index=words.vocab[names["video"]],
    )
    return saved(folder, processor, lambda: hf.MiniMaxM3SparseForConditionalGeneration(config), words)


def molmo2(folder: Path) -> Path:
    """Pictures as a small view and crops; at most one clip a conversation."""
    marks = ("im_patch", "im_col", "im_start", "low_res_im_start", "frame_start", "im_end", "frame_end", "im_low")
    words = tokenizer({"image_token": "<|image|>", "video_token": "<|video|>"}, tuple(f"<{mark}>" for mark in marks))
    look: dict[str, Any] = {"size": {"height": 56, "width": 56}, "patch_size": 14}
    processor = hf.Molmo2Processor(
        image_processor=hf.Molmo2ImageProcessor(max_crops=2, overlap_margins=[1, 1], **look),
        video_processor=hf.Molmo2VideoProcessor(**look),
        tokenizer=words,
        chat_template=template("<|image|>", "<|video|>"),
    )
    heads = {"num_key_value_heads": 2, "head_dim": 16}
    ids = {
        "image_start_token_id": "im_start",
        "low_res_image_start_token_id": "low_res_im_start",
        "image_end_token_id": "im_end",
    }
    ids |= {"image_patch_id": "im_patch", "frame_start_token_id": "frame_start", "frame_end_token_id": "frame_end"}
    config = hf.Molmo2Config(
        vision_config={**SIGLIP, **heads, "image_size": [56, 56]},
        adapter_config={**PATCHES, **heads, "vision_feature_layer": [0, -1], "text_hidden_size": 32},
        text_config={"vocab_size": len(words), "additional_vocab_size": 8, **SPEECH, **heads},
        **{place: words.vocab[f"<{mark}>"] for place, mark in ids.items()},
    )
    return saved(folder, processor, lambda: hf.Molmo2ForConditionalGeneration(config), words)


def _muse(words: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parts of a processor and of a configuration that Muse's families share."""
    parts = {
        "image_processor": hf.MuseGlimmerImageProcessor(max_image_tokens=4),
        "video_processor": hf.MuseGlimmerVideoProcessor(max_video_frame_tokens=4),
        "tokenizer": words,
    }
    config = {
        "vision_config": {**PATCHES, "pos_emb_height": 4, "pos_emb_width": 4, "max_position_embeddings": 16},
        "out_hidden_size": 128,
        "projector_hidden_size": 32,
        "image_token_id": words.vocab["<|patch|>"],
        "video_token_id": words.vocab["<|video|>"],
    }
    return parts, config


MUSE = ("patch", "image_start", "image_end", "video", "vid_frame_separator", "vid_start", "vid_end")
MUSE_TEXT = {**SPEECH, "head_dim": 16, "num_hidden_layers": 2, "sliding_window": 64}


def muse_glimmer(folder: Path) -> Path:
    words = tokenizer(more=tuple(f"<|{mark}|>" for mark in MUSE))
    parts, shared = _muse(words)
    processor = hf.MuseGlimmerProcessor(**parts, chat_template=template("<|patch|>", "<|video|>"))
    config = hf.MuseGlimmerConfig(text_config={"vocab_size": len(words), **MUSE_TEXT}, **shared)
    return saved(folder, processor, lambda: hf.MuseGlimmerForConditionalGeneration(config), words)


def muse_spark(folder: Path) -> Path:
    """Sound as a waveform of 24 kHz, 80 ms a token."""
    words = tokenizer(more=tuple(f"<|{mark}|>" for mark in (*MUSE, "audio", "soft_audio_start", "soft_audio_end")))
    parts, shared = _muse(words)
    processor = hf.MuseSparkProcessor(
        **parts,
        feature_extractor=hf.MuseSparkFeatureExtractor(),
        chat_template=template("<|patch|>", "<|video|>", audio="<|audio|>"),
    )
    experts = {"num_local_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "moe_hidden_size": 16}
    config = hf.MuseSparkConfig(
        text_config={"vocab_size": len(words), **MUSE_TEXT, **experts},
        audio_config={"hidden_sizes": [4, 4, 8, 8], "depths": [1, 1, 1, 1], "out_hidden_size": 32},
        audio_token_id=words.vocab["<|audio|>"],
        **shared,
    )
    return saved(folder, processor, lambda: hf.MuseSparkForConditionalGeneration(config), words)


def nemotron_h_omni(folder: Path) -> Path:
    names = {"image_token": "<image>", "video_token": "<video>", "audio_token": "<so_embedding>"}
    names |= {"image_start_token": "<img>", "image_end_token": "</img>"}
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
    small = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = hf.NemotronH_Omni_Reasoning_V3_Config(
        vision_config={**small, "mlp_ratio": 2.0, "image_size": 64, "max_img_size": 64, "video_temporal_patch_size": 2},
        text_config={"model_type": "nemotron_h", "vocab_size": len(words), **SPEECH, **state, **experts},
        audio_config={
            **small,
            "projection_hidden_size": 32,
            "projection_bias": False,
            "intermediate_size": 48,
            "subsampling_conv_channels": 8,
            "num_mel_bins": 16,
        },
        projector_hidden_size=32,
        vision_hidden_size=32,
        **{f"{kind}_token_id": words.vocab[names[f"{kind}_token"]] for kind in ("image", "video", "audio")},
    )
    return saved(folder, processor, lambda: hf.NemotronH_Omni_Reasoning_V3(config), words)


def perception_lm(folder: Path) -> Path:
    """Its encoder is one of timm's."""
    words = tokenizer({"image_token": "<|image|>", "video_token": "<|video|>"})
    processor = hf.PerceptionLMProcessor(
        video_processor=hf.PerceptionLMVideoProcessor(size={"height": 28, "width": 28}),
        image_processor=hf.PerceptionLMImageProcessor(tile_size=28, max_num_tiles=2),
        tokenizer=words,
        patch_size=14,
        pooling_ratio=1,
        chat_template=template("<|image|>", "<|video|>"),
    )
    sizes = {"embed_dim": 32, "depth": 1, "num_heads": 2, "img_size": [28, 28], "ref_feat_shape": [2, 2]}
    config = hf.PerceptionLMConfig(
        tie_word_embeddings=False,
        vision_config={
            "model_type": "timm_wrapper",
            "architecture": "vit_pe_core_large_patch14_336",
            "model_args": {**sizes, "global_pool": "", "use_post_transformer_norm": False, "init_values": 0.1},
        },
        text_config=hf.LlamaConfig(vocab_size=len(words), **SPEECH).to_dict(),
        image_token_id=words.vocab["<|image|>"],
        video_token_id=words.vocab["<|video|>"],
    )
    return saved(folder, processor, lambda: hf.PerceptionLMForConditionalGeneration(config), words)


SEEING = {
    one.__name__: one
    for one in (
        *(kimi_k25, minicpmv4_6, minicpmv4_7, minicpm_ocr, minimax_m3_vl, molmo2, muse_glimmer, muse_spark),
        *(nemotron_h_omni, cosmos3_edge, ernie4_5_vl_moe, hyperclovax_vision_v2),
    )
}
WITH_TIMM = {perception_lm.__name__: perception_lm}
