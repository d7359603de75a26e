#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries packages on a system that has nothing else: a fresh Debian in a folder, made with debootstrap and removed afterwards.

usage: chroot_test.py [--suite bookworm]... [--keep FOLDER] BUILD/dist [PART...]

parts:  deb     install the .debs, compile and run the examples as an ordinary user, run a program with the runtime alone, remove all: no file may be left
        wheel   pip install of the wheel in a virtual environment: the command, the libraries from Python
        ci      the commands of docs/ci.md, line by line
        source  unpack the tarball, `make demo`, the quick tests
Without a part: deb and wheel. Needs root and debootstrap. The mirror is the one of this system's apt. --keep: where plain systems are kept between runs.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
# Changes that installing anything at all leaves behind.
NOT_OURS = re.compile(r'/(var/(lib/(apt|dpkg|systemd)|cache|log)|tmp|root|proc|sys|dev|run|etc/(ld\.so\.cache|alternatives)|work|debs|home)(/|$)|.*/__pycache__')


def mirror():
    """Where this system's apt takes Debian from."""
    p = subprocess.run(['apt-get', 'indextargets', '--format', '$(REPO_URI)|$(ORIGIN)|$(LABEL)', 'Created-By: Packages'], capture_output=True, text=True, check=True)
    for line in p.stdout.splitlines():
        uri, origin, label = line.split('|')
        if origin == label == 'Debian':
            return uri
    sys.exit('chroot_test.py: this system has no source of Debian packages')


class Root:
    """A system in a folder. Commands run in namespaces of their own, so that what they mount and start ends with them."""

    def __init__(self, path):
        self.path = path

    def run(self, command, user='root', status=0, quiet=True):
        home = '/root' if user == 'root' else '/home/user'
        inner = ['chroot', self.path, 'setpriv', '--reuid', user, '--regid', user, '--init-groups', 'env', '-i', f'HOME={home}', 'LANG=C.UTF-8',
                 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'DEBIAN_FRONTEND=noninteractive', 'sh', '-ec', f'cd {home}\n{command}']
        p = subprocess.run(['unshare', '--mount', '--pid', '--fork', '--kill-child', f'--mount-proc={self.path}/proc', *map(str, inner)], stdin=subprocess.DEVNULL,
                           capture_output=True, text=True)
        if status is not None and p.returncode != status:
            raise AssertionError(f'{command}\nstatus {p.returncode}\n{p.stdout[-3000:]}{p.stderr[-3000:]}')
        return p.stdout

    def apt(self, what):
        self.run(f'apt-get -q -y --no-install-recommends {what}')

    def files(self):
        out = self.run(r'find / -xdev \( -path /proc -o -path /sys -o -path /dev \) -prune -o -print')
        return {f for f in out.splitlines() if not NOT_OURS.match(f)}


def make_root(suite, keep, folder):
    """A plain system, from what was kept if there is something."""
    archive = keep / f'{suite}.tar' if keep else None
    root = folder / suite
    if archive and archive.exists():
        root.mkdir()
        subprocess.run(['tar', '-xpf', archive, '-C', root], check=True)
    else:
        log = subprocess.run(['debootstrap', '--variant=minbase', suite, root, mirror()], capture_output=True, text=True)
        if log.returncode:
            sys.exit(log.stdout[-2000:] + log.stderr[-2000:])
        if archive:
            keep.mkdir(parents=True, exist_ok=True)
            subprocess.run(['tar', '-cpf', archive, '-C', root, '.'], check=True)
    subprocess.run(['chroot', root, 'useradd', '--create-home', 'user'], check=True)
    r = Root(root)
    r.run('apt-get -q update')
    return r


FIRST = '''#include <cstdio>
__global__ void hello() { printf("thread %d of block %d\\n", threadIdx.x, blockIdx.x); }
int main() {
    hello<<<2, 4>>>();
    return cudaDeviceSynchronize();
}
'''


def put(root, files, to):
    (root.path / to).mkdir(exist_ok=True)
    for f in files:
        shutil.copy2(f, root.path / to)


def part_deb(root, dist):
    before = root.files()
    put(root, sorted(dist.glob('*.deb')), 'debs')
    root.apt('install /debs/*.deb')
    (root.path / 'home/user/hello.cu').write_text(FIRST)
    out = root.run('hostwarp run hello.cu', 'user')
    assert sorted(out.split('\n')) == sorted([f'thread {t} of block {b}' for t in range(4) for b in range(2)] + ['']), out
    root.run('hostwarp cc -O3 -o hello hello.cu && ./hello && hostwarp info && hostwarp prof hello.cu && hostwarp check hello.cu', 'user')
    root.run('for f in /usr/share/doc/hostwarp-doc/examples/*.cu /usr/share/doc/hostwarp-doc/examples/*.cpp; do hostwarp run $f; done', 'user')
    root.apt('purge hostwarp hostwarp-dev hostwarp-doc clang-19')
    assert 'thread 3 of block 1' in root.run('rm -rf ~/.cache; ./hello', 'user')       # the runtime alone will do
    root.apt('purge hostwarp-runtime')
    root.apt('autoremove --purge')
    left = root.files() - before
    assert not left, sorted(left)[:40]
    return 'installed, ran the examples, left nothing'


def part_wheel(root, dist):
    put(root, dist.glob('*.whl'), 'debs')
    root.apt('install python3-venv libsleef3 liblz4-1 clang-19')
    (root.path / 'home/user/hello.cu').write_text(FIRST)
    root.run('python3 -m venv v && v/bin/pip install -q --no-index /debs/*.whl', 'user')
    assert 'thread 3 of block 1' in root.run('v/bin/hostwarp run hello.cu', 'user')
    code = 'import hostwarp, ctypes; d = hostwarp.load(); n = ctypes.c_int(); print(d.cuInit(0), d.cuDeviceGetCount(ctypes.byref(n)), n.value, hostwarp.__version__)'
    version = (SOURCE / 'VERSION').read_text().strip()
    assert root.run(f"v/bin/python -c '{code}'", 'user').split() == ['0', '0', '1', version]
    root.run('v/bin/pip uninstall -q -y hostwarp', 'user')
    assert not list((root.path / 'home/user/v').rglob('hostwarp*')), 'pip left something'
    return 'installed by pip, ran, was removed'


def part_source(root, dist):
    put(root, dist.glob('*.tar.gz'), 'debs')
    root.apt('install make')
    root.run('mkdir /work && tar -xzf /debs/*.tar.gz -C /work --strip-components=1 && cd /work && make demo && tests/run "unit/*" "examples/*"')
    return 'built from the tarball, ran the demo and the quick tests'


def part_ci(root, dist):
    """docs/ci.md's files, as their services would run them: the same commands, in order, in a fresh checkout of an example project."""
    sys.path.insert(0, str(SOURCE / 'tools'))
    import ci_commands
    n = 0
    put(root, dist.glob('*.deb'), 'debs')
    for name, commands in ci_commands.commands((SOURCE / 'docs/ci.md').read_text()):
        project = root.path / 'work/project'
        shutil.rmtree(root.path / 'work', ignore_errors=True)
        shutil.copytree(SOURCE / 'examples/project', project)
        root.run('mkdir -p /work/project/packages && cp /debs/*.deb /work/project/packages')
        for command in commands:
            root.run(f'cd /work/project\n{command}')
            n += 1
        root.run('apt-get -q -y purge "hostwarp*"')
    return f'{n} commands'


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--suite', action='append')
    p.add_argument('--keep', type=pathlib.Path)
    p.add_argument('dist', type=pathlib.Path)
    p.add_argument('part', nargs='*', choices=[[], 'deb', 'wheel', 'ci', 'source'])
    a = p.parse_args()
    if os.getuid() != 0 or not shutil.which('debootstrap'):
        sys.exit('chroot_test.py: needs root, and debootstrap')
    failed = 0
    for suite in a.suite or ['bookworm', 'trixie']:
        for part in a.part or ['deb', 'wheel']:
            with tempfile.TemporaryDirectory(prefix='hostwarp-chroot-', ignore_cleanup_errors=True) as folder:
                try:
                    said = globals()['part_' + part](make_root(suite, a.keep, pathlib.Path(folder)), a.dist.resolve())
                    print(f'ok   {suite} {part}: {said}', flush=True)
                except AssertionError as why:
                    failed += 1
                    print(f'FAIL {suite} {part}: {why}', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
