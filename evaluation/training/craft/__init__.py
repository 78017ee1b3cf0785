"""CRAFT's trained baselines (Ates et al. 2022, section 4), from their description; no line is from the original code.

recipes  the nine models and their sizes, as data
words  questions and answers as numbers
residual  ResNet-18 and R3D-18 from their definitions
reading, mac, tvqa, tvqa_plus  the networks; networks  one by its recipe
lessons, sights  a pack's training questions and what is seen of their clips
course  what is taught, for the one training loop
looking  the same network given other questions' videos
trainer, saving  `train_baseline` and the folder of weights
"""
