"""The site's own small video-language model: its clips, objective, trainer and tokenizer."""
