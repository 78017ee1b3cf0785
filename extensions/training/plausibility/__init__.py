"""A small video network for GRASP's Level 2, trained on clips of the same scenes that are in no pack.

recipes  the training settings, as data
network  the network, and a folder of its weights
worker, objective  pairs of clips, plausible and not, as small pictures, and what is learnt from them
trainer, adapter  `train_baseline`, and the model that a run asks
"""
