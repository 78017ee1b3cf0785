"""Small models trained by the site itself, on clips that no leaderboard shows or on a pack's training splits.

registry  every baseline by name, with its trainer
core  the training loop, its schedule and curves, trained models as folders, and their cards
progress, pages  running trainings and curves as data, and as pages
demo  the networks of the demo
video_language  a small LlavaOnevision for GRASP's clips
plausibility  a small video network that judges clips of GRASP's Level 2
fusion  a small late fusion for pictures and sounds of Tapped's objects
craft  CRAFT's nine trained models
pacs  PACS' late fusion, its four bias tests, CLIP and AudioCLIP
frequencies  CRAFT's heuristics, which are counted and not trained
"""

import evaluation.adapters  # noqa: F401  how torch's threads wait is set there, before torch is imported
