"""Gasso, Pappaioannou, Spivak and Bottou (2011), "Batch and online learning algorithms for nonconvex Neyman-Pearson classification":
tables I to V, figures 1 to 6."""
import json
import math
import os

import numpy as np

import lab

LITERAL = os.environ.get("NEY_LITERAL", str(lab.ROOT / "build" / "release" / "bench" / "bench_np_literal"))
ALPHAS = (0.01, 0.05, 0.1, 0.2)
NO_TABLE = "The text of the paper that the claims are taken from has no figures of this table."

# ---------------------------------------------------------------- data

SETS = {"breast": "Breast", "pima": "Pima", "spambase": "Spambase", "page_blocks": "PageBlocks", "magic": "Gamma Telescope", "covtype_np": "Covertype", "rcv1": "RCV1-V2",
        "psm": "proteomics"}
DATA = tuple(SETS)
STATED = {"rcv1": 781265 + 23149, "psm": 139410}  # rows, as far as the text states them


def table1(name):
    lines = lab.lines_of(name)
    positive = sum(not line.startswith("-") for line in lines)
    return {"rows": len(lines), "features": max(int(line.rsplit(" ", 1)[-1].partition(":")[0]) for line in lines if ":" in line), "positives": positive, "negatives": len(lines) - positive}


GAUSSIANS = {1: ([1, 1], [[1, 0.3], [0.3, 2]]), -1: ([-1, 0], [[1.5, -0.4], [-0.4, 1]])}


def synthetic(rows, seed):
    rng = np.random.default_rng([2011, seed])
    x = np.vstack([rng.multivariate_normal(*GAUSSIANS[y], rows // 2) for y in (1, -1)])
    return lab.to_lines(x, np.repeat([1, -1], rows // 2))


def page_data(page, results):
    names = [n for n in SETS if results.names(f"table1-{n}")]
    if not names:
        return
    rows = [(SETS[n], *(results[f"table1-{n}"][k] for k in ("rows", "features", "positives", "negatives")), STATED.get(n, "")) for n in names]
    page.item("Table I: data sets", "The majority class is positive in every set; two small, three medium and two large sets, and one of proteomics.",
              f"Public sets of the same names. {NO_TABLE} Where the text states a size it is in the last column. RCV1-V2: a sample with all documents of the official training set and some of the test set; "
              "Covertype: Spruce-Fir against Krummholz, about four fifths of the rows; proteomics: another yeast data set, smaller.",
              [("the majority class is positive in every Neyman-Pearson set", all(results[f"table1-{n}"]["positives"] >= results[f"table1-{n}"]["negatives"] for n in names if n != "psm")),
               ("the sets whose sizes the text states are there and have these sizes", all(n in names and results[f"table1-{n}"]["rows"] == STATED[n] for n in STATED))],
              [lab.table(("set", "rows", "features", "positives", "negatives", "stated in the paper's text"), rows)], cpu=results.cpu("table1"))


# ---------------------------------------------------------------- figure 1


def ramp(z, eta):
    return np.clip((eta - z) / (2 * eta), 0, 1)


def sigmoid(z, eta):
    return 1 / (1 + np.exp(np.clip(z / eta, -700, 700)))


def losses():
    """The mean distance to the 0-1 loss on [-2, 2], which falls with eta; and whether ramp is a difference of two hinges."""
    z = np.linspace(-2, 2, 4002)
    step = (z < 0).astype(float)
    out = {name: [float(np.mean(np.abs(f(z, eta) - step))) for eta in (1, 0.5, 0.1, 0.01)] for name, f in (("ramp", ramp), ("sigmoid", sigmoid))}
    out["difference_of_hinges"] = float(np.max(np.abs(ramp(z, 0.7) - (np.maximum(0, 0.7 - z) - np.maximum(0, -0.7 - z)) / 1.4)))
    return out


def page_losses(page, results):
    found, z = results["figure1"], np.linspace(-3, 3, 121)
    lab.chart(page.folder / "np-figure1.svg", [("", "y f(x)", "loss", [("0-1", [-3, 0, 0, 3], [1, 1, 0, 0], "-"), ("hinge", z, np.maximum(0, 1 - z), ":"), ("ramp, eta = 1", z, ramp(z, 1), "--"), ("sigmoid, eta = 1", z, sigmoid(z, 1), "-.")], {"ylim": (0, 2)})], columns=1)
    page.item("Figure 1: losses", "The sigmoid and ramp losses are continuous and tend to the 0-1 loss as eta tends to 0; the ramp is a difference of two hinges.", "Same formulas; mean distance to the 0-1 loss on [-2, 2] for eta = 1, 0.5, 0.1, 0.01.",
              [("the distance falls with eta for both, to below 0.01", all(all(a > b for a, b in zip(found[k], found[k][1:])) and found[k][-1] < 0.01 for k in ("ramp", "sigmoid"))),
               ("ramp = (H_eta - H_-eta)/(2 eta)", found["difference_of_hinges"] < 1e-12)],
              [lab.table(("loss", "eta = 1", "0.5", "0.1", "0.01"), [(k, *(f"{v:.4f}" for v in found[k])) for k in ("ramp", "sigmoid")])], ("np-figure1.svg", "0-1, hinge, ramp and sigmoid loss"), results.cpu("figure1"))


# ---------------------------------------------------------------- figure 2, tables II and III


def literal(folder, algorithm, **settings):
    _, seconds, _, out = lab.measure([LITERAL, algorithm, str(folder.path / "train"), str(folder.path / "test"), *(f"{k}={v}" for k, v in settings.items())])
    return json.loads(out)


def batch(folder, method, alpha, c, gamma, *options):
    """The program's method, decided by the function's own intercept."""
    kernel = ("--kernel", "rbf", "--gamma", gamma) if gamma else ()
    info = folder.json("train", "@train", "--max-fpr", alpha, "--confidence", "none", "--method", method, "-C", c, *kernel, "--threads", 1, "-o", "@model", *options)
    test = lab.rates(*folder.scores("@model", "@test"))
    return {"cpu": info["cpu"], "iterations": info.get("iterations"), "convex_steps": len(info.get("steps", [])), "converged": info["converged"], "train_fpr": info["fpr"], "train_fnr": info["fnr"],
            "ramp_fpr": info.get("ramp_fpr"), "ramp_fnr": info.get("ramp_fnr"), "test_fpr": test[0], "test_fnr": test[1]}


ADDITIVE, MULTIPLICATIVE = {"nu": 1}, {"nu": 5, "multiplicative": 1}


def annealed_or_uzawa(name, alpha, c, gamma, rows, test_rows):
    """Algorithm 3 against algorithms 1 and 2, as printed (both updates of lambda) and as in the program."""
    with lab.Folder() as folder:
        if name == "synthetic":
            folder.write(train=synthetic(rows, 1), test=synthetic(test_rows, 2))
        else:
            train, test = lab.split(lab.lines_of(name), (1, 1), 1)
            folder.write(train=train[:rows], test=test[:test_rows])
        common = {"rate": alpha, "C": c, "gamma": gamma, "steps": 400}
        return {"uzawa": literal(folder, "uzawa", **common, **MULTIPLICATIVE), "annealed": literal(folder, "annealed", **common, **MULTIPLICATIVE),
                "uzawa_additive": literal(folder, "uzawa", **common, **ADDITIVE), "annealed_additive": literal(folder, "annealed", **common, **ADDITIVE),
                "neyman_uzawa": batch(folder, "uzawa", alpha, c, gamma), "neyman_annealed": batch(folder, "annealed", alpha, c, gamma)}


def speed_rows(results, start):
    """By alpha: medians and ratios of all settings (C, gamma) in which both literal methods end."""
    rows, ratios, pairs = [], [], []
    for alpha in ALPHAS:
        found = results.all(f"{start}-{alpha}-")
        if not found:
            continue
        both = [f for f in found if f["uzawa"]["converged"] and f["annealed"]["converged"]]
        pairs += both

        def mean_ratio(a, b, key):
            values = [max(f[a][key], 1e-4) / max(f[b][key], 1e-4) for f in both]
            return float(np.exp(np.mean(np.log(values)))) if values else math.nan

        ratios.append(mean_ratio("uzawa", "annealed", "iterations"))
        rows.append((alpha, f"{len(both)} of {len(found)}", lab.number(mean_ratio("uzawa", "annealed", "cpu")), lab.number(ratios[-1]), lab.number(mean_ratio("uzawa_additive", "annealed_additive", "cpu")),
                     lab.number(mean_ratio("uzawa", "neyman_annealed", "iterations")), lab.number(mean_ratio("annealed", "neyman_annealed", "iterations")), lab.number(mean_ratio("neyman_uzawa", "neyman_annealed", "iterations")),
                     *(lab.number(float(np.mean([f["annealed"][k] - f["uzawa"][k] for f in both])) if both else math.nan, 2) for k in ("test_fpr", "test_fnr"))))
    return rows, ratios, pairs


SPEED_HEADER = ("alpha", "settings", "speed-up (time)", "in QP steps", "with the additive update (time)", "literal Uzawa / neyman annealed, QP steps", "literal annealed / neyman annealed, QP steps", "neyman: Uzawa / annealed, QP steps",
                "difference of FPR", "of FNR")


def page_speed(page, results):
    points = [line.split() for line in synthetic(400, 1)]
    at = {y: np.array([[float(c.partition(":")[2]) for c in p[1:]] for p in points if p[0] == y]) for y in ("+1", "-1")}
    lab.chart(page.folder / "np-figure2.svg", [("", "x1", "x2", [("positive", *at["+1"].T, "+"), ("negative", *at["-1"].T, ".")], {})], columns=1)
    page.item("Figure 2: synthetic data", "Two Gaussian classes in the plane, 2500 points, as many positives as negatives.", "The parameters are not in the text; those used here: means (1, 1) and (-1, 0), covariances ((1, 0.3), (0.3, 2)) and ((1.5, -0.4), (-0.4, 1)).",
              [("2500 points, classes of equal size", len(synthetic(2500, 1)) == 2500 and sum(line.startswith("-") for line in synthetic(2500, 1)) == 1250)], figure=("np-figure2.svg", "A sample of the two classes"), cpu=0)
    for title, start, what in (("Table II: annealed against Uzawa, synthetic data", "table2", "2500 training points, fresh test points from the same densities"), ("Table III: annealed against Uzawa, Spambase", "table3", "half of Spambase to train")):
        rows, ratios, pairs = speed_rows(results, start)
        if not rows:
            continue
        p = {k: lab.wilcoxon([f["annealed"][f"test_{k}"] for f in pairs], [f["uzawa"][f"test_{k}"] for f in pairs]) for k in ("fpr", "fnr")}
        checks = [("the annealed algorithm takes fewer QP steps at every alpha (geometric mean over settings)", all(r > 1 for r in ratios)),
                  (f"considerably fewer: at most half at the smallest alpha (Uzawa's takes {ratios[0]:.2f} times as many)", ratios[0] >= 2), ("its speed-up in QP steps is largest at the smallest alpha", ratios[0] == max(ratios))]
        checks.append((f"differences of FPR and FNR on test rows are not significant at 1e-3 (p = {p['fpr']:.2g}, {p['fnr']:.2g})", min(p.values()) > 1e-3))
        page.item(title, "The annealed algorithm 3 is considerably faster than Uzawa's algorithm, most so at small alpha, and the differences of P_fa and P_nd are insignificant (Wilcoxon, 1e-3).",
                  f"Gaussian kernel, averages over {len(results.all(f'{start}-{ALPHAS[0]}-'))} settings of C and gamma; {what}. Literal algorithms 1 to 3 with the library's QP solver and warm starts; multiplicative update with gain 5, additive with gain 1 (in units of C n+); "
                  f"a run ends where the ramp FPR is within 5 % of alpha, or after 400 steps of lambda. The paper's gain and stopping precision are not stated. Conditions count QP steps, which repeat exactly; the times are beside them. {NO_TABLE}",
                  checks, [lab.table(SPEED_HEADER, rows), "Ratios are geometric means over the settings in which both literal runs end. Differences are means of annealed minus Uzawa on test rows."], cpu=results.cpu(start))


# ---------------------------------------------------------------- figure 3


def random_starts(c, alpha, starts, rows):
    train, test = lab.split(lab.lines_of("spambase"), (1, 1), 1)
    with lab.Folder() as folder:
        folder.write(train=train[:rows], test=test[:500])
        out = {"literal": [], "neyman": []}
        for start in range(starts + 1):
            found = literal(folder, "annealed", rate=alpha, C=c, start=start, steps=300, **MULTIPLICATIVE)
            out["literal"].append([found["train_fpr"], found["train_fnr"], found["converged"]])
            info = folder.json("train", "@train", "--max-fpr", alpha, "--confidence", "none", "-C", c, "--start", start, "--threads", 1, "-o", "@model")
            out["neyman"].append([info["fpr"], info["fnr"], info["converged"]])
    return out


def page_starts(page, results):
    names = results.names("figure3-")
    rows, panels, near, best = [], [], [], []
    for name in sorted(names, key=lambda n: results.parameters(n)["c"]):
        found, c = results[name], results.parameters(name)["c"]
        for key in ("literal", "neyman"):
            fnr = np.array([f[1] for f in found[key]])
            fpr = np.array([f[0] for f in found[key]])
            rows.append((c, key, lab.number(float(fnr[0])), f"{fnr[1:].min():.4f} to {fnr[1:].max():.4f}", int(np.sum(fnr[1:] < fnr[0] - 1e-12)), lab.number(float(fpr[0])), f"{fpr[1:].min():.4f} to {fpr[1:].max():.4f}"))
            if key == "literal":
                near.append(float(np.max(np.abs(fnr[1:] - fnr[0]))))
                best.append(bool(np.any(fnr[1:] < fnr[0] - 1e-12)))
        panels.append((f"C = {c}", "FPR", "FNR", [("literal, random", [f[0] for f in found["literal"][1:]], [f[1] for f in found["literal"][1:]], "."), ("literal, beta = 0", [found["literal"][0][0]], [found["literal"][0][1]], "s"),
                                                  ("neyman, random", [f[0] for f in found["neyman"][1:]], [f[1] for f in found["neyman"][1:]], "+"), ("neyman, beta = 0", [found["neyman"][0][0]], [found["neyman"][0][1]], "D")], {"legend": not panels}))
    lab.chart(page.folder / "np-figure3.svg", panels)
    starts = results.parameters(names[0])["starts"]
    page.item("Figure 3: random starts", "Initialisations change the solution, beta = 0 is not always the best, but all solutions are very close to it.",
              f"Linear kernel, half of Spambase, alpha = {results.parameters(names[0])['alpha']}, {starts} random starts, training rows, as in the paper; C is that of one positive example.",
              [("for some C a random start is better than beta = 0", any(best)), (f"all FNRs are within 0.03 of that of beta = 0 (largest difference {max(near):.3f})", max(near) <= 0.03)],
              [lab.table(("C", "method", "FNR, beta = 0", "FNR, random starts", "of them better", "FPR, beta = 0", "FPR, random starts"), rows)], ("np-figure3.svg", "FNR against FPR on the training rows for random starts"), results.cpu("figure3-"))


# ---------------------------------------------------------------- figures 4 and 5


def criterion(fpr, fnr, alpha):
    """The validation criterion of Davenport et al., as the paper uses it."""
    return max(fpr - alpha, 0) / alpha + fnr


RATIOS = (1, 2, 4, 8, 16, 32)  # of the costs of AC-SVM: steps as in the paper's grids, on the side of small FPRs


class Fits:
    """Models of one split: trained on @train, rates on @valid and @test, by the model's own intercept or another threshold. Remembers what does not depend on alpha."""

    def __init__(self, folder, n_valid):
        self.folder, self.n_valid, self.known = folder, n_valid, {}

    def rates(self, key, words, at=None):
        """{seconds, valid, test} of a command. at: gives the threshold from scores and labels of the training rows."""
        slot = key, at.__name__ if at else None
        if slot in self.known:
            return self.known[slot]
        seconds, _ = self.folder.run("train", "-q", "@train", *words, "--threads", 1, "-o", "@model")
        threshold = at(*self.folder.scores("@model", "@train")) if at else 0.0
        score, label = self.folder.scores("@model", "@other")
        found = {"cpu": seconds, "valid": lab.rates(score[:self.n_valid], label[:self.n_valid], threshold), "test": lab.rates(score[self.n_valid:], label[self.n_valid:], threshold)}
        self.known[slot] = found
        return found


def choose(fits, alpha):
    """The fit of least criterion on the validation rows, with the processor seconds of all."""
    best = min(fits, key=lambda f: criterion(*f["valid"], alpha))
    return {"fpr": best["test"][0], "fnr": best["test"][1], "cpu": sum(f["cpu"] for f in fits), "fits": len(fits), "fit_cpu": float(np.median([f["cpu"] for f in fits]))}


def three_parts(name, seed, most):
    train, valid, test = lab.split(lab.lines_of(name), (2, 1, 1), seed)
    return train[:most], valid[:4000], test[:8000]


def gaussian_kernel(name, seed, alphas, grid, ratios, gammas, most):
    """Figure 4 on one split: NP-SVM, AC-SVM and GEN with Chebyshev's bound."""
    train, valid, test = three_parts(name, seed, most)
    out = {}
    with lab.Folder() as folder:
        folder.write(train=train, other=valid + test)
        fits = Fits(folder, len(valid))
        for alpha in alphas:
            bound = ("--max-fpr", alpha, "--confidence", "none")
            kernel = [("--kernel", "rbf", "--gamma", g) for g in gammas]
            out[str(alpha)] = {
                "NP-SVM": choose([fits.rates(("np", alpha, c, k), (*bound, "-C", c, *k)) for c in grid for k in kernel], alpha),
                "AC-SVM": choose([fits.rates(("ac", c, ratio, k), ("--cost-fn", c, "--cost-fp", c * ratio, *k)) for c in grid for ratio in ratios for k in kernel], alpha),
                "GEN": choose([fits.rates(("gen", alpha, k), (*bound, "--method", "chebyshev", *k)) for k in kernel], alpha)}
    return out


def at_k(k):
    def threshold(score, label):
        return np.sort(score)[::-1][min(k, len(score)) - 1]
    threshold.__name__ = f"at_{k}"
    return threshold


def linear_kernel(name, seed, alphas, grid, ratios, most, epochs):
    """Figure 5 on one split."""
    train, valid, test = three_parts(name, seed, most)
    n_pos = sum(not line.startswith("-") for line in train)
    out = {}
    with lab.Folder() as folder:
        folder.write(train=train, other=valid + test, valid=valid, test=test)
        fits = Fits(folder, len(valid))
        for alpha in alphas:
            bound = ("--max-fpr", alpha, "--confidence", "none")
            shares = [round(n_pos * share) for share in np.linspace(0.1, 1, 10)]
            found = {"BNP-SVM": choose([fits.rates(("np", alpha, c), (*bound, "-C", c)) for c in grid], alpha),
                     "ONP-SVM": choose([fits.rates(("online", alpha, c), (*bound, "--method", "online", "-C", c, "--epochs", epochs)) for c in grid], alpha),
                     "AC-SVM": choose([fits.rates(("ac", c, ratio), ("--cost-fn", c, "--cost-fp", c * ratio)) for c in grid for ratio in ratios], alpha),
                     "GEN": choose([fits.rates(("gen", alpha), (*bound, "--method", "generative"))], alpha),
                     "SVMperf": choose([fits.rates(("perf", c, k), ("--max-fpr", 0.5, "--confidence", "none", "--method", "perf", "-C", c, "--at-k", max(1, k)), at_k(max(1, k))) for c in grid for k in shares], alpha)}
            found["SVMperf"]["cpu"] /= len(shares)  # as in the paper: without the search for k
            online = []
            for c in grid:
                folder.write(test=valid)
                v = literal(folder, "online", rate=alpha, C=c, epochs=epochs, nu=10)
                folder.write(test=test)
                t = literal(folder, "online", rate=alpha, C=c, epochs=epochs, nu=10)
                online.append({"cpu": v["cpu"], "valid": (v["test_fpr"], v["test_fnr"]), "test": (t["test_fpr"], t["test_fnr"])})
            found["algorithm 4"] = choose(online, alpha)
            out[str(alpha)] = found
    return out


def by_method(found, alpha, method, key):
    return [f[str(alpha)][method][key] for f in found if str(alpha) in f]


def figure_page(page, results, start, title, methods, picture, claim, protocol, checks_of):
    names = {results.parameters(n)["name"] for n in results.names(start)}
    sets = [n for n in SETS if n in names]
    panels, body, facts, total = [], [], {}, results.cpu(start)
    for name in sets:
        found = results.all(f"{start}{name}-")
        alphas = [a for a in ALPHAS if str(a) in found[0]]
        for key, label in (("fnr", "FNR"), ("fpr", "FPR (dotted: alpha)"), ("cpu", "processor s")):
            lines = [(m, alphas, [float(np.mean(by_method(found, a, m, key))) for a in alphas], "-o") for m in methods]
            if key == "fpr":
                lines += [("", [], [], "-")] * (len(lab.COLOURS) - 1 - len(lines)) + [("alpha", alphas, alphas, ":")]
            panels.append((SETS[name] if key == "fnr" else "", "alpha", label, lines,
                           {"legend": key == "fnr" and name == sets[0], **({"yscale": "log"} if key == "cpu" else {})}))
        body.append(f"{SETS[name]} (splits: {len(found)}; test rows; FPR / FNR / processor seconds of the search):\n\n" +
                    lab.table(("alpha", *methods), [(a, *(f"{lab.rate_interval(by_method(found, a, m, 'fpr'))} / {lab.rate_interval(by_method(found, a, m, 'fnr'))} / {np.mean(by_method(found, a, m, 'cpu')):.2f}" for m in methods)) for a in alphas]))
        facts[name] = (found, alphas)
    lab.chart(page.folder / picture, panels, columns=3, size=(2.6, 1.9))
    page.item(title, claim, protocol, checks_of(facts), body, (picture, "FNR, FPR and processor seconds against alpha"), total)


def mean_criterion(facts, name, method):
    found, alphas = facts[name]
    return float(np.mean([criterion(f, n, a) for a in alphas for f, n in zip(by_method(found, a, method, "fpr"), by_method(found, a, method, "fnr"))]))


def search_time(facts, name, method):
    found, alphas = facts[name]
    return sum(float(np.mean(by_method(found, a, method, "cpu"))) for a in alphas)


def figure4_checks(facts):
    checks = []
    close = [abs(np.mean(by_method(f, a, "NP-SVM", "fpr")) - a) <= 0.5 * a for f, alphas in facts.values() for a in alphas]
    checks.append((f"NP-SVM's mean test FPR is within half of alpha of it in most cases ({sum(close)} of {len(close)})", 2 * sum(close) > len(close)))
    for name in ("spambase", "breast", "pima"):
        if name in facts:
            np_, ac = mean_criterion(facts, name, "NP-SVM"), mean_criterion(facts, name, "AC-SVM")
            checks.append((f"{SETS[name]}: NP-SVM is similar to or better than AC-SVM (criterion {np_:.3f} against {ac:.3f}, at most 0.05 above)", np_ <= ac + 0.05))
    if "page_blocks" in facts:
        np_, ac = mean_criterion(facts, "page_blocks", "NP-SVM"), mean_criterion(facts, "page_blocks", "AC-SVM")
        checks.append((f"PageBlocks: AC-SVM is better ({ac:.3f} against {np_:.3f})", ac < np_))
    if "magic" in facts:
        np_, ac, gen = (mean_criterion(facts, "magic", m) for m in ("NP-SVM", "AC-SVM", "GEN"))
        checks.append((f"Gamma Telescope: NP-SVM is the best ({np_:.3f}; AC-SVM {ac:.3f}, GEN {gen:.3f})", np_ < min(ac, gen)))
    for name in facts:
        gen, best = mean_criterion(facts, name, "GEN"), min(mean_criterion(facts, name, m) for m in ("NP-SVM", "AC-SVM"))
        wanted = name in ("spambase", "breast")
        checks.append((f"{SETS[name]}: GEN is {'' if wanted else 'not '}competitive ({gen:.3f} against {best:.3f}, at most 0.05 above)", (gen <= best + 0.05) == wanted))
    if "spambase" in facts:
        ours, grid = (search_time(facts, "spambase", m) for m in ("NP-SVM", "AC-SVM"))
        checks.append((f"Spambase: the search of NP-SVM takes at most half the time of that of AC-SVM ({ours:.1f} against {grid:.1f} s)", ours <= grid / 2))
    return checks


def figure5_checks(facts):
    checks = []
    for name in facts:
        values = {m: mean_criterion(facts, name, m) for m in ("BNP-SVM", "ONP-SVM", "AC-SVM", "GEN", "SVMperf")}
        checks.append((f"{SETS[name]}: ONP-SVM is similar to BNP-SVM (criterion {values['ONP-SVM']:.3f} against {values['BNP-SVM']:.3f}, within 0.1)", abs(values["ONP-SVM"] - values["BNP-SVM"]) <= 0.1))
        checks.append((f"{SETS[name]}: GEN is the worst or within 0.02 of it ({values['GEN']:.3f})", values["GEN"] >= max(values.values()) - 0.02))
    if "magic" in facts:
        np_, ac, gen = (mean_criterion(facts, "magic", m) for m in ("BNP-SVM", "AC-SVM", "GEN"))
        checks.append((f"Gamma Telescope: BNP-SVM outperforms AC-SVM and GEN ({np_:.3f}; {ac:.3f}, {gen:.3f})", np_ < min(ac, gen)))
        one = {m: float(np.mean([np.mean(by_method(facts["magic"][0], a, m, "fit_cpu")) for a in facts["magic"][1]])) for m in ("ONP-SVM", "BNP-SVM", "AC-SVM")}
        checks.append((f"Gamma Telescope: one online fit is faster than one batch fit ({one['BNP-SVM'] / one['ONP-SVM']:.1f} times; the paper's searches 12 times)", one["ONP-SVM"] < one["BNP-SVM"]))
    for name in ("spambase", "page_blocks"):
        if name in facts:
            perf, online = mean_criterion(facts, name, "SVMperf"), mean_criterion(facts, name, "ONP-SVM")
            checks.append((f"{SETS[name]}: SVMperf matches ONP-SVM (criterion {perf:.3f} against {online:.3f}, at most 0.1 above)", perf <= online + 0.1))
    times = [max(t) <= 2 * min(t) for t in ([float(np.mean(by_method(f, a, "ONP-SVM", "fit_cpu"))) for a in alphas] for f, alphas in facts.values())]
    checks.append((f"the time of an online fit does not depend on alpha (at most twofold; {sum(times)} of {len(times)} sets)", all(times)))
    return checks


def page_figures(page, results):
    common = (f"Splits as in the paper (half to train, a quarter each to choose and to test; the paper uses four-fold cross-validation on Breast and Pima), repeated; criterion max(P_fa - alpha, 0)/alpha + P_nd; alpha = {', '.join(map(str, ALPHAS))} "
              "(the paper's are not in its text). Every function decides by its own intercept. At most 4000 validation and 8000 test rows. ")
    if results.names("figure4-"):
        p = results.parameters(results.names("figure4-")[0])
        page_methods = ("NP-SVM", "AC-SVM", "GEN")
        figure_page(page, results, "figure4-", "Figure 4: Gaussian kernel", page_methods, "np-figure4.svg",
                    "NP-SVM satisfies the constraint tightly and has similar or better P_nd than AC-SVM on Spambase, Breast and Pima; AC-SVM is better on PageBlocks; NP-SVM is best on Gamma Telescope; GEN is competitive on Spambase and Breast alone; NP-SVM is twice as fast as AC-SVM on Spambase.",
                    common + f"Grids are smaller than the paper's (10 values each): C in {p['grid']} and {len(p['gammas'])} values of gamma for each set, so {len(p['grid']) * len(p['gammas'])} fits of NP-SVM, {len(p['grid']) * len(RATIOS) * len(p['gammas'])} of AC-SVM (C-/C+ in {RATIOS}) and {len(p['gammas'])} of GEN (`--method chebyshev`) per split. "
                    "NP-SVM is the program's annealed method; the AC-SVM fits serve all alpha and are counted at each. Gamma Telescope: 2500 training rows.", figure4_checks)
    if results.names("figure5-"):
        p = results.parameters(results.names("figure5-")[0])
        figure_page(page, results, "figure5-", "Figure 5: linear kernel", ("BNP-SVM", "ONP-SVM", "algorithm 4", "AC-SVM", "GEN", "SVMperf"), "np-figure5.svg",
                    "GEN is fast but poor; the online method has a constant cost regardless of alpha, is similar to the batch methods and much faster on Gamma Telescope (12 and 20 times against BNP-SVM and AC-SVM), where the proposed methods clearly outperform AC-SVM and GEN; SVMperf matches it on Spambase and PageBlocks.",
                    common + f"C in {p['grid']} (the paper: 15 values, 15 x 15 for AC-SVM; here C-/C+ in {RATIOS}); {p['epochs']} epochs. BNP-SVM and ONP-SVM are the program's methods, 'algorithm 4' is the paper's as printed with the ramp loss and nu = 10/n-. SVMperf: ten values of k, time without the search for k, as in the paper. "
                    "Covertype: 8000 training rows. Where algorithm 4 has an FPR of 1 and an FNR of 0, all negatives lie beyond the slope of the ramp, where its gradient is 0.", figure5_checks)


# ---------------------------------------------------------------- figure 6


def scaling(rows, alpha, c):
    train, valid, test = lab.split(lab.lines_of("covtype_np"), (2, 1, 1), 1)
    out = {}
    with lab.Folder() as folder:
        folder.write(train=train[:rows], test=test[:8000])
        n_pos = sum(not line.startswith("-") for line in train[:rows])
        for name, options in (("SVMperf", ("--method", "perf", "--at-k", round(0.9 * n_pos))), ("BNP-SVM", ()), ("ONP-SVM", ("--method", "online", "--epochs", 20))):
            info = folder.json("train", "@train", "--max-fpr", alpha, "--confidence", "none", "-C", c, *options, "--threads", 1, "-o", "@model", codes=(0, 5))
            score, label = folder.scores("@model", "@test")
            out[name] = {"cpu": info["cpu"], "fnr_at": lab.rates(score, label, lab.threshold_for(score, label, alpha))[1]}
    return out


def page_scaling(page, results):
    names = sorted(results.names("figure6-"), key=lambda n: results.parameters(n)["rows"])
    if not names:
        return
    rows = [results.parameters(n)["rows"] for n in names]
    methods = ("SVMperf", "BNP-SVM", "ONP-SVM")
    seconds = {m: [results[n][m]["cpu"] for n in names] for m in methods}
    degree = {m: float(np.polyfit(np.log(rows), np.log(seconds[m]), 1)[0]) for m in methods}
    lab.chart(page.folder / "np-figure6.svg", [("", "training rows", "processor s", [(m, rows, seconds[m], "-o") for m in methods], {"xscale": "log", "yscale": "log"})], columns=1)
    fnr = {m: results[names[-1]][m]["fnr_at"] for m in methods}
    page.item("Figure 6: SVMperf on Covertype", "The training time of SVMperf grows so fast with the rows that it is impractical on Covertype, and its accuracy suffers.",
              f"One fit at C = {results.parameters(names[0])['c']}, alpha = {results.parameters(names[0])['alpha']}, k = 90 % of the positives; a growing number of training rows. The paper adapted the SVMperf program of its time; here it is the cutting-plane solver of `--method perf` with one slack.",
              [(f"SVMperf's time grows faster than linearly (exponent {degree['SVMperf']:.2f} above 1.2)", degree["SVMperf"] > 1.2), (f"it takes longer than the online method at the largest size ({seconds['SVMperf'][-1]:.2f} against {seconds['ONP-SVM'][-1]:.2f} s)", seconds["SVMperf"][-1] > seconds["ONP-SVM"][-1]),
               (f"its FNR at the same test FPR is higher than that of the batch method ({fnr['SVMperf']:.3f} against {fnr['BNP-SVM']:.3f})", fnr["SVMperf"] > fnr["BNP-SVM"])],
              [lab.table(("rows", *(f"{m}: s / FNR at test FPR alpha" for m in methods)), [(n, *(f"{results[k][m]['cpu']:.2f} / {results[k][m]['fnr_at']:.3f}" for m in methods)) for n, k in zip(rows, names)])],
              ("np-figure6.svg", "Processor seconds against training rows"), results.cpu("figure6-"))


# ---------------------------------------------------------------- table IV


def rcv1(seed, alphas, grid, costs, epochs):
    """Online against the AC-SVM grid, by scikit-learn's LIBLINEAR."""
    import time
    import warnings

    from scipy.sparse import csr_matrix
    from sklearn.svm import LinearSVC
    train, valid, test = lab.split(lab.lines_of("rcv1"), (2, 1, 1), seed)
    out = {}

    def sparse(lines):
        cells = [line.split() for line in lines]
        pointer = np.cumsum([0, *(len(row) - 1 for row in cells)])
        flat = [cell.partition(":") for row in cells for cell in row[1:]]
        return csr_matrix(([float(v) for _, _, v in flat], [int(k) - 1 for k, _, _ in flat], pointer), shape=(len(lines), 47236)), np.array([float(row[0]) for row in cells])

    parts = {name: sparse(lines) for name, lines in (("train", train), ("valid", valid), ("test", test))}
    liblinear = []
    warnings.simplefilter("ignore")
    for c in costs:
        for d in costs:
            begin = time.process_time()
            model = LinearSVC(loss="hinge", C=1.0, class_weight={1: c, -1: d}, max_iter=2000, intercept_scaling=1, random_state=0).fit(*parts["train"])
            seconds = time.process_time() - begin
            liblinear.append({"cpu": seconds, **{name: lab.rates(model.decision_function(parts[name][0]), parts[name][1]) for name in ("valid", "test")}})
    with lab.Folder() as folder:
        folder.write(train=train, other=valid + test)
        fits = Fits(folder, len(valid))
        for alpha in alphas:
            out[str(alpha)] = {"AC-SVM": choose(liblinear, alpha),
                               "ONP-SVM": choose([fits.rates((alpha, c), ("--max-fpr", alpha, "--confidence", "none", "--method", "online", "-C", c, "--epochs", epochs)) for c in grid], alpha)}
    return out


def page_rcv1(page, results):
    found = results.all("table4-")
    if not found:
        return
    p = results.parameters(results.names("table4-")[0])
    alphas = [a for a in ALPHAS if str(a) in found[0]]
    rows = [(a, *(f"{lab.rate_interval(by_method(found, a, m, 'fpr'))} / {lab.rate_interval(by_method(found, a, m, 'fnr'))}" for m in ("ONP-SVM", "AC-SVM"))) for a in alphas]
    better = [np.mean([criterion(f[str(a)]["ONP-SVM"]["fpr"], f[str(a)]["ONP-SVM"]["fnr"], a) for f in found]) <= np.mean([criterion(f[str(a)]["AC-SVM"]["fpr"], f[str(a)]["AC-SVM"]["fnr"], a) for f in found]) + 0.02 for a in alphas]
    one = {m: float(np.mean([f[str(a)][m]["fit_cpu"] for f in found for a in alphas])) for m in ("ONP-SVM", "AC-SVM")}
    fits = {m: found[0][str(alphas[0])][m]["fits"] for m in one}
    page.item("Table IV: RCV1-V2", "The online method performs well on a large sparse set; a run takes 30.44 s against 79.50 s of a LIBLINEAR call, and it needs fewer runs (36 pairs of parameters against 100).",
              f"A sample of {results['table1-rcv1']['rows']} documents instead of 804414, half to train; {len(found)} splits; online: C in {p['grid']}, {p['epochs']} epochs; AC-SVM: scikit-learn's LIBLINEAR (hinge, dual), costs in {p['costs']} for either class. {NO_TABLE}",
              [(f"the online method's criterion is at most 0.02 above that of the grid at most alpha ({sum(better)} of {len(better)})", 2 * sum(better) > len(better)),
               (f"a run is faster than a LIBLINEAR call ({one['ONP-SVM']:.2f} against {one['AC-SVM']:.2f} s of processor, reading the file included for the first only)", one["ONP-SVM"] < one["AC-SVM"]),
               (f"it needs fewer runs ({fits['ONP-SVM']} against {fits['AC-SVM']})", fits["ONP-SVM"] < fits["AC-SVM"])],
              [lab.table(("alpha", "ONP-SVM: FPR / FNR", "AC-SVM (LIBLINEAR): FPR / FNR"), rows)], cpu=results.cpu("table4-"))


# ---------------------------------------------------------------- table V


def accepted(score, label, q):
    """Targets above the lowest threshold at which decoys/targets is at most q."""
    order = np.argsort(-score, kind="stable")
    target = label[order] > 0
    targets, decoys = np.cumsum(target), np.cumsum(~target)
    last = np.append(np.diff(score[order]) != 0, True)  # ties are accepted together
    good = last & (decoys <= q * targets)
    return int(targets[good].max()) if good.any() else 0


def pair_network(x, y, q, epochs, seed, hidden=5, mu=1e-4, nu=1e-3, rate=0.01):
    """The paper's qNNOpt as printed: a positive and a negative example per step, sigmoid loss, lambda by the pair. Returns a score function."""
    rng = np.random.default_rng(seed)
    w1, b1 = rng.normal(0, 0.3, (hidden, x.shape[1])), np.zeros(hidden)
    w2, b2, multiplier = rng.normal(0, 0.3, hidden), 0.0, 1.0
    positives, negatives = np.where(y > 0)[0], np.where(y < 0)[0]
    steps = epochs * len(positives)
    for t in range(steps):
        g = rate / (1 + t / (2 * len(positives)))
        values = []
        for row, sign in ((x[positives[rng.integers(len(positives))]], 1), (x[negatives[rng.integers(len(negatives))]], -1)):
            h = np.tanh(w1 @ row + b1)
            loss = 1 / (1 + math.exp(max(-60.0, min(60.0, sign * (w2 @ h + b2)))))
            values.append(loss)
            weight = 1 + multiplier * q if sign > 0 else multiplier
            slope = -weight * loss * (1 - loss) * sign
            inner = slope * w2 * (1 - h * h)
            w2 = w2 * (1 - g * mu) - g * slope * h
            b2 -= g * slope
            w1 *= 1 - g * mu
            w1 -= g * np.outer(inner, row)
            b1 -= g * inner
        multiplier = max(0.0, multiplier + nu * (values[1] - q * (1 - values[0])))
    return lambda z: np.tanh(z @ w1.T + b1) @ w2 + b2


def discoveries(seed, bounds, rows, epochs):
    """Targets accepted among test rows at each q."""
    import warnings

    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import SVC
    warnings.simplefilter("ignore")
    train, test = lab.split(lab.lines_of("psm"), (1, 1), seed)
    train = train[:rows]
    (x, y), (z, label) = lab.arrays(train, 19), lab.arrays(test, 19)
    plain = {"plain SVM": SVC(C=1, gamma="scale").fit(x, y).decision_function(z), "plain network": MLPClassifier((5,), activation="tanh", max_iter=200, random_state=seed).fit(x, y).predict_proba(z)[:, 1]}
    out = {"n": len(test), "targets": int(np.sum(label > 0)), "seconds": {}, "counts": {}}
    with lab.Folder() as folder:
        folder.write(train=train, test=test)
        for q in bounds:
            scores = dict(plain)
            for name, options in (("qSVMOpt", ("--kernel", "rbf")), ("qNNOpt", ("--network", 5))):
                seconds, _ = folder.run("train", "-q", "@train", "--max-fdr", q, *options, "--threads", 1, "-o", "@model", codes=(0, 4, 5))
                out["seconds"].setdefault(name, []).append(seconds)
                scores[name] = folder.scores("@model", "@test")[0] if (folder.path / "model").exists() else np.zeros(len(test))
            before = lab.cpu_seconds()
            scores["qNNOpt as printed"] = pair_network(x, y, q, epochs, seed)(z)
            out["seconds"].setdefault("qNNOpt as printed", []).append(lab.cpu_seconds() - before)
            out["counts"][str(q)] = {name: accepted(score, label, q) for name, score in scores.items()}
    return out


def page_discoveries(page, results):
    found = results.all("table5-")
    if not found:
        return
    bounds = [q for q in results.parameters(results.names("table5-")[0])["bounds"]]
    methods = ("qSVMOpt", "qNNOpt", "qNNOpt as printed", "plain SVM", "plain network")

    def counts(q, m):
        return [float(f["counts"][str(q)][m]) for f in found]

    rows = [(q, *(lab.interval(counts(q, m), 4, (0.0, math.inf)) for m in methods)) for q in bounds]
    gains = {q: max(np.mean(counts(q, "qSVMOpt")), np.mean(counts(q, "qNNOpt"))) / max(1, np.mean(counts(q, "plain SVM")), np.mean(counts(q, "plain network"))) for q in bounds}
    seconds = {m: float(np.mean([s for f in found for s in f["seconds"][m]])) for m in ("qSVMOpt", "qNNOpt", "qNNOpt as printed")}
    page.item("Table V: q-values", "qSVMOpt and qNNOpt accept more targets than plain classifiers, by more than 10 % at small q; the network is much faster than the kernel method (1 h against 41 h).",
              f"Yeast peptide-spectrum matches, {found[0]['n']} test rows ({found[0]['targets']} targets), {results.parameters(results.names('table5-')[0])['rows']} training rows, {len(found)} splits (the paper: 139410 rows of another set). Targets accepted among test rows where decoys/targets is at most q. "
              "qSVMOpt and qNNOpt are `neyman train --max-fdr` with the rbf kernel and with 5 hidden units; 'as printed' is the stochastic pair update of lambda in NumPy; plain SVM and plain network (5 units) are scikit-learn's SVC and MLPClassifier. The published figures (Percolator, qRanker on that set) are not in the text.",
              [(f"at the smallest q the better of the two accepts at least 10 % more than the better plain classifier ({100 * (gains[bounds[0]] - 1):.0f} %)", gains[bounds[0]] >= 1.1),
               ("at every q the better of the two accepts more", all(g > 1 for g in gains.values())), (f"the gain is largest at the smallest q ({', '.join(f'{100 * (g - 1):.0f} %' for g in gains.values())})", gains[bounds[0]] == max(gains.values())),
               (f"the network takes less time than the kernel method ({seconds['qNNOpt']:.1f} against {seconds['qSVMOpt']:.1f} s)", seconds["qNNOpt"] < seconds["qSVMOpt"])],
              [lab.table(("q", *methods), rows), "Processor seconds per fit: " + ", ".join(f"{m} {s:.1f}" for m, s in seconds.items()) + "."], cpu=results.cpu("table5-"))


# ---------------------------------------------------------------- the paper


def units(quick):
    out = [("figure1", losses, {})]
    out += [(f"table1-{name}", table1, {"name": name}) for name in SETS if lab.has_data(name)]
    cs, gammas = ((1,), (0.5,)) if quick else ((0.1, 1, 10), (0.1, 0.5, 2.5))
    size = {"rows": 500, "test_rows": 1000} if quick else {"rows": 2500, "test_rows": 10000}
    out += [(f"table2-{alpha}-{c}-{g}", annealed_or_uzawa, {"name": "synthetic", "alpha": alpha, "c": c, "gamma": g, **size}) for alpha in ((0.05, 0.2) if quick else ALPHAS) for c in cs for g in gammas]
    if lab.has_data("spambase"):
        size = {"rows": 400, "test_rows": 400} if quick else {"rows": 2300, "test_rows": 2300}
        out += [(f"table3-{alpha}-{c}-{g}", annealed_or_uzawa, {"name": "spambase", "alpha": alpha, "c": c, "gamma": g, **size}) for alpha in ((0.05, 0.2) if quick else ALPHAS)
                for c in ((1,) if quick else (0.1, 1, 10)) for g in ((0.02,) if quick else (0.005, 0.02))]
        out += [(f"figure3-{c}", random_starts, {"c": c, "alpha": 0.05, "starts": 4 if quick else 24, "rows": 400 if quick else 2300}) for c in ((0.1,) if quick else (0.01, 0.1, 1, 10))]
    alphas = (0.05, 0.2) if quick else ALPHAS
    splits = 1 if quick else 3
    grid = (1,) if quick else (0.1, 1, 10)
    for name, steps in (("breast", (0.03, 0.1, 0.3)), ("pima", (0.1, 0.3, 1)), ("spambase", (0.005, 0.02, 0.08)), ("page_blocks", (0.03, 0.1, 0.3)), ("magic", (0.03, 0.1, 0.3))):
        if lab.has_data(name):
            out += [(f"figure4-{name}-{seed}", gaussian_kernel, {"name": name, "seed": seed, "alphas": alphas, "grid": grid, "ratios": RATIOS, "gammas": steps[1:2] if quick else steps, "most": 300 if quick else 2500}) for seed in range(1, splits + 1)]
    for name in ("spambase", "page_blocks", "magic", "covtype_np"):
        if lab.has_data(name):
            out += [(f"figure5-{name}-{seed}", linear_kernel, {"name": name, "seed": seed, "alphas": alphas, "grid": (0.1,) if quick else (0.01, 0.1, 1), "ratios": RATIOS, "most": 300 if quick else 8000, "epochs": 5 if quick else 30})
                    for seed in range(1, (1 if quick or name == "covtype_np" else splits) + 1)]
    if lab.has_data("covtype_np"):
        out += [(f"figure6-{rows}", scaling, {"rows": rows, "alpha": 0.05, "c": 0.1}) for rows in ((300, 600) if quick else (1000, 4000, 16000, 64000))]
    if lab.has_data("rcv1") and not quick:
        out += [(f"table4-{seed}", rcv1, {"seed": seed, "alphas": alphas, "grid": (0.1, 1, 10), "costs": (0.1, 1, 10, 100), "epochs": 20}) for seed in range(1, splits)]
    if lab.has_data("psm"):
        out += [(f"table5-{seed}", discoveries, {"seed": seed, "bounds": (0.01, 0.1) if quick else (0.005, 0.01, 0.05, 0.1), "rows": 600 if quick else 5000, "epochs": 1 if quick else 10}) for seed in range(1, splits + 1)]
    return out


def page(results, folder):
    it = lab.Page("Gasso et al. (2011): nonconvex Neyman-Pearson classification",
                  ["G. Gasso, A. Pappaioannou, M. Spivak, L. Bottou, *Batch and Online Learning Algorithms for Nonconvex Neyman-Pearson Classification*, ACM Transactions on Intelligent Systems and Technology 2 (2011). "
                   "`./run papers np` repeats every number on this page. P_fa is the FPR, P_nd the FNR. `tests/reference/np_literal.c` has algorithms 1 to 4 as printed, on the library's quadratic programs."], folder)
    page_data(it, results)
    page_losses(it, results)
    if results.names("table2-"):
        page_speed(it, results)
    if results.names("figure3-"):
        page_starts(it, results)
    page_figures(it, results)
    page_scaling(it, results)
    page_rcv1(it, results)
    page_discoveries(it, results)
    it.note("What was chosen after results were seen",
            "The AC-SVM of figures 4 and 5 first had ratios of costs in steps of ten, and gave trivial classifiers on Gamma Telescope with the linear kernel. The page has a second run, with ratios from 1 to 32. With it the AC-SVM is slightly better on Gamma Telescope in figure 4 (before: worse), and worse on Spambase (before: better). At alpha .01 and .05 on linear Gamma Telescope it is still trivial, so that part of the difference there is an effect of the grid.",
            "The conditions on speed in tables II and III first counted processor seconds, in which the speed-up at alpha = 0.01 was 2.8 in one run and 2.0 in another; they count QP steps. That these must be at most half at the smallest alpha, and the conditions on GEN and on half the time in figure 4, were added when the pages were compared with the wording of the paper.",
            "The condition on SVMperf in figure 5 was added after the first full results. Other conditions and tolerances were set after quick runs and before the full ones.")
    it.write("np.md")
