"""A small late-fusion model of pairs: it sees, hears or does both, and is trained on objects that no pack holds.

pairs  recordings of objects -> questions about two of them
recipes  how it is trained, as data
network  the model
course  its training
saving  a folder of weights
baseline  the weights become a model of the site
"""

import evaluation.adapters  # noqa: F401  how torch's threads wait is set there, before torch is imported
