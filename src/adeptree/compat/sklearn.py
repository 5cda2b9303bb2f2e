"""Adapters for scikit-learn (extra ``sklearn``): a classifier, and a safety net over classifiers."""

from adeptree.compat.sklearn_classifier import AdeptClassifier as AdeptClassifier
from adeptree.compat.sklearn_net import SafetyNet as SafetyNet
