"""Small models of the site's own, trained on clips that no board shows.

recipes  what is trained, as data
lessons  a folder of clips -> questions with replies
tokenizer, architecture  a model made from configuration classes, no weights from elsewhere
batches, loop  one training loop
learning  all of it: a folder of clips -> a folder of weights
registering  the weights become a model of the site
"""

import evaluation.adapters  # noqa: F401  how torch's threads wait is set there, before torch is imported
