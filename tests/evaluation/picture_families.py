"""Families of vision models that take pictures alone, built like those of `tiny_families`."""

from typing import Any

from tests.evaluation.clip_families import LATENT, ROUTED
from tests.evaluation.further_families import SAM
from tests.evaluation.related_families import GEMMA, PIXTRAL, PIXTRAL_SIGHT, SEEN_BY_GEMMA, SEEN_BY_PIXTRAL
from tests.evaluation.tiny_families import (
    CROPPED_56,
    HEADLESS,
    IMAGE,
    INTERN,
    LAYER,
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
TILES = [f"<row_{row}_col_{column}>" for row in range(1, 4) for column in range(1, 4)]
HUNYUAN = {**IMAGE, "image_start_token": "<image_start>", "image_end_token": "<image_end>"}


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
    # made for pages of print, and answer questions too
    "deepseek_ocr2": Family(  # its encoder asks 144 questions of a small picture, however few its patches are
        "DeepseekOcr2",
        IMAGE,
        template("<image>\n"),
        {
            "image_processor": lambda: hf.DeepseekOcr2ImageProcessor(size={"height": 192, "width": 192}, tile_size=192),
            "downsample_ratio": 1,
        },
        {
            "vision_config": {
                "sam_config": {**SAM, "image_size": 192, "patch_size": 16, "downsample_channels": [16, 32]},
                "encoder_config": {**SPEECH, "vocab_size": 8},
            },
            "text_config": SPEECH
            | {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
            | {"n_shared_experts": 1, "mlp_layer_types": ["sparse"]},
            **ids(IMAGE),
        },
    ),
    "granite_docling": Family(  # a picture is a row of tiles, each with its place in words
        "GraniteDocling",
        IMAGE,
        template("<image>"),
        {"image_processor": lambda: hf.GraniteDoclingImageProcessor(size=SQUARE, max_patches=2), "image_seq_len": 1},
        {
            "tie_word_embeddings": False,
            "vision_config": {**SIGLIP, "out_hidden_size": 32, "scale_factor": 2, "use_fine_route": False},
            "text_config": {**SPEECH, "pad_token_id": 0},
            **ids(IMAGE),
            "pad_token_id": Token(PAD),
        },
        more=("<fake_token_around_image>", "<global-img>", *TILES),
    ),
    "hunyuan_vl": Family(  # positions count the width, the height and the number of each picture
        "HunYuanVL",
        HUNYUAN,
        template("<image_start><image><image_end>"),
        {"image_processor": lambda: hf.HunYuanVLImageProcessor(size={"shortest_edge": 32**2, "longest_edge": 64**2})},
        {
            "tie_word_embeddings": False,
            "vision_config": {**LAYER, "out_hidden_size": 32, "text_hidden_size": 32, "max_image_size": 64},
            "text_config": {
                **SPEECH,
                "head_dim": 16,
                "rope_parameters": {**ROPE, "mrope_section": [2, 2, 2, 2]},
                "tie_word_embeddings": False,
            },
            **ids(IMAGE),
            "im_start_id": Token("<image_start>"),
            "im_end_id": Token("<image_end>"),
            "im_newline_id": Token("<image_newline>"),
        },
        more=("<image_newline>",),
    ),
    "granite4_vision": Family(  # pictures in windows, of which layers of the language model get one part each
        "Granite4Vision",
        IMAGE,
        template("<image>\n"),
        {
            "image_processor": lambda: hf.LlavaNextImageProcessor(image_grid_pinpoints=[[56, 56]], **CROPPED_56),
            "patch_size": 14,
            "vision_feature_select_strategy": "full",
            "downsample_rate": "1/2",
        },
        {
            "vision_config": {**HEADLESS, "hidden_size": 64, "num_hidden_layers": 2, "image_size": 56},
            "text_config": {**SPEECH, "num_hidden_layers": 2},
            "qformer_config": {"num_hidden_layers": 1, "intermediate_size": 48, "model_type": "blip_2_qformer"},
            **ids(IMAGE, "index"),
            "vision_feature_select_strategy": "full",
            "image_grid_pinpoints": [[56, 56]],
            "downsample_rate": "1/2",
            "deepstack_layer_map": [[-1, 0], [-2, 1]],
            "spatial_target_layers": [0, 0, 1, 1],
        },
    ),
}
