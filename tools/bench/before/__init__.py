"""Freezes what is true before code is moved, and tells what a move has changed.

People's sheets hang on the random salt of each study, so a demo made anew has other judgments and figures of people:
compare those on the same data folder. Figures of models are those of their answers.
"""
