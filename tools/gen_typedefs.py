#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes include/cudaTypedefs.h: types of pointers to the functions of src/driver/driver.def, for programs that load libcuda themselves.

--check: says whether the header is what the table makes of it, and changes nothing.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = ROOT / 'include/cudaTypedefs.h'
OLD = re.compile(r'\b(CUdeviceptr|CUDA_MEMCPY2D|CUDA_MEMCPY3D|CUDA_ARRAY_DESCRIPTOR|CUDA_ARRAY3D_DESCRIPTOR)_v1\b')   # before CUDA 3.2; cuda.h has none
PROFILER = {'cuProfilerInitialize', 'cuProfilerStart', 'cuProfilerStop'}    # cudaProfilerTypedefs.h

HEAD = '''/* SPDX-License-Identifier: Apache-2.0 */
/* Types of pointers to the functions of the driver: PFN_NAME_vVERSION, as cuGetProcAddress() is asked for them; the name alone is the newest.
   Made by tools/gen_typedefs.py from src/driver/driver.def. */
#ifndef HOSTWARP_CUDA_TYPEDEFS_H
#define HOSTWARP_CUDA_TYPEDEFS_H

#include "hostwarp/words_push.h"

#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

'''
TAIL = '''
#ifdef __cplusplus
}
#endif

#include "hostwarp/words_pop.h"

#endif
'''


def rows():
    """(base name, symbol, version, parameters) of every function."""
    text = (ROOT / 'src/driver/driver.def').read_text()
    pattern = r'^(?:API|SAME|STUB)\((\w+), (\w+),(?: \w+,)? (\d+), PT_\w+, [^(]*(\(.*\)), \(.*\)\)$'
    return [(m[1], m[2], int(m[3]), m[4]) for m in re.finditer(pattern, text, re.M) if m[1] not in PROFILER and not OLD.search(m[4])]


def twin(symbol):
    return symbol[-5:] if symbol.endswith(('_ptds', '_ptsz')) else ''


def header():
    out, newest, twins = [HEAD], {}, {}
    for base, symbol, version, parameters in rows():
        name = f'PFN_{base}_v{version}{twin(symbol)}'
        out.append(f'typedef CUresult(CUDAAPI *{name}){parameters};\n')
        table = twins if twin(symbol) else newest
        if base not in table or table[base][0] < version:
            table[base] = (version, name)
    out.append('\n#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM\n')
    out += [f'#define PFN_{base} {name}\n' for base, (_, name) in twins.items()]
    out.append('#else\n')
    out += [f'#define PFN_{base} {newest[base][1]}\n' for base in twins if base in newest]
    out.append('#endif\n')
    out += [f'#define PFN_{base} {name}\n' for base, (_, name) in newest.items() if base not in twins]
    out.append(TAIL)
    return ''.join(out)


def main():
    if '--check' in sys.argv[1:]:
        if HEADER.read_text() != header():
            sys.exit('include/cudaTypedefs.h is not what src/driver/driver.def says: run tools/gen_typedefs.py')
        return
    HEADER.write_text(header())


if __name__ == '__main__':
    main()
