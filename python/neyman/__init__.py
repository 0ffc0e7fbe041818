"""Binary classification with bounded or costly errors.

Thresholds with a guarantee for the scores of any classifier, and classifiers that are trained for a bound on an error rate,
for costs, or for a bounded false-discovery rate. The library behind it is libneyman.

>>> import neyman
>>> neyman.plan(max_fpr=0.01, confidence=0.95).rows_needed
299
"""

from ._certificate import Certificate, CertificatePair, Plan, PlanPoint, certify, plan
from ._certified import CertifiedClassifier, certify_estimator
from ._core import version as __version__
from ._display import CertificateDisplay, ErrorRejectDisplay, PathDisplay, RocDisplay
from ._estimators import (CostSensitiveClassifier, FalseDiscoveryClassifier, NeymanPearsonClassifier,
                          NeymanPearsonClassifierCV, RejectClassifier, load)
from ._errors import NotCertifiableError
from ._monitor import Monitor
from ._path import PathClassifier, PathCurve, RocPath
from ._report import report
from ._scores import ConformalPValues, RocCurve, conformal, interval, pep, qvalues, roc

__all__ = [
    "Certificate", "CertificateDisplay", "CertificatePair", "CertifiedClassifier", "ConformalPValues",
    "CostSensitiveClassifier", "ErrorRejectDisplay", "FalseDiscoveryClassifier", "Monitor", "NeymanPearsonClassifier",
    "NeymanPearsonClassifierCV", "NotCertifiableError", "PathClassifier", "PathCurve", "PathDisplay", "Plan",
    "PlanPoint", "RejectClassifier", "RocCurve", "RocDisplay", "RocPath", "certify", "certify_estimator", "conformal",
    "interval", "load", "pep", "plan", "qvalues", "report", "roc",
]
