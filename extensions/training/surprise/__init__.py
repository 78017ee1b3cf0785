"""A small network that predicts the next frame of a clip; its surprise is the error of this prediction."""
