"""Relatives of the families in `tiny_families`, built in the same way, for the page of families."""

from pathlib import Path
from typing import Any

from tests.evaluation import further_families
from tests.evaluation.tiny_families import (
    PLACES,
    QWEN,
    ROPE,
    SIGHT,
    SIGLIP,
    SPEECH,
    clip_sight,
    hf,
    llava_processor,
    qwen_ids,
    saved,
    template,
    tokenizer,
    with_clips,
)

EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "decoder_sparse_step": 1}


def qwen2_vl(folder: Path) -> Path:
    words = tokenizer(QWEN)
    processor = with_clips("Qwen2VL", words, template(*PLACES))
    config = hf.Qwen2VLConfig(
        vision_config={"depth": 1, "embed_dim": 32, "hidden_size": 32, "num_heads": 2, "mlp_ratio": 2},
        text_config={"vocab_size": len(words), "rope_parameters": {**ROPE, "mrope_section": [2, 3, 3]}, **SPEECH},
        **qwen_ids(words),
    )
    return saved(folder, processor, lambda: hf.Qwen2VLForConditionalGeneration(config), words)


def _qwen3(folder: Path, config_of: Any, model: Any, **text: Any) -> Path:
    words = tokenizer(QWEN)
    processor = with_clips("Qwen3VL", words, template(*PLACES), images="Qwen2VL", edge=32)
    turn = {**ROPE, "mrope_section": [4, 2, 2], "mrope_interleaved": True}
    config = config_of(
        vision_config={**SIGHT, "num_position_embeddings": 64, "deepstack_visual_indexes": [0]},
        text_config={"vocab_size": len(words), "head_dim": 16, "rope_parameters": turn, **SPEECH, **text},
        **qwen_ids(words),
    )
    return saved(folder, processor, lambda: model(config), words)


def qwen3_vl_moe(folder: Path) -> Path:
    return _qwen3(folder, hf.Qwen3VLMoeConfig, hf.Qwen3VLMoeForConditionalGeneration, **EXPERTS)


LINEAR = {"num_hidden_layers": 2, "layer_types": ["linear_attention", "full_attention"]}
LINEAR |= {f"linear_{kind}_head_dim": 8 for kind in ("key", "value")}
LINEAR |= {f"linear_num_{kind}_heads": 2 for kind in ("key", "value")}


def qwen3_5(folder: Path) -> Path:
    return _qwen3(folder, hf.Qwen3_5Config, hf.Qwen3_5ForConditionalGeneration, **LINEAR)


def qwen3_5_moe(folder: Path) -> Path:
    more = {**EXPERTS, "shared_expert_intermediate_size": 16, **LINEAR}
    return _qwen3(folder, hf.Qwen3_5MoeConfig, hf.Qwen3_5MoeForConditionalGeneration, **more)


def qwen4_exp(folder: Path) -> Path:
    """Tables of word pairs and triples, and an index that chooses the tokens to attend to."""
    index = {"n_heads": 2, "kv_heads": 1, "head_dim": 16, "budget": 64, "compress_ratio": 16}
    pairs = {"ple_layer_ids": [1], "heads_per_ngram": 2, "ngram_vocab_size_base": 64, "split_ngram_parts": 1}
    more = {**EXPERTS, "shared_expert_intermediate_size": 16, **LINEAR, **pairs, "hc_lowrank": 8, "eos_token_id": 2}
    more |= {f"indexer_{name}": size for name, size in index.items()}
    return _qwen3(folder, hf.Qwen4ExpConfig, hf.Qwen4ExpForConditionalGeneration, **more)


GLM_EXPERTS: dict[str, Any] = {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_shared_experts": 1}
GLM_EXPERTS |= {"moe_intermediate_size": 16}


def _glm(folder: Path, name: str, look: dict[str, Any] | None = None, **text: Any) -> Path:
    """GLM's vision families, whose processors write the time of every pair of frames."""
    names = {"image_token": "<|image|>", "video_token": "<|video|>"}
    ends = ("<|begin_of_image|>", "<|end_of_image|>", "<|begin_of_video|>", "<|end_of_video|>")
    words = tokenizer(names, ends)
    places = [f"<|begin_of_{kind}|><|{kind}|><|end_of_{kind}|>" for kind in ("image", "video")]
    kind = name if hasattr(hf, f"{name}Processor") else "Glm4v"
    processor = with_clips(kind, words, template(*places), **(look or {}))
    turn = {**ROPE, "mrope_section": [2, 3, 3], "partial_rotary_factor": 1.0}
    marked = [f"{kind}_{end}_token_id" for kind in ("image", "video") for end in ("start", "end")]
    ids = {"image_token_id": "<|image|>", "video_token_id": "<|video|>", **dict(zip(marked, ends, strict=True))}
    config = getattr(hf, f"{name}Config")(
        vision_config={**SIGHT, "image_size": 28, "patch_size": 14},
        text_config={"vocab_size": len(words), "rope_parameters": turn, "pad_token_id": 0, **SPEECH, **text},
        **{place: words.vocab[token] for place, token in ids.items()},
    )
    return saved(folder, processor, lambda: getattr(hf, f"{name}ForConditionalGeneration")(config), words)


def glm4v(folder: Path) -> Path:
    return _glm(folder, "Glm4v")


def glm46v(folder: Path) -> Path:
    return _glm(folder, "Glm46V")


def glm4v_moe(folder: Path) -> Path:
    return _glm(folder, "Glm4vMoe", first_k_dense_replace=0, n_group=1, topk_group=1, **GLM_EXPERTS)


def glm5_next(folder: Path) -> Path:
    """Half of its layers carry a state, the others look at a few tokens that an index chooses."""
    look = {"min_image_tokens": 4, "max_image_tokens": 64}
    ranks = {"kv_lora_rank": 16, "q_lora_rank": 16, "qk_nope_head_dim": 16, "v_head_dim": 16}
    index = {"index_topk": 16, "index_head_dim": 16, "index_n_heads": 2, "index_kpool": 4}
    state = {"linear_head_dim": 8, "linear_num_heads": 2, "hc_mult": 2, "num_hidden_layers": 2}
    layers = {"layer_types": ["linear_attention", "indexed_attention"], "mlp_layer_types": ["dense", "sparse"]}
    return _glm(folder, "Glm5Next", look, **ranks, **index, **state, **layers, **GLM_EXPERTS)


def video_llama_3(folder: Path) -> Path:
    words = tokenizer({"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"})
    processor = with_clips("VideoLlama3", words, template("<|image_pad|>", "<|video_pad|>"))
    sight = {name: size for name, size in SIGLIP.items() if name != "image_size"}
    config = hf.VideoLlama3Config(
        vision_config=sight,
        text_config=hf.Qwen2Config(vocab_size=len(words), **SPEECH).to_dict(),
        image_token_id=words.vocab["<|image_pad|>"],
        video_token_id=words.vocab["<|video_pad|>"],
    )
    return saved(folder, processor, lambda: hf.VideoLlama3ForConditionalGeneration(config), words)


def llava_next(folder: Path) -> Path:
    words = tokenizer({"image_token": "<image>"})
    look: dict[str, Any] = {"size": {"shortest_edge": 56}, "crop_size": {"height": 56, "width": 56}}
    processor = hf.LlavaNextProcessor(
        image_processor=hf.LlavaNextImageProcessor(image_grid_pinpoints=[[56, 56]], **look),
        tokenizer=words,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=template("<image>\n", "[no clips]"),
    )
    config = hf.LlavaNextConfig(
        vision_config=clip_sight(56),
        text_config=hf.LlamaConfig(vocab_size=len(words), **SPEECH).to_dict(),
        image_token_index=words.vocab["<image>"],
        image_grid_pinpoints=[[56, 56]],
    )
    return saved(folder, processor, lambda: hf.LlavaNextForConditionalGeneration(config), words)


def vipllava(folder: Path) -> Path:
    words = tokenizer({"image_token": "<image>"})
    config = hf.VipLlavaConfig(
        vision_config=clip_sight(28),
        text_config=hf.LlamaConfig(vocab_size=len(words), **SPEECH).to_dict(),
        image_token_index=words.vocab["<image>"],
        vision_feature_layers=[-1, -2],
    )
    return saved(folder, llava_processor(words), lambda: hf.VipLlavaForConditionalGeneration(config), words)


def idefics3(folder: Path) -> Path:
    names = {
        "fake_image_token": "<fake_token_around_image>",
        "image_token": "<image>",
        "global_image_token": "<global-img>",
        "end_of_utterance_token": "<end_of_utterance>",
    }
    words = tokenizer(names)
    look: dict[str, Any] = {"size": {"longest_edge": 28}, "max_image_size": {"longest_edge": 28}}
    processor = hf.Idefics3Processor(
        image_processor=hf.Idefics3ImageProcessor(do_image_splitting=False, **look),
        tokenizer=words,
        image_seq_len=1,
        chat_template=template("<image>", "[no clips]"),
    )
    config = hf.Idefics3Config(
        vision_config=SIGLIP,
        text_config=hf.LlamaConfig(vocab_size=len(words), **SPEECH).to_dict(),
        scale_factor=2,
        image_token_id=words.vocab["<image>"],
        pad_token_id=words.pad_token_id,
    )
    return saved(folder, processor, lambda: hf.Idefics3ForConditionalGeneration(config), words)


GEMMA = {"image_token": "<image_soft_token>", "boi_token": "<start_of_image>", "eoi_token": "<end_of_image>"}


def gemma_processor(words: Any) -> Any:
    """Pictures of 28 pixels, four tokens each."""
    return hf.Gemma3Processor(
        image_processor=hf.Gemma3ImageProcessor(size={"height": 28, "width": 28}),
        tokenizer=words,
        image_seq_length=4,
        chat_template=template("<start_of_image>", "[no clips]"),
    )


def gemma3(folder: Path) -> Path:
    """Its template begins with BOS, and its pictures have bidirectional attention."""
    words = tokenizer(GEMMA)
    text = {"vocab_size": len(words), "head_dim": 16, "sliding_window": 64, **SPEECH}
    config = hf.Gemma3Config(
        vision_config=SIGLIP,
        text_config=text,
        mm_tokens_per_image=4,
        image_token_index=words.vocab["<image_soft_token>"],
        boi_token_index=words.vocab["<start_of_image>"],
        eoi_token_index=words.vocab["<end_of_image>"],
    )
    return saved(folder, gemma_processor(words), lambda: hf.Gemma3ForConditionalGeneration(config), words)


PIXTRAL = {"image_token": "[IMG]", "image_break_token": "[IMG_BREAK]", "image_end_token": "[IMG_END]"}


def pixtral_processor(words: Any) -> Any:
    """Pictures keep their shape: a token a patch, a mark after each row."""
    return hf.PixtralProcessor(
        image_processor=hf.PixtralImageProcessor(size={"longest_edge": 56}, patch_size={"height": 14, "width": 14}),
        tokenizer=words,
        patch_size=14,
        spatial_merge_size=2,
        chat_template=template("[IMG]", "[no clips]"),
        **PIXTRAL,
    )


def mistral3(folder: Path) -> Path:
    words = tokenizer(PIXTRAL)
    sight = {**SIGLIP, "image_size": 56, "head_dim": 16, "model_type": "pixtral"}
    config = hf.Mistral3Config(
        tie_word_embeddings=False,
        vision_config=sight,
        text_config=hf.MistralConfig(vocab_size=len(words), head_dim=16, **SPEECH).to_dict(),
        image_token_index=words.vocab["[IMG]"],
        spatial_merge_size=2,
        vision_feature_layer=-1,
    )
    return saved(folder, pixtral_processor(words), lambda: hf.Mistral3ForConditionalGeneration(config), words)


def aya_vision(folder: Path) -> Path:
    names = {
        "image_token": "<image>",
        "start_of_img_token": "<|START_OF_IMG|>",
        "end_of_img_token": "<|END_OF_IMG|>",
        "img_patch_token": "<|IMG_PATCH|>",
        "img_line_break_token": "<|IMG_LINE_BREAK|>",
        "tile_token": "TILE",
        "tile_global_token": "TILE_GLOBAL",
    }
    words = tokenizer(names)
    processor = hf.AyaVisionProcessor(
        image_processor=hf.GotOcr2ImageProcessor(size={"height": 28, "width": 28}),
        tokenizer=words,
        patch_size=14,
        img_size=28,
        downsample_factor=2,
        chat_template=template("<image>", "[no clips]"),
        **names,
    )
    config = hf.AyaVisionConfig(
        tie_word_embeddings=False,
        vision_config={**SIGLIP, "vision_use_head": False, "model_type": "siglip_vision_model"},
        text_config=hf.Cohere2Config(vocab_size=len(words), head_dim=16, sliding_window=64, **SPEECH).to_dict(),
        image_token_index=words.vocab["<|IMG_PATCH|>"],
        downsample_factor=2,
        alignment_intermediate_size=64,
    )
    return saved(folder, processor, lambda: hf.AyaVisionForConditionalGeneration(config), words)


SEEING = {
    one.__name__: one
    for one in (
        *(qwen2_vl, qwen3_vl_moe, qwen3_5, qwen3_5_moe, qwen4_exp),
        *(glm4v, glm46v, glm4v_moe, glm5_next, video_llama_3),
        *(llava_next, vipllava, idefics3, gemma3, mistral3, aya_vision),
        *further_families.SEEING.values(),
    )
}
