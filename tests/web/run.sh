#!/bin/sh
# run.sh PROGRAM SCRIPT FOLDER: run one browser test with Node.js, in an empty folder of its own.
# Skipped (77) where Node.js, the modules of web/package-lock.json (scripts/web_modules.sh) or
# Chromium are missing.
set -eu
program=$1
script=$2
folder=$3
modules=$NEY_WEB_MODULES

skip() {
    echo "skipped: $*"
    exit 77
}

command -v node > /dev/null || skip "no Node.js"
[ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 18')" = true ] || skip "Node.js is older than 18"
[ -d "$modules/node_modules" ] || skip "no modules in $modules (make web-modules)"
NEY_CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
export NEY_CHROMIUM
if [ -z "$NEY_CHROMIUM" ] && ! grep -q '^// no browser' "$script"; then
    skip "no Chromium"
fi
rm -rf "$folder"
mkdir -p "$folder/work"
PATH=$(dirname "$program"):$PATH
cd "$folder/work"
code=0
node "$script" || code=$?
[ "$code" -ne 0 ] || rm -rf "$folder"
exit "$code"
