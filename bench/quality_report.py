"""The tables of quality.py, from the results that it keeps."""
import math
import statistics

import numpy as np
from scipy.stats import wilcoxon

FLOOR = 0.01  # added to both FNRs of a ratio: at an FNR of 0 one row more or less is not a factor


def mean_by_case(kept, rows, method):
    """{(set, alpha): mean over the draws} of a method's results."""
    found = {}
    for (case_set, _, n, name, alpha), value in kept.of.items():
        if name == method and n == rows and value:
            found.setdefault((case_set, alpha), []).append(value)
    return {case: {key: statistics.fmean(v[key] for v in values) for key in ("matched", "fpr", "fnr", "seconds")}
            | {"loss": statistics.fmean(v["loss"] or 0 for v in values)} for case, values in found.items()}


def best_of(peers, key):
    """The peer with the least `key` in each case that all of them have."""
    cases = set.intersection(*(set(p) for p in peers)) if peers else set()
    return {case: min((p[case] for p in peers), key=lambda r: r[key]) for case in cases}


def log_ratios(ours, theirs):
    """By set: the mean over alphas of the logarithm of the ratio of matched FNRs."""
    by_set = {}
    for case in sorted(set(ours) & set(theirs)):
        ratio = (ours[case]["matched"] + FLOOR) / (theirs[case]["matched"] + FLOOR)
        by_set.setdefault(case[0], []).append(math.log(ratio))
    return {name: statistics.fmean(values) for name, values in by_set.items()}


def summary_line(title, ours, theirs):
    ratios = log_ratios(ours, theirs)
    if len(ratios) < 2:
        return f"| {title} | {len(ratios)} | - | - | - | - |"
    values = np.array(list(ratios.values()))
    draws = np.random.RandomState(1).choice(values, (2000, len(values))).mean(axis=1)
    low, high = np.exp(np.percentile(draws, [2.5, 97.5]))
    p = wilcoxon(values).pvalue if np.any(values != 0) else 1
    lost = [name for name, value in ratios.items() if value > math.log(1.1)]
    return (f"| {title} | {len(values)} | {math.exp(values.mean()):.3f} | {low:.3f} to {high:.3f} | {p:.2g} | "
            f"{', '.join(lost) or 'none'} |")


def summary(kept, o, families, variants):
    lines = ["| comparison | sets | ratio of FNRs | 95 % interval (bootstrap of sets) | Wilcoxon p | sets more than 10 % worse |",
             "|---|---|---|---|---|---|"]
    for variant in variants:
        family = "rbf" if "rbf" in variant else "linear"
        ours = mean_by_case(kept, o.rows, f"{o.label}: {variant}")
        peers = [p for p in (mean_by_case(kept, o.rows, name) for name in families[family]) if p]
        for key, words in (("loss", "best peer by its folds"), ("matched", "best peer in hindsight, on the test rows")):
            lines.append(summary_line(f"{variant} / {words}", ours, best_of(peers, key)))
        if o.against:
            before = mean_by_case(kept, o.rows, f"{o.against}: {variant}")
            lines.append(summary_line(f"{variant} / the same of {o.against}", ours, before))
    return lines


def full(kept, o, families, variants):
    methods = [f"{o.label}: {v}" for v in variants] + [m for names in families.values() for m in names]
    found = {m: mean_by_case(kept, o.rows, m) for m in methods}
    methods = [m for m in methods if found[m]]
    lines = ["| set | alpha | " + " | ".join(methods) + " |", "|---" * (2 + len(methods)) + "|"]
    for case in sorted({case for m in methods if ": " in m for case in found[m]}):
        cells = [f"{r['matched']:.3f} ({r['fpr']:.3f}, {r['fnr']:.3f})" if (r := found[m].get(case)) else "-" for m in methods]
        lines.append(f"| {case[0]} | {case[1]:g} | " + " | ".join(cells) + " |")
    return lines


def report(kept, o, families):
    """Summary, then one line per set and alpha: FNR at FPR = alpha, and in brackets FPR and FNR at the method's own threshold."""
    variants = [v for v in o.variants if any(key[3] == f"{o.label}: {v}" for key in kept.of)]
    return "\n".join([*summary(kept, o, families, variants), "", *full(kept, o, families, variants)]) + "\n"
