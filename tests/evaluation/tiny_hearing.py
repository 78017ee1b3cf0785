"""Audio families, built like `tiny_families`: with sound in the video, beside pictures, and sound only."""

from pathlib import Path
from typing import Any

from tests.evaluation.tiny_families import SIGHT, SPEECH, hf, saved, template, tokenizer

RATE = 16000
SECONDS = 4  # the longest sound of the tiny encoders: enough, with small features
OMNI = {f"{kind}_token": f"<|{kind.upper()}|>" for kind in ("image", "video", "audio")}
OMNI |= {f"{kind}_{end}_token": f"<|{kind}_{end}|>" for kind in ("vision", "audio") for end in ("bos", "eos")}
PLACES = ("<|vision_bos|><|IMAGE|><|vision_eos|>", "<|vision_bos|><|VIDEO|><|vision_eos|>")
SOUND = "<|audio_bos|><|AUDIO|><|audio_eos|>"
EARS = {"num_mel_bins": 16, "encoder_layers": 1, "encoder_attention_heads": 2, "encoder_ffn_dim": 48, "d_model": 32}
EARS |= {"max_source_positions": SECONDS * 50}


def whisper_ears(bands: int = 16) -> Any:
    return hf.WhisperFeatureExtractor(feature_size=bands, sampling_rate=RATE, chunk_length=SECONDS)


def _omni_ids(words: Any) -> dict[str, int]:
    named = {f"{kind}_token_index": words.vocab[OMNI[f"{kind}_token"]] for kind in ("image", "video", "audio")}
    ends = {"audio_start_token_id": "audio_bos_token", "audio_end_token_id": "audio_eos_token"}
    looks = {"vision_start_token_id": "vision_bos_token", "vision_end_token_id": "vision_eos_token"}
    return named | {name: words.vocab[OMNI[token]] for name, token in (ends | looks).items()}


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
    eyes = {**SIGHT, "patch_size": 14, "fullatt_block_indexes": [0], "window_size": 56}
    thinker = {
        "audio_config": {**ears, "output_dim": width},
        "vision_config": {**eyes, "out_hidden_size": width},
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
    eyes = {**SIGHT, "patch_size": 16, "num_position_embeddings": 64, "deepstack_visual_indexes": [0]}
    thinker = {
        "audio_config": {**EARS, "output_dim": 32, "downsample_hidden_size": 16},
        "vision_config": eyes,
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


GEMMA = {"image_token": "<|image|>", "boi_token": "<|image>", "eoi_token": "<image|>"}
GEMMA |= {"audio_token": "<|audio|>", "boa_token": "<|audio>", "eoa_token": "<audio|>"}
GEMMA_LOOK = {"patch_size": 4, "pooling_kernel_size": 3}
SMALL = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
HEADS = {"intermediate_size": 48, "num_key_value_heads": 2, "head_dim": 16}


def _gemma4(folder: Path, name: str, ears: dict[str, Any], sight: dict[str, Any], **text: Any) -> Path:
    """Pictures, clips with the time of each frame, and sound."""
    words = tokenizer(GEMMA, more=("<|video|>",))
    look: dict[str, Any] = {**GEMMA_LOOK, "max_soft_tokens": 70}
    processor = getattr(hf, f"{name}Processor")(
        feature_extractor=getattr(hf, f"{name}AudioFeatureExtractor")(),
        image_processor=getattr(hf, f"{name}ImageProcessor")(**look),
        video_processor=getattr(hf, f"{name}VideoProcessor")(**look),
        tokenizer=words,
        chat_template=template("<|image|>", "<|video|>", audio="<|audio|>"),
    )
    places = {f"{kind}_token_id": words.vocab[f"<|{kind}|>"] for kind in ("image", "video", "audio")}
    ends = {f"bo{kind[0]}_token_id": words.vocab[f"<|{kind}>"] for kind in ("image", "audio")}
    size = {**SMALL, **HEADS, "num_hidden_layers": 2, "max_position_embeddings": 8192}
    config = getattr(hf, f"{name}Config")(
        audio_config=ears,
        vision_config={**GEMMA_LOOK, **sight},
        text_config={**size, "vocab_size": len(words), **text},
        eoi_token_id=words.vocab["<image|>"],
        eoa_token_index=words.vocab["<audio|>"],
        **places,
        **ends,
    )
    return saved(folder, processor, lambda: getattr(hf, f"{name}ForConditionalGeneration")(config), words)


def gemma4(folder: Path) -> Path:
    ears = {**SMALL, "subsampling_conv_channels": [128, 4], "output_proj_dims": 32}
    sight = {**SMALL, **HEADS, "position_embedding_size": 128}
    per_layer = {"vocab_size_per_layer_input": len(tokenizer(GEMMA, more=("<|video|>",)))}
    return _gemma4(folder, "Gemma4", ears, sight, hidden_size_per_layer_input=8, **per_layer)


def gemma4_unified(folder: Path) -> Path:
    """It takes patches and samples as they are, without an encoder of its own for either."""
    sight = {"mm_embed_dim": 32, "mm_posemb_size": 128, "output_proj_dims": 32}
    return _gemma4(folder, "Gemma4Unified", {}, sight, global_head_dim=16)


def dots3_note(folder: Path) -> Path:
    """Clips frame by frame, pictures, and sound in chunks."""
    words = tokenizer(more=("<|imgpad|>", "<|video_pad|>", "<|audio_comp_pad|>"))
    look: dict[str, Any] = {"size": {"shortest_edge": 28 * 28, "longest_edge": 56 * 56 * 8}, "patch_size": 14}
    processor = hf.Dots3NoteProcessor(
        image_processor=hf.Qwen2VLImageProcessor(temporal_patch_size=1, **look),
        video_processor=hf.Qwen3VLVideoProcessor(temporal_patch_size=1, **look),
        feature_extractor=hf.Dots3NoteFeatureExtractor(feature_size=16, chunk_length=SECONDS),
        tokenizer=words,
        chat_template=template("<|imgpad|>", "<|video_pad|>", audio="<|audio_comp_pad|>"),
    )
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 16}
    ranks = {"q_lora_rank": 16, "kv_lora_rank": 16, "qk_nope_head_dim": 8, "v_head_dim": 16}
    experts = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
    text = {
        "vocab_size": len(words),
        **SPEECH,
        **heads,
        **ranks,
        **experts,
        **{f"swa_{name}": size for name, size in {**heads, **ranks}.items()},
        "num_hidden_layers": 2,
        "layer_types": ["indexed_attention", "sliding_attention"],
        "sliding_window": 64,
        "qk_rope_head_dim": 8,
        "index_topk": 16,
        "index_head_dim": 16,
        "index_n_heads": 2,
        "shared_experts_intermediate_size": 16,
        "pad_token_id": 0,
    }
    size = {**SMALL, "intermediate_size": 48}
    sight = {**size, "adapter_in_dim": 32, "moe_intermediate_size": 16, "num_local_experts": 4}
    ears = {**size, "feature_size": 16, "downsample_hidden_size": 8, "adapter_input_size": 32}
    config = hf.Dots3NoteConfig(
        vision_config={**sight, "num_hidden_layers": 2, "mlp_layer_types": ["dense", "sparse"], "adapter_out_dim": 32},
        audio_config={**ears, "adapter_out_dim": 32},
        text_config=text,
        image_token_id=words.vocab["<|imgpad|>"],
        video_token_id=words.vocab["<|video_pad|>"],
        audio_token_id=words.vocab["<|audio_comp_pad|>"],
    )
    return saved(folder, processor, lambda: hf.Dots3NoteForConditionalGeneration(config), words)


def inkling_mm_model(folder: Path) -> Path:
    """Pictures in squares of 40 pixels, and sound as words of 16 loudnesses a band."""
    names = {"image_token": "<|unused_200054|>", "audio_token": "<|unused_200053|>"}
    starts = {"image_bos_token": "<|content_image|>", "audio_bos_token": "<|content_audio_input|>"}
    words = tokenizer(names, tuple(starts.values()))
    processor = hf.InklingProcessor(
        feature_extractor=hf.InklingFeatureExtractor(),
        image_processor=hf.InklingImageProcessor(),
        tokenizer=words,
        chat_template=template(
            starts["image_bos_token"] + names["image_token"],
            "[no clips]",
            audio=starts["audio_bos_token"] + names["audio_token"],
        ),
    )
    near = {"swa_num_attention_heads": 2, "swa_num_key_value_heads": 2, "swa_head_dim": 16, "sliding_window_size": 64}
    experts = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "n_shared_experts": 1}
    text = {
        "vocab_size": len(words),
        "unpadded_vocab_size": len(words),
        **SPEECH,
        "num_hidden_layers": 2,
        "head_dim": 16,
        "layer_types": ["hybrid_sliding", "hybrid"],
        "mlp_layer_types": ["dense", "sparse"],
        "d_rel": 4,
        "rel_extent": 64,
        "logits_mup_width_multiplier": 1.0,
        **near,
        **experts,
    }
    config = hf.InklingConfig(
        vision_config={"num_hidden_layers": 4},
        audio_config={"mel_vocab_size": 16},
        text_config=text,
        **{f"{name}_id": words.vocab[token] for name, token in {**names, **starts}.items()},
    )
    return saved(folder, processor, lambda: hf.InklingForConditionalGeneration(config), words)


WATCHING = {
    one.__name__: one for one in (qwen2_5_omni, qwen3_omni_moe, gemma4, gemma4_unified, dots3_note, inkling_mm_model)
}
LISTENING = {qwen2_audio.__name__: qwen2_audio}
