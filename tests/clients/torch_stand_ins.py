# SPDX-License-Identifier: Apache-2.0
"""Lets PyPI's torch be imported without NVIDIA's libraries: writes stand-ins for those that hostwarp has none of.

torch is linked with cuBLAS, cuDNN, NCCL and others, and does not start where one is missing. A stand-in has the functions that torch asks of that library; each says its name on the standard error
and answers an error, so that what needs them fails in words. libcudart, libnvrtc and libcuda are hostwarp's own. Kernels of torch run: its fatbins hold PTX for the newest architecture.
"""
import collections
import pathlib
import re
import subprocess

OURS = re.compile(r'lib(cuda|cudart|nvrtc|nvJitLink)\.so')
VENDOR = re.compile(r'lib(cu\w+|nccl|nvshmem\w*|nvToolsExt|nvrtc)\.so\.\d+$')
NOT_SUPPORTED = 15                                # cuBLAS' number; any but 0 is an error in all of them


def readelf(option, lib):
    return subprocess.run(['readelf', option, '-W', lib], capture_output=True, text=True, check=True).stdout


def needed(torch_libraries):
    """Library -> its version names -> functions that torch wants of it. A function without a version goes to the library that its name begins with."""
    wanted = collections.defaultdict(lambda: collections.defaultdict(set))
    for lib in torch_libraries:
        names = [n for n in re.findall(r'NEEDED.*\[(.*)\]', readelf('-d', lib)) if VENDOR.match(n) and not OURS.match(n)]
        for name in names:
            wanted[name]
        owner = {}
        for library, rest in re.findall(r'File: (\S+)(.*?)(?=File: |\Z)', readelf('-V', lib), re.S):
            owner.update((version, library) for version in re.findall(r'Name: (\S+)', rest) if library in names)
        for name, version in re.findall(r'UND (\w+)(?:@(\S+))?', readelf('--dyn-syms', lib)):
            library = owner.get(version) or next((n for n in names if not version and name.lower().startswith(n[3:n.index('.so')].lower())), None)
            if library:
                wanted[library][version].add(name)
    return wanted


def write(folder, torch_folder):
    """The stand-ins for all that is missing, in a folder that then belongs into LD_LIBRARY_PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    for library, versions in needed(sorted(pathlib.Path(torch_folder).glob('lib/*.so'))).items():
        if (folder / library).exists():
            continue
        source = ['int dprintf(int, const char *, ...);']
        source += [f'int {n}(void) {{ dprintf(2, "stand-in of {library}: {n} is not here\\n"); return {NOT_SUPPORTED}; }}' for names in versions.values() for n in sorted(names)]
        script = folder / f'{library}.map'
        script.write_text('\n'.join(f'{v} {{ {"; ".join(sorted(names))}; }};' for v, names in versions.items() if v) or '{ *; };')
        subprocess.run(['cc', '-shared', '-fPIC', '-w', '-fno-builtin', f'-Wl,-soname,{library}', f'-Wl,--version-script={script}', '-x', 'c', '-', '-o', folder / library],
                       input='\n'.join(source), text=True, check=True)
        script.unlink()
    return folder
