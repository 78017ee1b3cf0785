"""Pictures of the pages, and what the pages show of clips made here."""
