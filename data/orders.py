#!/usr/bin/env python3
"""orders.py ROWS [SEED] [campaign]: simulated orders of a shop as CSV, about 2 % of them fraud.

The table of doc/guides/fraud.md. Every order is by another customer. With `campaign` the good orders change: a
discount brings new accounts that order late and pay for express."""

import math
import random
import sys

COUNTRIES = ["DE", "FR", "PL", "ES", "US"]


def order(draw, campaign):
    fraud = draw.random() < 0.02
    careful = fraud and draw.random() < 0.3 # fraud that looks like a good order in most columns
    loud = fraud and not careful
    new = campaign and not fraud and draw.random() < 0.3
    amount = math.exp(draw.gauss(4.6 if loud else 3.9 if new else 3.6, 0.8))
    days = draw.expovariate(1 / 6) if loud or new else draw.expovariate(1 / 400)
    hour = int(draw.gauss(2 if loud else 22 if new else 15, 4 if loud else 3 if new else 5)) % 24
    failed = sum(draw.random() < (0.45 if fraud else 0.04) for _ in range(4))
    country = draw.choices(COUNTRIES, [30, 25, 20, 15, 10])[0]
    card = draw.choice(COUNTRIES) if draw.random() < (0.55 if fraud else 0.05) else country
    email = draw.choices(["company", "free", "throwaway"], [1, 5, 4] if loud else [3, 7, 0.2])[0]
    express = draw.random() < (0.7 if loud or new else 0.2)
    items = 1 + int(draw.expovariate(1 if fraud else 0.5))
    return [f"{amount:.2f}", items, hour, int(days), country, card, failed, email, "yes" if express else "no",
            "fraud" if fraud else "good"]


def main():
    rows, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    draw = random.Random(seed)
    print("order,amount,items,hour,account_days,country,card_country,failed_cards,email,express,type")
    for number in range(rows):
        print(f"{seed}-{number + 1}", *order(draw, "campaign" in sys.argv[3:]), sep=",")


if __name__ == "__main__":
    main()
