#!/bin/sh
# python.sh PYTHON: install the Python package into build/venv, which sees the packages of PYTHON too.
set -eu

python=$1
venv=build/venv
if [ ! -x $venv/bin/python ]; then
    "$python" -m venv --system-site-packages $venv
fi
NEYMAN_BUILD=$PWD/build/release $venv/bin/python -m pip install --quiet --no-build-isolation --no-deps \
    --disable-pip-version-check --no-index ./python
rm -rf python/build python/*.egg-info
echo "Installed into $venv. Try:"
echo "    $venv/bin/python -c 'import neyman; print(neyman.plan(max_fpr=0.01))'"
