"""Families made for pages of print, which answer questions too."""

from tests.evaluation.further_families import SAM
from tests.evaluation.tiny_families import (
    CROPPED_56,
    HEADLESS,
    IMAGE,
    LAYER,
    PAD,
    ROPE,
    SIGLIP,
    SPEECH,
    SQUARE,
    Family,
    Token,
    hf,
    ids,
    template,
)

TILES = [f"<row_{row}_col_{column}>" for row in range(1, 4) for column in range(1, 4)]
HUNYUAN = {**IMAGE, "image_start_token": "<image_start>", "image_end_token": "<image_end>"}

SEEING = {
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
