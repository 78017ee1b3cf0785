"""Audio families, built like `tiny_families`: with sound in the video, beside pictures, and sound only."""

from pathlib import Path
from typing import Any

from tests.evaluation.further_families import NEAR, UNUSED
from tests.evaluation.tiny_families import (
    LAYER,
    QWEN2,
    ROPE,
    SIGHT,
    SIZE,
    SMALL,
    SPEECH,
    Family,
    Token,
    hf,
    ids,
    looks,
    template,
)

RATE = 16000
SECONDS = 4  # the longest sound of the tiny encoders: enough, with small features
KINDS = ("image", "video", "audio")
OMNI = {f"{kind}_token": f"<|{kind.upper()}|>" for kind in KINDS}
OMNI |= {f"{kind}_{end}_token": f"<|{kind}_{end}|>" for kind in ("vision", "audio") for end in ("bos", "eos")}
SOUNDS = {name: token for name, token in OMNI.items() if name.startswith("audio")}
SOUND = "<|audio_bos|><|AUDIO|><|audio_eos|>"
TALK = template("<|vision_bos|><|IMAGE|><|vision_eos|>", "<|vision_bos|><|VIDEO|><|vision_eos|>", audio=SOUND)
ENDS = {
    f"{kind}_{end}_token_id": Token(OMNI[f"{kind}_{short}_token"])
    for kind in ("vision", "audio")
    for end, short in (("start", "bos"), ("end", "eos"))
}
EARS = {"num_mel_bins": 16, "encoder_layers": 1, "encoder_attention_heads": 2, "encoder_ffn_dim": 48, "d_model": 32}
EARS |= {"max_source_positions": SECONDS * 50}


def whisper_ears(bands: int = 16) -> Any:
    return hf.WhisperFeatureExtractor(feature_size=bands, sampling_rate=RATE, chunk_length=SECONDS)


def qwen2_5_omni(folder: Path, speech: dict[str, Any] | None = None, ears: dict[str, Any] | None = None) -> Path:
    """As published, except for its voice."""
    speech, ears = {**SPEECH, **(speech or {})}, {**EARS, **(ears or {})}
    width = speech["hidden_size"]
    half = width // speech["num_attention_heads"] // 2
    parts = [half // 4, (half - half // 4) // 2, half - half // 4 - (half - half // 4) // 2]
    thinker = {
        "audio_config": {**ears, "output_dim": width},
        "vision_config": SIGHT
        | {"patch_size": 14, "fullatt_block_indexes": [0], "window_size": 56, "out_hidden_size": width},
        "text_config": {"rope_parameters": {**ROPE, "mrope_section": parts}, **speech},
        **ids({f"{kind}_token": OMNI[f"{kind}_token"] for kind in KINDS}, "index"),
        **ENDS,
    }
    family = Family(
        "Qwen2_5Omni",
        OMNI,
        TALK,
        {**looks("Qwen2VL"), "feature_extractor": lambda: whisper_ears(ears["num_mel_bins"])},
        {"thinker_config": thinker, "enable_audio_output": False},
    )
    return family(folder)


GEMMA = {"image_token": "<|image|>", "boi_token": "<|image>", "eoi_token": "<image|>"}
GEMMA |= {"audio_token": "<|audio|>", "boa_token": "<|audio>", "eoa_token": "<audio|>"}
GEMMA_LOOK = {"patch_size": 4, "pooling_kernel_size": 3}
HEADS = {"intermediate_size": 48, "num_key_value_heads": 2, "head_dim": 16}


def _gemma4(name: str, ears: dict[str, Any], sight: dict[str, Any], **text: Any) -> Family:
    """Pictures, clips with the time of each frame, and sound."""
    look: dict[str, Any] = {**GEMMA_LOOK, "max_soft_tokens": 70}
    size = {**SMALL, **HEADS, "num_hidden_layers": 2, "max_position_embeddings": 8192, "vocab_size": SIZE}
    return Family(
        name,
        GEMMA,
        template("<|image|>", "<|video|>", audio="<|audio|>"),
        {
            "feature_extractor": lambda: getattr(hf, f"{name}AudioFeatureExtractor")(),
            "image_processor": lambda: getattr(hf, f"{name}ImageProcessor")(**look),
            "video_processor": lambda: getattr(hf, f"{name}VideoProcessor")(**look),
        },
        {
            "audio_config": ears,
            "vision_config": {**GEMMA_LOOK, **sight},
            "text_config": {**size, **text},
            "eoi_token_id": Token("<image|>"),
            "eoa_token_index": Token("<audio|>"),
            **{f"{kind}_token_id": Token(f"<|{kind}|>") for kind in KINDS},
            **{f"bo{kind[0]}_token_id": Token(f"<|{kind}>") for kind in ("image", "audio")},
        },
        more=("<|video|>",),
    )


EXPERTS = {"num_experts_per_tok": 2, "moe_intermediate_size": 16}
DOTS = ("<|imgpad|>", "<|video_pad|>", "<|audio_comp_pad|>")
DOTS_HEADS = {"num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 16}
DOTS_HEADS |= {"q_lora_rank": 16, "kv_lora_rank": 16, "qk_nope_head_dim": 8, "v_head_dim": 16}
DOTS_LOOK: dict[str, Any] = {"temporal_patch_size": 1, "patch_size": 14}
DOTS_LOOK |= {"size": {"shortest_edge": 28 * 28, "longest_edge": 56 * 56 * 8}}
INKLING = {**UNUSED, "audio_token": "<|unused_200053|>"}
INKLING_STARTS = {"image_bos_token": "<|content_image|>", "audio_bos_token": "<|content_audio_input|>"}

WATCHING = {
    "qwen2_5_omni": qwen2_5_omni,
    "qwen3_omni_moe": Family(
        "Qwen3OmniMoe",
        OMNI,
        TALK,
        {**looks("Qwen2VL", edge=32), "feature_extractor": whisper_ears},
        {
            "thinker_config": {
                "audio_config": {**EARS, "output_dim": 32, "downsample_hidden_size": 16},
                "vision_config": SIGHT
                | {"patch_size": 16, "num_position_embeddings": 64, "deepstack_visual_indexes": [0]},
                "text_config": SPEECH
                | EXPERTS
                | {"num_experts": 4, "head_dim": 16}
                | {"rope_parameters": {**ROPE, "mrope_section": [4, 2, 2], "mrope_interleaved": True}},
                **ids({f"{kind}_token": OMNI[f"{kind}_token"] for kind in KINDS}),
                **ENDS,
            },
            "enable_audio_output": False,
        },
    ),
    "gemma4": _gemma4(
        "Gemma4",
        {**SMALL, "subsampling_conv_channels": [128, 4], "output_proj_dims": 32},
        {**SMALL, **HEADS, "position_embedding_size": 128},
        hidden_size_per_layer_input=8,
        vocab_size_per_layer_input=SIZE,
    ),
    "gemma4_unified": _gemma4(  # it takes patches and samples as they are, without an encoder of its own for either
        "Gemma4Unified", {}, {"mm_embed_dim": 32, "mm_posemb_size": 128, "output_proj_dims": 32}, global_head_dim=16
    ),
    "dots3_note": Family(  # clips frame by frame, pictures, and sound in chunks
        "Dots3Note",
        {},
        template("<|imgpad|>", "<|video_pad|>", audio="<|audio_comp_pad|>"),
        {
            "image_processor": lambda: hf.Qwen2VLImageProcessor(**DOTS_LOOK),
            "video_processor": lambda: hf.Qwen3VLVideoProcessor(**DOTS_LOOK),
            "feature_extractor": lambda: hf.Dots3NoteFeatureExtractor(feature_size=16, chunk_length=SECONDS),
        },
        {
            "vision_config": LAYER
            | {"adapter_in_dim": 32, "moe_intermediate_size": 16, "num_local_experts": 4}
            | {"num_hidden_layers": 2, "mlp_layer_types": ["dense", "sparse"]}
            | {"adapter_out_dim": 32},
            "audio_config": LAYER
            | {"feature_size": 16, "downsample_hidden_size": 8, "adapter_input_size": 32}
            | {"adapter_out_dim": 32},
            "text_config": SPEECH
            | DOTS_HEADS
            | EXPERTS
            | {"n_routed_experts": 4}
            | {f"swa_{name}": size for name, size in DOTS_HEADS.items()}
            | {"num_hidden_layers": 2, "layer_types": ["indexed_attention", "sliding_attention"]}
            | {"sliding_window": 64, "qk_rope_head_dim": 8, "index_topk": 16, "index_head_dim": 16}
            | {"index_n_heads": 2, "shared_experts_intermediate_size": 16, "pad_token_id": 0},
            **{f"{kind}_token_id": Token(token) for kind, token in zip(KINDS, DOTS, strict=True)},
        },
        more=DOTS,
    ),
    "inkling_mm_model": Family(  # pictures in squares of 40 pixels, and sound as words of 16 loudnesses a band
        "Inkling",
        INKLING,
        template(
            INKLING_STARTS["image_bos_token"] + INKLING["image_token"],
            audio=INKLING_STARTS["audio_bos_token"] + INKLING["audio_token"],
        ),
        {
            "feature_extractor": lambda: hf.InklingFeatureExtractor(),
            "image_processor": lambda: hf.InklingImageProcessor(),
        },
        {
            "vision_config": {"num_hidden_layers": 4},
            "audio_config": {"mel_vocab_size": 16},
            "text_config": SPEECH
            | NEAR
            | EXPERTS
            | {"n_routed_experts": 4, "n_shared_experts": 1, "unpadded_vocab_size": SIZE}
            | {"num_hidden_layers": 2, "head_dim": 16, "layer_types": ["hybrid_sliding", "hybrid"]}
            | {"mlp_layer_types": ["dense", "sparse"], "d_rel": 4, "rel_extent": 64}
            | {"logits_mup_width_multiplier": 1.0},
            **ids(INKLING | INKLING_STARTS),
        },
        more=tuple(INKLING_STARTS.values()),
    ),
}
LISTENING = {
    "qwen2_audio": Family(  # audio and text, without vision
        "Qwen2Audio",
        SOUNDS,
        template("", "", audio=SOUND),
        {"feature_extractor": whisper_ears},
        {
            "audio_config": {"model_type": "qwen2_audio_encoder", **EARS},
            "text_config": QWEN2,
            "audio_token_index": Token("<|AUDIO|>"),
        },
    )
}
