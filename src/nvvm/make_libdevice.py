#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Declarations of the functions of libdevice, which hostwarp's driver brings with it, as LLVM text. usage: make_libdevice.py lower/nvmath.def OUTPUT"""
import pathlib
import re
import sys

TYPES = {'i': 'i32', 'l': 'i64', 'h': 'i16', 'f': 'float', 'd': 'double', 'v': 'void'}


def main():
    rows = re.findall(r'^NV\("(\w+)",\s*"(\w):(\w*)"', pathlib.Path(sys.argv[1]).read_text(), re.M)
    lines = ['; The driver of hostwarp has these functions: nothing is linked in.', 'target triple = "nvptx64-nvidia-cuda"']
    lines += [f'declare {TYPES[result]} @__nv_{name}({", ".join(TYPES[a] for a in arguments)})' for name, result, arguments in rows]
    pathlib.Path(sys.argv[2]).write_text('\n'.join(lines) + '\n')


main()
