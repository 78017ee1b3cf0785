"""Classifiers trained on a part of a pack, or of a benchmark's clips, that give probabilities for the rest.

Several have the same input: a linear one for additive effects, and trees for interactions. Their probabilities are
averaged, so that nobody can choose the better one afterwards.
"""

from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

COMPONENTS = 24


def logistic(**more: object) -> Pipeline:
    return make_pipeline(StandardScaler(), LogisticRegression(C=0.3, max_iter=500, **more))


def trees(count: int = 200, **more: object) -> ExtraTreesClassifier:
    """Extremely randomised trees (Geurts, Ernst & Wehenkel 2006), for thresholds and interactions."""
    return ExtraTreesClassifier(count, min_samples_leaf=4, max_features=0.5, random_state=0, **more)


def components(samples: int, **more: object) -> Pipeline:
    """Logistic regression on the first principal components of pictures, up to the number that the samples allow."""
    reduce = PCA(min(COMPONENTS, samples - 1), svd_solver="randomized", random_state=0)
    return make_pipeline(reduce, StandardScaler(), LogisticRegression(C=0.3, max_iter=500, **more))
