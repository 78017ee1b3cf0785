"""Small models of the site's own, trained on clips that no board shows or on a pack's training splits.

registry  every baseline by name, and who trains it
ordering  one order of `train_baseline`, and what a trainer offers
loop, rates, curves  the one training loop, what its rate does, and what is kept of its curve
folders  a trained model as a folder: there whole or not at all
recipes, lessons, tokenizer, architecture, batches, talking, learning, material, seeing, registering  a small
    LlavaOnevision that sees GRASP's clips
fusion  a small late fusion that sees and hears Tapped's objects
craft  CRAFT's nine trained models
pacs  PACS' late fusion, its four bias tests, CLIP and AudioCLIP
frequencies  CRAFT's heuristics, which are counted and not trained
"""

import evaluation.adapters  # noqa: F401  how torch's threads wait is set there, before torch is imported
