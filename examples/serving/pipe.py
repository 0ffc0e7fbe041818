"""Score rows one by one through a pipe: the program is started once and answers line by line.

    pipe.py MODEL HEADER < ROWS

HEADER is the first line of a CSV file with the columns of the model, ROWS are further lines of it. Prints
the answer to each row before it sends the next.
"""
import subprocess
import sys


class Scorer:
    """`neyman predict` on an open pipe. Not for several threads at a time."""

    def __init__(self, model, header):
        self.process = subprocess.Popen(
            ["neyman", "predict", "-q", "--scores", "--line-buffered", "--threads", "1", model, "-"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(header + "\n")
        self.columns = None

    def score(self, row):
        """The answer to one row: predicted and score, by name."""
        self.process.stdin.write(row + "\n")
        self.process.stdin.flush()
        if self.columns is None:
            self.columns = self.process.stdout.readline().split()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("neyman predict has ended: the message is on standard error")
        return dict(zip(self.columns, line.rstrip("\n").split("\t")))

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def main():
    scorer = Scorer(sys.argv[1], sys.argv[2])
    for row in sys.stdin:
        answer = scorer.score(row.rstrip("\n"))
        print(answer["predicted"], answer["score"], flush=True)
    sys.exit(scorer.close())


if __name__ == "__main__":
    main()
