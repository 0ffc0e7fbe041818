#!/bin/sh
# neyman-mpi on bundled data: two processes on this machine train the model that one process trains.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
PATH=$here/build:$PATH
command -v mpirun > /dev/null || { echo "mpirun is missing (package openmpi-bin): ./run mpi installs it" >&2; exit 1; }
# Open MPI does not start as root unless told that this is meant.
[ "$(id -u)" -ne 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d "${TMPDIR:-/tmp}/neyman-mpi.XXXXXX")
trap 'rm -rf "$work"' EXIT
do_it() { printf '\n$ %s\n' "$1"; eval "$1"; }

cd "$work"
cp "$here/data/spambase-train.csv.gz" "$here/data/spambase-test.csv.gz" .
echo "# One cache, of which each process reads its rows."
do_it 'neyman convert -q spambase-train.csv.gz spam.ney --label type'
do_it 'mpirun --oversubscribe -n 2 neyman-mpi train spam.ney --cost-fp 5 -o two.model'
do_it 'mpirun --oversubscribe -n 1 neyman-mpi train -q spam.ney --cost-fp 5 -o one.model > one.txt'
do_it 'cmp one.model two.model && echo "the same model, to the last bit"'
do_it 'neyman evaluate two.model spambase-test.csv.gz'
