"""A small network that predicts the next frame of a clip; its surprise is the error of this prediction.

recipes  the training settings, as data
network  the network, and a folder of its weights
objective  what is trained
trainer, adapter  `train_baseline`, and the model that a run asks
"""

import evaluation.adapters  # noqa: F401  how torch's threads wait is set there, before torch is imported
