"""adeptree in River (extra ``river``): a classifier, and a net under classifiers of River."""

from adeptree.compat.river_classifier import AdeptClassifier as AdeptClassifier
from adeptree.compat.river_net import SafetyNet as SafetyNet
