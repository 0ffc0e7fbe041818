# %% [markdown]
# # A spam filter that flags at most 2 % of good mail
#
# Good mail must not be lost: the false-positive rate (FPR) shall be at most 2 %, with 95 % confidence. As much spam as possible
# shall be flagged. The cells below give that guarantee to a random forest, train a classifier for it, draw what was certified,
# and watch the bound in use. Run it as a script (`python spam.py [PICTURE]`) or cell by cell.

# %%
import pathlib
import sys

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import neyman

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
mail = pd.read_csv(DATA / "spambase-train.csv.gz")
new = pd.read_csv(DATA / "spambase-test.csv.gz")
X, y = mail.drop(columns="type"), mail["type"]
X_new, y_new = new.drop(columns="type"), new["type"]
MAX_FPR = 0.02

# %% [markdown]
# How many good mails must be held out?

# %%
print(neyman.plan(max_fpr=MAX_FPR, n=[149, 500, 1000]))

# %% [markdown]
# ## A guarantee for a classifier that you have
#
# Fit it on one part of the mail, certify its threshold on the other part, which it has not seen.

# %%
X_train, X_cal, y_train, y_cal = train_test_split(X, y, test_size=0.4, random_state=0)
forest = RandomForestClassifier(200, random_state=0).fit(X_train, y_train)
certified = neyman.certify_estimator(forest, X_cal, y_cal, max_fpr=MAX_FPR)
print(certified.certificate_)

# %% [markdown]
# ## A classifier that is trained for the bound
#
# It holds rows out by itself.

# %%
trained = neyman.NeymanPearsonClassifier(max_fpr=MAX_FPR, kernel="rbf").fit(X, y)
print(trained.certificate_)

# %% [markdown]
# ## New mail
#
# Rates on mail that nothing was fitted or chosen on, with exact 95 % intervals.


# %%
def report(name, predicted):
    good, spam = y_new == "nonspam", y_new == "spam"
    for what, rows in (("of good mail", good), ("of spam", spam)):
        flagged = int((predicted[rows] == "spam").sum())
        low, high = neyman.interval(flagged, int(rows.sum()))
        print(f"{name}: {100 * flagged / rows.sum():.2f} % {what} flagged (95 % interval {100 * low:.2f} to {100 * high:.2f} %)")


report("forest", certified.predict(X_new))
report("trained for the bound", trained.predict(X_new))

# %% [markdown]
# ## In use
#
# An alarm is raised if the evidence that the FPR exceeds 2 % becomes strong. It may be looked at after every mail.

# %%
monitor = neyman.Monitor.from_certificate(certified.certificate_, classes=("nonspam", "spam"))
monitor.update(y_new, forest.predict_proba(X_new)[:, 1])
print(monitor)

# %% [markdown]
# ## The picture

# %%
figure, axes = plt.subplots(1, 2, figsize=(7.2, 3.3), layout="constrained")
with plt.rc_context({"font.size": 8, "legend.fontsize": 7}):
    neyman.RocDisplay.from_estimator(certified, X_new, y_new, name="forest", ax=axes[0])
    neyman.CertificateDisplay.from_estimator(certified, X_new, y_new, ax=axes[1])
picture = sys.argv[1] if len(sys.argv) > 1 and not hasattr(sys, "ps1") else "spam.png"
figure.savefig(picture, dpi=150)
print(f"the picture is in {picture}")
