"""A tokenizer trained on the given texts: whole words of the texts, bytes for anything else."""

from collections.abc import Iterable

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

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
