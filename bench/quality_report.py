"""The tables of quality.py, from the results that it keeps."""
import math
import statistics

import numpy as np
from scipy.stats import wilcoxon

FLOOR = 0.01  # added to both FNRs of a ratio: at an FNR of 0 one row more or less is not a factor
KEYS = ("matched", "fpr", "fnr", "seconds")


def cases_of(kept, rows, method):
    """{(set, alpha): [(draw, result)]} of a method; a result is None where nothing can be certified."""
    found = {}
    for (case_set, draw, n, name, alpha), value in kept.of.items():
        if name == method and n == rows:
            found.setdefault((case_set, alpha), []).append((draw, value))
    return found


def mean_by_case(cases):
    """{(set, alpha): mean over the draws that have a result}."""
    found = {case: [value for _, value in values if value] for case, values in cases.items()}
    return {case: {key: statistics.fmean(v[key] for v in values) for key in KEYS} for case, values in found.items() if values}


def pick(kept, rows, methods, key):
    """In each case and draw that all methods have, the result with the least `key`."""
    tables = [{(case, draw): v for case, values in cases_of(kept, rows, m).items() for draw, v in values if v} for m in methods]
    found = {}
    for at in sorted(set.intersection(*map(set, tables))) if tables else ():
        found.setdefault(at[0], []).append((at[1], min((t[at] for t in tables), key=lambda r: r[key])))
    return found


def log_ratios(ours, theirs):
    """By set: the mean over alphas and draws of the logarithm of the ratio of matched FNRs."""
    by_set = {}
    for case in sorted(set(ours) & set(theirs)):
        other = dict(theirs[case])
        for draw, value in ours[case]:
            if value and other.get(draw):
                by_set.setdefault(case[0], []).append(math.log((value["matched"] + FLOOR) / (other[draw]["matched"] + FLOOR)))
    return {name: statistics.fmean(values) for name, values in by_set.items()}


def named(ratios, beyond):
    return ", ".join(f"{name} {math.exp(value):.2f}" for name, value in sorted(ratios.items(), key=lambda r: beyond * r[1])
                     if beyond * value < -math.log(1.1)) or "none"


def summary_line(title, ours, theirs):
    ratios = log_ratios(ours, theirs)
    if len(ratios) < 2:
        return None
    values = np.array(list(ratios.values()))
    draws = np.random.RandomState(1).choice(values, (2000, len(values))).mean(axis=1)
    low, high = np.exp(np.percentile(draws, [2.5, 97.5]))
    p = wilcoxon(values).pvalue if np.any(values != 0) else 1
    return (f"| {title} | {len(values)} | {100 * (math.exp(values.mean()) - 1):+.1f} % | {100 * (low - 1):+.1f} to {100 * (high - 1):+.1f} % | {p:.2g} | "
            f"{named(ratios, 1)} | {named(ratios, -1)} |")


def family_of(variant):
    return "rbf" if "rbf" in variant else "linear"


def comparisons(kept, o, families, variants):
    """(title, ours, theirs) of every line of the summary."""
    run = lambda v: cases_of(kept, o.rows, f"{o.label}: {v}")
    for variant in variants:
        if variant.startswith("certified"):
            continue
        peers = families[family_of(variant)]
        yield f"{variant} / best {family_of(variant)} peer by its folds", run(variant), pick(kept, o.rows, peers, "loss")
        yield f"{variant} / the same in hindsight, on the test rows", run(variant), pick(kept, o.rows, peers, "matched")
        if o.against:
            yield f"{variant} / the same of {o.against}", run(variant), cases_of(kept, o.rows, f"{o.against}: {variant}")
    both = [f"{o.label}: {v}" for v in ("tune linear", "tune rbf")]
    chosen = pick(kept, o.rows, both, "loss")
    every = [m for names in families.values() for m in names]
    yield "tune, the kernel with the least loss / best of all peers by its folds", chosen, pick(kept, o.rows, every, "loss")
    yield "the same / best tree peer by its folds", chosen, pick(kept, o.rows, families["trees"], "loss")
    yield "the same / the better kernel in hindsight: regret", chosen, pick(kept, o.rows, both, "matched")


def summary(kept, o, families, variants):
    lines = ["| comparison | sets | mean relative difference of FNR | 95 % interval (bootstrap of sets) | Wilcoxon p | sets more than 10 % better (ratio) | sets more than 10 % worse (ratio) |",
             "|---|---|---|---|---|---|---|"]
    return lines + [line for line in (summary_line(*c) for c in comparisons(kept, o, families, variants)) if line]


def thresholds(kept, o, variants):
    """How far each variant's own threshold is from the one where the FPR on test rows is alpha."""
    lines = ["| variant | alpha | cases | FPR / alpha (standard error) | FNR at its own threshold | FNR at the threshold where the test FPR is alpha | cases without a certificate |", "|---|---|---|---|---|---|---|"]
    for variant in variants:
        cases = cases_of(kept, o.rows, f"{o.label}: {variant}")
        for alpha in sorted({case[1] for case in cases}, reverse=True):
            values = [v for case, all_draws in cases.items() if case[1] == alpha for _, v in all_draws]
            known = [v for v in values if v]
            if len(known) < 2:
                continue
            rate = [v["fpr"] / alpha for v in known]
            lines.append(f"| {variant} | {alpha:g} | {len(known)} | {statistics.fmean(rate):.2f} ({statistics.stdev(rate) / math.sqrt(len(rate)):.2f}) | "
                         f"{statistics.fmean(v['fnr'] for v in known):.3f} | {statistics.fmean(v['matched'] for v in known):.3f} | {len(values) - len(known)} |")
    return lines


def regrets(kept, o, variants):
    """Each variant against the candidate that is best on the test rows."""
    names = sorted({key[3] for key in kept.of if key[3].startswith(f"{o.label}: candidate")})
    best = pick(kept, o.rows, names, "matched")
    if not best:
        return []
    lines = [f"| variant / the best of {len(names)} candidates in hindsight, on the test rows | sets | cases | FNR | FNR of the best candidate | ratio (set: ratio) |", "|---|---|---|---|---|---|"]
    for variant in variants:
        ours = cases_of(kept, o.rows, f"{o.label}: {variant}")
        ratios = log_ratios(ours, best)
        pairs = [(v["matched"], dict(best[case])[draw]["matched"]) for case, values in ours.items() if case in best
                 for draw, v in values if v and draw in dict(best[case])]
        if ratios and not variant.startswith("certified") and family_of(variant) == "linear":
            lines.append(f"| {variant} | {len(ratios)} | {len(pairs)} | {statistics.fmean(a for a, _ in pairs):.3f} | {statistics.fmean(b for _, b in pairs):.3f} | "
                         f"{math.exp(statistics.fmean(ratios.values())):.2f} ({', '.join(f'{n}: {math.exp(r):.2f}' for n, r in ratios.items())}) |")
    return lines


def seconds(kept, o, methods):
    """Processor seconds per case, over the cases that all methods have."""
    means = {m: mean_by_case(cases_of(kept, o.rows, m)) for m in methods}
    common = set.intersection(*(set(c) for c in means.values())) if means else set()
    return ["| method | processor seconds per case |", "|---|---|",
            *(f"| {m.removeprefix(o.label + ': ')} | {statistics.fmean(c[k]['seconds'] for k in common):.2f} |" for m, c in means.items() if common)]


def full(kept, o, methods):
    found = {m: mean_by_case(cases_of(kept, o.rows, m)) for m in methods}
    draws = {}
    for key in kept.of:
        if key[3] in methods and key[2] == o.rows:
            draws.setdefault(key[0], set()).add(key[1])
    lines = ["| set (draws) | alpha | " + " | ".join(m.removeprefix(o.label + ": ") for m in methods) + " |", "|---" * (2 + len(methods)) + "|"]
    for case in sorted({case for m in methods for case in found[m]}):
        cells = [f"{r['matched']:.3f} ({r['fpr']:.3f}, {r['fnr']:.3f})" if (r := found[m].get(case)) else "-" for m in methods]
        lines.append(f"| {case[0]} ({len(draws[case[0]])}) | {case[1]:g} | " + " | ".join(cells) + " |")
    return lines


def report(kept, o, families):
    """Summaries, then one line per set and alpha: FNR at FPR = alpha, and in brackets FPR and FNR at the method's own threshold."""
    stored = {key[3] for key in kept.of if key[2] == o.rows}
    variants = [v for v in o.variants if f"{o.label}: {v}" in stored]
    methods = [f"{o.label}: {v}" for v in variants] + [m for names in families.values() for m in names if m in stored]
    parts = (summary(kept, o, families, variants), thresholds(kept, o, variants), regrets(kept, o, variants),
             seconds(kept, o, methods), full(kept, o, methods))
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"
