#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links the parts of LLVM that jit/ calls into one shared library.

usage: link_llvm.py LLVM_CONFIG CC CXX llvm.def OUTPUT

The system's libLLVM has every target and tool, and loading it takes 12 ms; this one has what llvm.def names, for this CPU, and takes 2.5.
"""
import pathlib
import subprocess
import sys

# A thread may be compiling when the process ends: destructors of LLVM's variables would take them away under it. None are registered; hw_llvm_stays says so.
NO_DESTRUCTORS = '''
int __wrap___cxa_atexit(void (*f)(void *), void *arg, void *dso);
int __wrap___cxa_atexit(void (*f)(void *), void *arg, void *dso) { (void)f; (void)arg; (void)dso; return 0; }
extern const char hw_llvm_stays;
const char hw_llvm_stays = 1;
'''
COMPONENTS = ['native', 'core', 'passes', 'bitreader', 'bitwriter', 'analysis', 'target', 'orcjit']


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    config, cc, cxx, table, library = sys.argv[1:]
    names = output(cc, '-E', '-P', '-x', 'c', '-D', 'LLVM(name)=name', table).split()
    exports = pathlib.Path(library + '.map')
    exports.write_text('{ global: ' + ' '.join(f'{n};' for n in [*names, 'hw_llvm_stays']) + ' local: *; };\n')
    own = pathlib.Path(library + '.c')
    own.write_text(NO_DESTRUCTORS)
    subprocess.run([cc, '-O2', '-fPIC', '-c', '-o', library + '.o', own], check=True)
    parts = output(config, '--link-static', '--ldflags', '--libs', *COMPONENTS).split()
    subprocess.run([cxx, '-shared', '-o', library, library + '.o', '-Wl,--wrap=__cxa_atexit', '-Wl,-u,hw_llvm_stays', *(f'-Wl,-u,{n}' for n in names), '-Wl,--gc-sections', '-Wl,-Bsymbolic', '-Wl,-s', '-Wl,--no-undefined',
                    f'-Wl,--version-script={exports}', *parts, '-lzstd', '-lz', '-lpthread', '-ldl', '-lm'], check=True)
    for path in (exports, own, pathlib.Path(library + '.o')):
        path.unlink()


main()
