"""Packs as tasks that other tools run unchanged, and as data sets of the Hugging Face hub.

tasks    what a strategy asks of each item, as this site asks it, or why a tool can't
media    the clips, pictures and sounds of tasks as files
folders  the folder of a tool: questions, labels, this site's own scorer, how to run it and how to come back
hub      a data set's card, its eval.yaml, and results of listed runs
shipped  files that go into the folders as they are; nothing here imports them
"""
