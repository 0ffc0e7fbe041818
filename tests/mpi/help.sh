#!/bin/sh
# The page of neyman-mpi, once for all processes; commands for one process are refused.
set -eu
. "$CASE_DIR/lib.sh"
ranks 3 help > out 2> err
test "$(grep -c '^Usage: mpirun' out)" -eq 1
test ! -s err
ranks 2 help plan > out
neyman help plan | cmp - out
refused 2 'plan is not a command of neyman-mpi' 2 plan --max-fpr 0.1
refused 2 'there is no command' 2 trian
