# Commands that refuse their input. Used as: . "$NEY_SOURCE/tests/support/refuse.sh"

# refuse PATTERN COMMAND...: neyman COMMAND -o m ends with exit code 3, the pattern is in its messages,
# and there is no m.
refuse() {
    want=$1; shift
    status=0; neyman "$@" -o m > out 2> err || status=$?
    [ $status -eq 3 ] || { echo "$*: exit $status"; cat err; exit 1; }
    grep -q -- "$want" err || { echo "$*: no '$want' in:"; cat err; exit 1; }
    [ ! -e m ]
}
