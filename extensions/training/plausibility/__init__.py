"""A small video network for GRASP's Level 2, trained on clips of the same scenes that are in no pack.

recipes  the training settings, as data
worker, examples  pairs of clips, plausible and not, as small pictures
network  the network, and a folder of its weights
objective  what is trained
trainer, adapter  `train_baseline`, and the model that a run asks
"""

import evaluation.adapters  # noqa: F401  how torch's threads wait is set there, before torch is imported
