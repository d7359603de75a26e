# SPDX-License-Identifier: Apache-2.0
"""The clients whose test suites suites.py runs: their packages, where the suite comes from, what is run of it, and how.

packages  what pip installs; exact versions where an answer depends on them
pip       more calls of pip, after that; {source} is the checkout
source    (repository or PyPI's page, commit or version) of the suite, where the packages do not hold it
tests     what pytest is told to collect, seen from `where` (a function of the folder and the checkout; the checkout where there is none)
word      what pytest is told to collect for a file; its path where there is none
prepare   more to do before; may add to the environment
part      how many tests one process runs, where that matters
sample    how many of the parameters of one test function are run, spread evenly; all where there is none
env       more environment; {folder} is the folder, {home} hostwarp's, {source} the checkout
"""
import pathlib
import re
import shutil
import subprocess
import tarfile
import urllib.parse
import urllib.request

import torch_stand_ins

HERE = pathlib.Path(__file__).resolve().parent
COMMON = ['pytest==8.4.2', 'numpy==2.4.6']


def sources(client, folder, given):
    """The checkout that a suite is run from: a copy in the folder of the commit that the table names."""
    if 'source' not in client:
        return None
    url, commit = client['source']
    path = folder / url.rsplit('/', 1)[1]
    if url.startswith('pypi.org/'):
        return pypi(path, url, commit)
    if not (path / '.at').exists() or (path / '.at').read_text() != commit:
        shutil.rmtree(path, ignore_errors=True)
        if not given:
            given = folder / (path.name + '.git')
            if not given.exists():
                subprocess.run(['git', 'clone', '-q', '--bare', f'https://{url}', given], check=True)
        path.mkdir()
        git = subprocess.Popen(['git', '-C', given, 'archive', commit], stdout=subprocess.PIPE)
        subprocess.run(['tar', '-x', '-C', path], stdin=git.stdout, check=True)
        if git.wait():
            raise SystemExit(f'suites.py: {given} has no commit {commit}')
        (path / '.at').write_text(commit)
    return path


def pypi(path, url, version):
    """A source package, unpacked; pip itself would build it to know its name."""
    top = path.with_name(f'{path.name}-{version}')
    if not top.exists():
        page = urllib.request.urlopen(f'https://{url}/').read().decode()
        link = next(h for h in re.findall(r'href="([^"]*)"', page) if f'/{top.name}.tar.gz' in h)
        with tarfile.open(fileobj=urllib.request.urlopen(urllib.parse.urljoin(f'https://{url}/', link)), mode='r|gz') as tar:
            tar.extractall(path.parent, filter='data')
    return top


def numba_folder(folder, _):
    """numba's tests are in its package; their settings for pytest are not, and say that warnings are errors. Ours go without."""
    where = folder / 'numba'
    where.mkdir(exist_ok=True)
    (where / 'pytest.ini').write_text('[pytest]\nconsider_namespace_packages = true\naddopts = --benchmark-disable\n')
    return where


def with_torch(folder, python, env, _):
    """torch without NVIDIA's libraries."""
    stand_ins = torch_stand_ins.write(folder / 'stand-ins', next(folder.glob('venv/lib/python3*/site-packages/torch')))
    env['LD_LIBRARY_PATH'] += f':{stand_ins}'


def build_pycuda(folder, python, env, source):
    """PyCUDA against our headers and libraries; it has no cuRAND then."""
    if not (source / 'built').exists():
        home = env['CUDA_HOME']
        subprocess.run([python, 'configure.py', f'--cuda-root={home}', f'--cudadrv-lib-dir={home}/lib', f'--cudart-lib-dir={home}/lib', '--no-cuda-enable-curand'], cwd=source, check=True)
        subprocess.run([python, '-m', 'pip', 'install', '-q', '--no-build-isolation', '--no-deps', '.'], cwd=source, env=env, check=True)
        (source / 'built').touch()


TORCH = ['sympy', 'networkx', 'jinja2', 'fsspec', 'filelock', 'typing_extensions']    # what it imports beside NVIDIA's packages
TORCH_AND_TRITON = [['install', '--no-deps', 'torch==2.12.1', 'triton==3.7.1']]
TRITON = 'github.com/triton-lang/triton', 'v3.7.1'

CLIENTS = {
    'numba': {
        'packages': ['numba==0.68.1', 'numba-cuda==0.30.4', 'cuda-bindings==13.5.0', 'cuda-core==1.2.2', 'cffi', 'psutil', 'ml_dtypes==0.6.0', 'scipy==1.17.1', 'filecheck==1.0.6', 'pytest-benchmark'],
        'options': ['--pyargs', '-p', 'numba_plugin'], 'where': numba_folder, 'word': lambda path: 'numba.' + path.rsplit('/numba/', 1)[1].removesuffix('.py').replace('/', '.'),
        'tests': ['numba.cuda.tests.cudadrv', 'numba.cuda.tests.cudapy'],
    },
    'tinygrad': {
        'source': ('github.com/tinygrad/tinygrad', 'a9069c177a'),
        'packages': ['hypothesis', 'pillow', 'psutil', *TORCH], 'pip': [['install', '--no-deps', 'torch==2.12.1']], 'prepare': with_torch,
        'env': {'DEV': 'CUDA', 'CUDA': '1', 'CACHEDB': '{folder}/tinygrad.db'},
        'tests': ['test/test_tiny.py', 'test/backend/test_ops.py'],
    },
    'triton-tutorials': {
        'source': TRITON, 'packages': [*TORCH, 'tabulate'], 'pip': TORCH_AND_TRITON, 'prepare': with_torch, 'options': ['-p', 'torch_on_cpu'],
        'env': {'TUTORIALS': '{source}/python/tutorials', 'TRITON_CACHE_DIR': '{folder}/triton'},
        'tests': [str(HERE / 'triton_tutorials.py'), 'python/tutorials/06-fused-attention.py'],
    },
    'triton': {
        'source': TRITON, 'packages': [*TORCH, 'scipy'], 'pip': TORCH_AND_TRITON, 'prepare': with_torch, 'options': ['-p', 'torch_on_cpu'], 'sample': 3,
        'env': {'TRITON_CACHE_DIR': '{folder}/triton'},
        'tests': ['python/test/unit/language/test_core.py'],
    },
    'triton-language': {
        'source': TRITON, 'packages': [*TORCH, 'scipy'], 'pip': TORCH_AND_TRITON, 'prepare': with_torch, 'options': ['-p', 'torch_on_cpu', '--ignore=python/test/unit/language/test_core.py'], 'sample': 2,
        'env': {'TRITON_CACHE_DIR': '{folder}/triton'},
        'tests': ['python/test/unit/language'],
    },
    'pycuda': {
        'source': ('pypi.org/simple/pycuda', '2026.1'),
        'packages': ['mako', 'pytools', 'platformdirs', 'siphash24', 'wheel', 'setuptools<81'], 'prepare': build_pycuda,
        'where': lambda _, source: source / 'test', 'tests': ['test_driver.py', 'test_gpuarray.py', 'test_cumath.py'],
    },
    'cuda-bindings': {
        'source': ('github.com/NVIDIA/cuda-python', '06afb3bf6a0'),
        'packages': ['cuda-bindings==13.5.0', 'cuda-core==1.2.2', 'pytest-benchmark', 'pyglet'],
        'tests': ['cuda_bindings/tests'],
    },
    'cuda-core': {
        'source': ('github.com/NVIDIA/cuda-python', 'cuda-core-v1.1.1'),
        'packages': ['cuda-bindings==13.3.1', 'cuda-core==1.1.1', 'psutil', 'pytest-rerunfailures', 'ml_dtypes==0.6.0', 'docutils'],
        'tests': ['cuda_core/tests'], 'part': 20,                 # a capture that a failed test left open fails all that follow in its process
    },
}
