# Waiting for another process without a clock: tests pass on a machine that is ten times slower. Only
# the test runner limits how long a test may take. Used as: . "$NEY_SOURCE/tests/support/wait.sh"

# wait_until PID COMMAND...: until the command succeeds or the process is gone.
wait_until() {
    waited_for=$1
    shift
    until "$@" || ! kill -0 "$waited_for" 2> /dev/null; do
        sleep 0.02
    done
}

# catches_int PID: whether the process has a handler for SIGINT (signal 2: the second lowest bit). A
# fork of this shell that has not started the program yet may have the handler of the shell.
catches_int() {
    cmp -s "/proc/$1/comm" "/proc/$$/comm" && return 1
    case $(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2> /dev/null) in
    *[2367abef]) return 0 ;;
    esac
    return 1
}

# ignores PID NUMBER: whether the process ignores the signal of that number.
ignores() {
    mask=$(sed -n 's/^SigIgn:[[:space:]]*//p' "/proc/$1/status" 2> /dev/null)
    test $((0x${mask:-0} >> ($2 - 1) & 1)) -eq 1
}

# has_line PATTERN FILE
has_line() {
    grep -q -- "$1" "$2" 2> /dev/null
}

# has_read PID BYTES: whether the process has read that much, from whatever file.
has_read() {
    test "$(sed -n 's/^rchar: //p' "/proc/$1/io" 2> /dev/null || echo 0)" -gt "$2" 2> /dev/null
}
