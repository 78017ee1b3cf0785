"""Families that open only where a package is installed that this site does not need itself."""

from pathlib import Path
from typing import Any

from tests.evaluation.tiny_families import LAYER, SMALL, SPEECH, Family, hf, ids, saved, template, tokenizer
from tests.evaluation.tiny_hearing import GEMMA, HEADS

SOUND = {"audio_token": "<|audio|>"}


def gemma3n(folder: Path) -> Path:
    """Its eyes are a network of the package timm."""
    words = tokenizer(GEMMA)
    processor = hf.Gemma3nProcessor(
        feature_extractor=hf.Gemma3nAudioFeatureExtractor(feature_size=16),
        image_processor=hf.SiglipImageProcessor(size={"height": 64, "width": 64}, do_normalize=False),
        tokenizer=words,
        audio_seq_length=100,
        image_seq_length=4,
        chat_template=template("<|image|>", "[no clips]", audio="<|audio|>"),
    )
    ears = {"input_feat_size": 16, "hidden_size": 32, "conf_num_attention_heads": 2, "conf_num_hidden_layers": 1}
    text = {
        **SMALL,
        **HEADS,
        "vocab_size": len(words),
        "vocab_size_per_layer_input": len(words),
        "hidden_size_per_layer_input": 8,
        "num_hidden_layers": 2,
        "layer_types": ["sliding_attention", "full_attention"],
        "intermediate_size": [48, 48],
        "activation_sparsity_pattern": [0.0, 0.0],
        "sliding_window": 64,
        "num_kv_shared_layers": 0,
        "altup_num_inputs": 2,
        "laurel_rank": 4,
        "max_position_embeddings": 4096,
    }
    parts = {"vocab_size": 8}
    config = hf.Gemma3nConfig(
        vision_config={**parts, "architecture": "test_resnet", "hidden_size": 96, "vocab_offset": len(words) - 16},
        audio_config={**parts, **ears, "sscp_conv_channel_size": [8, 4], "vocab_offset": len(words) - 8},
        text_config=text,
        audio_soft_tokens_per_image=100,
        vision_soft_tokens_per_image=4,
        image_token_id=words.vocab["<|image|>"],
        audio_token_id=words.vocab["<|audio|>"],
        boi_token_id=words.vocab["<|image>"],
        eoi_token_id=words.vocab["<image|>"],
        boa_token_id=words.vocab["<|audio>"],
        eoa_token_id=words.vocab["<audio|>"],
    )
    return saved(folder, processor, lambda: hf.Gemma3nForConditionalGeneration(config), words)


def _granite_speech(name: str, width: int, **ears: Any) -> Family:
    small = {"num_layers": 2, "hidden_dim": 32, "num_heads": 2, "dim_head": 16, "output_dim": 8}
    return Family(
        name,
        SOUND,
        template("", "", audio="<|audio|>"),
        {"audio_processor": lambda: hf.GraniteSpeechFeatureExtractor()},
        {
            "encoder_config": {**small, "context_size": 20, "max_pos_emb": 32, "conv_kernel_size": 3, **ears},
            "projector_config": {"model_type": "blip_2_qformer", **LAYER, "encoder_hidden_size": width},
            "text_config": {"model_type": "granite", **SPEECH},
            **ids(SOUND, "index"),
            "has_lora_adapter": False,
            "tie_word_embeddings": False,
        },
        processor="GraniteSpeech",
    )


BUILDS = {
    "gemma3n": gemma3n,
    "granite_speech": _granite_speech("GraniteSpeech", 32),  # it measures sound with the package torchaudio
    "granite_speech_plus": _granite_speech("GraniteSpeechPlus", 64, cat_hidden_layers=[0]),  # through two layers
}
NEEDS = {"gemma3n": "timm", "granite_speech": "torchaudio", "granite_speech_plus": "torchaudio"}
