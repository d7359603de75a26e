#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the version script of libcudart.so.MAJOR from the rows of runtime.def: gen_map.py runtime.def MAJOR OUT."""
import re
import sys

ROW = re.compile(r"^(API|QUICK|STUB|HAND)\((\w+), (\w+), (LIB_\w+),|^(SAME)\((\w+), (\w+), \w+, (LIB_\w+),")


def symbols(path, major):
    for line in open(path, encoding="utf-8"):
        m = ROW.match(line)
        if not m:
            continue
        symbol, lib = (m.group(3), m.group(4)) if m.group(1) else (m.group(7), m.group(8))
        if lib in ("LIB_ALL", "LIB_" + major, "LIB_" + major + "_ONLY"):
            yield symbol


def main():
    path, major, out = sys.argv[1:]
    with open(out, "w", encoding="utf-8") as f:
        f.write("libcudart.so.%s {\nglobal:\n" % major)
        for s in sorted(set(symbols(path, major))):
            f.write("    %s;\n" % s)
        f.write("local:\n    *;\n};\n")


if __name__ == "__main__":
    main()
