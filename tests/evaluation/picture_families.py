"""Families of vision models that take pictures alone, built like those of `tiny_families`."""

from typing import Any

from tests.evaluation.clip_families import LATENT, ROUTED
from tests.evaluation.further_families import SAM
from tests.evaluation.related_families import GEMMA, PIXTRAL, PIXTRAL_SIGHT, SEEN_BY_GEMMA, SEEN_BY_PIXTRAL
from tests.evaluation.tiny_families import (
    IMAGE,
    INTERN,
    PAD,
    PATCHES,
    ROPE,
    SIGLIP,
    SPEECH,
    SQUARE,
    START,
    Family,
    Token,
    hf,
    ids,
    template,
)

TWO_LAYERS = {**SPEECH, "num_hidden_layers": 2}
EXPERTS = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
LLAMA4 = ("image", "image_start", "image_end", "patch", "tile_x_separator", "tile_y_separator")
STEP = ("im_patch", "im_start", "im_end", "patch_start", "patch_end", "patch_newline")
PICTURE = {"image_token": "<|image|>"}
WORDS = {**TWO_LAYERS, "head_dim": 16, "sliding_window": 64}
WORDS |= {"pad_token_id": Token(PAD), "eos_token_id": Token("<|im_end|>"), "bos_token_id": Token(START)}
PADDLE = {"image_token": "<|IMAGE_PLACEHOLDER|>", "video_token": "<|VIDEO|>"}
PADDLE |= {f"vision_{end}_token": f"<|IMAGE_{end.upper()}|>" for end in ("start", "end")}


class Phi4(Family):
    """Pictures and sound, each with its own low-rank weights."""

    def model_of(self, config: Any) -> Any:
        model = super().model_of(config)
        for token in (config.vision_config.image_token_id, config.audio_config.audio_token_id):
            model.lm_head.weight.data[token] = 0  # else it might write them
        return model


SEEING = {
    "llama4": Family(  # pictures in tiles with marks between them
        "Llama4",
        {},
        template("<|image|>"),
        {"image_processor": lambda: hf.Llama4ImageProcessor(size=SQUARE, max_patches=4), "patch_size": 14},
        {
            "vision_config": SIGLIP
            | {"vision_output_dim": 32, "projector_input_dim": 32, "projector_output_dim": 32}
            | {"intermediate_size": 128},
            "text_config": TWO_LAYERS
            | {"num_local_experts": 2, "intermediate_size_mlp": 48, "attention_chunk_size": 64}
            | {"head_dim": 16, "no_rope_layers": [1, 0]},
            "image_token_index": Token("<|patch|>"),
            "boi_token_index": Token("<|image_start|>"),
            "eoi_token_index": Token("<|image_end|>"),
        },
        more=tuple(f"<|{mark}|>" for mark in LLAMA4),
    ),
    "mistral_large4": Family(  # its text model picks the tokens that each one attends to
        "MistralLarge4",
        PIXTRAL,
        template("[IMG]"),
        SEEN_BY_PIXTRAL,
        {
            "vision_config": PIXTRAL_SIGHT,
            "text_config": TWO_LAYERS | LATENT | ROUTED | {"index_topk": 16, "index_head_dim": 16, "index_n_heads": 2},
            "image_token_index": Token("[IMG]"),
        },
        processor="Pixtral",
    ),
    "mllama": Family(  # pictures reach the words by attention across, not among them
        "Mllama",
        PICTURE,
        template("<|image|>"),
        {"image_processor": lambda: hf.MllamaImageProcessor(size=SQUARE)},
        {
            "vision_config": {name: size for name, size in SIGLIP.items() if name != "num_attention_heads"}
            | {"attention_heads": 2, "num_global_layers": 1, "vision_output_dim": 64}
            | {"intermediate_layers_indices": [0]},
            "text_config": {**TWO_LAYERS, "cross_attention_layers": [1], "pad_token_id": Token(PAD)},
            **ids(PICTURE, "index"),
        },
        more=("<|python_tag|>",),
    ),
    "phi4_multimodal": Phi4(
        "Phi4Multimodal",
        {**PICTURE, "audio_token": "<|audio|>"},
        template("<|image|>", audio="<|audio|>"),
        {
            "image_processor": lambda: hf.Phi4MultimodalImageProcessor(
                size={"height": 96, "width": 96}, patch_size=3, dynamic_hd=2
            ),
            "audio_processor": lambda: hf.Phi4MultimodalFeatureExtractor(),
        },
        {
            "vision_config": {"hidden_size": 8, "intermediate_size": 8, "num_attention_heads": 1}
            | {"num_hidden_layers": 2, "image_size": 96, "patch_size": 3, "crop_size": 96}
            | ids(PICTURE),
            "audio_config": {"hidden_size": 32, "intermediate_size": 48, "num_blocks": 2}
            | {"num_attention_heads": 2, "ext_pw_out_channel": 32}
            | {"depthwise_separable_out_channel": 32, "nemo_conv_channels": 8}
            | {"audio_token_id": Token("<|audio|>")},
            "pad_token_id": Token(PAD),
            **SPEECH,
            "max_position_embeddings": 8192,
        },
        model="Phi4MultimodalForCausalLM",
    ),
    "step3p7": Family(  # a whole picture, after its patches if it is long
        "Step3p7",
        {},
        template("<im_patch>"),
        {"image_processor": lambda: hf.Step3p7ImageProcessor(size={"height": 112, "width": 112}, patch_size=56)},
        {
            "vision_config": {**PATCHES, "image_size": 112, "max_position_embeddings": 64, "mlp_ratio": 1.5},
            "text_config": TWO_LAYERS
            | EXPERTS
            | {"share_expert_dim": 16, "head_dim": 16, "sliding_window": 64}
            | {"layer_types": ["full_attention", "sliding_attention"]}
            | {"mlp_layer_types": ["dense", "sparse"]},
            "image_token_id": Token("<im_patch>"),
        },
        more=tuple(f"<{mark}>" for mark in STEP),
    ),
    "t5gemma2": Family(  # an encoder of pictures and words, and a decoder that writes from a token of its own
        "T5Gemma2",
        GEMMA,
        template("<start_of_image>"),
        SEEN_BY_GEMMA,
        {
            "encoder": {
                "text_config": WORDS,
                "vision_config": {**SIGLIP, "model_type": "siglip_vision_model"},
                "mm_tokens_per_image": 4,
                **ids({name: GEMMA[name] for name in ("boi_token", "eoi_token")}, "index"),
            },
            "decoder": WORDS,
            "image_token_index": Token("<image_soft_token>"),
        },
        processor="Gemma3",
    ),
    "paddleocr_vl": Family(
        "PaddleOCRVL",
        {"image_token": "<|IMAGE_PLACEHOLDER|>"},
        template("<|IMAGE_START|><|IMAGE_PLACEHOLDER|><|IMAGE_END|>"),
        {
            "image_processor": lambda: hf.PaddleOCRVLImageProcessor(
                size={"shortest_edge": 28 * 28, "longest_edge": 56 * 56}
            )
        },
        {
            "tie_word_embeddings": False,
            "vision_config": {**SIGLIP, "image_size": 56},
            "text_config": {
                **SPEECH,
                "head_dim": 16,
                "tie_word_embeddings": False,
                "rope_parameters": {**ROPE, "mrope_section": [2, 3, 3]},
            },
            **ids(PADDLE),
        },
        more=("<|IMAGE_START|>", "<|IMAGE_END|>", "<|VIDEO|>"),
    ),
    "qianfan_ocr": Family(
        "QianfanOCR",
        INTERN,
        template("<image>\n"),
        {"image_processor": lambda: hf.GotOcr2ImageProcessor(size=SQUARE, max_patches=2), "image_seq_length": 1},
        {
            "vision_config": SIGLIP,
            "text_config": {**SPEECH, "model_type": "qwen3", "head_dim": 16},
            "image_token_id": Token("<IMG_CONTEXT>"),
            "image_seq_length": 1,
        },
        more=("<image>",),
    ),
    "unlimited_ocr": Family(  # two encoders of one picture; its words attend to the prompt and to their own last ones
        "UnlimitedOcr",
        IMAGE,
        template("<image>\n"),
        {
            "image_processor": lambda: hf.UnlimitedOcrImageProcessor(
                size={"height": 128, "width": 128}, tile_size=32, max_patches=2
            )
        },
        {
            "vision_config": {
                "sam_config": {
                    **{name: size for name, size in SAM.items() if name != "window_size"},
                    "image_size": 128,
                    "downsample_channels": [16, 32],
                },
                "encoder_config": {**SIGLIP, "image_size": 56},
            },
            "text_config": {**TWO_LAYERS, **EXPERTS, "n_shared_experts": 2, "sliding_window": 16},
            **ids(IMAGE),
        },
    ),
}
