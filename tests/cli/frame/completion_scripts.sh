#!/bin/sh
# The completion scripts are valid in their shells, and bash's completes commands, options, choices.
set -eu
for shell in bash zsh fish; do
    neyman help --completion $shell > $shell.txt
    test -s $shell.txt
    if command -v $shell > /dev/null; then
        $shell -n $shell.txt
    fi
done
command -v bash > /dev/null || exit 77
cat > try.bash <<'END'
. ./bash.txt
complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _neyman; echo "${COMPREPLY[*]}"; }
complete_words neyman tr
complete_words neyman train --sca
complete_words neyman train --scale mi
complete_words neyman train --scale = st
complete_words neyman help --man con
END
bash try.bash > got
printf 'train\n--scale\nminmax\nstandard\nconvert\n' | cmp - got
