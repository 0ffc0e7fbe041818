"""Files of NumPy and SciPy as data of the program: every type, order and compression gives the scores of the same numbers in CSV;
what convert writes, NumPy and SciPy read; archives that are damaged, nested or of other forms are refused."""

import io
import os
import subprocess
import zipfile

import numpy as np
import pytest
from scipy import sparse

PROGRAM = os.environ.get("NEY_PROGRAM")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="runs under ctest, which says where the program is")


def run(*args, cwd, code=0):
    done = subprocess.run([PROGRAM, *map(str, args)], cwd=cwd, capture_output=True, text=True, errors="replace")
    assert done.returncode == code, (args, done.returncode, done.stderr, done.stdout)
    return done.stderr if code else done.stdout


def cells(seed=1, rows=60, cols=4):
    rng = np.random.default_rng(seed)
    X = rng.integers(-20, 20, size=(rows, cols)).astype(float)
    X[rng.random(X.shape) < 0.3] = 0
    y = (X[:, 0] + X[:, 1] + rng.normal(size=rows) > 0).astype(int)
    return X, y


@pytest.fixture
def csv(tmp_path):
    X, y = cells()
    header = "a,b,c,d,y"
    np.savetxt(tmp_path / "d.csv", np.column_stack([X, y]), delimiter=",", header=header, comments="", fmt="%.10g")
    run("train", "-q", "d.csv", "-o", "m", cwd=tmp_path)
    return tmp_path, X, y, run("predict", "m", "d.csv", "--scores", cwd=tmp_path)


def test_every_type_and_order_has_the_scores_of_csv(csv):
    folder, X, y, scores = csv
    names = np.array(list("abcd"))
    types = ["f2", "f4", "f8", "i1", "i2", "i4", "i8"]
    for order in "<>":
        for kind in types:
            for cell_order in "CF":
                A = np.array(X.astype(order + kind), order=cell_order)
                np.savez(folder / "x.npz", X=A, y=y, names=names)
                assert run("predict", "m", "x.npz", "--scores", cwd=folder) == scores, (order, kind, cell_order)
    for kind in ["u1", "u2", "u4", "u8", "?"]:
        A = np.abs(X).astype(kind)
        np.savez(folder / "x.npz", X=A, names=names)
        np.savetxt(folder / "x.csv", A.astype(float), delimiter=",", header="a,b,c,d", comments="", fmt="%.10g")
        assert run("predict", "m", "x.npz", "--scores", cwd=folder) == run("predict", "m", "x.csv", "--scores", cwd=folder)


def test_training_is_that_of_csv(csv):
    folder, X, y, scores = csv
    np.savez_compressed(folder / "z.npz", X=X, y=y, names=list("abcd"))
    np.save(folder / "all.npy", np.column_stack([X, y]))
    np.savez(folder / "words.npz", X=X, y=np.where(y, "yes", "no"))
    np.savez(folder / "plain.npz", X, y)
    for name, options in [("z.npz", []), ("all.npy", ["--label", "5"]), ("words.npz", []), ("plain.npz", [])]:
        run("train", "-q", name, *options, "-o", "m2", cwd=folder)
        ours = run("predict", "m2", name, "--scores", cwd=folder).replace("yes", "1").replace("no", "0")
        assert ours == scores, name
    many = np.where(y, 3, np.arange(len(y)) % 2)
    np.savez(folder / "many.npz", X=X, y=many)
    assert "--rest" in run("train", "-q", "many.npz", "-o", "m3", cwd=folder, code=3)
    run("train", "-q", "many.npz", "--positive", "3", "--rest", "-o", "m3", cwd=folder)
    np.savez(folder / "w.npz", X=X, y=y, weight=np.full(len(y), 2.0))
    assert "has weights                        yes" in run("info", "w.npz", cwd=folder)


def test_sparse_matrices(csv):
    folder, X, y, scores = csv
    S = sparse.csr_matrix(X)
    sparse.save_npz(folder / "s.npz", S)
    sparse.save_npz(folder / "t.npz", S, compressed=False)
    predicted = [line.rsplit("\t", 1)[0] for line in scores.splitlines()]
    for name in ["s.npz", "t.npz"]:
        assert run("predict", "m", name, "--scores", cwd=folder).splitlines() == predicted
    backwards = S.copy()
    for i in range(len(y)):  # columns of a row in another order
        part = slice(S.indptr[i], S.indptr[i + 1])
        backwards.indices[part] = S.indices[part][::-1]
        backwards.data[part] = S.data[part][::-1]
    backwards.has_sorted_indices = False
    arrays = dict(data=backwards.data, indices=backwards.indices, indptr=backwards.indptr, shape=S.shape, format=np.array(b"csr"))
    np.savez(folder / "u.npz", y=y, **arrays)
    run("convert", "-q", "u.npz", "u.svm", cwd=folder)
    run("convert", "-q", "d.csv", "d.svm", cwd=folder)
    assert (folder / "u.svm").read_text() == (folder / "d.svm").read_text()
    sparse.save_npz(folder / "c.npz", sparse.csc_matrix(X))
    assert "tocsr" in run("info", "c.npz", cwd=folder, code=3)
    twice = dict(arrays, indices=np.zeros_like(backwards.indices))
    np.savez(folder / "v.npz", **twice)
    assert "twice" in run("convert", "v.npz", "v.svm", cwd=folder, code=3)
    np.savez(folder / "v.npz", **dict(arrays, indptr=backwards.indptr[::-1]))
    assert "indptr" in run("convert", "v.npz", "v.svm", cwd=folder, code=3)
    assert "y" in run("train", "u.npz", "--label", "1", "-o", "x", cwd=folder, code=2)


def test_what_is_written_is_read(csv):
    folder, X, y, _ = csv
    run("convert", "-q", "d.csv", "o.npz", cwd=folder)
    with np.load(folder / "o.npz") as z:
        assert np.array_equal(z["X"], X) and np.array_equal(z["y"], y) and list(z["names"]) == list("abcd")
    run("convert", "-q", "d.csv", "o.npy", cwd=folder)
    assert np.array_equal(np.load(folder / "o.npy"), X)
    run("convert", "-q", "d.csv", "d.svm", cwd=folder)
    wide = np.zeros((len(y), 40))
    wide[:, :4] = X
    sparse.save_npz(folder / "w.npz", sparse.csr_matrix(wide))
    run("convert", "-q", "w.npz", "w2.npz", cwd=folder)
    assert np.array_equal(sparse.load_npz(folder / "w2.npz").toarray(), wide)
    run("convert", "-q", "w.npz", "-", "--to", "npz", cwd=folder)
    # words, accents and numbers that single precision does not hold
    (folder / "t.csv").write_text("label,t,x\nné,1700000001.25,1\n\"o,k\",1700000002.5,2\nné,1700000003,3\n", encoding="utf-8")
    run("convert", "-q", "t.csv", "t.npz", cwd=folder)
    with np.load(folder / "t.npz") as z:
        assert list(z["y"]) == ["né", "o,k", "né"] and list(z["X"][:, 0]) == [1700000001.25, 1700000002.5, 1700000003]
    run("convert", "-q", "o.npz", "back.csv", cwd=folder)
    assert np.array_equal(np.loadtxt(folder / "back.csv", delimiter=",", skiprows=1)[:, 1:], X)
    run("convert", "-q", "o.npz", "o.ney", cwd=folder)
    run("train", "-q", "o.ney", "-o", "m4", cwd=folder)


def test_missing_groups_and_columns(csv):
    folder, X, y, _ = csv
    gaps = X.copy()
    gaps[3, 1] = np.nan
    np.savez(folder / "g.npz", X=gaps, y=y)
    assert "row 4" in run("train", "g.npz", "-o", "x", cwd=folder, code=3)
    run("train", "-q", "g.npz", "--missing", "mean", "-o", "x", cwd=folder)
    assert "1 cells are missing" in run("info", "g.npz", cwd=folder)
    infinite = X.copy()
    infinite[0, 0] = np.inf
    np.savez(folder / "i.npz", X=infinite, y=y)
    assert "infinite" in run("info", "i.npz", cwd=folder)
    run("train", "i.npz", "-o", "x", cwd=folder, code=3)
    grouped = np.column_stack([X, np.arange(len(y)) // 5, y])
    np.save(folder / "p.npy", grouped)
    run("train", "-q", "p.npy", "--label", "6", "--group", "5", "--max-fpr", "0.4", "-o", "x", cwd=folder)
    assert "group" in run("info", "x", cwd=folder)
    run("evaluate", "-q", "x", "p.npy", cwd=folder)
    assert "c5" in run("predict", "x", "p.npy", "--scores", "--id", "5", cwd=folder).splitlines()[0]


def archive(folder, members, **how):
    with zipfile.ZipFile(folder / "h.npz", "w", **how) as z:
        for name, content in members.items():
            z.writestr(name, content)


def test_hostile_archives(csv):
    folder, X, y, _ = csv
    whole = io.BytesIO()
    np.savez(whole, X=X, y=y)
    inner = io.BytesIO()
    np.save(inner, X)
    archive(folder, {"inner.npz": whole.getvalue()})
    assert "without arrays of NumPy" in run("info", "h.npz", cwd=folder, code=3)
    archive(folder, {"Z.npy": inner.getvalue()})
    assert "no array 'X'" in run("info", "h.npz", cwd=folder, code=3)
    archive(folder, {"X.npy": whole.getvalue()})
    assert "byte 0: expected an array" in run("info", "h.npz", cwd=folder, code=3)
    archive(folder, {"X.npy": inner.getvalue()}, compression=zipfile.ZIP_BZIP2)
    assert "method 12" in run("info", "h.npz", cwd=folder, code=3)
    archive(folder, {"X.npy": inner.getvalue(), "y.npy": inner.getvalue()})
    assert "one per row" in run("info", "h.npz", cwd=folder, code=3)
    good = whole.getvalue()
    for cut in range(0, len(good), 97):
        (folder / "h.npz").write_bytes(good[:cut])
        run("info", "h.npz", cwd=folder, code=3)
    damaged = bytearray(good)
    damaged[good.index(b"NUMPY") + 200] ^= 1
    (folder / "h.npz").write_bytes(damaged)
    assert "checksum" in run("info", "h.npz", cwd=folder, code=3)
    bomb = bytearray(good)
    at = bomb.index(b"PK\x01\x02")
    bomb[at + 10] = 8  # deflated, and 2 GB large
    bomb[at + 24:at + 28] = (2**31).to_bytes(4, "little")
    (folder / "h.npz").write_bytes(bomb)
    assert "no archive can have" in run("info", "h.npz", cwd=folder, code=3)
    bomb[at + 20:at + 24] = (2**31).to_bytes(4, "little")
    (folder / "h.npz").write_bytes(bomb)
    assert "outside" in run("info", "h.npz", cwd=folder, code=3)
    np.savez(folder / "o.npz", X=np.array([[1, "a"]], dtype=object), allow_pickle=True)
    assert "Python objects" in run("info", "o.npz", cwd=folder, code=3)
