"""The models trained in PACS' paper: late fusion, its four bias tests, CLIP and AudioCLIP by similarity.

recipes  the models as data, with the paper's figures
backbones  pretrained backbones from a folder or by name, small ones from their configuration classes
inputs, frames  a backbone's input from frames and sound, augmented in training as in the paper
network  the two kinds of network and what they share, built, saved and opened again
examples  a pack's questions and objects
objective  what is trained, for the site's training loop
trainer, adapter  `train_baseline`, and the model that a run asks
"""
