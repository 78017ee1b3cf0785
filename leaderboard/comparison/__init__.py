"""Comparisons of two rows paired by item: two models, humans and models, with and without sound."""
