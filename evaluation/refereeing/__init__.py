"""Scoring by a model: a referee reads what another model said and gives points on the dimensions of a rubric.

A refereeing is a run of its own (kind `referee`) over the cells of the run that it judges: its questions are leased in
shards, kept, resumed and carded like any others. What it says is kept; the points become Score rows of the judged run.
"""
