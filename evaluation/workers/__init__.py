"""The loop that answers shards: recording, refereeing and failure policy."""
