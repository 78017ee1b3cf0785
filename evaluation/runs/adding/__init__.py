"""How a model is added."""
