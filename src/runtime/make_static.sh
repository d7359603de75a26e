#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes one archive with one object out of static libraries: make_static.sh OUT LIB...
set -e
out=$1
shift
object=${out%.a}.o
ld -r -o "$object" --whole-archive "$@" --no-whole-archive
objcopy --localize-hidden "$object"
rm -f "$out"
ar rcsD "$out" "$object"
