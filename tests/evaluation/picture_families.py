"""Families of vision models that take pictures alone, built like those of `tiny_families`."""

from pathlib import Path
from typing import Any

from tests.evaluation.clip_families import LATENT, PATCHES, ROUTED
from tests.evaluation.related_families import GEMMA, PIXTRAL, gemma_processor, pixtral_processor
from tests.evaluation.tiny_families import ROPE, SIGLIP, SPEECH, hf, saved, template, tokenizer

HEADS = {"num_key_value_heads": 2, "head_dim": 16}
NO_CLIPS = "[no clips]"


def llama4(folder: Path) -> Path:
    """Pictures in tiles with marks between them."""
    marks = ("image", "image_start", "image_end", "patch", "tile_x_separator", "tile_y_separator")
    words = tokenizer(more=tuple(f"<|{mark}|>" for mark in marks))
    processor = hf.Llama4Processor(
        image_processor=hf.Llama4ImageProcessor(size={"height": 28, "width": 28}, max_patches=4),
        tokenizer=words,
        patch_size=14,
        chat_template=template("<|image|>", NO_CLIPS),
    )
    sight = {"vision_output_dim": 32, "projector_input_dim": 32, "projector_output_dim": 32}
    experts = {"num_local_experts": 2, "intermediate_size_mlp": 48, "attention_chunk_size": 64}
    config = hf.Llama4Config(
        vision_config={**SIGLIP, **sight, "intermediate_size": 128},
        text_config={
            "vocab_size": len(words),
            **SPEECH,
            **experts,
            "head_dim": 16,
            "num_hidden_layers": 2,
            "no_rope_layers": [1, 0],
        },
        image_token_index=words.vocab["<|patch|>"],
        boi_token_index=words.vocab["<|image_start|>"],
        eoi_token_index=words.vocab["<|image_end|>"],
    )
    return saved(folder, processor, lambda: hf.Llama4ForConditionalGeneration(config), words)


def mistral_large4(folder: Path) -> Path:
    """Its text model picks the tokens that each one attends to."""
    words = tokenizer(PIXTRAL)
    index = {"index_topk": 16, "index_head_dim": 16, "index_n_heads": 2, "num_hidden_layers": 2}
    config = hf.MistralLarge4Config(
        vision_config={**SIGLIP, "image_size": 56, "head_dim": 16, "model_type": "pixtral"},
        text_config={"vocab_size": len(words), **SPEECH, **LATENT, **ROUTED, **index},
        image_token_index=words.vocab["[IMG]"],
    )
    return saved(folder, pixtral_processor(words), lambda: hf.MistralLarge4ForConditionalGeneration(config), words)


def mllama(folder: Path) -> Path:
    """Pictures reach the words by attention across, not among them."""
    words = tokenizer({"image_token": "<|image|>"}, ("<|python_tag|>",))
    processor = hf.MllamaProcessor(
        image_processor=hf.MllamaImageProcessor(size={"height": 28, "width": 28}),
        tokenizer=words,
        chat_template=template("<|image|>", NO_CLIPS),
    )
    sight = {name: size for name, size in SIGLIP.items() if name != "num_attention_heads"}
    text = {**SPEECH, "num_hidden_layers": 2, "cross_attention_layers": [1], "pad_token_id": words.pad_token_id}
    config = hf.MllamaConfig(
        vision_config={
            **sight,
            "attention_heads": 2,
            "num_global_layers": 1,
            "intermediate_layers_indices": [0],
            "vision_output_dim": 64,
        },
        text_config={"vocab_size": len(words), **text},
        image_token_index=words.vocab["<|image|>"],
    )
    return saved(folder, processor, lambda: hf.MllamaForConditionalGeneration(config), words)


def phi4_multimodal(folder: Path) -> Path:
    """Pictures and sound, each with its own low-rank weights."""
    words = tokenizer({"image_token": "<|image|>", "audio_token": "<|audio|>"})
    processor = hf.Phi4MultimodalProcessor(
        image_processor=hf.Phi4MultimodalImageProcessor(size={"height": 96, "width": 96}, patch_size=3, dynamic_hd=2),
        audio_processor=hf.Phi4MultimodalFeatureExtractor(),
        tokenizer=words,
        chat_template=template("<|image|>", NO_CLIPS, audio="<|audio|>"),
    )
    ears = {"hidden_size": 32, "intermediate_size": 48, "num_blocks": 2, "num_attention_heads": 2}
    channels = {"ext_pw_out_channel": 32, "depthwise_separable_out_channel": 32, "nemo_conv_channels": 8}
    config = hf.Phi4MultimodalConfig(
        vision_config={
            **PATCHES,
            "hidden_size": 8,
            "intermediate_size": 8,
            "num_attention_heads": 1,
            "num_hidden_layers": 2,
            "image_size": 96,
            "patch_size": 3,
            "crop_size": 96,
            "image_token_id": words.vocab["<|image|>"],
        },
        audio_config={**ears, **channels, "audio_token_id": words.vocab["<|audio|>"]},
        vocab_size=len(words),
        pad_token_id=words.pad_token_id,
        **{**SPEECH, "max_position_embeddings": 8192},
    )

    def build() -> Any:
        model = hf.Phi4MultimodalForCausalLM(config)
        model.lm_head.weight.data[[words.vocab["<|image|>"], words.vocab["<|audio|>"]]] = 0  # else it might write them
        return model

    return saved(folder, processor, build, words)


def step3p7(folder: Path) -> Path:
    """A whole picture, after its patches if it is long."""
    marks = ("im_patch", "im_start", "im_end", "patch_start", "patch_end", "patch_newline")
    words = tokenizer(more=tuple(f"<{mark}>" for mark in marks))
    processor = hf.Step3p7Processor(
        image_processor=hf.Step3p7ImageProcessor(size={"height": 112, "width": 112}, patch_size=56),
        tokenizer=words,
        chat_template=template("<im_patch>", NO_CLIPS),
    )
    experts = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "share_expert_dim": 16}
    layers = {
        "num_hidden_layers": 2,
        "layer_types": ["full_attention", "sliding_attention"],
        "mlp_layer_types": ["dense", "sparse"],
    }
    config = hf.Step3p7Config(
        vision_config={**PATCHES, "image_size": 112, "max_position_embeddings": 64, "mlp_ratio": 1.5},
        text_config={"vocab_size": len(words), **SPEECH, "head_dim": 16, "sliding_window": 64, **experts, **layers},
        image_token_id=words.vocab["<im_patch>"],
    )
    return saved(folder, processor, lambda: hf.Step3p7ForConditionalGeneration(config), words)


def t5gemma2(folder: Path) -> Path:
    """An encoder of pictures and words, and a decoder that writes from a token of its own."""
    words = tokenizer(GEMMA)
    text = {"vocab_size": len(words), "head_dim": 16, "sliding_window": 64, **SPEECH, "num_hidden_layers": 2}
    ids = {"pad_token_id": words.pad_token_id, "eos_token_id": words.eos_token_id, "bos_token_id": words.bos_token_id}
    places = {"boi_token_index": "<start_of_image>", "eoi_token_index": "<end_of_image>"}
    config = hf.T5Gemma2Config(
        encoder={
            "text_config": {**text, **ids},
            "vision_config": {**SIGLIP, "model_type": "siglip_vision_model"},
            "mm_tokens_per_image": 4,
            **{place: words.vocab[token] for place, token in places.items()},
        },
        decoder={**text, **ids},
        image_token_index=words.vocab["<image_soft_token>"],
    )
    return saved(folder, gemma_processor(words), lambda: hf.T5Gemma2ForConditionalGeneration(config), words)


def paddleocr_vl(folder: Path) -> Path:
    words = tokenizer({"image_token": "<|IMAGE_PLACEHOLDER|>"}, ("<|IMAGE_START|>", "<|IMAGE_END|>", "<|VIDEO|>"))
    processor = hf.PaddleOCRVLProcessor(
        image_processor=hf.PaddleOCRVLImageProcessor(size={"shortest_edge": 28 * 28, "longest_edge": 56 * 56}),
        tokenizer=words,
        chat_template=template("<|IMAGE_START|><|IMAGE_PLACEHOLDER|><|IMAGE_END|>", NO_CLIPS),
    )
    ids = {"image_token": "<|IMAGE_PLACEHOLDER|>", "video_token": "<|VIDEO|>"}
    ids |= {f"vision_{end}_token": f"<|IMAGE_{end.upper()}|>" for end in ("start", "end")}
    config = hf.PaddleOCRVLConfig(
        tie_word_embeddings=False,
        vision_config={**SIGLIP, "image_size": 56},
        text_config={
            "vocab_size": len(words),
            **SPEECH,
            "head_dim": 16,
            "tie_word_embeddings": False,
            "rope_parameters": {**ROPE, "mrope_section": [2, 3, 3]},
        },
        **{f"{place}_id": words.vocab[token] for place, token in ids.items()},
    )
    return saved(folder, processor, lambda: hf.PaddleOCRVLForConditionalGeneration(config), words)


def qianfan_ocr(folder: Path) -> Path:
    names = {"start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>"}
    words = tokenizer(names, ("<image>",))
    processor = hf.QianfanOCRProcessor(
        image_processor=hf.GotOcr2ImageProcessor(size={"height": 28, "width": 28}, max_patches=2),
        tokenizer=words,
        image_seq_length=1,
        chat_template=template("<image>\n", NO_CLIPS),
    )
    config = hf.QianfanOCRConfig(
        vision_config=SIGLIP,
        text_config=hf.Qwen3Config(vocab_size=len(words), head_dim=16, **SPEECH).to_dict(),
        image_token_id=words.vocab["<IMG_CONTEXT>"],
        image_seq_length=1,
    )
    return saved(folder, processor, lambda: hf.QianfanOCRForConditionalGeneration(config), words)


def unlimited_ocr(folder: Path) -> Path:
    """Two encoders of one picture; its words attend to all of the prompt and to their own last ones."""
    words = tokenizer({"image_token": "<image>"})
    processor = hf.UnlimitedOcrProcessor(
        image_processor=hf.UnlimitedOcrImageProcessor(size={"height": 128, "width": 128}, tile_size=32, max_patches=2),
        tokenizer=words,
        chat_template=template("<image>\n", NO_CLIPS),
    )
    sam: dict[str, Any] = {
        "hidden_size": 32,
        "output_channels": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "image_size": 128,
    }
    sam |= {"mlp_dim": 48, "global_attn_indexes": [0], "downsample_channels": [16, 32]}
    experts = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "n_shared_experts": 2}
    config = hf.UnlimitedOcrConfig(
        vision_config={"sam_config": sam, "encoder_config": {**SIGLIP, "image_size": 56}},
        text_config={"vocab_size": len(words), **SPEECH, **experts, "num_hidden_layers": 2, "sliding_window": 16},
        image_token_id=words.vocab["<image>"],
    )
    return saved(folder, processor, lambda: hf.UnlimitedOcrForConditionalGeneration(config), words)


FIRST = (llama4, mistral_large4, mllama, phi4_multimodal, step3p7)
SEEING = {one.__name__: one for one in (*FIRST, t5gemma2, paddleocr_vl, qianfan_ocr, unlimited_ocr)}
