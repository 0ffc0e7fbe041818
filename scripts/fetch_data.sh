#!/bin/sh
# fetch_data.sh FOLDER [SET ...]: fetch public data sets, check them, and convert them to FOLDER/SET.{train,valid,test}.svm.gz.
#
# scripts/data_sets.json has the address and the check of each set. NEY_DATA_MIRROR=ADDRESS takes the files from there instead, by
# the last part of their addresses (file:///folder, or a web address). A file that was fetched before is not fetched again. Exit code
# 1 if a set could not be had; the others are converted all the same.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
python=${PYTHON:-python3}
if [ $# -lt 1 ]; then
    sed -n '2,6s/^# //p' "$0" >&2
    exit 2
fi
folder=$1
shift
mkdir -p "$folder/raw"
failed=0
for name in $("$python" -B "$here/convert_data.py" list "$@"); do
    address=$("$python" -B "$here/convert_data.py" address "$name")
    file=$folder/raw/${address##*/}
    if [ ! -s "$file" ]; then
        from=${NEY_DATA_MIRROR:+$NEY_DATA_MIRROR/${address##*/}}
        echo "fetching $name" >&2
        if ! curl -fsSL --retry 3 --max-time 600 -o "$file.part" "${from:-$address}"; then
            echo "fetch_data: $name: cannot fetch ${from:-$address}" >&2
            rm -f "$file.part"
            failed=1
            continue
        fi
        mv "$file.part" "$file"
    fi
    "$python" -B "$here/convert_data.py" convert "$name" "$file" "$folder" || failed=1
done
exit "$failed"
