"""Audio families, built like `tiny_families`: with sound in the video, beside pictures, and sound only."""

from pathlib import Path
from typing import Any

from tests.evaluation.tiny_families import SPEECH, hf, saved, template, tokenizer

RATE = 16000
SECONDS = 4  # the longest sound of the tiny encoders: enough, with small features
OMNI = {
    "image_token": "<|IMAGE|>",
    "video_token": "<|VIDEO|>",
    "audio_token": "<|AUDIO|>",
    "vision_bos_token": "<|vision_bos|>",
    "vision_eos_token": "<|vision_eos|>",
    "audio_bos_token": "<|audio_bos|>",
    "audio_eos_token": "<|audio_eos|>",
}
PLACES = ("<|vision_bos|><|IMAGE|><|vision_eos|>", "<|vision_bos|><|VIDEO|><|vision_eos|>")
SOUND = "<|audio_bos|><|AUDIO|><|audio_eos|>"
EARS = {
    "num_mel_bins": 16,
    "encoder_layers": 1,
    "encoder_attention_heads": 2,
    "encoder_ffn_dim": 48,
    "d_model": 32,
    "max_source_positions": SECONDS * 50,
}


def whisper_ears(bands: int = 16) -> Any:
    return hf.WhisperFeatureExtractor(feature_size=bands, sampling_rate=RATE, chunk_length=SECONDS)


def _omni_ids(words: Any) -> dict[str, int]:
    named = {f"{kind}_token_index": words.vocab[OMNI[f"{kind}_token"]] for kind in ("image", "video", "audio")}
    ends = {"audio_start_token_id": "audio_bos_token", "audio_end_token_id": "audio_eos_token"}
    looks = {"vision_start_token_id": "vision_bos_token", "vision_end_token_id": "vision_eos_token"}
    return named | {name: words.vocab[OMNI[token]] for name, token in (ends | looks).items()}


def _sight(patch: int, **more: Any) -> dict[str, Any]:
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "out_hidden_size": 32}
    return {"depth": 1, "patch_size": patch, **sizes, **more}


def qwen2_5_omni(folder: Path, speech: dict[str, Any] | None = None, ears: dict[str, Any] | None = None) -> Path:
    """As published, except for its voice."""
    speech, ears = {**SPEECH, **(speech or {})}, {**EARS, **(ears or {})}
    width = speech["hidden_size"]
    half = width // speech["num_attention_heads"] // 2
    words = tokenizer(OMNI)
    look: dict[str, Any] = {"size": {"shortest_edge": 28 * 28, "longest_edge": 56 * 56 * 8}}
    processor = hf.Qwen2_5OmniProcessor(
        image_processor=hf.Qwen2VLImageProcessor(**look),
        video_processor=hf.Qwen2VLVideoProcessor(**look),
        feature_extractor=whisper_ears(ears["num_mel_bins"]),
        tokenizer=words,
        chat_template=template(*PLACES, audio=SOUND),
    )
    parts = [half // 4, (half - half // 4) // 2, half - half // 4 - (half - half // 4) // 2]
    turn = {"rope_type": "default", "mrope_section": parts, "rope_theta": 10000.0}
    thinker = {
        "audio_config": {**ears, "output_dim": width},
        "vision_config": _sight(14, fullatt_block_indexes=[0], window_size=56, out_hidden_size=width),
        "text_config": {"vocab_size": len(words), "rope_parameters": turn, **speech},
        **_omni_ids(words),
    }
    config = hf.Qwen2_5OmniConfig(thinker_config=thinker, enable_audio_output=False)
    return saved(folder, processor, lambda: hf.Qwen2_5OmniForConditionalGeneration(config), words)


def qwen3_omni_moe(folder: Path) -> Path:
    words = tokenizer(OMNI)
    look: dict[str, Any] = {"size": {"shortest_edge": 32 * 32, "longest_edge": 64 * 64 * 8}, "patch_size": 16}
    processor = hf.Qwen3OmniMoeProcessor(
        image_processor=hf.Qwen2VLImageProcessor(**look),
        video_processor=hf.Qwen2VLVideoProcessor(**look),
        feature_extractor=whisper_ears(),
        tokenizer=words,
        chat_template=template(*PLACES, audio=SOUND),
    )
    turn = {"rope_type": "default", "mrope_section": [4, 2, 2], "rope_theta": 10000.0, "mrope_interleaved": True}
    experts = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "head_dim": 16}
    ids = {name.replace("_index", "_id"): value for name, value in _omni_ids(words).items()}
    thinker = {
        "audio_config": {**EARS, "output_dim": 32, "downsample_hidden_size": 16},
        "vision_config": _sight(16, num_position_embeddings=64, deepstack_visual_indexes=[0]),
        "text_config": {"vocab_size": len(words), "rope_parameters": turn, **SPEECH, **experts},
        **ids,
    }
    config = hf.Qwen3OmniMoeConfig(thinker_config=thinker, enable_audio_output=False)
    return saved(folder, processor, lambda: hf.Qwen3OmniMoeForConditionalGeneration(config), words)


def qwen2_audio(folder: Path) -> Path:
    """A family with audio and text, without vision."""
    words = tokenizer({name: OMNI[name] for name in ("audio_token", "audio_bos_token", "audio_eos_token")})
    processor = hf.Qwen2AudioProcessor(
        feature_extractor=whisper_ears(), tokenizer=words, chat_template=template("", "", audio=SOUND)
    )
    config = hf.Qwen2AudioConfig(
        audio_config={"model_type": "qwen2_audio_encoder", **EARS},
        text_config=hf.Qwen2Config(vocab_size=len(words), **SPEECH).to_dict(),
        audio_token_index=words.vocab["<|AUDIO|>"],
    )
    return saved(folder, processor, lambda: hf.Qwen2AudioForConditionalGeneration(config), words)


GEMMA = {
    "image_token": "<|image|>",
    "boi_token": "<|image>",
    "eoi_token": "<image|>",
    "audio_token": "<|audio|>",
    "boa_token": "<|audio>",
    "eoa_token": "<audio|>",
}


def gemma4(folder: Path) -> Path:
    """A family with pictures, clips with the time of each frame, and sound."""
    words = tokenizer(GEMMA, more=("<|video|>",))
    look: dict[str, Any] = {"patch_size": 4, "max_soft_tokens": 70, "pooling_kernel_size": 3}
    processor = hf.Gemma4Processor(
        feature_extractor=hf.Gemma4AudioFeatureExtractor(),
        image_processor=hf.Gemma4ImageProcessor(**look),
        video_processor=hf.Gemma4VideoProcessor(**look),
        tokenizer=words,
        chat_template=template("<|image|>", "<|video|>", audio="<|audio|>"),
    )
    small = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    heads = {"intermediate_size": 48, "num_key_value_heads": 2, "head_dim": 16}
    config = hf.Gemma4Config(
        audio_config={**small, "subsampling_conv_channels": [128, 4], "output_proj_dims": 32},
        vision_config={**small, **heads, "patch_size": 4, "pooling_kernel_size": 3, "position_embedding_size": 128},
        text_config={
            **small,
            **heads,
            "num_hidden_layers": 2,
            "vocab_size": len(words),
            "vocab_size_per_layer_input": len(words),
            "hidden_size_per_layer_input": 8,
            "max_position_embeddings": 8192,
        },
        image_token_id=words.vocab["<|image|>"],
        video_token_id=words.vocab["<|video|>"],
        audio_token_id=words.vocab["<|audio|>"],
        boi_token_id=words.vocab["<|image>"],
        eoi_token_id=words.vocab["<image|>"],
        boa_token_id=words.vocab["<|audio>"],
        eoa_token_index=words.vocab["<audio|>"],
    )
    return saved(folder, processor, lambda: hf.Gemma4ForConditionalGeneration(config), words)


WATCHING = {one.__name__: one for one in (qwen2_5_omni, qwen3_omni_moe, gemma4)}
LISTENING = {qwen2_audio.__name__: qwen2_audio}
