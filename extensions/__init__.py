"""Extensions: folders that the core does not know; each registers itself."""
