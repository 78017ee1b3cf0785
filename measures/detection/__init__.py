"""Signals against noise: ROC curves, margins, moments, surprise."""
