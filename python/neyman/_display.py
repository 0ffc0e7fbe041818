"""Pictures in the manner of scikit-learn's displays. Matplotlib is imported when something is drawn."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Callable, Iterator, Sequence

import numpy as np

from . import _core
from ._arrays import as_labels, as_scores, named_labels
from ._certificate import Certificate, CertificatePair, parts_of, percent, stated
from ._certified import CertifiedClassifier, classes_of, response_of, scores_of
from ._scores import RocCurve, roc

if TYPE_CHECKING:
    from ._path import RocPath

__all__ = ["CertificateDisplay", "ErrorRejectDisplay", "PathDisplay", "RocDisplay"]

# Dark and light enough to be told apart in grey, and for readers who do not see red and green as different.
_DARK, _LIGHT, _ACCENT, _GREY = "#1b3a5c", "#9ecae1", "#d95f02", "#767676"
_STYLE = {"font.size": 8, "axes.titlesize": 8, "legend.fontsize": 7, "axes.linewidth": 0.7, "lines.linewidth": 1.4,
          "savefig.dpi": 300, "xtick.major.width": 0.7, "ytick.major.width": 0.7}
_COLUMN = (3.4, 3.0)  # inches: one column of a journal, with text of 8 points


@contextlib.contextmanager
def _axes(ax: Any, size: tuple[float, float] = _COLUMN) -> Iterator[Any]:
    """The given axes, or new ones in a figure of column width with text that is legible there."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("displays draw with Matplotlib: pip install matplotlib") from None
    if ax is not None:
        yield ax
    else:
        with plt.rc_context(_STYLE):
            _, new = plt.subplots(figsize=size, layout="constrained")
            yield new


def _scored(estimator: Any, X: Any, y: Any, response_method: str | Callable | None,
            pos_label: Any) -> tuple[np.ndarray, np.ndarray, Any, str]:
    """Labels, scores, certificate (or None) and name of an estimator; of a certified one the scores that were certified."""
    name = type(estimator).__name__
    certificate = getattr(estimator, "certificate_", None)
    if isinstance(estimator, CertifiedClassifier):
        name = type(estimator.estimator_).__name__
        if response_method is not None or pos_label is not None:
            raise ValueError("response_method and pos_label are those of the certified classifier: leave them out")
        scores = scores_of(estimator.estimator_, X, estimator.response_method, estimator.classes_, estimator.pos_label_)
        return as_labels(y, len(scores), estimator.pos_label_), scores, certificate, name
    if callable(getattr(estimator, "raw_scores", None)) and response_method is None and pos_label is None:
        scores = estimator.raw_scores(X)  # of a classifier of this package: those that its certificate is about
        return as_labels(y, len(scores), estimator.pos_label_), scores, certificate, name
    method = "auto" if response_method is None else response_method
    response_of(estimator, method)
    labels = np.asarray(y)
    classes = classes_of(estimator, labels, pos_label)
    positive = classes[1] if pos_label is None else pos_label
    scores = scores_of(estimator, X, method, classes, positive)
    if not isinstance(certificate, (Certificate, CertificatePair)):
        certificate = None
    return as_labels(labels, len(scores), positive), scores, certificate, name


def _spread(x: np.ndarray, y: np.ndarray, x_range: float, y_range: float) -> np.ndarray:
    """Indices of the points of a curve that a picture can show: about one per thousandth of either axis."""
    cells = np.column_stack([np.floor(1000 * x / x_range), np.floor(1000 * y / y_range)])
    new = np.flatnonzero((np.diff(cells, axis=0) != 0).any(axis=1)) + 1
    return np.unique(np.concatenate([[0], new - 1, new, [len(x) - 1]]))


def _short(name: str, length: int = 24) -> str:
    """A name that leaves room for the numbers behind it."""
    return name if len(name) <= length else name[:length - 1] + "\N{HORIZONTAL ELLIPSIS}"


class _Display:
    """What every display has after :meth:`plot`: ``ax_`` and ``figure_``."""

    ax_: Any
    figure_: Any

    def _finish(self, ax: Any, title: str | None = None) -> None:
        if ax.get_legend_handles_labels()[0]:  # above the axes: it never hides the curve
            ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), frameon=False, handlelength=1.8, borderaxespad=0.2,
                      labelspacing=0.3, title=title, alignment="left")
        self.ax_, self.figure_ = ax, ax.figure


# ---------------------------------------------------------------------- ROC curve


class RocDisplay(_Display):
    """The ROC curve with the certified threshold, its bound, and an interval of the area.

    Make it with :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    curve : RocCurve
        From :func:`roc`.
    certificate : Certificate or CertificatePair, optional
        Bounds and thresholds to draw.
    name : str, optional
        Of the classifier.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve.
    bound_lines_ : list of Line2D
        One per bounded rate.
    points_ : list of Line2D
        The operating point at each certified threshold, on the rows of the curve.
    ax_, figure_ : matplotlib Axes and Figure

    See Also
    --------
    roc : The numbers.
    CertificateDisplay : The scores and the threshold.

    Examples
    --------
    >>> import numpy as np, neyman
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 2000)
    >>> scores = rng.normal(size=4000) + 2 * y
    >>> certificate = neyman.certify(y, scores, max_fpr=0.05)
    >>> display = neyman.RocDisplay.from_predictions(y, scores, certificate=certificate)
    >>> display.ax_.get_xlabel()
    'False-positive rate'
    """

    line_: Any
    bound_lines_: list[Any]
    points_: list[Any]

    def __init__(self, *, curve: RocCurve, certificate: Certificate | CertificatePair | None = None, name: str | None = None):
        self.curve = curve
        self.certificate = certificate
        self.name = name

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, response_method: str | Callable | None = None,
                       pos_label: Any = None, confidence: float = 0.95, name: str | None = None, ax: Any = None,
                       zoom: bool = True, **keywords: Any) -> "RocDisplay":
        """Draw the curve of a fitted classifier on labelled rows that it was not fitted on.

        Parameters
        ----------
        estimator : fitted classifier
            With a ``certificate_``, as of :func:`certify_estimator`, the bound and the certified point are drawn.
        X, y : array-like
            Rows and labels.
        response_method : str or callable, optional
            As of :func:`certify_estimator`.
        pos_label : optional
            The positive label; by default the larger one.
        confidence : float, default=0.95
            Of the interval of the area.
        name : str, optional
            By default the class of the estimator.
        ax, zoom, **keywords
            As of :meth:`plot`.

        Returns
        -------
        RocDisplay
        """
        labels, scores, certificate, found = _scored(estimator, X, y, response_method, pos_label)
        return cls(curve=roc(labels, scores, pos_label=1, confidence=confidence), certificate=certificate,
                   name=found if name is None else name).plot(ax, zoom=zoom, **keywords)

    @classmethod
    def from_predictions(cls, y: Any, scores: Any, *, certificate: Certificate | CertificatePair | None = None,
                         pos_label: Any = None, confidence: float = 0.95, name: str | None = None, ax: Any = None,
                         zoom: bool = True, **keywords: Any) -> "RocDisplay":
        """Draw the curve of scores.

        Parameters
        ----------
        y, scores : array-like of shape (n,)
            Labels and scores.
        certificate : Certificate or CertificatePair, optional
            Of :func:`certify`.
        pos_label : optional
            The positive label; by default the larger one.
        confidence : float, default=0.95
            Of the interval of the area.
        name : str, optional
            Of the classifier.
        ax, zoom, **keywords
            As of :meth:`plot`.

        Returns
        -------
        RocDisplay
        """
        return cls(curve=roc(y, scores, pos_label=pos_label, confidence=confidence), certificate=certificate,
                   name=name).plot(ax, zoom=zoom, **keywords)

    def plot(self, ax: Any = None, *, zoom: bool = True, **keywords: Any) -> "RocDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default a new figure of the width of a journal's column.
        zoom : bool, default=True
            With one bound, show the part of the plane around it: up to five times the bounded rate.
        **keywords
            For the line of the curve.

        Returns
        -------
        self
        """
        curve = self.curve
        x_max, y_min = 1.0, 0.0
        if zoom and isinstance(self.certificate, Certificate):
            if self.certificate.kind == "fpr":
                x_max = min(1.0, 5 * self.certificate.max_rate)
            else:
                y_min = max(0.0, 1 - 5 * self.certificate.max_rate)
        low, high = curve.auc_interval
        label = f"AUC {curve.auc:.3f} [{low:.3f}, {high:.3f}]"
        with _axes(ax) as axes:
            shown = _spread(curve.fpr, curve.tpr, x_max, 1 - y_min)
            style = {"color": _DARK, "label": label if self.name is None else f"{_short(self.name)}: {label}", **keywords}
            (self.line_,) = axes.plot(curve.fpr[shown], curve.tpr[shown], **style)
            axes.plot([0, 1], [0, 1], color=_GREY, linestyle=":", linewidth=0.9)
            self._draw_bounds(axes)
            margin = 0.02
            axes.set(xlim=(-margin * x_max, x_max * (1 + margin if x_max == 1 else 1)),
                     ylim=(y_min - margin * (1 - y_min) * (y_min == 0), 1 + margin * (1 - y_min)),
                     xlabel="False-positive rate", ylabel="True-positive rate")
            self._finish(axes)
        return self

    def _draw_bounds(self, axes: Any) -> None:
        self.bound_lines_, self.points_ = [], []
        if self.certificate is None:
            return
        for c in parts_of(self.certificate):
            draw, at = (axes.axvline, c.max_rate) if c.kind == "fpr" else (axes.axhline, 1 - c.max_rate)
            line = draw(at, color=_ACCENT, linestyle="--" if c.kind == "fpr" else "-.", linewidth=1.1)
            line.set_label(f"{c.kind.upper()} bound {stated(c.max_rate)} ({stated(self.certificate.confidence)} confidence)")
            self.bound_lines_.append(line)
        low, high = self.certificate.low, self.certificate.high
        for threshold in sorted({low, high}, reverse=True):
            k = int(np.searchsorted(-self.curve.thresholds, -threshold, side="right")) - 1
            x, y = self.curve.fpr[k], self.curve.tpr[k]
            label, marker = f"certified: FPR {percent(x, 3)}, TPR {percent(y, 3)} here", "o"
            if low < high:
                label = (f"flagged: {percent(x, 3)} of negatives, {percent(y, 3)} of positives" if threshold == high
                         else f"cleared: {percent(1 - x, 3)} of negatives, {percent(1 - y, 3)} of positives")
                marker = "o" if threshold == high else "s"
            self.points_ += axes.plot([x], [y], marker, color=_ACCENT, markeredgecolor="black", markersize=5, zorder=5, label=label)


# ---------------------------------------------------------------------- certificate


class CertificateDisplay(_Display):
    """The scores of either class and the certified threshold: what is flagged, and what is allowed.

    Make it with :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    certificate : Certificate or CertificatePair
        From :func:`certify` or an estimator's ``certificate_``.
    negative_scores, positive_scores : ndarray
        Scores of either class.

    Attributes
    ----------
    threshold_lines_ : list of matplotlib Line2D
        One, or two with rejection between.
    ax_, figure_ : matplotlib Axes and Figure

    See Also
    --------
    RocDisplay : The same threshold in the plane of error rates.

    Examples
    --------
    >>> import numpy as np, neyman
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["ham", "spam"], 2000)
    >>> scores = rng.normal(size=4000) + 3 * (y == "spam")
    >>> certificate = neyman.certify(y, scores, max_fpr=0.01)
    >>> display = neyman.CertificateDisplay.from_predictions(y, scores, certificate=certificate)
    >>> len(display.threshold_lines_)
    1
    """

    threshold_lines_: list[Any]

    def __init__(self, *, certificate: Certificate | CertificatePair, negative_scores: np.ndarray, positive_scores: np.ndarray):
        self.certificate = certificate
        self.negative_scores = negative_scores
        self.positive_scores = positive_scores

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None, bins: int = 40) -> "CertificateDisplay":
        """Draw the scores of a certified classifier on labelled rows.

        Parameters
        ----------
        estimator : fitted classifier with a certificate
            Such as :func:`certify_estimator` returns.
        X, y : array-like
            Rows and labels.
        ax, bins
            As of :meth:`plot`.

        Returns
        -------
        CertificateDisplay
        """
        labels, scores, certificate, name = _scored(estimator, X, y, None, None)
        if certificate is None:
            raise ValueError(f"{name} has no certificate_: pass what neyman.certify_estimator returns, or use from_predictions "
                             "with a certificate of neyman.certify")
        return cls(certificate=certificate, negative_scores=scores[labels < 0], positive_scores=scores[labels > 0]).plot(ax, bins=bins)

    @classmethod
    def from_predictions(cls, y: Any, scores: Any, *, certificate: Certificate | CertificatePair, pos_label: Any = None,
                         ax: Any = None, bins: int = 40) -> "CertificateDisplay":
        """Draw scores and the threshold that was certified.

        Parameters
        ----------
        y, scores : array-like of shape (n,)
            Labels and scores.
        certificate : Certificate or CertificatePair
            Of :func:`certify`.
        pos_label : optional
            The positive label; by default the larger one.
        ax, bins
            As of :meth:`plot`.

        Returns
        -------
        CertificateDisplay
        """
        values = as_scores(scores)
        labels, _, _ = named_labels(y, len(values), pos_label)
        return cls(certificate=certificate, negative_scores=values[labels < 0], positive_scores=values[labels > 0]).plot(ax, bins=bins)

    def plot(self, ax: Any = None, *, bins: int = 40) -> "CertificateDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default a new figure of the width of a journal's column.
        bins : int, default=40
            Of the histograms.

        Returns
        -------
        self
        """
        low, high = self.certificate.low, self.certificate.high
        everything = np.concatenate([self.negative_scores, self.positive_scores])
        finite = everything[np.isfinite(everything)]
        if not len(finite):
            raise ValueError("scores: no finite score to draw")
        edges = np.linspace(finite.min(), finite.max(), bins + 1) if finite.min() < finite.max() else bins
        with _axes(ax) as axes:
            for scores, name, fill in ((self.negative_scores, "negatives", True), (self.positive_scores, "positives", False)):
                if not len(scores):
                    continue
                style: dict[str, Any] = ({"histtype": "stepfilled", "color": _LIGHT} if fill
                                         else {"histtype": "step", "color": _DARK, "linewidth": 1.4})
                shown = scores[np.isfinite(scores)]
                axes.hist(shown, edges, weights=np.full(len(shown), 100 / len(scores)), label=self._outcome(scores, name), **style)
            if low < high:
                rejected = float(((everything >= low) & (everything < high)).mean())
                axes.axvspan(low, high, facecolor="#ececec", zorder=0, label=f"rejected: {percent(rejected, 3)} of all rows")
            self.threshold_lines_ = [axes.axvline(t, color=_ACCENT, linestyle="--", linewidth=1.2)
                                     for t in sorted({low, high}) if np.isfinite(t)]
            axes.set(xlabel="Score", ylabel="Share of the class (%)")
            self._finish(axes, self._title())
        return self

    def _outcome(self, scores: np.ndarray, name: str) -> str:
        of = self.certificate if isinstance(self.certificate, Certificate) else self.certificate.fpr
        label = of.negative if name == "negatives" else of.positive
        shares = [f"{percent(float((scores >= self.certificate.high).mean()), 3)} flagged"]
        if self.certificate.low < self.certificate.high:
            shares.append(f"{percent(float((scores < self.certificate.low).mean()), 3)} cleared")
        return f"{name if label is None else _short(repr(label), 18)}: {', '.join(shares)}"

    def _title(self) -> str:
        rates = ", ".join(f"{c.kind.upper()} \N{LESS-THAN OR EQUAL TO} {stated(c.max_rate)}" for c in parts_of(self.certificate))
        return f"{rates} ({stated(self.certificate.confidence)} confidence)"


# ---------------------------------------------------------------------- rejection


class ErrorRejectDisplay(_Display):
    """The error rate of the rows that are decided, against the share of rows that are rejected.

    Rows are rejected in the order of their distance from the threshold, the nearest first. Make it with
    :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    reject_rate, error_rate : ndarray
        The curve: share of rows rejected, ascending, and the error rate of the others.
    point : (float, float), optional
        Reject rate and error rate of a certified rejection band.
    name : str, optional
        Of the classifier.

    Attributes
    ----------
    line_ : matplotlib Line2D
    ax_, figure_ : matplotlib Axes and Figure

    Examples
    --------
    >>> import numpy as np, neyman
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 500)
    >>> display = neyman.ErrorRejectDisplay.from_predictions(y, rng.normal(size=1000) + 2 * y, threshold=1.0)
    >>> float(display.error_rate[0]) > 0.1      # without rejection
    True
    >>> float(display.error_rate[len(display.error_rate) // 2]) < 0.05
    True
    """

    line_: Any

    def __init__(self, *, reject_rate: np.ndarray, error_rate: np.ndarray, point: tuple[float, float] | None = None,
                 name: str | None = None):
        self.reject_rate = reject_rate
        self.error_rate = error_rate
        self.point = point
        self.name = name

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, threshold: float | None = None,
                       response_method: str | Callable | None = None, pos_label: Any = None, name: str | None = None,
                       ax: Any = None, **keywords: Any) -> "ErrorRejectDisplay":
        """Draw the curve of a fitted classifier on labelled rows.

        Parameters
        ----------
        estimator : fitted classifier
            With two certified bounds, its rejection band is drawn as a point.
        X, y : array-like
            Rows and labels.
        threshold : float, optional
            Of the decision without rejection. By default that of the certificate (of two the middle); else 0.5 for
            probabilities and 0 for other scores.
        response_method, pos_label
            As of :func:`certify_estimator`.
        name : str, optional
            By default the class of the estimator.
        ax, **keywords
            As of :meth:`plot`.

        Returns
        -------
        ErrorRejectDisplay
        """
        labels, scores, certificate, found = _scored(estimator, X, y, response_method, pos_label)
        if threshold is None and certificate is None:
            response = response_of(estimator, "auto" if response_method is None else response_method)
            threshold = 0.5 if response == "predict_proba" else 0.0
        return cls.from_predictions(labels, scores, threshold=threshold, certificate=certificate, pos_label=1,
                                    name=found if name is None else name, ax=ax, **keywords)

    @classmethod
    def from_predictions(cls, y: Any, scores: Any, *, threshold: float | None = None,
                         certificate: Certificate | CertificatePair | None = None, pos_label: Any = None,
                         name: str | None = None, ax: Any = None, **keywords: Any) -> "ErrorRejectDisplay":
        """Draw the curve of scores.

        Parameters
        ----------
        y, scores : array-like of shape (n,)
            Labels and scores.
        threshold : float, optional
            Of the decision without rejection; by default that of the certificate (of two the middle), else 0.
        certificate : Certificate or CertificatePair, optional
            A pair's rejection band is drawn as a point.
        pos_label : optional
            The positive label; by default the larger one.
        name : str, optional
            Of the classifier.
        ax, **keywords
            As of :meth:`plot`.

        Returns
        -------
        ErrorRejectDisplay
        """
        values = as_scores(scores)
        labels = as_labels(y, len(values), pos_label)
        if not len(values):
            raise ValueError("scores: no rows")
        if threshold is None:
            threshold = 0.0 if certificate is None else (certificate.low + certificate.high) / 2
        n = len(values)
        covered, errors = np.empty(n, np.int64), np.empty(n, np.int64)
        points = _core.risk_coverage(values, labels, float(threshold), np.empty(n), covered, errors)
        order = slice(points - 1, None, -1) if points == n else slice(points - 1 - n, None, -1)
        covered, errors = covered[order], errors[order]
        point = None
        if certificate is not None and certificate.low < certificate.high:
            decisions = certificate.decide(values)
            decided = decisions != 0
            point = (1 - float(decided.mean()), float((decisions != labels)[decided].mean()) if decided.any() else 0.0)
        return cls(reject_rate=1 - covered / n, error_rate=errors / covered, point=point, name=name).plot(ax, **keywords)

    def plot(self, ax: Any = None, **keywords: Any) -> "ErrorRejectDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default a new figure of the width of a journal's column.
        **keywords
            For the line of the curve.

        Returns
        -------
        self
        """
        x, y = 100 * self.reject_rate, 100 * self.error_rate
        top = max(float(y.max()), 1e-9)
        with _axes(ax) as axes:
            shown = _spread(x, y, 100.0, top)
            (self.line_,) = axes.plot(x[shown], y[shown], **{"color": _DARK, "label": self.name and _short(self.name, 48), **keywords})
            if self.point is not None:
                axes.plot([100 * self.point[0]], [100 * self.point[1]], "o", color=_ACCENT, markeredgecolor="black", markersize=5,
                          zorder=5, label=f"certified: {percent(self.point[0], 3)} rejected, {percent(self.point[1], 3)} errors")
            axes.set(xlabel="Rejected rows (%)", ylabel="Errors among decided rows (%)", xlim=(-2, 102), ylim=(-0.02 * top, 1.1 * top))
            self._finish(axes)
        return self


# ---------------------------------------------------------------------- path


class PathDisplay(_Display):
    """The three ROC curves of a :class:`RocPath`, with the classifiers that were picked.

    Parameters
    ----------
    path : RocPath
        A fitted path.

    Attributes
    ----------
    lines_ : dict of matplotlib Line2D
        By the name of the curve.
    ax_, figure_ : matplotlib Axes and Figure

    See Also
    --------
    RocPath : Computes the curves.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> import neyman
    >>> X, y = make_classification(120, n_features=4, random_state=0)
    >>> path = neyman.RocPath(X, y, splits=2).fit()
    >>> display = neyman.PathDisplay.from_path(path, pick=[path.pick(max_fpr=0.1)])
    >>> sorted(display.lines_)
    ['asymmetry', 'both', 'intercept']
    """

    lines_: dict[str, Any]
    _STYLES = {"both": ("all costs and thresholds", {"color": _DARK}),
               "asymmetry": ("all costs", {"color": _ACCENT, "linestyle": "-."}),
               "intercept": ("one classifier, all thresholds", {"color": "#a0a0a0", "linestyle": "--"})}

    def __init__(self, path: RocPath):
        self.path = path

    @classmethod
    def from_path(cls, path: RocPath, *, curves: Sequence[str] = ("both", "asymmetry", "intercept"), pick: Sequence[Any] = (),
                  test: bool | None = None, ax: Any = None) -> "PathDisplay":
        """Draw the curves of a path.

        Parameters
        ----------
        path : RocPath
            A fitted path.
        curves, pick, test, ax
            As of :meth:`plot`.

        Returns
        -------
        PathDisplay
        """
        return cls(path).plot(ax, curves=curves, pick=pick, test=test)

    def plot(self, ax: Any = None, *, curves: Sequence[str] = ("both", "asymmetry", "intercept"), pick: Sequence[Any] = (),
             test: bool | None = None) -> "PathDisplay":
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default a new figure of the width of a journal's column.
        curves : sequence of {"both", "asymmetry", "intercept"}
            The curves to draw.
        pick : sequence of classifiers
            From :meth:`RocPath.pick`; their operating points are marked.
        test : bool, optional
            Draw rates on test rows, which nothing was chosen by, instead of the rates on the rows that chose. By default they
            are drawn where there are any.

        Returns
        -------
        self
        """
        found = self.path.curves_
        unknown = [name for name in curves if name not in self._STYLES]
        if unknown:
            raise ValueError(f"curves: {unknown[0]!r} is none of {', '.join(map(repr, self._STYLES))}")
        has_test = found["both"].test_fpr is not None
        if test and not has_test:
            raise ValueError("test=True: the path has no test rows; pass X_test and y_test to RocPath")
        use_test = has_test if test is None else test
        with _axes(ax) as axes:
            self.lines_ = {}
            for name in curves:
                label, style = self._STYLES[name]
                curve = found[name]
                x, y, area = curve.fpr, curve.tpr, curve.auc
                if use_test and curve.test_fpr is not None and curve.test_tpr is not None:
                    x, y, area = curve.test_fpr, curve.test_tpr, curve.test_auc
                order = np.lexsort((y, x))
                (self.lines_[name],) = axes.plot(x[order], y[order], label=f"{label}: area {area:.3f}", **style)
            for k, model in enumerate(pick):
                x, y = (model.test_fpr_, model.test_tpr_) if use_test else (model.fpr_, model.tpr_)
                axes.plot([x], [y], "os^D"[k % 4], color=_ACCENT, markeredgecolor="black", markersize=5, zorder=5, label=model.label())
            axes.plot([0, 1], [0, 1], color=_GREY, linestyle=":", linewidth=0.9)
            rows = "test rows" if use_test else "rows that chose: optimistic"
            axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel=f"False-positive rate ({rows})", ylabel="True-positive rate")
            self._finish(axes)
        return self
