"""The effect of sound, the items it changes, and results by word or object: pages without stored figures."""
