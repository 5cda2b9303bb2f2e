"""adeptree in scikit-learn (extra ``sklearn``): a classifier, and a net under classifiers of scikit-learn."""

from adeptree.compat.sklearn_classifier import AdeptClassifier as AdeptClassifier
from adeptree.compat.sklearn_net import SafetyNet as SafetyNet
