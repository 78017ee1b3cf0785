"""Families made for pages of print, which answer questions too."""

from pathlib import Path

from tests.evaluation.further_families import SAM
from tests.evaluation.tiny_families import ROPE, SIGLIP, SPEECH, hf, saved, template, tokenizer


def deepseek_ocr2(folder: Path) -> Path:
    """Its encoder asks 144 questions of a small picture, however few its patches are."""
    words = tokenizer({"image_token": "<image>"})
    processor = hf.DeepseekOcr2Processor(
        image_processor=hf.DeepseekOcr2ImageProcessor(size={"height": 192, "width": 192}, tile_size=192),
        tokenizer=words,
        downsample_ratio=1,
        chat_template=template("<image>\n", "[no clips]"),
    )
    experts = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "n_shared_experts": 1}
    config = hf.DeepseekOcr2Config(
        vision_config={
            "sam_config": {**SAM, "image_size": 192, "patch_size": 16, "downsample_channels": [16, 32]},
            "encoder_config": {**SPEECH, "vocab_size": 8},
        },
        text_config={"vocab_size": len(words), **SPEECH, **experts, "mlp_layer_types": ["sparse"]},
        image_token_id=words.vocab["<image>"],
    )
    return saved(folder, processor, lambda: hf.DeepseekOcr2ForConditionalGeneration(config), words)


def granite_docling(folder: Path) -> Path:
    """A picture is a row of tiles, each with its place in words."""
    places = [f"<row_{row}_col_{column}>" for row in range(1, 4) for column in range(1, 4)]
    words = tokenizer({"image_token": "<image>"}, ("<fake_token_around_image>", "<global-img>", *places))
    processor = hf.GraniteDoclingProcessor(
        image_processor=hf.GraniteDoclingImageProcessor(size={"height": 28, "width": 28}, max_patches=2),
        tokenizer=words,
        image_seq_len=1,
        chat_template=template("<image>", "[no clips]"),
    )
    config = hf.GraniteDoclingConfig(
        tie_word_embeddings=False,
        vision_config={**SIGLIP, "out_hidden_size": 32, "scale_factor": 2, "use_fine_route": False},
        text_config={"vocab_size": len(words), **SPEECH, "pad_token_id": 0},
        image_token_id=words.vocab["<image>"],
        pad_token_id=words.pad_token_id,
    )
    return saved(folder, processor, lambda: hf.GraniteDoclingForConditionalGeneration(config), words)


def hunyuan_vl(folder: Path) -> Path:
    """Positions count the width, the height and the number of each picture."""
    names = {"image_token": "<image>", "image_start_token": "<image_start>", "image_end_token": "<image_end>"}
    words = tokenizer(names, ("<image_newline>",))
    processor = hf.HunYuanVLProcessor(
        image_processor=hf.HunYuanVLImageProcessor(size={"shortest_edge": 32**2, "longest_edge": 64**2}),
        tokenizer=words,
        chat_template=template("<image_start><image><image_end>", "[no clips]"),
    )
    sight = {name: size for name, size in SIGLIP.items() if name not in ("image_size", "patch_size")}
    config = hf.HunYuanVLConfig(
        tie_word_embeddings=False,
        vision_config={**sight, "out_hidden_size": 32, "text_hidden_size": 32, "max_image_size": 64},
        text_config={
            "vocab_size": len(words),
            "head_dim": 16,
            "rope_parameters": {**ROPE, "mrope_section": [2, 2, 2, 2]},
            "tie_word_embeddings": False,
            **SPEECH,
        },
        image_token_id=words.vocab["<image>"],
        im_start_id=words.vocab["<image_start>"],
        im_end_id=words.vocab["<image_end>"],
        im_newline_id=words.vocab["<image_newline>"],
    )
    return saved(folder, processor, lambda: hf.HunYuanVLForConditionalGeneration(config), words)


def granite4_vision(folder: Path) -> Path:
    """Pictures in windows, of which layers of the language model get one part each."""
    words = tokenizer({"image_token": "<image>"})
    processor = hf.Granite4VisionProcessor(
        image_processor=hf.LlavaNextImageProcessor(
            image_grid_pinpoints=[[56, 56]], size={"shortest_edge": 56}, crop_size={"height": 56, "width": 56}
        ),
        tokenizer=words,
        patch_size=14,
        vision_feature_select_strategy="full",
        downsample_rate="1/2",
        chat_template=template("<image>\n", "[no clips]"),
    )
    sight = {**SIGLIP, "hidden_size": 64, "num_hidden_layers": 2, "image_size": 56, "vision_use_head": False}
    config = hf.Granite4VisionConfig(
        vision_config={**sight, "model_type": "siglip_vision_model"},
        text_config={"vocab_size": len(words), **SPEECH, "num_hidden_layers": 2},
        qformer_config={"num_hidden_layers": 1, "intermediate_size": 48, "model_type": "blip_2_qformer"},
        image_token_index=words.vocab["<image>"],
        vision_feature_select_strategy="full",
        image_grid_pinpoints=[[56, 56]],
        downsample_rate="1/2",
        deepstack_layer_map=[[-1, 0], [-2, 1]],
        spatial_target_layers=[0, 0, 1, 1],
    )
    return saved(folder, processor, lambda: hf.Granite4VisionForConditionalGeneration(config), words)


SEEING = {one.__name__: one for one in (deepseek_ocr2, granite_docling, hunyuan_vl, granite4_vision)}
