"""Ratings and votes of people about clips that generators made: figures of rows, strengths, and agreement of judges."""
