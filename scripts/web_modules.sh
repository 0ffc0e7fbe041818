#!/bin/sh
# web_modules.sh FOLDER: install the modules of web/package-lock.json below FOLDER, for the browser
# tests and for rebuilding the page. Says so and goes on where npm is missing or cannot.
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
folder=$1
if cmp -s "$root/web/package-lock.json" "$folder/installed-lock.json"; then
    exit 0
fi
if ! command -v npm > /dev/null 2>&1; then
    echo "no npm: browser tests will be skipped" >&2
    exit 0
fi
mkdir -p "$folder"
cp "$root/web/package.json" "$root/web/package-lock.json" "$root/web/.npmrc" "$folder/"
if (cd "$folder" && npm ci --no-progress --ignore-scripts > npm.log 2>&1); then
    cp "$root/web/package-lock.json" "$folder/installed-lock.json"
else
    echo "npm ci failed ($folder/npm.log): browser tests will be skipped" >&2
fi
