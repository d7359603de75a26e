#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes Debian packages of a build: what programs need to run, the compiler command, headers, documentation.

usage: make_deb.py BUILD OUT

An installation (stage.py --install /usr) is divided by the table below; every file must go somewhere. Libraries lie in /usr/lib/hostwarp/lib, a folder
of their own, so that they stand beside a real driver without being in its way; `hostwarp cc` writes that folder into programs. Built on Debian 12, the
packages install on Debian 12 and 13: both have LLVM and clang 19, and the libraries that are needed have the same names.
"""
import argparse
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
VERSION = (SOURCE / 'VERSION').read_text().strip()
MAINTAINER = f"{os.environ.get('DEBFULLNAME', 'The hostwarp developers')} <{os.environ.get('DEBEMAIL', 'packages@hostwarp.invalid')}>"
# package -> (section, architecture, depends, short and long description, patterns of files; the first package that matches has it)
PACKAGES = {
    'hostwarp-runtime': ('libs', 'amd64', '${shlibs}, libsleef3', 'CUDA programs without a GPU: libraries',
                         'The CUDA driver and runtime libraries of hostwarp, which run the kernels of\nCUDA programs as SIMD code on the CPU. Programs that were built with\n"hostwarp cc" need these.',
                         [r'lib/hostwarp/lib/lib(?!nvvm)[^/]*\.so\.\d+', r'lib/hostwarp/lib/libhostwarp-(llvm|mpi)\.so']),
    'hostwarp-dev': ('libdevel', 'amd64', 'hostwarp-runtime (= ${version})', 'CUDA programs without a GPU: headers',
                     'The headers of hostwarp at the level of CUDA 12, the static runtime\nlibrary and the links that linkers look for.',
                     [r'lib/hostwarp/include/.*', r'lib/hostwarp/lib/(?!hostwarp-nvvm|libnvvm|libhostwarp-check).*', r'lib/hostwarp/lib64', r'lib/(cmake|pkgconfig)/.*']),
    'hostwarp-doc': ('doc', 'all', '', 'CUDA programs without a GPU: documentation and examples',
                     'Tutorial, manuals and example programs of hostwarp, the CUDA memory and stream\nsystem for machines with no GPU, and the benchmarks that compare it with\nOpenCL and OpenMP.', [r'lib/hostwarp/share/examples/.*', r'share/doc/hostwarp-doc/.*']),
    'hostwarp': ('devel', 'amd64', '${shlibs}, hostwarp-runtime (= ${version}), hostwarp-dev (= ${version}), clang-19', 'CUDA programs without a GPU: compiler, profiler, checker',
                 'The command "hostwarp" compiles and runs CUDA programs on a machine\nwith no GPU, takes the options of nvcc, shows where time goes, and finds races\nand bad accesses.', [r'.*']),
}
COPYRIGHT = '''Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: hostwarp

Files: *
Copyright: YEAR the hostwarp developers
License: Apache-2.0

Files: usr/lib/hostwarp/lib/libhostwarp-llvm.so
Copyright: 2003-YEAR the LLVM project
License: Apache-2.0-with-LLVM-exception
Comment: parts of LLVM 19, linked from the static libraries of llvm-19-dev.

License: Apache-2.0
 On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.

License: Apache-2.0-with-LLVM-exception
 Apache License 2.0 (/usr/share/common-licenses/Apache-2.0) with LLVM exceptions: as an
 exception, if, as a result of your compiling your source code, portions of this Software are
 embedded into an Object form of such source code, you may redistribute such embedded portions
 in such Object form without complying with the conditions of Sections 4(a), 4(b) and 4(d) of
 the License.
'''
# What lintian says that is meant so: LLVM's library lies in a folder of its own; lazy binding lets a program start sooner; LLVM's texts are LLVM's; an archive without objects is all that -lcudadevrt needs;
# what is preloaded under MPI needs nobody's functions; hostwarp.pc is for both, as /usr/lib/hostwarp is for one architecture.
OVERRIDES = {
    'hostwarp-runtime': ['hardening-no-fortify-functions', 'hardening-no-bindnow', 'spelling-error-in-binary', 'shared-library-lacks-prerequisites'],
    'hostwarp': ['custom-library-search-path', 'hardening-no-fortify-functions', 'hardening-no-bindnow', 'package-contains-documentation-outside-usr-share-doc', 'package-contains-empty-directory'],
    'hostwarp-dev': ['no-code-sections', 'pkg-config-unavailable-for-cross-compilation'],
    'hostwarp-doc': [],
}


def gzipped(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, 'wb') as f, gzip.GzipFile('', 'wb', 9, f, mtime=0) as z:
        z.write(text.encode() if isinstance(text, str) else text)


def epoch():
    """The time of the last commit: the same sources make the same packages."""
    p = subprocess.run(['git', '-C', SOURCE, 'log', '-1', '--format=%ct'], capture_output=True, text=True)
    return p.stdout.strip() if p.returncode == 0 and p.stdout.strip() else str(int((SOURCE / 'VERSION').stat().st_mtime))


def lay_out(build, folder):
    """An installation with the documentation, as it will be in the packages."""
    subprocess.run([sys.executable, SOURCE / 'tools/stage.py', build, '--install', '/usr', '--destdir', folder], check=True, stdout=subprocess.DEVNULL)
    usr = folder / 'usr'
    (usr / 'lib/hostwarp/made.txt').unlink()
    docs = usr / 'share/doc/hostwarp-doc'
    shutil.copytree(SOURCE / 'docs', docs / 'docs')
    shutil.copytree(usr / 'lib/hostwarp/share/examples', docs / 'examples')
    shutil.rmtree(usr / 'lib/hostwarp/share/examples')
    shutil.copytree(usr / 'lib/hostwarp/share/bench', docs / 'examples/bench')
    for path in (usr / 'lib/hostwarp/share/bench').iterdir():
        if path.name != 'machine.cu':                        # what `hostwarp bench` compiles
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name in 'README.md', 'CONTRIBUTING.md':
        shutil.copy2(SOURCE / name, docs / name)
    for page in (usr / 'share/man/man1').glob('*.1'):
        gzipped(page.with_name(page.name + '.gz'), page.read_bytes())
        page.unlink()
    zsh = usr / 'share/zsh/vendor-completions'
    zsh.parent.joinpath('site-functions').rename(zsh)        # where Debian's zsh looks
    return usr


def divide(usr, folder):
    for path in sorted(usr.rglob('*')):
        if path.is_dir() and not path.is_symlink() and any(path.iterdir()):
            continue
        name = str(path.relative_to(usr))
        package = next(p for p, row in PACKAGES.items() if any(re.fullmatch(r, name) for r in row[5]))
        to = folder / package / 'usr' / name
        to.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir() and not path.is_symlink():
            to.mkdir()
        else:
            shutil.move(path, to)
    for path in (p for package in ('hostwarp-runtime', 'hostwarp') for p in (folder / package).rglob('*.so*') if not p.is_symlink()):
        path.chmod(0o644)


def shlibs(package, root):
    files = [p for p in root.rglob('*') if p.is_file() and not p.is_symlink() and p.read_bytes()[:4] == b'\x7fELF' and p.suffix != '.a']
    with tempfile.TemporaryDirectory() as work:
        (pathlib.Path(work) / 'debian').mkdir()
        (pathlib.Path(work) / 'debian/control').write_text(f'Source: hostwarp\n\nPackage: {package}\nArchitecture: amd64\n')
        own = root.parent / 'hostwarp-runtime/usr/lib/hostwarp/lib'
        p = subprocess.run(['dpkg-shlibdeps', '--ignore-missing-info', f'-l{own}', '-O', *(x for f in files for x in ('-e', f))], cwd=work, capture_output=True, text=True)
    if p.returncode:
        sys.exit(p.stderr)
    return re.search(r'shlibs:Depends=(.*)', p.stdout).group(1)


def finish(package, root, out, when):
    section, arch, depends, short, long, _ = PACKAGES[package]
    doc = root / 'usr/share/doc' / package
    doc.mkdir(parents=True, exist_ok=True)
    date = subprocess.run(['date', '-R', '-u', '-d', '@' + when], capture_output=True, text=True, check=True).stdout.strip()
    (doc / 'copyright').write_text(COPYRIGHT.replace('YEAR', date.split()[3]))
    gzipped(doc / 'changelog.gz', f'hostwarp ({VERSION}) unstable; urgency=medium\n\n  * See the history of the sources.\n\n -- {MAINTAINER}  {date}\n')
    if OVERRIDES[package]:
        (root / 'usr/share/lintian/overrides').mkdir(parents=True)
        (root / 'usr/share/lintian/overrides' / package).write_text(''.join(f'{package}: {tag}\n' for tag in OVERRIDES[package]))
    if '${shlibs}' in depends:
        depends = depends.replace('${shlibs}', shlibs(package, root))
    kib = sum(p.lstat().st_size + 1023 >> 10 for p in root.rglob('*') if not p.is_dir())
    control = root / 'DEBIAN'
    control.mkdir()
    fields = {'Package': package, 'Source': 'hostwarp', 'Version': VERSION, 'Architecture': arch, 'Maintainer': MAINTAINER, 'Installed-Size': str(kib),
              'Depends': depends.replace('${version}', VERSION), 'Section': section, 'Priority': 'optional',
              'Description': short + '\n ' + long.replace('\n', '\n ')}
    if package == 'hostwarp':
        del fields['Source']
        fields['Suggests'] = 'hostwarp-doc'
    (control / 'control').write_text(''.join(f'{k}: {v}\n' for k, v in fields.items() if v))
    sums = subprocess.run('find usr -type f -print0 | sort -z | xargs -0 md5sum', shell=True, cwd=root, capture_output=True, text=True, check=True).stdout
    (control / 'md5sums').write_text(sums)
    for p in root.rglob('*'):
        if p.is_dir():
            p.chmod(0o755)
        elif not p.is_symlink():
            p.chmod(0o755 if p.stat().st_mode & 0o100 and p.suffix not in ('.cu', '.md', '.h') else 0o644)
    file = out / f'{package}_{VERSION}_{arch}.deb'
    subprocess.run(['dpkg-deb', '--root-owner-group', '-Zxz', '--build', root, file], check=True, stdout=subprocess.DEVNULL, env={**os.environ, 'SOURCE_DATE_EPOCH': when})
    print(f'{file}  {file.stat().st_size >> 10} KiB')


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('build', type=pathlib.Path)
    p.add_argument('out', type=pathlib.Path)
    a = p.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    for old in a.out.glob('hostwarp*.deb'):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix='hostwarp-deb-') as work:
        work = pathlib.Path(work)
        divide(lay_out(a.build.resolve(), work / 'all'), work)
        for package in PACKAGES:
            finish(package, work / package, a.out, epoch())


main()
