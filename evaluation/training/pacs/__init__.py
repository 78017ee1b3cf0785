"""The models that PACS' paper trained: late fusion, its four bias tests, CLIP and AudioCLIP by similarity.

recipes  what is trained, as data, with the paper's figures
shapes  backbones built small from their configuration classes
backbones  the same from a folder or by name, with weights that others trained
pictures, sounds  what a backbone is given of frames and of sound, altered in training as in the paper
fusing, comparing  the two kinds of network
saving  a folder of weights, and back
material  a pack's questions and objects
course  how they are taught, for the site's training loop
trainer  `train_baseline`'s side
"""

import evaluation.adapters  # noqa: F401  how torch's threads wait is set there, before torch is imported
