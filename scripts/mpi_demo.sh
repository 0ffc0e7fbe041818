#!/bin/sh
# neyman-mpi on bundled data: two processes on this machine.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
PATH=$here/build:$PATH
# Open MPI does not start as root unless told that this is meant.
[ "$(id -u)" -ne 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun --oversubscribe -n 2 neyman-mpi help
