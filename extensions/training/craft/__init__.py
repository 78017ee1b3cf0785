"""CRAFT's trained baselines (Ates et al. 2022, section 4), implemented from the paper without the original code.

recipes  the nine models and their sizes, as data
vocabulary  questions and answers as numbers
encoders, networks  the parts of the networks, and one network by its recipe, saved as a folder
examples  a pack's training questions and the frames of their clips, and what is learnt from them
video_ablation  the same network with other questions' videos
trainer, adapter  `train_baseline`, and the model that a run asks
"""
