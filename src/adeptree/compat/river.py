"""Adapters for River (extra ``river``): a classifier, and a safety net over River models."""

from adeptree.compat.river_classifier import AdeptClassifier as AdeptClassifier
from adeptree.compat.river_net import SafetyNet as SafetyNet
