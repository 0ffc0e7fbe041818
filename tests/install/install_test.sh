#!/bin/sh
# install_test.sh CMAKE BUILD FOLDER CC: install BUILD, then use the installed library from a separate project.
#
# The prefix has a space in its name. During the test the prefix is moved: the CMake package must still work.
set -eu

cmake=$1
build=$2
folder=$3
cc=$4
here=$(cd "$(dirname "$0")" && pwd)

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
prefix="$folder/first place"
"$cmake" --install "$build" --prefix "$prefix" > install.log

step() {
    echo "== $*"
}

step "everything is in its place"
for file in bin/neyman include/neyman/neyman.h lib*/libneyman.a lib*/libneyman.so \
    lib*/libneyman.so.1 lib*/pkgconfig/neyman.pc lib*/cmake/neyman/neymanConfig.cmake \
    share/man/man1/neyman.1 share/man/man1/neyman-train.1 share/man/man1/neyman-predict.1 \
    share/bash-completion/completions/neyman share/zsh/site-functions/_neyman \
    share/fish/vendor_completions.d/neyman.fish share/doc/neyman/LICENSE; do
    # shellcheck disable=SC2086 # lib* may be lib64
    set -- "$prefix"/$file
    if [ ! -s "$1" ]; then
        echo "not installed: $file" >&2
        exit 1
    fi
done
pc=$(dirname "$(ls "$prefix"/lib*/pkgconfig/neyman.pc)")
lib=$(dirname "$pc")

step "the program runs, and the manual names every command"
"$prefix/bin/neyman" help > help.txt
for command in $("$prefix/bin/neyman" help --commands); do
    test -s "$prefix/share/man/man1/neyman-$command.1"
    grep -q -- "$command" "$prefix/share/bash-completion/completions/neyman"
done
sh -n "$prefix/share/bash-completion/completions/neyman" 2> /dev/null ||
    ! command -v bash > /dev/null || bash -n "$prefix/share/bash-completion/completions/neyman"

step "C by pkg-config, shared"
PKG_CONFIG_PATH=$pc
export PKG_CONFIG_PATH
eval "\"$cc\" -std=c17 -Wall -Wextra -Wpedantic -Werror \"$here/stranger.c\" -o c_shared \
    $(pkg-config --cflags --libs neyman)"
LD_LIBRARY_PATH=$lib ./c_shared

step "C by pkg-config, static"
# Only libneyman.a is taken instead of its twin: the system's own libraries may lack static ones.
flags=$(pkg-config --static --cflags --libs neyman | sed 's/-lneyman/-l:libneyman.a/')
eval "\"$cc\" -std=c17 \"$here/stranger.c\" -o c_static $flags"
./c_static

step "C and C++ by find_package, shared and static"
mv "$prefix" "second place"
prefix="$folder/second place"
"$cmake" -S "$here" -B cmake-build -G Ninja "-DCMAKE_PREFIX_PATH=$prefix" > cmake.log
"$cmake" --build cmake-build >> cmake.log
for program in c_neyman cpp_neyman c_neyman_static cpp_neyman_static; do
    "cmake-build/$program"
done

step "nothing names the build folder, where the prefix lies in this test"
if grep -rI -e "$build" "$prefix"/lib*/cmake "$prefix"/lib*/pkgconfig "$prefix/include" |
    grep -v 'first place'; then
    exit 1
fi
cd /
rm -rf "$folder"
