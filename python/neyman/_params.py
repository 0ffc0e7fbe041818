"""Parameters of the estimators as options of the library, and their documentation."""

from __future__ import annotations

import inspect
import math
import numbers
import os
import re
import textwrap
from typing import Any, Iterable

import numpy as np

from . import _core

__all__ = ["default_of", "document", "option_of", "option_pairs", "parameter_of", "thread_count", "translate"]

OPTIONS = {row["name"]: row for row in _core.options_info()}

# scikit-learn has names for these already, or the option's own says too little outside a command line.
RENAMED = {"seed": "random_state", "cache": "cache_size", "features": "fourier_features"}
_OPTION_OF = {name: option for option, name in RENAMED.items()}


_DASHED = re.compile(r"(?<![\w-])(?:" + "|".join(name for name in OPTIONS if "-" in name) + r")(?![\w-])")


def parameter_of(option: str) -> str:
    """The name of an option as a parameter."""
    return RENAMED.get(option, option.replace("-", "_"))


def option_of(parameter: str) -> str:
    """The option that a parameter sets."""
    return _OPTION_OF.get(parameter, parameter.replace("_", "-"))


def default_of(option: str) -> Any:
    """The default of an option, as a value of Python."""
    row = OPTIONS[option]
    initial, words = row["initial"], (row["choices"] or "").split()
    if row["kind"] == "text" or math.isnan(initial):
        return None
    if row["kind"] == "flag":
        return bool(initial)
    if row["kind"] == "choice":
        return words[int(initial)]
    word = initial - row["low"]  # words for numbers count from the lowest
    if words and words != ["none"] and 0 <= word < len(words) and word == int(word):
        return words[int(word)]
    return int(initial) if row["kind"] in ("int", "sizes") else float(initial)


def _as_text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, dict):  # a grid
        return " ".join(f"{option_of(name)}={_as_text(axis)}" for name, axis in value.items())
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, Iterable):
        return ",".join(_as_text(item) for item in value)
    raise ValueError(f"expected a number, a text or a list of these, found {type(value).__name__}")


def option_pairs(params: dict[str, Any], names: Iterable[str]) -> list[tuple[str, str]]:
    """Options that do not have their defaults, as texts."""
    pairs = []
    for name in names:
        option = option_of(name)
        value = params[name]
        default = default_of(option)
        if value is default or (value is not None and type(value) is type(default) and value == default):
            continue
        try:
            pairs.append((option, _as_text(value)))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return pairs


def translate(message: str) -> str:
    """A message of the library, with parameters in place of command-line options."""
    text = re.sub(r"(?<![\w-])--([A-Za-z][a-z0-9]*(?:-[a-z0-9]+)*)", lambda found: parameter_of(found[1]), message)
    text = _DASHED.sub(lambda found: parameter_of(found[0]), text)
    return text.replace("missing = mean", 'missing="mean"').replace("missing mean", 'missing="mean"')


def thread_count(threads: int | None) -> int:
    """Threads of a call. None: as many as the process may use; workers of joblib are told by OMP_NUM_THREADS."""
    if threads is not None:
        if not isinstance(threads, numbers.Integral) or threads < 1:
            raise ValueError(f"threads={threads!r}: expected None or an integer of at least 1")
        return int(threads)
    try:
        limit = int(os.environ.get("OMP_NUM_THREADS", "0").split(",")[0])
    except ValueError:
        limit = 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(limit, cores) if limit > 0 else cores


# ---------------------------------------------------------------------- documentation

DESCRIPTIONS = {
    "max_fpr": ("float, optional", "Bound on the false-positive rate; 0.01 if neither bound is given."),
    "max_fnr": ("float, optional", "Bound on the false-negative rate. With both bounds, rows between two thresholds are "
                                   "rejected."),
    "max_fdr": ("float or list of float", "Share of false discoveries among the accepted rows. Positives are targets, "
                                          "negatives are decoys. Of several the first is that of ``predict``. A "
                                          "bound of 0.01 needs 100 accepted targets or more."),
    "confidence": ("float or None", "Probability with which the bound holds on new data. Rows of the bounded class are held "
                                    "out for it. None: the bound holds on the training rows only, and new data are expected "
                                    "to exceed it."),
    "holdout": ("float, optional", "Share of the bounded class that is held out; by default as much as is needed. Where no "
                                   "rate is certified, share of each class for ``conformal``, 0.25 by default."),
    "cost_fn": ("float", "Cost of a false negative: the loss of positives is multiplied by it. Of "
                         "NeymanPearsonClassifier only ``method=\"convex\"`` reads it."),
    "cost_fp": ("float", "Cost of a false positive: the loss of negatives is multiplied by it. Of "
                         "NeymanPearsonClassifier only ``method=\"convex\"`` reads it."),
    "reject_cost": ("float", "Cost of rejecting a row, in units of ``cost_fn`` and ``cost_fp``. From half of an error on, rejecting "
                             "never pays and no row is rejected."),
    "reject_cost_fn": ("float, optional", "Cost of rejecting a positive, where it differs."),
    "reject_cost_fp": ("float, optional", "Cost of rejecting a negative, where it differs."),
    "rule": ("{\"grandvalet\", \"bartlett-wegkamp\"}", "Which scores are rejected: doc/concepts/reject.md."),
    "delta0": ("float, optional", "Share of the margin that \"bartlett-wegkamp\" rejects; 0.5 by default."),
    "C": ("float or \"auto\"", "Penalty on training errors. With one bounded rate it applies to the other class; the penalty on the "
                              "bounded class is determined by the constraint. \"auto\", with one bounded rate: C, the costs of an SVM "
                              "and gamma are chosen by a small search on the training rows, as the program's ``train`` does."),
    "kernel": ("{\"linear\", \"rbf\", \"poly\", \"sigmoid\", \"auto\"}",
               "The kernel. \"auto\", with one bounded rate: linear or rbf, chosen with C and gamma on held-out folds."),
    "gamma": ("float or \"scale\"", "Coefficient of the kernels rbf, poly and sigmoid. \"scale\": 1 / (columns * variance)."),
    "degree": ("int", "Degree of the poly kernel."),
    "coef0": ("float", "Constant of the poly and sigmoid kernels."),
    "method": ("str", "How the model is found; \"auto\" takes what suits the goal. \"online\" learns one row at a time: "
                      "linear models, networks and random features, with ``partial_fit`` for one bounded rate and for "
                      "rejection."),
    "eta": ("float", "Half the width of the ramp loss, for bounded rates and ``method=\"ramp\"``."),
    "start": ("int", "0, or the seed of a random start of a bounded rate."),
    "at_k": ("int", "How many rows ``method=\"perf\"`` is to call positive; 0: as many as are."),
    "loss": ("{\"ramp\", \"sigmoid\"}", "Online: the loss that stands for an error."),
    "epochs": ("int", "Online: passes over the data; 0: until checks no longer improve."),
    "network": ("int or sequence of int", "Online: units of a hidden layer, or of two: ``(64, 32)``; 0: none."),
    "activation": ("{\"tanh\", \"relu\"}", "What a unit of a network makes of the sum of its inputs."),
    "batch": ("int", "Online: rows that a network takes at once, at most 256; 0: 32."),
    "fourier_features": ("int", "Online: number of random Fourier features of the rbf kernel; 0: none."),
    "trees": ("int or \"auto\"", "Boosted trees, this many rounds; \"auto\": until the held-out loss no longer improves; 0: none. Training needs "
                                 "libxgboost."),
    "depth": ("int", "Trees: most splits between the root and a leaf."),
    "learning_rate": ("float", "Trees: factor of each tree; smaller values need more rounds."),
    "subsample": ("float", "Trees: share of the rows that each tree is grown on."),
    "min_child": ("float", "Trees: least sum of the curvatures of the loss in a leaf."),
    "validation": ("float, optional", "Online: share of rows kept out for checks; by default none of few rows, 5000 of many."),
    "checkpoint": ("path, optional", "Online: a file that keeps the state of the run."),
    "checkpoint_every": ("float", "Online: seconds between two checkpoints."),
    "resume": ("bool", "Online: continue from the checkpoint, if it exists."),
    "conformal": ("bool", "Calibrate p-values on held-out rows, for ``p_values``."),
    "conformal_folds": ("int", "Calibrate p-values on all rows, held out in this many folds, instead; 0: no."),
    "fdr_convention": ("{\"targets\", \"all\"}", "Decoys over targets, or decoys over all accepted rows."),
    "compete": ("bool", "State that one decoy competed with each target. Default: determined by the data."),
    "no_compete": ("bool", "No rows compete: every row counts."),
    "size_correct": ("bool", "Multiply by targets / (decoys + 1); the default without competition."),
    "plus_one": ("bool", "Count one more decoy; the default."),
    "no_plus_one": ("bool", "Do not count one more decoy: an estimate without the bound of the theorem."),
    "spectrum": ("str, optional", "Names of columns; rows that agree in them stay in one fold and compete."),
    "init_weights": ("str, optional", "A weights file of Percolator, or a linear model, where the search begins."),
    "training_rows": ("int", "Learn from about as many rows, whole spectra drawn at random, and score all; 0: all."),
    "calibrate": ("float, optional", "Share of all rows that is held out to fit probabilities to the scores, for "
                                     "``neyman predict --probability`` on the saved model."),
    "calibrate_folds": ("int", "Fit these probabilities to out-of-fold scores of so many folds instead: no row is lost, and no statement of "
                               "validity is made; 0: do not."),
    "scale": ("{\"default\", \"none\", \"standard\", \"minmax\", \"unit\", \"rank\", \"asinh\", \"auto\"}",
              "How columns are scaled, fitted on the rows that are learned from. \"default\": standard for dense arrays and "
              "data frames, none for sparse matrices. \"auto\": for each column the one of standard, asinh and rank that "
              "correlates most with the labels of these rows."),
    "missing": ("{\"error\", \"mean\", \"median\", \"indicator\", \"keep\"}",
                "What is done with NaN: an error that names row and column; the mean or the median of the column; the median and, for "
                "each column with NaN among the rows that are learned from, a feature that is 1 where it is missing; or kept, for "
                "families that score missing values. Trees keep NaN by default, and with \"error\" too. A missing category is none of the "
                "categories."),
    "tol": ("float", "Largest violation of an optimality condition at which the solver stops."),
    "max_iter": ("int", "Most iterations of the solver; 0: no practical limit."),
    "max_time": ("float", "Most seconds; 0: no limit."),
    "cache_size": ("float", "Megabytes for kernel rows; 0: a quarter of the memory."),
    "no_fingerprint": ("bool", "Keep no hashes of training rows in the model; certificates on rows that were used in training "
                               "are then not recognised."),
    "random_state": ("int", "Seed of whatever is drawn at random. Equal data, parameters and seed give the same bits."),
    "grid": ("str or dict, optional", "Values to try, such as ``{\"C\": \"0.1:1000:9\", \"gamma\": [0.01, 0.1]}``; by default "
                                      "they depend on goal and kernel."),
    "folds": ("int", "Folds of the cross-validation."),
    "criterion": ("str", "What is minimised over the folds; \"auto\" suits the goal."),
    "at": ("float, optional", "Rate up to which ``criterion=\"pauc\"`` is measured."),
    "no_extend": ("bool", "Keep the grid as it is even if the best point is at its edge."),
    "refine": ("int", "How often half steps around the best point are tried."),
    "average": ("int", "How many of the best points the model is the mean of."),
    "table": ("path, optional", "A file that keeps all results, so that an interrupted search continues."),
    "fresh": ("bool", "Ignore what the table holds."),
    "search_rows": ("int or \"auto\" or \"all\"", "Rows of each class that a fit of the search learns from; the best points are "
                                                "compared on all rows. \"auto\": a part where there are many rows and no kernel."),
    "pos_label": ("optional", "The positive label; by default the larger one."),
    "reject_label": ("optional", "The prediction for rejected rows. By default \"rejected\" for labels that are strings, else "
                                 "-1, or 0 if -1 is a class."),
    "threads": ("int, optional", "Threads of the library; by default one per core (or ``OMP_NUM_THREADS``). The result does "
                                 "not depend on it."),
    "verbose": ("int", "1: a progress bar (tqdm if it is installed); 2: messages of the library too."),
}


def _entry(name: str, default: Any) -> str:
    kind, text = DESCRIPTIONS[name]
    shown = "" if "optional" in kind else f", default={str(default) if not isinstance(default, str) else chr(34) + default + chr(34)}"
    return f"{name} : {kind}{shown}\n" + textwrap.fill(text, 112, initial_indent="    ", subsequent_indent="    ")


def document(cls: type) -> type:
    """Fill in the section on parameters of a class's docstring, from its signature."""
    entries = [_entry(name, p.default) for name, p in inspect.signature(cls).parameters.items()]
    cls.__doc__ = inspect.cleandoc(cls.__doc__ or "").replace("{parameters}", "\n".join(entries))
    return cls
