#!/bin/sh
# Messages name an option as it was typed; -C=1 is -C 1 and 1e3 is 1000; help and version are JSON too.
set -eu
awk 'BEGIN { for (i = 1; i <= 40; i++) print (i % 2 ? 1 : -1), "1:" i % 7 - (i % 2 ? 2 : 4), "2:" i % 5 }' > d.svm
neyman train d.svm -C 0.5 --max-iter 1000 -o want -q > out
neyman train d.svm -C=0.5 --max-iter 1e3 -o=got -q > out
cmp want got
says() {
    want=$1; shift
    status=0; neyman "$@" > out 2> err || status=$?
    test $status -eq 2 || { echo "exit $status: $*"; exit 1; }
    grep -q -- "$want" err || { cat err; exit 1; }
}
says '^neyman: -C = x, expected' train d.svm -o m -C x
says '^neyman: -C = x, expected' train d.svm -o m -C=x
says '^neyman: --C = x, expected' train d.svm -o m --C=x
says '^neyman: -C needs a value' train d.svm -o m -C
says '^neyman: --max-iter = 1.5e0, expected a whole number' train d.svm -o m --max-iter 1.5e0
says '^neyman: --max-iter = 1e300, expected a whole number' train d.svm -o m --max-iter 1e300
says 'not JSON' help --man --json
says 'not JSON' help --completion bash --json
command -v python3 > /dev/null || exit 77
neyman --version --json | python3 -c 'import json, sys; assert json.load(sys.stdin)["version"]'
neyman --help --json | python3 -c 'import json, sys; assert len(json.load(sys.stdin)["commands"]) > 5'
neyman train --help --json | python3 -c 'import json, sys
assert [c["name"] for c in json.load(sys.stdin)["commands"]] == ["train"]'
