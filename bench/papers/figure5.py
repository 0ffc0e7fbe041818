"""Figure 5 of Bach, Heckerman and Horvitz (2004): training against testing asymmetry for the square loss, four
pairs of Gaussians with the discriminants 0.12, -6, 3 and -0.96 that the caption states.

The densities are not in the text. Here the negatives are N(0, I), the means differ by k along the first axis,
where the positives have the variance v: the discriminant is (1 - 1/v) / k^2.

    figure5.py [FOLDER]     writes pair-1.json ... and pair-1.svg ... there (default build/papers)
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import NEYMAN, ROOT, run_json, table  # noqa: E402

# discriminant, k, v, second variance of the positives, their covariance
PAIRS = ((0.12, 2, 1 / 0.52, 0.5, 0.4), (-6, 0.5, 0.4, 1.2, -0.3), (3, 0.5, 4, 0.6, 0.5), (-0.96, 1, 1 / 1.96, 1.5, 0.3))


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "papers")
    folder.mkdir(parents=True, exist_ok=True)
    rows, verdicts = [], []
    for i, (wanted, k, v, second, off) in enumerate(PAIRS, 1):
        mixture = {"p_pos": 0.5, "positive": [{"weight": 1, "mean": [k, 0], "cov": [[v, off], [off, second]]}],
                   "negative": [{"weight": 1, "mean": [0, 0], "cov": [[1, 0], [0, 1]]}]}
        path = folder / f"pair-{i}.json"
        path.write_text(json.dumps(mixture) + "\n")
        found = run_json([str(NEYMAN), "asymmetry", str(path), "--json", "-q", "--plot", str(folder / f"pair-{i}.svg")])
        discriminant = found["limit_at_0"]["discriminant"]
        assert abs(discriminant - wanted) < 1e-12, (discriminant, wanted)
        small = next(p for p in found["curve"] if p["gamma"] == 0.01)
        rows.append([i, f"{wanted}", found["regime_at_0"], found["regime_at_1"], f"{small['log_slope']:.4g}"])
        verdicts.append(f"{i}. {found['verdict']}")
    table("Figure 5, square loss", ["pair", "discriminant", "at gamma = 0", "at gamma = 1", "log slope at 0.01"], rows)
    print("\n".join(verdicts))
    print(f"charts: {folder}")


if __name__ == "__main__":
    main()
