# For cases of neyman-mpi: `ranks N COMMAND...` runs N processes on this machine.
if ! command -v neyman-mpi > /dev/null 2>&1 || ! command -v mpirun > /dev/null 2>&1; then
    echo "[  SKIPPED ] needs neyman-mpi and mpirun (packages libopenmpi-dev and openmpi-bin)"
    exit 77
fi
# Open MPI keeps memory to the end of a process, and wants to be told that root may start it.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Processes that wait give the processor to those that work; nothing depends on a network.
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none

ranks() {
    n=$1
    shift
    mpirun --oversubscribe -n "$n" neyman-mpi "$@"
}

# refused CODE PATTERN N COMMAND...: the exit code, the message, and nothing on standard output.
refused() {
    code=$1 pattern=$2
    shift 2
    status=0
    ranks "$@" > refused.out 2> refused.err < /dev/null || status=$?
    if [ "$status" -ne "$code" ] || ! grep -q -e "$pattern" refused.err || [ -s refused.out ]; then
        echo "neyman-mpi $*: exit $status, expected $code and '$pattern'" >&2
        cat refused.out refused.err >&2
        exit 1
    fi
}
