"""Scoring by a model: a referee reads another model's replies and scores them on the dimensions of a rubric.

A refereeing is a run of its own (kind `referee`) over the cells of the judged run. It is leased in shards, resumed and
documented by a card like any other run. Its replies are stored; the points become scores of the judged run.
"""
