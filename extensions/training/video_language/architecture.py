"""A LlavaOnevision of any size from its configuration classes, and its tokenizer: new weights, no downloads."""

from collections.abc import Iterable
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from evaluation.adapters import torchvision_shim
from extensions.training.video_language.recipes import VideoLanguageRecipe

PAD, BEGIN, END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
IMAGE, VIDEO = "<image>", "<video>"
LARGEST = 2048  # entries: every word of a benchmark's prompts and all bytes


def tokenizer_for(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer; the order of the texts does not matter."""
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=LARGEST,
        min_frequency=1,  # a word that occurs in only one prompt becomes a token too
        special_tokens=[PAD, BEGIN, END, IMAGE, VIDEO],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    raw.train_from_iterator(sorted(set(texts)), trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        pad_token=PAD,
        eos_token=END,
        additional_special_tokens=[BEGIN, IMAGE, VIDEO],
        padding_side="left",
        model_input_names=["input_ids", "attention_mask"],
    )


torchvision_shim.declared()  # must precede the imports below

from transformers import (  # noqa: E402
    GenerationConfig,
    LlavaOnevisionConfig,
    LlavaOnevisionForConditionalGeneration,
    LlavaOnevisionImageProcessor,
    LlavaOnevisionProcessor,
    LlavaOnevisionVideoProcessor,
    PreTrainedTokenizerFast,
    Qwen2Config,
    SiglipVisionConfig,
)

MIDDLE = [0.5, 0.5, 0.5]  # mean and standard deviation: pixels from -1 to 1
MOST_TOKENS = 4096  # room for several times the tokens of two clips of eight frames and a long question

CHAT_TEMPLATE = (
    "{% for message in messages %}"
    f"{BEGIN}"
    "{{ message['role'] }}\n"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'video' %}"
    f"{VIDEO}\n"
    "{% elif part['type'] == 'image' %}"
    f"{IMAGE}\n"
    "{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}"
    f"{END}\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}"
    f"{BEGIN}assistant\n"
    "{% endif %}"
)


def processor_for(recipe: VideoLanguageRecipe, tokenizer: PreTrainedTokenizerFast) -> LlavaOnevisionProcessor:
    edge = recipe.picture_size
    look: dict[str, Any] = {"size": {"height": edge, "width": edge}, "image_mean": MIDDLE, "image_std": MIDDLE}
    return LlavaOnevisionProcessor(
        image_processor=LlavaOnevisionImageProcessor(image_grid_pinpoints=[[edge, edge]], **look),
        tokenizer=tokenizer,
        video_processor=LlavaOnevisionVideoProcessor(**look),
        num_image_tokens=(edge // recipe.patch_size) ** 2,
        vision_feature_select_strategy="full",
        chat_template=CHAT_TEMPLATE,
    )


def model_for(
    recipe: VideoLanguageRecipe, tokenizer: PreTrainedTokenizerFast, seed: int
) -> LlavaOnevisionForConditionalGeneration:
    """The model, with initial weights from this seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LlavaOnevisionForConditionalGeneration(_config(recipe, tokenizer))
    model.generation_config = GenerationConfig(
        eos_token_id=tokenizer.vocab[END], pad_token_id=tokenizer.pad_token_id, do_sample=False
    )
    return model


def _config(recipe: VideoLanguageRecipe, tokenizer: PreTrainedTokenizerFast) -> LlavaOnevisionConfig:
    config = LlavaOnevisionConfig(
        vision_config=_sight(recipe).to_dict(),
        text_config=_speech(recipe, len(tokenizer)).to_dict(),
        image_token_index=tokenizer.vocab[IMAGE],
        video_token_index=tokenizer.vocab[VIDEO],
        vision_feature_layer=-1,
        image_grid_pinpoints=[[recipe.picture_size] * 2],
    )
    config.initializer_range = recipe.spread
    return config


def _sight(recipe: VideoLanguageRecipe) -> SiglipVisionConfig:
    return SiglipVisionConfig(
        hidden_size=recipe.sight_width,
        intermediate_size=4 * recipe.sight_width,
        num_hidden_layers=recipe.sight_layers,
        num_attention_heads=recipe.sight_heads,
        image_size=recipe.picture_size,
        patch_size=recipe.patch_size,
        vision_use_head=False,
    )


def _speech(recipe: VideoLanguageRecipe, words: int) -> Qwen2Config:
    return Qwen2Config(
        vocab_size=words,
        hidden_size=recipe.speech_width,
        intermediate_size=2 * recipe.speech_width,
        num_hidden_layers=recipe.speech_layers,
        num_attention_heads=recipe.speech_heads,
        num_key_value_heads=recipe.speech_heads,
        max_position_embeddings=MOST_TOKENS,
        initializer_range=recipe.spread,
        tie_word_embeddings=False,
    )
