"""What estimators take: arrays of any layout without copies, sparse matrices, data frames as the program reads them; what they
refuse, with row and column."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_classification

import neyman
from neyman import _core
from neyman._data import rows_of

PROGRAM = os.environ.get("NEY_PROGRAM")
needs_program = pytest.mark.skipif(not PROGRAM, reason="runs under ctest, which says where the program is")


def data(n=400, seed=0):
    return make_classification(n, n_features=6, class_sep=1.5, flip_y=0.03, random_state=seed)


# ---------------------------------------------------------------------- arrays


def test_every_layout_gives_the_same_bits():
    X, y = data()
    X = X.astype(np.float32).astype(np.float64)  # so that both types hold the same numbers
    wide = np.zeros((400, 12))
    wide[:, ::2] = X
    unaligned = np.frombuffer(b"x" + X.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(X.shape)
    layouts = {"float64": X, "float32": X.astype(np.float32), "fortran": np.asfortranarray(X),
               "fortran32": np.asfortranarray(X.astype(np.float32)), "strided": wide[:, ::2], "reversed": X[::-1][::-1],
               "list": X.tolist(), "object": X.astype(object), "frame": None, "unaligned": unaligned,
               "big-endian": X.astype(">f8")}
    reference = neyman.CostSensitiveClassifier().fit(X, y)
    for name, table in layouts.items():
        if table is None:
            continue
        model = neyman.CostSensitiveClassifier().fit(table, y)
        np.testing.assert_array_equal(model.raw_scores(X), reference.raw_scores(X), err_msg=name)
        np.testing.assert_array_equal(reference.raw_scores(table), reference.raw_scores(X), err_msg=name)
    read_only = X.copy()
    read_only.flags.writeable = False
    np.testing.assert_array_equal(neyman.CostSensitiveClassifier().fit(read_only, y).raw_scores(X), reference.raw_scores(X))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("value", [np.float32, np.float64])
def test_sparse_matrices(index, value):
    X, y = data()
    X = X.astype(np.float32).astype(value)
    X[np.abs(X) < 0.5] = 0
    csr = sparse.csr_matrix(X)
    csr.indices, csr.indptr = csr.indices.astype(index), csr.indptr.astype(index)
    dense = neyman.CostSensitiveClassifier(scale="none").fit(X, y)
    model = neyman.CostSensitiveClassifier().fit(csr, y)  # sparse rows are not scaled by default
    np.testing.assert_array_equal(model.raw_scores(csr), model.raw_scores(X))
    np.testing.assert_allclose(model.raw_scores(X), dense.raw_scores(X), rtol=1e-3, atol=1e-3)
    for other in (csr.tocsc(), csr.tocoo(), sparse.csr_array(csr)):
        np.testing.assert_array_equal(model.raw_scores(other), model.raw_scores(csr))
    unsorted = csr.copy()
    for i in range(unsorted.shape[0]):
        part = slice(unsorted.indptr[i], unsorted.indptr[i + 1])
        unsorted.indices[part], unsorted.data[part] = unsorted.indices[part][::-1].copy(), unsorted.data[part][::-1].copy()
    unsorted.has_sorted_indices = unsorted.has_canonical_format = False
    np.testing.assert_array_equal(model.raw_scores(unsorted), model.raw_scores(csr))


MEASURE = """
import resource, sys, numpy as np
from scipy import sparse
from neyman import _core
from neyman._data import rows_of
kind, n, d = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(0)
X = rng.standard_normal((n, d), dtype=np.float32)
if kind == "fortran":
    X = np.asfortranarray(X)
if kind.startswith("csr"):
    X = sparse.csr_matrix(X)
    if kind == "csr64":
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
y = np.where(rng.random(n) < 0.5, 1, -1).astype(np.int8)
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
def now():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))
_core.fit((np.eye(4), None, None), np.array([1, -1, 1, -1], np.int8), None, None, None, None, [], False, None, 1, None, None)
open("/proc/self/clear_refs", "w").write("5")
before = now()
_core.fit(rows_of(X, None, None).description, y, None, None, None, None,
          [("max-iter", "1"), ("no-fingerprint", "true")], False, None, 1, None, None)
print(peak() - before)
"""


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="needs /proc/self/clear_refs")
@pytest.mark.parametrize("kind", ["c", "fortran", "csr32", "csr64"])
def test_rows_are_not_copied_beyond_the_storage_of_the_library(kind):
    n, d = 200_000, 50
    stored = n * d * (4 if not kind.startswith("csr") else 8) + 8 * n  # values; of CSR also 32-bit columns and offsets
    grown = int(subprocess.run([sys.executable, "-c", MEASURE, kind, str(n), str(d)], check=True, capture_output=True,
                               text=True).stdout)
    workspace = 60 * n  # labels, weights, the solver's numbers per row
    assert stored <= grown < stored + workspace + 8e6, (grown, stored)


def test_arrays_are_borrowed():
    X = np.zeros((5, 3), dtype=np.float32)
    for table in (X, np.asfortranarray(X), X.astype(np.float64), X[:, ::2], X[::-1]):
        assert np.shares_memory(rows_of(table, None, None).description[0], table)
    csr = sparse.csr_matrix(np.eye(3))
    assert all(a is b for a, b in zip(rows_of(csr, None, None).description, (csr.data, csr.indices, csr.indptr)))


# ---------------------------------------------------------------------- data frames


def frame(n=500, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({
        "age": rng.integers(18, 80, n), "income": np.round(rng.lognormal(10, 1, n), 2),
        "city": rng.choice(["Paris", "Berlin", "Zürich", "São Paulo"], n), "time": 1.7e9 + rng.integers(0, 10**6, n),
        "grade": pd.Categorical(rng.choice(["low", "mid", "high"], n), categories=["low", "mid", "high", "top"]),
        "text_number": rng.choice(["1", "2.5", "-3e2"], n), "constant": 4.0})
    odds = (table["age"] > 50) + (table["city"] == "Paris") + 1.5 * (table["grade"] == "high") + rng.normal(0, 0.7, n)
    return table, np.where(odds > 1.2, "yes", "no")


def program(*words, **keywords):
    return subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True, text=True, **keywords).stdout


def scores_of_program(model, csv):
    lines = program("predict", "--scores", model, csv).splitlines()
    column = lines[0].split("\t").index("score")
    return np.array([float(line.split("\t")[column]) for line in lines[1:]])


@needs_program
@pytest.mark.parametrize("options", [{}, {"kernel": "rbf"}, {"scale": "minmax"}, {"scale": "unit"}, {"confidence": None},
                                     {"method": "online"}, {"C": "auto", "scale": "minmax"}], ids=str)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_data_frames_give_the_bits_of_the_program(tmp_path, options):
    table, y = frame()
    csv, model = tmp_path / "rows.csv", tmp_path / "program.model"
    table.assign(label=y).to_csv(csv, index=False)
    words = [w for name, value in {"C": "1", **options}.items() for w in ("--" + name, "none" if value is None else value)]
    program("train", "--max-fpr", "0.1", *words, csv, "-o", model)
    estimator = neyman.NeymanPearsonClassifier(max_fpr=0.1, **options).fit(table, y)
    scores = scores_of_program(model, csv)
    np.testing.assert_array_equal(estimator.raw_scores(table), scores)
    estimator.save(tmp_path / "python.model")
    np.testing.assert_array_equal(scores_of_program(tmp_path / "python.model", csv), scores)
    loaded = neyman.load(model)
    np.testing.assert_array_equal(loaded.raw_scores(table), scores)
    np.testing.assert_array_equal(loaded.raw_scores(pd.read_csv(csv).drop(columns="label")), scores)
    np.testing.assert_array_equal(loaded.predict(table), estimator.predict(table))
    assert loaded.certificate_ == estimator.certificate_ and loaded.max_fpr == 0.1
    labels = program("predict", model, csv).split()
    assert labels == estimator.predict(table).tolist()


@needs_program
def test_missing_cells_as_in_the_program(tmp_path):
    table, y = frame()
    rng = np.random.default_rng(3)
    table["income"] = table["income"].mask(rng.random(500) < 0.1)
    table["city"] = table["city"].mask(rng.random(500) < 0.1)
    table.loc[rng.random(500) < 0.1, "text_number"] = "?"
    csv, model = tmp_path / "rows.csv", tmp_path / "program.model"
    table.assign(label=y).to_csv(csv, index=False)
    program("train", "--max-fpr", "0.1", "-C", "1", "--missing", "mean", csv, "-o", model)
    estimator = neyman.NeymanPearsonClassifier(max_fpr=0.1, missing="mean").fit(table, y)
    np.testing.assert_array_equal(estimator.raw_scores(table), scores_of_program(model, csv))
    with pytest.raises(ValueError, match=r"NaN: row \d+, column \d \('(income|city|text_number)'\)"):
        neyman.NeymanPearsonClassifier(max_fpr=0.1).fit(table, y)


def test_columns_of_data_frames():
    table, y = frame()
    model = neyman.CostSensitiveClassifier().fit(table, y)
    assert list(model.feature_names_in_) == list(table.columns) and model.n_features_in_ == 7
    other = table.copy()
    other.loc[:9, "city"] = "Oslo"
    with pytest.warns(UserWarning, match="'city' has 10 cells .* 'Oslo'"):
        model.predict(other)
    as_words = table.assign(city=table["city"].astype("category"), grade=table["grade"].astype(object))
    np.testing.assert_array_equal(model.raw_scores(as_words), model.raw_scores(table))
    np.testing.assert_array_equal(neyman.CostSensitiveClassifier().fit(as_words, y).raw_scores(table), model.raw_scores(table))
    with pytest.raises(ValueError, match="data frame"):
        model.predict(table.to_numpy())
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table.drop(columns="age"))
    with pytest.raises(ValueError, match="'age' holds 'old', which is no number, among"):
        neyman.CostSensitiveClassifier().fit(table.assign(age=["old", *table["age"].astype(str)[1:]]), y)
    with pytest.raises(ValueError, match="too many for categories"):
        neyman.CostSensitiveClassifier().fit(pd.concat([table] * 3).assign(city=[f"c{i}" for i in range(1500)]), np.tile(y, 3))
    with pytest.raises(TypeError, match="Timestamp"):
        neyman.CostSensitiveClassifier().fit(table.assign(age=pd.Timestamp("2020-01-01")), y)
    numeric = table[["age", "income", "time"]].astype(np.float64)
    assert np.shares_memory(rows_of(numeric, ["a", "b", "c"], None).description[0], numeric.to_numpy())
    nullable = numeric.astype("Float64")
    np.testing.assert_array_equal(neyman.CostSensitiveClassifier().fit(nullable, y).raw_scores(numeric),
                                  neyman.CostSensitiveClassifier().fit(numeric, y).raw_scores(numeric))


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("value, part", [(np.nan, "NaN: row 7, column 2"), (np.inf, "infinity: row 7, column 2"),
                                         (1e300, "row 7, column 2")])
def test_errors_name_row_and_column(value, part):
    X, y = data()
    model = neyman.CostSensitiveClassifier().fit(X, y)
    X[7, 2] = value
    with pytest.raises(ValueError, match=part):
        neyman.CostSensitiveClassifier().fit(X, y)
    with pytest.raises(ValueError, match=part):
        model.predict(X)
    named = pd.DataFrame(X, columns=list("abcdef"))
    with pytest.raises(ValueError, match=part + r" \('c'\)"):
        neyman.CostSensitiveClassifier().fit(named, y)


def test_hostile_input_raises():
    X, y = data()
    model = neyman.CostSensitiveClassifier().fit(X, y)
    csr = sparse.csr_matrix(X)
    beyond = csr.copy()
    beyond.indices = beyond.indices + 3
    short = csr.copy()
    short.indptr = short.indptr + 5
    back = csr.copy()
    back.indptr = back.indptr[::-1].copy()
    for bad in (beyond, short, back):
        for call in (lambda: neyman.CostSensitiveClassifier().fit(bad, y), lambda: model.predict(bad)):
            with pytest.raises(ValueError):
                call()
    for bad in (X[0], X[:, :0], X[:0], X[None], [], "text", X + 1j, np.array([["a", "b"]] * 400), None):
        with pytest.raises((ValueError, TypeError)):
            neyman.CostSensitiveClassifier().fit(bad, y)
    for bad in (y[:-1], np.zeros(400), X[:, 0], y[:, None] * [1, 1], None, [None] * 400):
        with pytest.raises((ValueError, TypeError)):
            neyman.CostSensitiveClassifier().fit(X, bad)
    with pytest.raises(ValueError, match="multiclass"):
        neyman.CostSensitiveClassifier().fit(X, np.arange(400) % 3)
    with pytest.raises(ValueError, match="groups"):
        neyman.CostSensitiveClassifier().fit(X, y, groups=[1, 2])
    with pytest.raises(ValueError, match="6 features"):
        model.predict(X[:, :3])


def test_the_extension_checks_what_it_is_given():
    """Whatever Python passes, no call reads outside an array."""
    X, y = np.zeros((6, 2)), np.array([1, -1] * 3, np.int8)
    csr = sparse.csr_matrix(np.ones((6, 2)))
    good = (csr.data, csr.indices, csr.indptr, 2, None)

    def fit(rows, labels=y, weights=None, groups=None, options=(), before=None):
        return _core.fit(rows, labels, None, None, weights, groups, list(options), False, before, 1, None, None)

    model = fit(good)[0]
    bad_rows = [(X[0], None, None), (X.astype(np.int64), None, None), (X[None], None, None), (X, ("a",), None),
                (X, ("a", 3), None), (X, ("a", "b\0"), None), (X, ("a", "a"), None), (X, None, ((), None)),
                (X, ("a", "b"), (("x",), None, None)), (X, ("a", "b"), (3, None)), (csr.data[:3], csr.indices, csr.indptr, 2, None),
                (csr.data, csr.indices[:3], csr.indptr, 2, None), (csr.data, csr.indices, csr.indptr[:0], 2, None),
                (csr.data, csr.indices, csr.indptr, -1, None), (csr.data, csr.indices, csr.indptr, 1, None),
                (csr.data, csr.indices.astype(np.int16), csr.indptr, 2, None), (), (X,), None, 3]
    for k, rows in enumerate(bad_rows):
        with pytest.raises((TypeError, ValueError, BufferError)):
            fit(rows)
        if k != 6:  # a model without names does not look at names
            with pytest.raises((TypeError, ValueError, BufferError)):
                model.predict(rows, np.empty(6), None, 1)
    for keywords in ({"labels": y[:3]}, {"labels": y.astype(float)}, {"weights": np.ones(6)}, {"weights": np.ones(3, np.float32)},
                     {"groups": np.ones(2, np.uint64)}, {"options": [("C",)]}, {"options": [("C", "x")]},
                     {"options": [("nonsense", "1")]}, {"before": 3}, {"before": X}):
        with pytest.raises((TypeError, ValueError)):
            fit(good, **keywords)
    with pytest.raises((TypeError, ValueError)):
        model.predict(good, np.empty(3), None, 1)
    with pytest.raises(TypeError):
        _core.Model()
    with pytest.raises(ValueError):
        _core.model_parse(b"neyman-model 4\nnonsense")
    with pytest.raises(OSError):
        _core.model_read("/nonexistent/model")


def available_memory():
    with open("/proc/meminfo") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))


def test_more_than_2_to_31_elements():
    """An array of more than 2^31 elements by strides of 0: offsets are 64-bit, and nothing is copied in Python."""
    rows = 2**31 + 10
    X = np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), shape=(rows, 1), strides=(0, 4))
    borrowed = rows_of(X[:5], None, None).description[0]
    assert np.shares_memory(borrowed, X)
    y, seen = data(), []
    model = neyman.CostSensitiveClassifier().fit(y[0][:, :1], y[1])

    def stop(*progress):
        seen.append(progress)
        raise KeyboardInterrupt

    if available_memory() < 6e10:  # 8 GB of features and as much again of labels: refused or interrupted, never a crash
        huge = np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), shape=(2**40, 64), strides=(0, 0))
        with pytest.raises((MemoryError, ValueError)):
            _core.fit((huge, None, None), np.zeros(1, np.int8), None, None, None, None, [], False, None, 1, stop, None)
        with pytest.raises((MemoryError, ValueError)):
            model._model.predict((huge, None, None), np.empty(1), None, 1)


@pytest.mark.parametrize("dtype", ["datetime64[s]", "datetime64[D]", "timedelta64[s]"])
def test_dates_and_durations_are_refused(dtype):
    """NumPy would turn them into numbers that depend on their unit."""
    X, y = np.arange(400).reshape(200, 2).astype(dtype), np.arange(200) % 2
    numbers = X.astype(float)
    model = neyman.CostSensitiveClassifier().fit(numbers, y)
    for wrong in (X, list(X)):
        with pytest.raises(ValueError, match="X: expected numbers, found (datetime|timedelta)64"):
            neyman.CostSensitiveClassifier().fit(wrong, y)
        with pytest.raises(ValueError, match="X: expected numbers"):
            model.predict(wrong)
    with pytest.raises(ValueError, match="sample_weight: expected numbers"):
        model.fit(numbers, y, sample_weight=X[:, 1])
    with pytest.raises(ValueError, match="scores: expected numbers"):
        neyman.roc(y, X[:, 0])
