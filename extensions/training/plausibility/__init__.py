"""A small video network for GRASP's Level 2, trained on clips of the same scenes that are in no pack.

trainer  `train_baseline`, and its settings, as data
network  the network, a folder of its weights, and the model that a run asks
worker, objective  pairs of clips, plausible and not, as small pictures, and what is learnt from them
"""
