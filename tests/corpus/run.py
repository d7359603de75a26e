#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and runs somebody's CUDA programs, one per folder, and writes a table of what happened.

usage: run.py --build BUILD [--include DIR]... [--out TABLE.md] [--limit SECONDS] [--jobs N] [--plain | --nvcc NVCC] FOLDER [PATTERN...]

A program is a folder that directly holds .cu or .cpp files with a main(). Where it has a CMakeLists.txt with a project in it
and cmake is here, its own build files build it, with our tree as the CUDA toolkit (--plain: never); else `hostwarp cc` does,
from all its sources. With --nvcc, an installed toolkit's nvcc builds by the CMake files, asked for PTX and the shared runtime,
and `hostwarp run` runs what it made. It is run in its own folder (writes go to a copy), and judged by its exit status and by its own words:
a line that says FAILED where no line says PASSED is a failure, and so is a signal or a run past the limit. Programs that need
what hostwarp is not (graphics, vendor libraries, other systems) are told by the headers they include, and listed as such.
A program that ends because it wants more than one GPU is run once more with two.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

# What in an #include says that a program needs something outside of the CUDA runtime and driver.
OUTSIDE = [
    (r'GL/|GLFW|GLES|helper_gl|rendercheck|cuda_gl_interop', 'OpenGL'),
    (r'EGL|cudaEGL', 'EGL'),
    (r'vulkan', 'Vulkan'),
    (r'd3d|dxgi|DirectX', 'Direct3D'),
    (r'cublas|cusolver|cusparse|cufft|curand\.h|npp|nvjpeg|cudnn|cutensor', 'a vendor library'),
    (r'nvvm\.h', 'libNVVM'),
    (r'mpi\.h', 'MPI'),
    (r'nvsci|nvmedia|cudla', 'NVIDIA embedded systems'),
    (r'FreeImage|freeimage', 'FreeImage'),
]
# Kinds of results, in the order of the summary.
PASS, FAIL, NO_BUILD, TIMEOUT, WAIVED, NEEDS = 'pass', 'fails', 'does not build', 'time out', 'waived', 'out of scope'


def programs(top):
    """Folders with sources, one of which has a main()."""
    for folder, dirs, files in os.walk(top):
        dirs.sort()
        sources = sorted(f for f in files if f.endswith(('.cu', '.cpp', '.c', '.cc')))
        if any(f.endswith('.cu') or 'cuda' in text_of(pathlib.Path(folder) / f) for f in sources) and \
           any(re.search(r'\bmain\s*\(', text_of(pathlib.Path(folder) / f)) for f in sources):
            yield pathlib.Path(folder), sources


def text_of(path):
    return path.read_text(errors='replace')


def outside(folder):
    """Why hostwarp cannot be expected to run this program, or ''."""
    for path in sorted(folder.iterdir()):
        if path.suffix in ('.cu', '.cpp', '.c', '.cc', '.h', '.hpp', '.cuh'):
            for name in re.findall(r'#\s*include\s*[<"]([^>"]+)', text_of(path)):
                for pattern, what in OUTSIDE:
                    if re.search(pattern, name):
                        return what
    return ''


def kernels_loaded_by_name(folder, sources):
    """Sources that the program does not link but loads at run time as PTX or fatbin: NAME_kernel.cu without main()."""
    joined = ''.join(text_of(folder / f) for f in sources)
    loads = re.search(r'cuModuleLoad|\.fatbin|\.ptx|nvrtc', joined)
    if not loads:
        return []
    stems = {pathlib.Path(f).stem for f in sources if f.endswith('.cu') and not re.search(r'\bmain\s*\(', text_of(folder / f))}
    return [f for f in sources if f.endswith('.cu') and pathlib.Path(f).stem in stems and
            re.search(re.escape(pathlib.Path(f).stem) + r'(64)?\.?(fatbin|ptx|cu)?"', joined)]


def options(folder):
    """What its own build file asks of the compiler."""
    build = ''.join(text_of(folder / f) for f in ('CMakeLists.txt', 'Makefile') if (folder / f).exists())
    out = []
    if re.search(r'SEPARABLE_COMPILATION\s+ON|rdc[= ]true|-dc\b', build):
        out.append('-rdc=true')
    if re.search(r'OpenMP|fopenmp', build):
        out.append('-fopenmp')
    out += re.findall(r'--default-stream[ =]\S+?(?=[>\s")])', build)
    out += ['-lcuda'] if 'cuda_driver' in build or '-lcuda' in build else []
    out += ['-lnvrtc'] if 'nvrtc' in build else []
    return out


def run(command, cwd, limit, env):
    start = time.time()
    p = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, errors='replace', start_new_session=True)
    try:
        out, _ = p.communicate(timeout=limit)
        return p.returncode, out, time.time() - start
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, 9)
        out, _ = p.communicate()
        return None, out, time.time() - start


def first_error(text):
    for pattern in r'.*(?:fatal )?error: (.*)', r'.*(undefined reference to .*)', r'(hostwarp.*)', r'.*((?:CUDA e|E)rror.*)', r'.*(FAIL.*)':
        found = re.search(pattern, text)
        if found:
            return found.group(1).strip()
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else 'said nothing'


def judge(status, text):
    if status is None:
        return TIMEOUT, first_error(text)
    if re.search(r'\b(waiv|not supported on|requires? (?:a )?(?:GPU|device|compute)|skipping)', text, re.I) and status in (0, 2):
        return WAIVED, first_error(text)
    if status < 0:
        return FAIL, f'signal {-status}: {first_error(text)}'
    if status:
        return FAIL, f'exit {status}: {first_error(text)}'
    failed = re.search(r'^.*\b(FAIL(?:ED|URE)?|Test failed|mismatch)\b.*$', text, re.M)
    if failed and not re.search(r'\b(PASS(?:ED)?|Test passed|SUCCESS)\b', text, re.I):
        return FAIL, failed.group(0).strip()
    return PASS, ''


# Build files of samples name nine GPUs to make machine code for. This, in nvcc's place, asks for PTX of one virtual GPU instead.
NVCC_FOR_PTX = '''#!/bin/bash
args=() any=
while [ $# -gt 0 ]; do
    case "$1" in
        -gencode|--generate-code|-arch|--gpu-architecture|-code|--gpu-code) any=1; shift;;
        -gencode=*|--generate-code=*|-arch=*|--gpu-architecture=*|-code=*|--gpu-code=*) any=1;;
        *) args+=("$1");;
    esac
    shift
done
exec NVCC ${any:+-gencode arch=compute_80,code=compute_80} "${args[@]}"
'''


def cmake_options(args, work):
    if not args.nvcc:
        return [f'-DCMAKE_CUDA_COMPILER={args.build}/bin/nvcc', f'-DCUDAToolkit_ROOT={args.build}']
    (work / 'nvcc').write_text(NVCC_FOR_PTX.replace('NVCC', str(args.nvcc)))
    (work / 'nvcc').chmod(0o755)
    return [f'-DCMAKE_CUDA_COMPILER={work}/nvcc', f'-DCUDAToolkit_ROOT={args.nvcc.parent.parent}', '-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared',
            '-DCMAKE_SKIP_RPATH=ON']


def cmake_build(args, top, work, env):
    """By the program's own CMake files. Returns (program or None, what was said, seconds)."""
    # no build type, since all of them that optimise take assertions out; without flags the host's part would be -O0
    cmake = ['cmake', '-S', str(top), '-B', str(work / 'b'), *(f'-DCMAKE_{x}_FLAGS=-O2' for x in ('C', 'CXX', 'CUDA')), *cmake_options(args, work)]
    status, text, took = run(cmake, work, args.limit, env)
    if status == 0:
        status, more, seconds = run(['cmake', '--build', str(work / 'b')], work, args.limit, env)
        text, took = text + more, took + seconds
    names = re.findall(r'add_executable\(\s*(\S+)', text_of(top / 'CMakeLists.txt'))
    made = [work / 'b' / name for name in names if (work / 'b' / name).exists()]
    return (made[0] if status == 0 and made else None), text, took


def has_project(top):
    return (top / 'CMakeLists.txt').exists() and re.search(r'^\s*project\s*\(', text_of(top / 'CMakeLists.txt'), re.M)


def judged_run(args, folder, program, built, env):
    command = [str(args.build / 'bin/hostwarp'), 'run', str(program)] if args.nvcc else [str(program)]
    status, text, took = run(command, program.parent, args.limit, env)
    kind, why = judge(status, text)
    if kind == WAIVED and 'HOSTWARP_DEVICES' not in env:
        status, again, seconds = run(command, program.parent, args.limit, {**env, 'HOSTWARP_DEVICES': '2'})
        if judge(status, again)[0] != WAIVED:
            kind, why = judge(status, again)
            text, took, why = again, seconds, f'{why} (with HOSTWARP_DEVICES=2)'.strip()
    if args.verbose and kind != PASS:
        print(f'--- {folder.name}\n{text[-2000:]}')
    return kind, why, built, took


def no_build(args, folder, text, built):
    if args.verbose:
        print(f'--- {folder.name}\n{text[-3000:]}')
    return NO_BUILD, first_error(text), built, 0


def one(args, folder, sources):
    reason = outside(folder)
    if reason:
        return NEEDS, reason, 0, 0
    work = pathlib.Path(tempfile.mkdtemp(prefix='corpus-'))
    try:
        # some programs keep headers beside their sources' folder
        top = folder.parent if folder.name in ('src', 'source') else folder
        env = dict(os.environ) if args.nvcc else \
            dict(os.environ, PATH=f'{args.build}/bin:' + os.environ['PATH'], LD_LIBRARY_PATH=f'{args.build}/lib', CUDA_PATH=str(args.build))
        if args.nvcc and not has_project(top):
            return NO_BUILD, 'no CMake project, and --nvcc builds nothing else', 0, 0
        if not args.plain and has_project(top) and shutil.which('cmake'):
            program, text, built = cmake_build(args, top, work, env)
            return judged_run(args, folder, program, built, env) if program else no_build(args, folder, text, built)
        shutil.copytree(top, work / 'q', symlinks=True)
        os.symlink(work / 'q' / folder.relative_to(top), work / 'p') if top != folder else os.rename(work / 'q', work / 'p')
        later = kernels_loaded_by_name(folder, sources)
        hostwarp = str(args.build / 'bin/hostwarp')
        includes = [f'-I{d}' for d in [work / 'p', work / 'p/inc', work / 'q/inc'] + args.include]
        built = 0
        for name in later:
            stem = pathlib.Path(name).stem
            for kind, out in ('-fatbin', stem + '64.fatbin'), ('-ptx', stem + '64.ptx'):
                status, text, took = run([hostwarp, 'cc', kind, *includes, '-o', out, name], work / 'p', args.limit, env)
                built += took
                shutil.copy(work / 'p' / out, work / 'p' / out.replace('64.', '.')) if status == 0 else None
        mine = [f for f in sources if f not in later]
        status, text, took = run([hostwarp, 'cc', '-O2', *includes, *options(folder), *mine, '-o', './program'], work / 'p', args.limit, env)
        built += took
        return judged_run(args, folder, work / 'p/program', built, env) if status == 0 else no_build(args, folder, text, built)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def write_table(out, rows):
    count = collections.Counter(r[1] for r in rows)
    tried = sum(n for kind, n in count.items() if kind not in (NEEDS, WAIVED))
    out.write(f'{count[PASS]} of {tried} programs that need only the runtime and the driver pass.\n\n')
    out.write('| program | result | reason | build s | run s |\n|---|---|---|---|---|\n')
    for name, kind, why, built, took in rows:
        why = why.replace('|', '/')[:140]
        out.write(f'| {name} | {kind} | {why} | {built:.1f} | {took:.1f} |\n')


GOOD = '''#include <cstdio>
__global__ void f(int *p) { *p = 3; }
int main() { int *p; cudaMallocManaged(&p, 4); f<<<1, 1>>>(p); cudaDeviceSynchronize(); printf(*p == 3 ? "PASSED" : "FAILED"); }
'''
SELF = {                                                         # a program, and how it must be judged
    'good': (GOOD, PASS), 'says': (GOOD.replace('*p == 3', '*p == 4'), FAIL), 'dies': ('int main() { __builtin_trap(); }', FAIL),
    'typo': ('int main() { return x; }', NO_BUILD), 'hangs': ('int main() { for (volatile int x = 0; x == 0;); }', TIMEOUT),
    'opengl': ('#include <GL/gl.h>\nint main() {}', NEEDS),
}


def self_test(build):
    """Called by tests/run with the build folder alone: are programs of our own judged rightly?"""
    args = argparse.Namespace(build=build.resolve(), include=[], limit=20, verbose=False, plain=True, nvcc=None)
    import twins
    failed = 0
    print(f'1..{len(SELF) + len(twins.SELF)}')
    with tempfile.TemporaryDirectory() as top:
        for name, (text, want) in SELF.items():
            (pathlib.Path(top) / name).mkdir()
            (pathlib.Path(top) / name / 'main.cu').write_text(text)
        for folder, sources in programs(top):
            got, why, _, _ = one(args, folder, sources)
            want = SELF[folder.name][1]
            failed += got != want
            print(f'{"ok" if got == want else "not ok"} corpus_{folder.name} is judged {got} {why}'.replace('\n', ' '))
    return 1 if twins.self_test(build) or failed else 0


def main():
    if len(sys.argv) == 2 and (pathlib.Path(sys.argv[1]) / 'bin/hostwarp').exists():
        return self_test(pathlib.Path(sys.argv[1]))
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', type=pathlib.Path, required=True)
    p.add_argument('--include', type=pathlib.Path, action='append', default=[])
    p.add_argument('--out', type=pathlib.Path)
    p.add_argument('--limit', type=float, default=120)
    p.add_argument('--jobs', type=int, default=1)
    p.add_argument('--plain', action='store_true', help='build with hostwarp cc even where there are CMake files')
    p.add_argument('--nvcc', type=pathlib.Path, help='build with this nvcc, by CMake files, and run with hostwarp run')
    p.add_argument('--verbose', action='store_true', help='show the end of what failing programs print')
    p.add_argument('folder', type=pathlib.Path)
    p.add_argument('pattern', nargs='*', help='only programs whose path contains one of these')
    args = p.parse_args()
    args.build = args.build.resolve()
    args.include = [d.resolve() for d in args.include]
    top = args.folder.resolve()
    found = [(f, s) for f, s in programs(top) if not args.pattern or any(x in str(f) for x in args.pattern)]
    rows = []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        futures = {pool.submit(one, args, f, s): f for f, s in found}
        for done in concurrent.futures.as_completed(futures):
            name = str(futures[done].relative_to(top))
            rows.append((name, *done.result()))
            print(f'{name}: {rows[-1][1]} {rows[-1][2]}', flush=True)
            if args.out:                                         # each time: a run of hours may be ended early
                with args.out.open('w') as out:
                    write_table(out, sorted(rows))
    bad = sum(r[1] in (FAIL, NO_BUILD, TIMEOUT) for r in rows)
    print(f'{len(rows)} programs, {bad} bad')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
