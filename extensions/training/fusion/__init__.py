"""A small late-fusion model of pairs for pictures, sound or both, trained on objects that are in no pack."""
