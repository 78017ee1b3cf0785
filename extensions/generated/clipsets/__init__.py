"""Sets of clips that one generator made for a list of prompts: manifest, card, and what is wrong with them."""
