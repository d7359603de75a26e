#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of `hostwarp check`. usage: run.py BUILD [PATTERN]      The result is TAP.

pairs/NAME.cu is a bug with -DBUG and a correct program without. With the bug there must be a report that names the line marked /*HERE*/, and where there is
one marked /*THERE*/ that one too; without, there must be no report and the exit status is 0. twins/NAME.cu is correct, and run often: what it does is a
matter of time. sets/NAME.cu has many bugs with -DBUG: each line that is marked "// [NAME]" must be reported by that name, and nothing else.
"""
import concurrent.futures
import fnmatch
import html
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
HOSTWARP = BUILD / 'bin/hostwarp'
WORK = tempfile.TemporaryDirectory(prefix='hostwarp-check-test-')
ENV = {**{k: v for k, v in os.environ.items() if not k.startswith('HOSTWARP_')}, 'HOSTWARP_CACHE': WORK.name + '/cache'}
failed = told = 0


def tell(good, rule, why=''):
    global failed, told
    failed += not good
    told += 1
    print(f"{'ok' if good else 'not ok'} - {rule}")
    if not good and why:
        print(re.sub('(?m)^', '# ', why), flush=True)


def run(*args, **env):
    return subprocess.run([str(a) for a in args], env={**ENV, **env}, text=True, capture_output=True, timeout=150)


def build(source, *options):
    program = pathlib.Path(WORK.name) / (source.stem + ''.join(options).replace('-', '.'))
    p = run(HOSTWARP, 'cc', '-std=c++17', '-g', '-lineinfo', *options, '-o', program, source)
    return program if p.returncode == 0 else None, p.stderr


def lines_of(source, marker):
    """The lines with a marker, as the compiler sees them with -DBUG: markers stand in what both variants have, or in BUG's."""
    return {k + 1 for k, text in enumerate(source.read_text().splitlines()) if marker in text}


def named(output, source, lines):
    return any(re.search(rf'\b{re.escape(source.name)}:{line}\b', output) for line in lines)


def pair(source):
    bug, why = build(source, '-DBUG')
    twin, why2 = build(source)
    if not bug or not twin:
        return [(False, f'{source.stem}: builds', why + why2)]
    clean = run(HOSTWARP, 'check', twin)
    here, there = lines_of(source, '/*HERE*/'), lines_of(source, '/*THERE*/')
    for _ in range(3 if '/*AT ONCE*/' in source.read_text() else 1):     # both must happen at the same time to be seen: a busy machine may not let them
        found = run(HOSTWARP, 'check', bug)
        places = named(found.stderr, source, here) and (not there or named(found.stderr, source, there))
        if places:
            break
    return [(found.returncode == 1 and 'hostwarp check:' in found.stderr and places, f'{source.stem}: found, with its places', found.stderr),
            (clean.returncode == 0 and 'hostwarp check:' not in clean.stderr, f'{source.stem}: nothing is said of the correct twin', clean.stderr)]


def reports_of(output, source):
    """(name, line of the first place) of each report."""
    for text in re.split(r'(?m)^(?=hostwarp check: )', output):
        name, line = re.search(r'\[([a-z.-]+)\]$', text.split('\n')[0]), re.findall(rf'\b{re.escape(source.name)}:(\d+)', text.split('\nhostwarp')[0])
        if name:
            yield name[1], int(line[0]) if line else 0


def many(source):
    bug, why = build(source, '-DBUG')
    twin, why2 = build(source)
    if not bug or not twin:
        return [(False, f'{source.stem}: builds', why + why2)]
    found, clean = run(HOSTWARP, 'check', '--tool', 'memory,init,sync,race', bug), run(HOSTWARP, 'check', twin)
    wanted = {(name, k + 1) for k, text in enumerate(source.read_text().splitlines()) if '// [' in text for name in re.findall(r'\[([a-z]+\.[a-z-]+)\]', text.split('// ')[-1])}
    told = set(reports_of(found.stderr, source))
    return [(told >= wanted, f'{source.stem}: all are found', f'not found: {sorted(wanted - told)}\n{found.stderr}'),
            (told <= wanted, f'{source.stem}: nothing else is', f'too many: {sorted(told - wanted)}\n{found.stderr}'),
            (found.stdout == clean.stdout == 'done\n', f'{source.stem}: the programs come to their ends', found.stdout + clean.stdout + found.stderr),
            (clean.returncode == 0 and 'hostwarp check:' not in clean.stderr, f'{source.stem}: nothing is said of what is correct', clean.stderr)]


def often(source):
    program, why = build(source)
    for _ in range(20 if program else 0):
        p = run(HOSTWARP, 'check', program)
        if p.returncode or 'hostwarp check:' in p.stderr:
            return tell(False, f'{source.stem}: nothing is said', p.stderr)
    tell(program, f'{source.stem}: nothing is said', why)


def options():
    source = HERE / 'pairs/two-blocks-one-word.cu'
    program, _ = build(source, '-DBUG')
    p = run(HOSTWARP, 'check', '--tool', 'memory,api', program)
    tell(p.returncode == 0, 'a tool that was not chosen says nothing', p.stderr)
    p = run(HOSTWARP, 'check', '--error-exitcode', '9', program)
    tell(p.returncode == 9, 'the exit status can be chosen', p.stderr)
    hide = pathlib.Path(WORK.name) / 'hide'
    hide.write_text('# known\nrace.global two-blocks*\n')
    p = run(HOSTWARP, 'check', '--suppress', hide, program)
    tell(p.returncode == 0 and re.search('0 reports, [1-9][0-9]* suppressed', p.stderr), 'reports can be suppressed by name and place', p.stderr)
    p = run(HOSTWARP, 'check', '--nothing', 'x', program)
    tell(p.returncode == 2 and 'there is no option --nothing' in p.stderr, 'unknown options are refused', p.stderr)
    p = run(HOSTWARP, 'check', '-DBUG', source)
    tell(p.returncode == 1 and 'two-blocks-one-word.cu:' in p.stderr, 'a source is compiled with line information', p.stderr)


# All that is said of reports.cu, with addresses and sizes of the machine masked.
GOLDEN = '''\
hostwarp check: kernel add(int const*, int*): read of 4 bytes outside of any memory that CUDA knows  [memory.bounds]
  read    reports.cu:7   block 0, thread 63, address 0xA: 0 bytes past the end of device memory of 256 bytes
          | return 2 * p[i];
          in twice(), called at reports.cu:12 in sum(), called at reports.cu:17
  made    reports.cu:23  cudaMalloc, 256 bytes
          | cudaMalloc(&p, 64 * sizeof(int));
  launch  reports.cu:26  kernel add(int const*, int*)
          | add<<<1, 64>>>(p, q);
hostwarp check: 256 bytes of device memory were never freed  [leak.memory]
  made  reports.cu:24  cudaMalloc, 256 bytes
        | cudaMalloc(&q, 64 * sizeof(int));
  They were still there when the context was destroyed: give each back with cudaFree().
hostwarp check: cudaMalloc failed: out of memory  [api.failed]
  call  reports.cu:28  cudaMalloc(devPtr=0xA, size=0x4000000000000) answers 2
        | cudaMalloc(&none, (size_t)1 << 50);
  why   the device has no 1125899906842624 bytes left (HOSTWARP_MEMORY)
  Nobody looked at what the call answers, nor asked cudaGetLastError() behind it.
hostwarp check: 3 reports
  api.failed     1
  leak.memory    1
  memory.bounds  1
'''


def masked(text):
    return re.sub(r'(devPtr=|address )0x[0-9a-f]+', r'\g<1>0xA', text)


def formats():
    work = pathlib.Path(WORK.name)
    program, why = build(HERE / 'reports.cu')
    files = {k: work / f'r.{k}' for k in ('json', 'xml', 'html')}
    p = run(HOSTWARP, 'check', '--tool', 'memory,api,leak', *[x for k, f in files.items() for x in (f'--{k}', f)], program)
    tell(p.returncode == 1 and masked(p.stderr) == GOLDEN, 'the text of reports', why + masked(p.stderr))
    log = json.loads(files['json'].read_text())
    first = log['reports'][0]
    frames = [(os.path.basename(f['file']), f['line'], f['function']) for f in first['places'][0]['frames']]
    tell(frames == [('reports.cu', 7, 'twice'), ('reports.cu', 12, 'sum'), ('reports.cu', 17, None)], 'JSON: the calls that were inlined, outwards', str(frames))
    tell(first['tool'] == 'memory' and first['times'] == 1 and first['places'][0]['source'] == 'return 2 * p[i];' and log['status'] == 0 and len(log['reports']) == 3,
         'JSON: reports with their places', json.dumps(log)[:2000])
    root = xml.etree.ElementTree.parse(files['xml']).getroot()
    kinds = [(r.find('kind').text, r.find('where/line').text, r.find('hostStack/frame/path') is not None) for r in root.findall('record')]
    tell(root.tag == 'ComputeSanitizerOutput' and kinds == [('Precise', '7', True), ('Leak', '24', True), ('Api', '28', True)], "XML: compute-sanitizer's elements", str(kinds))
    p = run(HOSTWARP, 'check', '--json', '/nowhere/x', program)
    tell(p.returncode == 1 and 'cannot write /nowhere/x' in p.stderr, 'a file that cannot be written is said', p.stderr)
    in_browser(files['html'])


PROBE = """<pre id="result"></pre><script>
window.addEventListener('load', () => {
  const shown = () => [...document.querySelectorAll('article')].filter(a => !a.hidden).length, out = { all: shown() };
  [...document.querySelectorAll('#filters button')].find(b => b.dataset.tool === 'leak').click();
  out.leak = shown();
  out.hits = [...document.querySelectorAll('.hit')].map(e => e.textContent.trim());
  out.wide = document.documentElement.scrollWidth <= innerWidth;
  document.getElementById('theme').click();
  out.dark = document.documentElement.classList.contains('dark');
  out.drawn = document.querySelectorAll('svg .edge').length;
  document.getElementById('result').textContent = JSON.stringify(out);
});
</script></body>"""


def in_browser(page):
    browser = shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')
    if not browser:
        return tell(True, 'the page works in a browser # SKIP no chromium')
    text = page.read_text()
    # a hazard of two streams, as messages describe it, to see the drawing
    hazard = {'name': 'hazard.stream', 'tool': 'hazard', 'title': 'two <b>streams</b>', 'advice': 'Wait.', 'suppression': 'x', 'times': 3, 'places': [],
              'steps': [{'line': 'stream 1', 'text': 'cudaMemsetAsync', 'place': 'a.cu:1', 'meets': True}, {'line': 'stream 2', 'text': 'kernel k', 'place': 'a.cu:2', 'meets': True}]}
    text = text.replace('"reports": [', '"reports": [' + json.dumps(hazard).replace('<', '\\u003c') + ',', 1)
    local = not any(word in text for word in ('http://', 'https://', 'src="', '@import'))
    page.write_text(text.replace('</body>', PROBE))
    for size in '1400,900', '420,800':
        p = subprocess.run([browser, '--headless=new', '--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND', f'--window-size={size}', '--enable-logging=stderr',
                            f'--user-data-dir={WORK.name}/browser', '--virtual-time-budget=3000', '--dump-dom', f'file://{page}#light'], text=True, capture_output=True, timeout=120)
        found = re.search(r'<pre id="result">(.*?)</pre>', p.stdout, re.S)
        got = json.loads(html.unescape(found.group(1))) if found and found.group(1) else {}
        said = [line for line in p.stderr.splitlines() if 'CONSOLE' in line]
        tell(local and not said and got.get('all') == 4 and got.get('leak') == 1 and got.get('dark') and got.get('wide') and got.get('drawn') == 1 and
             any(h.endswith('return 2 * p[i];') for h in got.get('hits', [])), f'the page works in a browser of {size}', f'{got} {said} {local}' + p.stderr[-500:])


DROPPED, LOOKED = range(0, 9), [*range(20, 33), 40]


def answers():
    for option in '-O0', '-O2':
        program, why = build(HERE / 'answers.cu', option)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            cases = [*DROPPED, *LOOKED]
            got = dict(zip(cases, pool.map(lambda k: run(HOSTWARP, 'check', '--tool', 'api', program, k), cases)))
        wrong = [k for k in cases if ('[api.failed]' in got[k].stderr) != (k in DROPPED)]
        tell(not wrong, f'{option}: failed calls are reports if their answers are dropped', why + ''.join(f'{k}: {got[k].stderr}' for k in wrong))
    program, _ = build(HERE / 'answers.cu', '-O0')
    p = run(program, 0)
    tell('hostwarp: cudaFree at answers.cu:25 failed: invalid argument' in p.stderr and p.returncode == 0, 'an ordinary run tells at its end', p.stderr)
    p = run(program, 20)
    tell(p.stderr == '', 'an ordinary run that looks is told nothing', p.stderr)
    p = run(program, 0, HOSTWARP_UNSEEN='0')
    tell(p.stderr == '', 'HOSTWARP_UNSEEN=0: nothing is told', p.stderr)


def leaks():
    program, why = build(HERE / 'leaks.cu')
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        left = list(pool.map(lambda k: run(HOSTWARP, 'check', '--tool', 'leak', program, k, 'leave'), range(17)))
        clean = list(pool.map(lambda k: run(HOSTWARP, 'check', '--tool', 'leak,api', program, k), range(17)))
    wrong = [k for k in range(17) if left[k].returncode != 1 or '  made  leaks.cu:' not in left[k].stderr or clean[k].stderr or clean[k].returncode]
    tell(not wrong, 'what is left when the context goes, of every kind', why + ''.join(f'{k}: {left[k].stderr}{clean[k].stderr}' for k in wrong))


def linked():
    work = pathlib.Path(WORK.name)
    (work / 'one.cu').write_text('extern __device__ int other(int *p, int i);\n__global__ void k(int *p) { p[threadIdx.x] = other(p, threadIdx.x); }\n'
                                 'int main() { int *p; cudaMalloc(&p, 128); cudaMemset(p, 0, 128); k<<<1, 32>>>(p); cudaDeviceSynchronize(); cudaFree(p); }\n')
    (work / 'two.cu').write_text('__device__ static int deep(int *p, int i)\n{\n    return p[i + 1];\n}\n__device__ int other(int *p, int i) { return deep(p, i); }\n')
    p = run(HOSTWARP, 'cc', '-g', '-lineinfo', '-rdc=true', '-o', work / 'linked', work / 'one.cu', work / 'two.cu')
    p = run(HOSTWARP, 'check', '--tool', 'memory', work / 'linked')
    tell(' two.cu:3 ' in p.stderr and 'in deep(), called at two.cu:5 in other(int*, int), called at one.cu:2\n' in p.stderr, 'calls from file to file are followed', p.stderr)


def suppressions():
    program, _ = build(HERE / 'reports.cu')
    p = run(HOSTWARP, 'check', '--gen-suppressions', program)
    lines = p.stderr.split('lines for --suppress:\n')[-1]
    hide = pathlib.Path(WORK.name) / 'made'
    hide.write_text(lines)
    p = run(HOSTWARP, 'check', '--suppress', hide, program)
    tell(p.returncode == 0 and '0 reports, 3 suppressed' in p.stderr, 'what --gen-suppressions prints hides what was shown', lines + p.stderr)
    p = run(HOSTWARP, 'check', '--tool', 'memory,nothing', program)
    tell(p.returncode == 2 and 'there is no tool `nothing`' in p.stderr, 'unknown tools are refused', p.stderr)


def processor_seconds(*args):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = run(*args)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime if p.returncode == 0 else float('inf')


def speed():
    """Repetitions by processor time, without start and compiling: what is told by calls again, access by access, costs several times as much as the bounds say."""
    program, _ = build(HERE / 'speed.cu')
    run(program, 0)
    plain = max(processor_seconds(program, 400) - processor_seconds(program, 0), 0.04) / 400
    for tools, times, most in ('memory,hazard', 40, 40), ('all', 20, 120):
        few, many_times = (min(processor_seconds(HOSTWARP, 'check', '--tool', tools, program, n) for _ in range(2)) for n in (0, times))
        ratio = (many_times - few) / times / plain
        tell(ratio < most, f'{tools}: a tiled matrix product takes less than {most} times as long', f'{ratio:.1f} times')


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else '*'
    sources = [s for s in sorted((HERE / 'pairs').glob('*.cu')) if fnmatch.fnmatch(s.stem, pattern)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for outcome in pool.map(pair, sources):
            for line in outcome:
                tell(*line)
        for outcome in pool.map(many, [s for s in sorted((HERE / 'sets').glob('*.cu')) if fnmatch.fnmatch(s.stem, pattern)]):
            for line in outcome:
                tell(*line)
    if pattern == '*':
        for source in sorted((HERE / 'twins').glob('*.cu')):
            often(source)
        options()
        formats()
        answers()
        leaks()
        linked()
        suppressions()
        speed()
    print(f'1..{told}')
    return failed != 0


sys.exit(main())
