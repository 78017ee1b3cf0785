"""A small late-fusion model of pairs for pictures, sound or both, trained on objects that are in no pack.

examples  recordings of objects -> questions about two of them
recipes  the training settings, as data
network  the model, and a folder of its weights
objective  what is trained
trainer, adapter  `train_baseline`, and the model that a run asks
"""

import evaluation.adapters  # noqa: F401  how torch's threads wait is set there, before torch is imported
