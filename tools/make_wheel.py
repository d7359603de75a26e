#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a Python wheel of a build: `pip install` of it gives the command `hostwarp`, the libraries and the headers.

usage: make_wheel.py [--quick] BUILD OUT        --quick: hardly compressed

The package `hostwarp` holds an installation (stage.py --install) under hostwarp/root; its few functions say where things are. Libraries come from the system:
SLEEF, zstd, LZ4, and clang 19 for `hostwarp cc`.
"""
import argparse
import base64
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
VERSION = (SOURCE / 'VERSION').read_text().strip()
INFO = f'hostwarp-{VERSION}.dist-info'
TAG = 'py3-none-linux_x86_64'
MODULE = '''# SPDX-License-Identifier: Apache-2.0
"""hostwarp: CUDA programs on a machine with no GPU. Where its parts are, and how a Python process uses them."""
import ctypes
import os
import pathlib

__version__ = "@VERSION@"
root = pathlib.Path(__file__).resolve().parent / "root"
command = root / "bin/hostwarp"
library_path = root / "lib"
include_path = root / "include"


def load():
    """Loads the libraries, so that a package which asks for one of them by name afterwards (numba, Triton) gets these, and not others that pip installed beside it.
    Returns the driver."""
    driver = ctypes.CDLL(str(library_path / "libcuda.so.1"), mode=ctypes.RTLD_GLOBAL)
    for pattern in "libcudart.so.*", "libnvrtc.so.*", "libnvJitLink.so.*", "libnvvm.so.*":
        for library in sorted(library_path.glob(pattern)):
            ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    os.environ.setdefault("NUMBA_CUDA_DRIVER", str(library_path / "libcuda.so.1"))
    os.environ.setdefault("CUDA_HOME", str(root))
    return driver


def main():
    """The command, in place of this process."""
    import sys
    os.execv(command, [str(command), *sys.argv[1:]])
'''
METADATA = f'''Metadata-Version: 2.1
Name: hostwarp
Version: {VERSION}
Summary: CUDA programs on a machine with no GPU
License: Apache-2.0
Requires-Python: >=3.9
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux

The CUDA driver and runtime libraries with kernels as SIMD code for the CPU, and a compiler command that takes nvcc's options. Needs from the system (names of
Debian): libsleef3, libzstd1, liblz4-1; and clang-19 to compile CUDA source. `hostwarp run python3 PROGRAM.py` runs a program that uses numba, PyCUDA or Triton.
'''


level = 6


def add(z, records, name, data, mode=0o644):
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.external_attr = (0o100000 | mode) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    z.writestr(info, data, compresslevel=level)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
    records.append(f'{name},sha256={digest},{len(data)}')


def files_of(top):
    """Wheels have no links: a link to a file is that file once more, but for those that only linkers and old build files use."""
    root = top / 'lib/hostwarp'
    skipped = {'lib64', 'made.txt', 'share/bench', 'share/examples'}
    for path in sorted(root.rglob('*')):
        name = str(path.relative_to(root))
        if path.is_file() and not any(name == s or name.startswith(s + '/') for s in skipped):
            yield name, path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644
    yield 'share/bench/machine.cu', (root / 'share/bench/machine.cu').read_bytes(), 0o644


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--quick', action='store_true')
    p.add_argument('build', type=pathlib.Path)
    p.add_argument('out', type=pathlib.Path)
    a = p.parse_args()
    global level
    level = 1 if a.quick else 6
    a.out.mkdir(parents=True, exist_ok=True)
    wheel = a.out / f'hostwarp-{VERSION}-{TAG}.whl'
    records = []
    with tempfile.TemporaryDirectory(prefix='hostwarp-wheel-') as top, zipfile.ZipFile(wheel, 'w') as z:
        subprocess.run([sys.executable, SOURCE / 'tools/stage.py', a.build, '--install', '/', '--destdir', top], check=True, stdout=subprocess.DEVNULL)
        add(z, records, 'hostwarp/__init__.py', MODULE.replace('@VERSION@', VERSION).encode())
        for name, data, mode in files_of(pathlib.Path(top)):
            add(z, records, f'hostwarp/root/{name}', data, mode)
        add(z, records, f'{INFO}/METADATA', METADATA.encode())
        add(z, records, f'{INFO}/LICENSE', (SOURCE / 'LICENSE').read_bytes())
        add(z, records, f'{INFO}/WHEEL', f'Wheel-Version: 1.0\nGenerator: make_wheel.py\nRoot-Is-Purelib: false\nTag: {TAG}\n'.encode())
        add(z, records, f'{INFO}/entry_points.txt', b'[console_scripts]\nhostwarp = hostwarp:main\n')
        z.writestr(f'{INFO}/RECORD', '\n'.join([*records, f'{INFO}/RECORD,,', '']))
    print(f'{wheel}  {wheel.stat().st_size >> 10} KiB')


main()
