#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the page of `hostwarp prof --timeline`, in a real browser. usage: run.py BUILD [PATTERN]      Each function test_* is one rule; the result is TAP."""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
import browser                                   # noqa: E402: beside this file
from browser import CTRL, SHIFT                  # noqa: E402
BUILD = pathlib.Path(sys.argv[1]).resolve()

# One stream: copy in, kernel, copy out. The rest makes the page long.
SAMPLE = {
    'pid': 1, 'command': 'sample', 'engines': ['Compute', 'Copy in', 'Copy out', 'Host functions'], 'places': ['Pageable', 'Pinned', 'Device', 'Managed'],
    'streams': [f'Stream {i}' for i in range(40)], 'errors': ['cudaErrorInvalidValue (1)'], 'callers': ['main.cu:12', 'main.cu:14'],
    'bars': [['c', '[CUDA memcpy HtoD] (pinned)', 1000000, 1000000, 0, 1, 1 << 20, 1, 2, 500000, 0, 1, 0],
             ['k', 'scale(float*, int)', 2000000, 3000000, 0, 0, 0, 0, 0, 1500000, [10, 1, 1, 256, 1, 1, 32, 75], 2, 0],
             ['c', '[CUDA memcpy DtoH] (pinned)', 5000000, 1000000, 0, 2, 1 << 20, 2, 1, 4400000, 0, 3, 0],
             *[['k', f'other{i % 3}()', 6000000 + 1000 * i, 1000, i, 0, 0, 0, 0, 0, [1, 1, 1, 32, 1, 1, 16, 50], 0, 0] for i in range(1, 40)]],
    'spans': [['a', 'cudaMemcpyAsync', 400000, 20000, 7, 0, 1], ['a', 'cudaLaunchKernel', 450000, 20000, 7, 0, 2], ['a', 'cudaMemcpyAsync', 500000, 20000, 7, 0, 1],
              ['a', 'cudaMalloc', 700000, 10000, 7, 1, 2], ['a', 'cudaDeviceSynchronize', 800000, 9000000, 7, 0, 0], ['r', 'step', 300000, 9600000, 7, 0, 0], ['j', 'scale(float*, int)', 455000, 10000, 7, 0, 0]],
    'edges': []}


def sample(change=None):
    data = copy.deepcopy(SAMPLE)
    if change:
        change(data)
    return data


def has(text, *parts):
    for part in parts:
        assert part in text, f'no {part!r} in:\n{text}'


class Page:
    """A page, open in a browser of the size that is wanted; at the end nothing may stand in the browser's console."""
    b = folder = None

    def __init__(self, page=None, data=None, size=(1400, 700), touch=False, theme='light'):
        if page is None:
            frame = BUILD / 'share/prof/timeline.html'
            page = frame.read_text().replace('/*PROFILE*/null', json.dumps(data or SAMPLE).replace('<', '\\u003c'))
            page = page.replace('/*INCLUDE timeline.js*/', frame.with_suffix('.js').read_text())
        for part in 'http://', 'https://', 'src="', '@import':
            assert part not in page, part                # nothing comes from elsewhere
        file = pathlib.Path(Page.folder.name) / 'page.html'
        file.write_text(page)
        self.b.messages.clear()
        self.b.size(*size, touch)
        self.b.open(f'file://{file}#{theme}')

    def __enter__(self):
        return self.b

    def __exit__(self, kind, *_):
        if not kind:
            assert not self.b.messages, self.b.messages


def profile(name, text=None, *options):
    """The page of a program."""
    folder = pathlib.Path(Page.folder.name)
    source = HERE.parent / 'prof' / name
    if text:
        source = folder / name
        source.write_text(text)
    env = {k: v for k, v in os.environ.items() if not k.startswith('HOSTWARP_')}
    p = subprocess.run([BUILD / 'bin/hostwarp', 'prof', '--timeline', folder / 'out.html', '--trace', folder / 'out.json', *options, source], capture_output=True, text=True, timeout=200,
                       env={**env, 'HOSTWARP_CACHE': str(folder / 'cache')})
    assert p.returncode == 0, p.stderr
    return (folder / 'out.html').read_text(), json.loads((folder / 'out.json').read_text())


def at(b, bar):
    """Where the middle of a bar is on the screen."""
    return b.js(f"""(() => {{ const T = timeline, b = {bar}, w = T.where.get(b), c = document.getElementById('view').getBoundingClientRect();
        return [c.left + T.x((b.s + b.e) / 2), c.top + w.y - document.getElementById('scroll').scrollTop + 10]; }})()""")


def text(b, selector):
    return b.js(f'(document.querySelector({json.dumps(selector)}) || {{}}).innerText || ""')


def span(b):
    return b.js('timeline.view.to - timeline.view.from')


def scrolled(b):
    return b.js("document.getElementById('scroll').scrollTop")


def press(b, id):
    b.js(f"document.getElementById('{id}').click()")
    b.settle()


def follow(b, start):
    b.js(f"[...document.querySelectorAll('#body .link')].find(l => l.textContent.startsWith('{start}')).click()")
    b.settle()


def test_the_page_of_a_program_shows_its_streams_and_overlap():
    page, trace = profile('overlap.cu')
    with Page(page) as b:
        lanes = b.js('timeline.lanes.map(l => [l.group, l.name, l.n])')
        assert {g for g, _, _ in lanes} == {'Streams', 'Engines', 'Host threads'}, lanes
        assert [n for g, _, n in lanes if g == 'Streams'] == [13, 12], lanes
        assert b.js('timeline.overlap.both') == int(trace['otherData']['overlap_ns']), trace['otherData']
        has(text(b, '#overlap'), '% of busy time')
        b.js('timeline.choose(timeline.bars.find(b => b.copy), true)')
        has(text(b, '#body'), 'Pinned', '2.000 MiB', 'cudaMemcpyAsync', 'overlap.cu:')


def test_predicted_and_real_lanes_stand_one_above_the_other():
    def predicted(d):
        d.update(gpu='h200', real=[[0, 40000000], [40000000, 20000000], [70000000, 10000000]] + 39 * [0])
    with Page(data=sample(predicted)) as b:
        lanes = b.js('timeline.lanes.filter(l => l.group === "Streams").slice(0, 3).map(l => [l.name, l.n])')
        ratio = 80000000 / (6040000 - 1000000)
        assert lanes == [['Stream 0, h200', 3], [f'Stream 0, here, \u00f7 {ratio:.1f}', 3], ['Stream 1, h200', 1]], lanes
        assert b.js('[timeline.real[0].s, timeline.real[2].e]') == [1000000, 6040000]            # as long as what is predicted
        b.click(*at(b, 'timeline.real[1]'))
        has(text(b, '#body'), 'scale(float*, int)', 'here', '20.00 ms', 'on h200', '3.000 ms')   # the time it took, not the drawn one
        follow(b, 'scale')
        assert b.js('timeline.chosen === timeline.bars[1]')
        has(text(b, '#body'), 'on this machine', '20.00 ms', '3.000 ms')
        press(b, 'scale')
        assert b.js('[timeline.real[0].s, timeline.real[2].e]') == [1000000, 81000000] and span(b) > 80e6
        assert b.js('timeline.lanes[1].name') == 'Stream 0, here'
        press(b, 'scale')
        assert span(b) < 20e6
    with Page() as b:
        assert b.js("document.getElementById('scale').hidden") and b.js('timeline.lanes[0].name') == 'Stream 0'
    page, _ = profile('overlap.cu', None, '--gpu', 'h200')
    with Page(page) as b:
        lanes = b.js('timeline.lanes.filter(l => l.group === "Streams").map(l => [l.name.replace(/,.*/, ""), / h200$/.test(l.name), l.n])')
        assert len(lanes) == 4 and [l[1] for l in lanes] == [True, False] * 2 and all(a[0] == b[0] and a[2] == b[2] for a, b in zip(lanes[::2], lanes[1::2])), lanes
        assert all(0 < took < 60e9 for took in b.js('timeline.real.filter(r => r.kind === "kernel").map(r => r.took)'))


def test_a_page_begins_with_the_work_of_the_device():
    def late(d):                                    # a first call of two seconds, and then what the sample has
        for rows in d['bars'], d['spans']:
            for r in rows:
                r[2] += 2 * 10**9
        d['spans'].append(['a', 'cudaFree', 0, 2 * 10**9, 7, 0, 1])
    with Page(data=sample(late)) as b:
        inside = 'timeline.bars.every(b => timeline.view.from < b.s && b.e < timeline.view.to)'
        assert b.js(inside) and span(b) < 1e9, span(b)
        press(b, 'fit')
        assert span(b) > 2e9
        press(b, 'work')
        assert b.js(inside) and span(b) < 1e9
        b.key('Home')
        assert span(b) > 2e9
        b.key('w')
        assert b.js(inside) and span(b) < 1e9
    with Page() as b:                               # where the device works most of the time, all is shown
        assert b.js('timeline.view.from <= 0 && timeline.view.to >= Math.max(...timeline.spans.map(s => s.e))')


def test_the_ruler_tells_times_apart_at_any_zoom():
    with Page() as b:
        for start in 0, 999999, 5123456:
            for length in 20, 37, 900, 12345, 3e5, 9e6:
                texts = [t for _, t in b.js(f'(timeline.show({start}, {start + length}), timeline.ticks().marks)')]
                assert len(texts) >= 3 and len(set(texts)) == len(texts), (start, length, texts)
                assert max(map(len, texts)) < 14, texts
    with Page(data=sample(lambda d: d['bars'].append(['k', 'late()', 90 * 10**9 + 7, 30, 0, 0, 0, 0, 0, 0, [1, 1, 1, 1, 1, 1, 1, 1], 0, 0]))) as b:
        found = b.js('(timeline.show(90e9, 90e9 + 40), timeline.ticks())')
        texts = [t for _, t in found['marks']]
        assert len(set(texts)) == len(texts) >= 3 and found['base'], found           # a base, and nanoseconds from it


def test_ctrl_wheel_zooms_at_the_pointer_and_the_wheel_scrolls():
    with Page() as b:
        for px in 500, 1200:
            before, length = b.js(f'timeline.t({px})'), span(b)
            b.wheel(px, 300, dy=-120, modifiers=CTRL)
            assert span(b) < 0.7 * length and abs(b.js(f'timeline.t({px})') - before) < 0.002 * length, (px, length, span(b))
        view = b.js('[timeline.view.from, timeline.view.to]')
        b.wheel(700, 300, dy=240)
        assert scrolled(b) > 100 and b.js('[timeline.view.from, timeline.view.to]') == view
        b.wheel(700, 300, dy=120, modifiers=SHIFT)
        assert b.js('timeline.view.from') > view[0]
        top = "getBoundingClientRect().top"
        assert b.js(f"document.getElementById('view').{top} === document.getElementById('scroll').{top}")           # the ruler stays


def test_keys_move_zoom_scroll_and_step():
    with Page() as b:
        whole = span(b)
        b.key('+')
        assert span(b) < 0.8 * whole
        left = b.js('timeline.view.from')
        b.key('ArrowRight')
        assert b.js('timeline.view.from') > left
        b.key('ArrowDown')
        b.key('ArrowDown')
        assert scrolled(b) == 80
        b.key('Home')
        assert abs(span(b) / whole - 1) < 1e-6
        b.key('.')
        b.key('.')
        assert b.js('timeline.chosen.name') == 'scale(float*, int)'
        b.key('f')
        assert span(b) < whole / 1.5
        b.key('m')
        has(text(b, '#body'), '3.000 ms')
        b.key(',')
        has(b.js('timeline.chosen.name'), 'HtoD')
        b.key('Escape')
        assert b.js("timeline.chosen === null && timeline.range === null && document.getElementById('panel').hidden")
        b.key('?')
        assert b.js("document.getElementById('helpbox').open")


def test_drag_moves_and_a_drag_on_the_ruler_measures():
    with Page() as b:
        b.key('+')
        left = b.js('timeline.view.from')
        b.drag(900, 400, 700, 400)
        assert b.js('timeline.view.from') > left
        b.js('timeline.show(0, 10e6)')
        b.settle()
        top = b.js("document.getElementById('view').getBoundingClientRect().top") + 10
        b.drag(b.js('timeline.x(1500000)'), top, b.js('timeline.x(5500000)'), top)
        assert abs(b.js('timeline.range.to - timeline.range.from') - 4e6) < 3e4
        # half of a copy, a kernel, half of a copy
        has(text(b, '#body'), 'scale(float*, int)', '3.000 ms', 'KiB', 'in use', 'waiting', '0.0% of busy time', 'API calls')
        b.js('timeline.show(0, 9e6)')
        b.drag(600, 400, 800, 400, modifiers=SHIFT)
        assert b.js('timeline.range.to - timeline.range.from') < 3e6 and b.js('timeline.view.from') == 0


def test_a_click_selects_and_links_lead_from_call_to_kernel_to_copy():
    with Page() as b:
        b.click(*at(b, 'timeline.bars[1]'))
        has(text(b, '#body'), 'scale(float*, int)', '10 × 1 × 1', 'occupancy 75%', '1.500 ms', 'queued by', 'cudaLaunchKernel', 'main.cu:14', 'runs after', 'before')
        follow(b, 'cudaLaunchKernel')
        has(text(b, '#body'), 'cudaLaunchKernel', 'queued', 'scale(float*, int)')
        follow(b, 'scale')
        follow(b, 'DtoH')
        assert b.js('timeline.chosen === timeline.bars[2]')
        press(b, 'close')
        b.click(*at(b, 'timeline.bars[1]'), count=2)             # zooms
        assert span(b) < 7e6


def test_text_of_the_panel_can_be_copied():
    with Page() as b:
        b.click(*at(b, 'timeline.bars[1]'))
        assert b.js("getComputedStyle(document.getElementById('body')).userSelect") == 'text'
        b.js("addEventListener('copy', () => window.copied = getSelection().toString()); navigator.clipboard && (navigator.clipboard.writeText = async t => { window.copied = t; })")
        press(b, 'copy')
        b.js('new Promise(r => setTimeout(r, 50))')
        has(b.js('window.copied'), 'scale(float*, int)', 'occupancy 75%')
        assert text(b, '#copy') == 'Copied'


def test_search_finds_by_name_and_goes_from_one_to_the_next():
    with Page() as b:
        b.key('/')
        b.type('other1')
        assert text(b, '#found') == '13 found', text(b, '#found')
        b.key('Enter', code=13)
        b.key('Enter', code=13)
        assert text(b, '#found') == '2 of 13' and b.js('timeline.chosen.name') == 'other1()'
        for _ in range(9):
            b.key('Enter', code=13)
        y, (top, bottom) = at(b, 'timeline.chosen')[1], b.js("(r => [r.top, r.bottom])(document.getElementById('scroll').getBoundingClientRect())")
        assert top < y < bottom and scrolled(b) > 0, (y, top, bottom)        # scrolled to
        b.key('Enter', SHIFT, code=13)
        assert text(b, '#found') == '10 of 13'
        b.key('Escape')
        assert b.js('timeline.matches') is None


def test_the_table_of_kernels_adds_up_and_sorts():
    with Page() as b:
        b.key('t')
        rows = b.js("[...document.querySelectorAll('#body tbody tr')].map(r => [...r.cells].map(c => c.innerText))")
        assert rows[0][:4] == ['scale(float*, int)', '1', '3.000 ms', '98.7%'] and len(rows) == 4, rows
        assert [r[1] for r in rows[1:]] == ['13', '13', '13'], rows
        b.js("[...document.querySelectorAll('#body th button')].find(h => h.textContent === 'launches').click()")
        assert b.js("document.querySelector('#body tbody tr').cells[1].innerText") == '13'


def test_failed_calls_stand_out_and_are_named():
    with Page() as b:
        assert text(b, '#failed') == '1 call failed'
        press(b, 'failed')
        has(text(b, '#body'), 'cudaMalloc', 'cudaErrorInvalidValue (1)', 'main.cu:14')
    page, _ = profile('f.cu', 'int main() { void *p; cudaMalloc(&p, ~0ull >> 1); return 0; }')
    with Page(page) as b:
        assert b.js('timeline.spans.filter(s => s.error).map(s => [s.name, s.error])') == [['cudaMalloc', 'cudaErrorMemoryAllocation (2)']]


def test_compiling_has_a_lane_of_its_own():
    with Page() as b:
        lane = b.js('timeline.lanes.find(l => l.name.endsWith("compiling"))')
        assert lane['group'] == 'Host threads' and lane['n'] == 1, lane
        has(text(b, '#legend'), 'compiling a kernel')
        b.js('timeline.choose(timeline.spans.find(s => s.kind === "compile"), true)')       # scrolls there
        b.settle()
        has(text(b, '#body'), 'compiling a kernel', 'scale(float*, int)', '10.00 \u00b5s')
    with Page(data=sample(lambda d: d['spans'].pop())) as b:
        assert not b.js('timeline.lanes.some(l => l.name.endsWith("compiling"))')


def test_no_overlap_explains_itself():
    with Page() as b:
        has(text(b, '#why'), 'queued in time')
        has(text(b, '#facts'), 'waiting')

    def one_stream(d):
        d['bars'] = d['bars'][:3]

    def pageable(d):
        one_stream(d)
        d['bars'][0][7] = d['bars'][2][8] = 0

    def late(d):
        one_stream(d)
        d['bars'][1][4] = 1
        for bar in d['bars']:
            bar[9] = 0
    for change, words in (one_stream, 'one stream'), (pageable, 'pageable memory'), (late, 'only when the one before was over'):
        with Page(data=sample(change)) as b:
            has(text(b, '#why'), words)


CONTRAST = r"""
(() => { const lin = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const lum = s => [1, 3, 5].map(k => parseInt(s.slice(k, k + 2), 16)).reduce((n, v, k) => n + [0.2126, 0.7152, 0.0722][k] * lin(v), 0);
  const ratio = (a, b) => { const [x, y] = [lum(a), lum(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const css = getComputedStyle(document.documentElement), v = n => css.getPropertyValue('--' + n).trim();
  const out = Object.entries(timeline.KINDS).map(([k, [colour]]) => [k, ratio('#ffffff', colour)]);
  out.push(['failed', ratio('#ffffff', timeline.FAILED)]);
  for (const text of ['fg', 'dim', 'mark', 'bad']) for (const ground of ['bg', 'head', 'tip']) out.push([text + ' on ' + ground, ratio(v(text), v(ground))]);
  return out; })()"""


def test_text_is_readable_in_both_themes():
    grounds = []
    for theme in 'light', 'dark':
        with Page(theme=theme) as b:
            grounds.append(b.js('getComputedStyle(document.body).backgroundColor'))
            low = [(k, round(r, 2)) for k, r in b.js(CONTRAST) if r < 4.5]
            assert not low, (theme, low)
    assert grounds[0] == 'rgb(255, 255, 255)' != grounds[1], grounds
    with Page() as b:
        press(b, 'theme')
        assert b.js('getComputedStyle(document.body).backgroundColor') == grounds[1]


def test_arrows_can_be_switched_off():
    count = """(() => { let n = 0; const p = CanvasRenderingContext2D.prototype, f = p.bezierCurveTo; p.bezierCurveTo = function (...a) { n++; return f.apply(this, a); };
        timeline.draw(); p.bezierCurveTo = f; return n; })()"""
    with Page(data=sample(lambda d: d['edges'].append([1, 5, 0]))) as b:
        assert b.js(count) == 1
        press(b, 'arrows')
        assert b.js(count) == 0


def test_a_telephone_is_wide_enough_and_fingers_work():
    with Page(size=(390, 844), touch=True) as b:
        assert b.js('document.documentElement.scrollWidth') <= 390
        outside = b.js("[...document.querySelectorAll('#top button, #top input, main')].filter(e => { const r = e.getBoundingClientRect(); return r.left < 0 || r.right > 390.5; }).map(e => e.id)")
        assert not outside, outside
        assert b.js("document.getElementById('scroll').clientHeight") > 400
        b.tap(*at(b, 'timeline.bars[1]'))
        assert b.js('timeline.chosen === timeline.bars[1]')
        press(b, 'close')
        length, middle = span(b), b.js('timeline.t(240)')
        b.swipe(((220, 400), (160, 400)), ((260, 400), (320, 400)))
        assert span(b) < 0.5 * length and abs(b.js('timeline.t(240)') - middle) < 0.1 * length, (span(b), length)
        left = b.js('timeline.view.from')
        b.swipe(((300, 400), (200, 402)))
        assert b.js('timeline.view.from') > left
        b.swipe(((240, 600), (240, 300)))
        assert scrolled(b) > 100


def test_100000_bars_are_drawn_by_pixels():
    bars = [['k' if i % 3 else 'c', f'k{i % 7}', i * 1000, 700, i % 4, 0 if i % 3 else 1, 4096, 1, 2, 500, [1, 1, 1, 32, 1, 1, 32, 50]] for i in range(100000)]

    def many(d):
        d.update(bars=bars, streams=d['streams'][:4], spans=[['a', 'cudaMemcpy', 0, 10, 1]], edges=[[i, i + 1, 0] for i in range(0, 99999, 9)])
    with Page(data=sample(many)) as b:
        got = b.js("""(() => { const p = CanvasRenderingContext2D.prototype, f = p.fillRect; let n = 0; p.fillRect = function (...a) { n++; return f.apply(this, a); };
            timeline.draw(); p.fillRect = f; const t = performance.now(); for (let i = 0; i < 10; i++) timeline.draw(); return [n, (performance.now() - t) / 10]; })()""")
        # then a picture takes a few ms on a quiet machine, and 16 is smooth
        assert 1000 < got[0] < 8 * 1400 and got[1] < 500, got


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else ''
    tests = [(name, fn) for name, fn in globals().items() if name.startswith('test_') and pattern in name]
    failed = 0
    print(f'1..{len(tests)}')
    Page.folder = tempfile.TemporaryDirectory(prefix='hostwarp-timeline-', ignore_cleanup_errors=True)
    if browser.program():
        Page.b = browser.Browser(Page.folder.name + '/browser')
    for i, (name, fn) in enumerate(tests, 1):
        if not Page.b:
            print(f'ok {i} {name} # SKIP no chromium')
            continue
        try:
            fn()
            print(f'ok {i} {name}', flush=True)
        except Exception:
            failed += 1
            print(f'not ok {i} {name}\n' + ''.join('# ' + l + '\n' for l in traceback.format_exc().splitlines()), flush=True)
    if Page.b:
        Page.b.__exit__()
    Page.folder.cleanup()
    return 1 if failed else 0


sys.exit(main())
