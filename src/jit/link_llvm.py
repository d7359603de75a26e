#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links the parts of LLVM that jit/ calls into one shared library.

usage: link_llvm.py LLVM_CONFIG CC CXX llvm.def OUTPUT

The system's libLLVM has every target and tool, and loading it takes 12 ms; this one has what llvm.def names, for this CPU, and takes 2.5.
"""
import pathlib
import subprocess
import sys

COMPONENTS = ['native', 'core', 'passes', 'bitreader', 'bitwriter', 'analysis', 'target', 'orcjit']


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    config, cc, cxx, table, library = sys.argv[1:]
    names = output(cc, '-E', '-P', '-x', 'c', '-D', 'LLVM(name)=name', table).split()
    exports = pathlib.Path(library + '.map')
    exports.write_text('{ global: ' + ' '.join(f'{n};' for n in names) + ' local: *; };\n')
    parts = output(config, '--link-static', '--ldflags', '--libs', *COMPONENTS).split()
    subprocess.run([cxx, '-shared', '-o', library, *(f'-Wl,-u,{n}' for n in names), '-Wl,--gc-sections', '-Wl,-Bsymbolic', '-Wl,-s', '-Wl,--no-undefined',
                    f'-Wl,--version-script={exports}', *parts, '-lzstd', '-lz', '-lpthread', '-ldl', '-lm'], check=True)
    exports.unlink()


main()
