"""Repeat the experiments of the papers and write their pages.

    papers.py [np|roc|rej ...] [--quick] [--jobs N] [--render] [--fresh]

Results are kept as JSON, one file per unit of work, below build/papers: an interrupted run continues. A full run writes
doc/papers/*.md and its pictures; --quick, with fewer splits and rows, writes to build/papers/quick. --render writes the pages from
the results that are there; --fresh forgets them first."""
import argparse
import importlib
import json
import os
import shutil
import subprocess
import sys

import lab

PAPERS = {"np": "neyman_pearson", "roc": "roc", "rej": "rej"}


def kept_units(folder, units):
    """Results that are already there, of the units that are asked for."""
    done = {}
    for name, _, _ in units:
        path = folder / f"{name}.json"
        if path.exists():
            done[name] = json.loads(path.read_text())
    return done


def run(paper, options):
    module = importlib.import_module(PAPERS[paper])
    folder = lab.STORE / ("quick" if options.quick else "full") / paper
    if options.fresh:
        shutil.rmtree(folder, ignore_errors=True)
    missing = [] if options.render else [name for name in module.DATA if not lab.has_data(name)]
    if missing:
        print(f"papers: {paper}: no data of {', '.join(missing)} in {lab.data_folder()}: experiments on them are left out", file=sys.stderr)
    units = module.units(options.quick)
    done = kept_units(folder, units) if options.render else lab.run_units(units, folder, options.jobs)
    pages = lab.STORE / "quick" if options.quick else lab.ROOT / "doc" / "papers"
    module.page(lab.Results(done), pages)
    print(f"papers: {paper}: {len(done)} results, {sum(kept['cpu'] for kept in done.values()):.0f} processor seconds, page {pages / (paper + '.md')}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paper", nargs="*", choices=[[], *PAPERS], help="which papers; default: all")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--render", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if not lab.SHARED.is_dir() and not options.render:  # a set that cannot be had is left out of the pages
        subprocess.run(["sh", str(lab.ROOT / "scripts" / "fetch_data.sh"), str(lab.STORE / "data")], check=False)
    for paper in options.paper or PAPERS:
        run(paper, options)


if __name__ == "__main__":
    sys.exit(main())
