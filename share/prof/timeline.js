// SPDX-License-Identifier: Apache-2.0
// The script of timeline.html. P is the profile: src/cli/prof_page.c says what its rows are.
const $ = id => document.getElementById(id);

// --- bars and lanes

const KINDS = {                                     // colour by kind, and for copies by kind of host memory; all carry white text at 4.5 or more
  kernel: ['#2f6bc4', 'kernel'], pinned: ['#1f7a45', 'copy, pinned'], pageable: ['#a85a00', 'copy, pageable'],
  managed: ['#7d4cc0', 'copy, managed'], device: ['#11757a', 'copy inside the device'], memset: ['#7a6a12', 'memset'],
  host: ['#8f5526', 'host function'], api: ['#5c6a80', 'API call'], nvtx: ['#b5367c', 'NVTX range'], compile: ['#7a4a42', 'compiling a kernel'],
};
const FAILED = '#c01f1f';
function kindOf(b) {
  if (b[0] === 'k') return 'kernel';
  if (b[0] === 'm') return 'memset';
  if (b[0] === 'h') return 'host';
  const places = [P.places[b[7]], P.places[b[8]]];
  if (places.includes('Pageable')) return 'pageable';
  if (places.includes('Pinned')) return 'pinned';
  return places.includes('Managed') ? 'managed' : 'device';
}
const bars = P.bars.map((b, i) => ({ i, kind: kindOf(b), name: b[1], s: b[2], e: b[2] + b[3], stream: b[4], engine: b[5], bytes: b[6],
  from: P.places[b[7]], to: P.places[b[8]], wait: b[9], shape: b[10], call: (b[11] || 0) - 1, unfinished: b[12], copy: b[0] === 'c' || b[0] === 'm' }));
const spans = P.spans.map((s, i) => ({ i, kind: s[0] === 'a' ? 'api' : s[0] === 'j' ? 'compile' : 'nvtx', name: s[1], s: s[2], e: s[2] + s[3], thread: s[4],
  error: s[5] ? P.errors[s[5] - 1] : '', place: s[6] ? P.callers[s[6] - 1] : '' }));
// What really ran here, beside predicted times: bars of their own, which begin where the first predicted one does.
const real = (P.real || []).flatMap((r, i) => r ? [{ ...bars[i], predicted: bars[i], at: r[0], took: r[1], wait: 0 }] : []);
for (const r of real) r.predicted.here = r;
const extent = (list, from, to) => [list.reduce((m, b) => Math.min(m, from(b)), Infinity), list.reduce((m, b) => Math.max(m, to(b)), 0)];
let sameLength = true, factor = 1, END = 1;
function placeReal() {
  const [first, last] = extent(bars, b => b.s, b => b.e), [, until] = extent(real, r => r.at, r => r.at + r.took);
  factor = sameLength && real.length ? Math.max(1, last - first) / Math.max(1, until) : 1;
  for (const r of real) { r.s = first + r.at * factor; r.e = r.s + r.took * factor; }
  END = Math.max(1, ...[bars, spans, real].map(v => extent(v, b => b.s, b => b.e)[1]));
}
placeReal();
const queuedBy = new Map();                         // call -> what it put into streams
for (const b of bars) if (b.call >= 0) { if (!queuedBy.has(b.call)) queuedBy.set(b.call, []); queuedBy.get(b.call).push(b); }
const waitsFor = new Map(), letsGo = new Map();     // edges between streams, and the order in each stream
function link(map, from, to) { if (!map.has(from)) map.set(from, []); map.get(from).push(to); }
for (const [a, b] of P.edges) { link(waitsFor, b, bars[a]); link(letsGo, a, bars[b]); }
{
  const last = [];
  for (const b of bars) { const before = last[b.stream]; if (before) { link(waitsFor, b.i, before); link(letsGo, before.i, b); } last[b.stream] = b; }
}
const failures = spans.filter(s => s.error);

// Bars that run side by side in one lane go below each other, at most `most` deep.
function stack(items, most) {
  const ends = [];
  for (const b of items) {
    let row = ends.findIndex(e => e <= b.s);
    if (row < 0) row = ends.length < most ? ends.length : most - 1;
    ends[row] = Math.max(ends[row] || 0, b.e);
    b.row = row;
  }
  return Math.max(1, ends.length);
}
const ROW = 20, GAP = 6, TITLE = 22, RULER = 26;
let LABEL = 190;
const lanes = [];
function addLane(group, name, items, most) {
  if (!items.length) return;
  items = items.map(b => ({ ...b, b })).sort((a, b) => a.s - b.s);
  const rows = stack(items, most), byRow = Array.from({ length: rows }, () => []);
  for (const it of items) byRow[it.row].push(it);
  lanes.push({ group, name, rows: byRow, n: items.length, items });
}
let HEIGHT = 0;
const where = new Map();                            // a bar's or a call's place, for arrows: streams before engines
function layout() {
  lanes.length = 0;
  where.clear();
  const here = factor === 1 ? 'here' : `here, \u00f7 ${(1 / factor).toPrecision(3)}`;     // one above the other: what is predicted, and what was here
  P.streams.forEach((name, k) => {
    addLane('Streams', real.length ? `${name}, ${P.gpu}` : name, bars.filter(b => b.stream === k), 1);
    addLane('Streams', `${name}, ${here}`, real.filter(b => b.stream === k), 1);
  });
  P.engines.forEach((name, k) => addLane('Engines', name, bars.filter(b => b.engine === k), 4));
  for (const t of [...new Set(spans.map(s => s.thread))]) {
    addLane('Host threads', `Thread ${t}: ranges`, spans.filter(s => s.thread === t && s.kind === 'nvtx'), 6);
    addLane('Host threads', `Thread ${t}`, spans.filter(s => s.thread === t && s.kind === 'api'), 1);
    addLane('Host threads', `Thread ${t}: compiling`, spans.filter(s => s.thread === t && s.kind === 'compile'), 1);
  }
  let y = RULER, group = '';
  for (const l of lanes) {
    if (l.group !== group) { l.title = group = l.group; y += TITLE; }
    l.y = y;
    y += l.rows.length * ROW + GAP;
  }
  HEIGHT = y + 10;
  for (const l of lanes) if (l.group !== 'Engines') for (const r of l.rows) for (const it of r) where.set(it.b, { y: l.y + it.row * ROW, it, lane: l });
}
layout();

// --- figures

// Times of engines: at work; with work that is queued and may not start yet; with nothing to do.
function overlap(from = -Infinity, to = Infinity) {
  const ev = [], n = P.engines.length, cut = v => Math.min(Math.max(v, from), to);
  for (const b of bars) {
    if (b.e < from || b.s - b.wait > to) continue;
    const s = cut(b.s), e = cut(b.e), q = cut(b.s - b.wait);
    if (b.kind !== 'host') ev.push([s, 1, b.copy ? 1 : 0, b.engine, 0], [e, -1, b.copy ? 1 : 0, b.engine, 0]);
    if (q < s && b.kind !== 'host') ev.push([q, 1, 0, b.engine, 1], [s, -1, 0, b.engine, 1]);
  }
  ev.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const open = [0, 0], busy = Array(n).fill(0), queued = Array(n).fill(0);
  const o = { any: 0, copy: 0, kernel: 0, both: 0, span: 0, engines: Array(n).fill(0), held: Array(n).fill(0) };
  let last = ev.length ? ev[0][0] : 0, first = Infinity, end = 0;
  for (const [at, step, what, engine, waiting] of ev) {
    const d = at - last;
    if (open[0] || open[1]) o.any += d;
    if (open[0]) o.kernel += d;
    if (open[1]) o.copy += d;
    if (open[0] && open[1]) o.both += d;
    for (let k = 0; k < n; k++) if (busy[k]) o.engines[k] += d; else if (queued[k]) o.held[k] += d;
    if (waiting) queued[engine] += step; else { open[what] += step; busy[engine] += step; first = Math.min(first, at); end = Math.max(end, at); }
    last = at;
  }
  o.span = Math.max(0, end - first);
  return o;
}
const O = overlap();
// Why copies and kernels hardly ran side by side, for who wonders. The largest cause is named.
function explain() {
  const copies = bars.filter(b => b.copy && b.kind !== 'memset'), kernels = bars.filter(b => b.kind === 'kernel');
  if (!copies.length || !kernels.length || O.both > 0.02 * O.any) return '';
  const length = v => v.reduce((n, b) => n + b.e - b.s, 0), all = length(copies);
  const share = v => `${Math.round(100 * length(v) / Math.max(1, all))} %`;
  const pageable = copies.filter(b => b.kind === 'pageable'), streams = new Set([...copies, ...kernels].map(b => b.stream));
  const late = [...copies, ...kernels].filter(b => b.wait < 0.02 * (b.e - b.s) + 2000);
  const said = [`Copies and kernels ${O.both ? 'hardly ran' : 'did not run'} side by side:`];
  if (length(pageable) > 0.5 * all) said.push(`${share(pageable)} of the copying uses pageable memory, for which the calling thread waits (cudaHostAlloc, cudaHostRegister).`);
  else if (streams.size === 1) said.push('all of them are in one stream, whose commands run one after the other (use two).');
  else if (length(late) > 0.5 * (all + length(kernels))) said.push('the host queued most of them only when the one before was over (a call that waits, such as cudaMemcpy or cudaDeviceSynchronize, stands between).');
  else said.push('they were queued in time, and waited for each other: follow the arrows, or the links of a selected bar.');
  return said.join(' ');
}
function time(ns) {
  const [v, u] = ns >= 1e9 ? [ns / 1e9, 's'] : ns >= 1e6 ? [ns / 1e6, 'ms'] : ns >= 1e3 ? [ns / 1e3, 'µs'] : [ns, 'ns'];
  return (u === 'ns' ? Math.round(v) : v.toPrecision(4)) + ' ' + u;
}
function size(n) {
  let u = 0;
  while (n >= 1024 && u < 4) { n /= 1024; u++; }
  return (u ? n.toPrecision(4) : n) + ' ' + ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'][u];
}
const percent = (a, b) => (b ? 100 * a / b : 0).toFixed(1) + '%';
function el(tag, text, more) { const e = document.createElement(tag); if (text !== undefined) e.textContent = text; return Object.assign(e, more || {}); }
function fact(label, value, id) {
  const div = el('div', label + ' '), b = el('b', value);
  if (id) b.id = id;
  div.append(b);
  $('facts').append(div);
  return div;
}
$('command').textContent = `${P.command} (process ${P.pid})`;
$('command').title = P.command;
fact('device busy', time(O.any));
fact('copy and kernel together', `${time(O.both)} = ${percent(O.both, O.any)} of busy time`, 'overlap');
P.engines.forEach((name, k) => { if (O.engines[k]) fact(name, `${percent(O.engines[k], O.span)} in use` + (O.held[k] > 0.005 * O.span ? `, ${percent(O.held[k], O.span)} waiting` : ''), 'engine' + k)
  .title = 'waiting: work is queued for it, but must wait for other work; the rest of the time nothing is queued'; });
if (failures.length) {
  const b = el('button', `${failures.length} ${failures.length === 1 ? 'call' : 'calls'} failed`, { className: 'link bad', id: 'failed', title: 'go to the next one' });
  let k = 0;
  b.onclick = () => choose(failures[k++ % failures.length], true);
  $('facts').append(b);
}
$('why').textContent = explain();
for (const k of Object.keys(KINDS)) {
  if (!bars.some(b => b.kind === k) && !spans.some(s => s.kind === k)) continue;
  const span = el('span'), i = el('i');
  i.style.background = KINDS[k][0];
  span.append(i, KINDS[k][1]);
  $('legend').append(span);
}
if (failures.length) { const span = el('span'), i = el('i'); i.style.background = FAILED; span.append(i, 'failed call'); $('legend').append(span); }

// --- drawing

const canvas = $('view'), g = canvas.getContext('2d'), scroll = $('scroll');
const view = { from: 0, to: END };
const FONT = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
let width = 0, height = 0, colours = {}, hover = null, chosen = null, range = null, matches = null, arrows = true, queued = false;
const x = t => LABEL + (t - view.from) / (view.to - view.from) * (width - LABEL);
const t = px => view.from + (px - LABEL) / (width - LABEL) * (view.to - view.from);

function firstAfter(row, at) {                      // rows are sorted and do not overlap, so ends are sorted too
  let low = 0, high = row.length;
  while (low < high) { const mid = (low + high) >> 1; if (row[mid].e < at) low = mid + 1; else high = mid; }
  return low;
}
const label = name => name.replace(/^\[CUDA (?:memcpy )?(\w+)\](?: \(.*)?$/, '$1');    // colours say the rest
function drawRow(row, top) {
  let edge = -1, colour = '';
  for (let k = firstAfter(row, view.from); k < row.length && row[k].s <= view.to; k++) {
    const it = row[k], a = Math.max(LABEL, x(it.s)), z = Math.min(width, x(it.e)), w = Math.max(1, z - a), lit = it.b === chosen || (matches && matches.set.has(it.b));
    if (a + w <= edge && !lit && !it.error) {       // inside a pixel that is painted: jump to the first bar behind it
      const next = firstAfter(row, t(edge + 1));
      if (next > k + 1 && !matches && !failures.length && !chosen) k = next - 1;
      continue;
    }
    const fill = it.error ? FAILED : KINDS[it.kind][0];
    if (colour !== fill) g.fillStyle = colour = fill;
    g.globalAlpha = matches && !lit ? 0.22 : 1;
    g.fillRect(a, top + 2, it.error ? Math.max(3, w) : w, ROW - 4);
    edge = Math.ceil(a + w);
    if (it.b === chosen || (hover && hover.it.b === it.b)) {
      g.strokeStyle = colours.fg;
      g.lineWidth = it.b === chosen ? 2 : 1;
      g.strokeRect(a, top + 2, Math.max(2, w), ROW - 4);
      g.lineWidth = 1;
    }
    if (w > 34 && g.globalAlpha === 1) {
      g.save();
      g.beginPath();
      g.rect(a + 3, top, w - 6, ROW);
      g.clip();
      g.fillStyle = '#fff';
      g.fillText(label(it.name), a + 5, top + ROW / 2 + 0.5);
      g.restore();
      colour = '';
    }
  }
  g.globalAlpha = 1;
}
// Time between being queued and starting, as a thin line before the bar: waiting of a stream's commands is visible.
function drawWaits(row, top) {
  let edge = -1;
  g.fillStyle = colours.dim;
  for (let k = firstAfter(row, view.from); k < row.length && row[k].s - row[k].wait <= view.to; k++) {
    const it = row[k], a = Math.max(LABEL, edge, x(it.s - it.wait)), z = Math.min(width, x(it.s));
    if (it.wait && z - a > 2) g.fillRect(a, top + ROW - 3, z - a, 1);
    edge = Math.max(edge, z);
    if (it.s > view.to) break;
  }
}
// Marks of the ruler: [time, text]. Neighbours always differ: as many digits as the step has, and from far away what is left of a common beginning.
function ticks() {
  const step0 = (view.to - view.from) / Math.max(2, (width - LABEL) / (LABEL < 120 ? 62 : 100)), p = 10 ** Math.floor(Math.log10(step0));
  const step = Math.max(1, [1, 2, 5, 10].map(m => m * p).find(s => s >= step0 * 0.999));
  const large = Math.max(Math.abs(view.from), Math.abs(view.to)), [scale, unit] = large >= 1e9 ? [1e9, 's'] : large >= 1e6 ? [1e6, 'ms'] : large >= 1e3 ? [1e3, 'µs'] : [1, 'ns'];
  const digits = Math.max(0, Math.round(Math.log10(scale) - Math.floor(Math.log10(step))));
  const out = { marks: [], base: '' }, first = Math.ceil(view.from / step) * step;
  if (Math.log10(Math.max(1, large / scale)) + digits > 7) {           // too long: a base, and the distance from it
    const [s2, u2] = step >= 1e6 ? [1e6, 'ms'] : step >= 1e3 ? [1e3, 'µs'] : [1, 'ns'], d2 = Math.max(0, Math.round(Math.log10(s2) - Math.floor(Math.log10(step))));
    const base = Math.floor(view.from / (step * 1000)) * step * 1000;
    out.base = (base / scale).toFixed(Math.max(0, digits - 3)) + ' ' + unit;
    for (let at = first; at <= view.to; at += step) out.marks.push([at, `+${((at - base) / s2).toFixed(d2)} ${u2}`]);
  } else {
    for (let at = first; at <= view.to; at += step) out.marks.push([at, `${(at / scale).toFixed(digits)} ${unit}`]);
  }
  return out;
}
function drawGrid(marks) {
  g.strokeStyle = colours.line;
  g.beginPath();
  for (const [at] of marks) { const px = Math.round(x(at)) + 0.5; if (px >= LABEL) { g.moveTo(px, RULER); g.lineTo(px, height); } }
  g.stroke();
}
function drawRuler({ marks, base }) {
  g.fillStyle = colours.head;
  g.fillRect(0, 0, width, RULER);
  g.fillStyle = colours.fg;
  for (const [at, text] of marks) if (x(at) >= LABEL - 1) { g.fillText(text, Math.round(x(at)) + 3, RULER / 2); g.fillRect(Math.round(x(at)), RULER - 5, 1, 5); }
  g.fillStyle = colours.head;
  g.fillRect(0, 0, LABEL - 1, RULER);
  g.fillStyle = colours.dim;
  if (base) g.fillText(base, 10, RULER / 2, LABEL - 16);
  g.fillStyle = colours.line;
  g.fillRect(0, RULER - 1, width, 1);
}
function curve(ax, ay, bx, by) {
  g.beginPath();
  g.moveTo(ax, ay);
  g.bezierCurveTo(ax + 24, ay, bx - 24, by, bx - 3, by);
  g.stroke();
  g.beginPath();
  g.moveTo(bx, by);
  g.lineTo(bx - 6, by - 3.5);
  g.lineTo(bx - 6, by + 3.5);
  g.fill();
}
function drawArrows(off) {
  let drawn = 0;
  g.strokeStyle = g.fillStyle = colours.arrow;
  for (const [a, b] of P.edges) {
    const from = where.get(bars[a]), to = where.get(bars[b]);
    if (!from || !to || to.it.s < view.from || from.it.e > view.to) continue;
    const strong = [chosen, hover && hover.it.b].some(c => c === bars[a] || c === bars[b]);
    if (!strong && ++drawn > 1500) continue;
    g.globalAlpha = strong ? 1 : 0.45;
    g.lineWidth = strong ? 2 : 1;
    curve(Math.max(LABEL, x(from.it.e)), from.y + ROW / 2 - off, Math.max(LABEL, x(to.it.s)), to.y + ROW / 2 - off);
  }
  g.globalAlpha = g.lineWidth = 1;
}
// From the chosen call to what it queued, or from the chosen activity back to its call.
function drawLinks(off) {
  if (!chosen) return;
  const call = chosen.kind === 'api' ? chosen : chosen.call >= 0 ? spans[chosen.call] : null;
  if (!call || !where.has(call)) return;
  g.strokeStyle = g.fillStyle = colours.mark;
  g.lineWidth = 1.5;
  const from = where.get(call);
  for (const b of (chosen === call ? queuedBy.get(call.i) || [] : [chosen]).slice(0, 200)) {
    const to = where.get(b);
    if (to) curve(Math.max(LABEL, x(from.it.s)), from.y + ROW / 2 - off, Math.max(LABEL, x(to.it.s)), to.y + ROW / 2 - off);
  }
  g.lineWidth = 1;
}
function short(text, most) {
  if (g.measureText(text).width <= most) return text;
  while (text.length > 1 && g.measureText(text + '…').width > most) text = text.slice(0, -1);
  return text + '…';
}
function draw() {
  queued = false;
  const off = scroll.scrollTop, ruler = ticks();
  g.clearRect(0, 0, width, height);
  g.font = FONT;
  g.textBaseline = 'middle';
  drawGrid(ruler.marks);
  for (const l of lanes) {
    if (l.y - off > height || l.y + l.rows.length * ROW - off < 0) continue;
    l.rows.forEach((row, k) => { if (l.group === 'Streams') drawWaits(row, l.y + k * ROW - off); drawRow(row, l.y + k * ROW - off); });
  }
  if (arrows) drawArrows(off);
  drawLinks(off);
  if (range) {
    const a = Math.max(LABEL, x(range.from)), z = Math.min(width, x(range.to));
    g.globalAlpha = 0.13;
    g.fillStyle = colours.mark;
    if (z > a) g.fillRect(a, 0, z - a, height);
    g.globalAlpha = 1;
    for (const px of [x(range.from), x(range.to)]) if (px >= LABEL && px <= width) g.fillRect(Math.round(px), 0, 1, height);
  }
  g.fillStyle = colours.bg;                         // names stay in front of what is moved below them
  g.fillRect(0, 0, LABEL - 1, height);
  for (const l of lanes) {
    if (l.title) {
      g.font = '600 11px system-ui, "DejaVu Sans", sans-serif';
      g.fillStyle = colours.dim;
      g.fillText(short(l.title.toUpperCase(), LABEL - 14), 10, l.y - TITLE / 2 + 1 - off);
      g.font = FONT;
    }
    g.fillStyle = colours.fg;
    g.fillText(short(LABEL < 120 ? l.name.replace('Thread ', 'T ').replace('Default stream', 'Default') : l.name, LABEL - 16), 10, l.y + ROW / 2 - off);
  }
  g.fillStyle = colours.line;
  g.fillRect(LABEL - 1, 0, 1, height);
  drawRuler(ruler);
  if (range) {
    g.fillStyle = colours.mark;
    const text = time(range.to - range.from), middle = (Math.max(LABEL, x(range.from)) + Math.min(width, x(range.to))) / 2, w = g.measureText(text).width + 10;
    g.fillRect(middle - w / 2, 3, w, RULER - 8);
    g.fillStyle = colours.bg;
    g.fillText(text, middle - w / 2 + 5, RULER / 2 - 1);
  }
}
function redraw() { if (!queued) { queued = true; requestAnimationFrame(draw); } }
function resize() {
  const scale = window.devicePixelRatio || 1, at = scroll.scrollTop;
  canvas.style.height = $('room').style.height = 0;                    // what was there before must not make room for a scroll bar
  height = scroll.clientHeight;
  $('room').style.height = (HEIGHT > height ? HEIGHT : 0) + 'px';
  width = scroll.clientWidth;
  LABEL = width < 600 ? 96 : 190;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  $('room').style.height = Math.max(0, HEIGHT - height) + 'px';
  scroll.scrollTop = at;
  g.setTransform(scale, 0, 0, scale, 0, 0);
  redraw();
}
function theme(dark) {
  document.documentElement.classList.toggle('dark', dark);
  const style = getComputedStyle(document.documentElement);
  for (const k of ['fg', 'bg', 'dim', 'line', 'arrow', 'mark', 'head']) colours[k] = style.getPropertyValue('--' + k).trim();
  redraw();
}

// --- moving about

function show(from, to) {
  const least = 20, length = Math.min(END * 1.04, Math.max(least, to - from));
  from = Math.min(Math.max(-0.02 * END, from), 1.02 * END - length);
  view.from = from;
  view.to = from + length;
  redraw();
}
function zoom(factor, at) { show(at - (at - view.from) * factor, at + (view.to - at) * factor); }
function pan(share) { const d = (view.to - view.from) * share; show(view.from + d, view.to + d); }
function fit() { show(-0.01 * END, 1.01 * END); }
function work() {                                   // what the device did, without the calls that came long before or after
  const of = [bars, real].filter(v => v.length).map(v => extent(v, b => b.s, b => b.e));
  if (!of.length) return fit();
  const from = Math.min(...of.map(e => e[0])), to = Math.max(...of.map(e => e[1])), m = 0.05 * (to - from) + 10;
  show(from - m, to + m);
}
// A program's first call often takes longer than all that follows: a page then begins with the device's work.
function begin() { work(); if (view.to - view.from > END / 3) fit(); }
function bring(b) {                                 // into view, in both directions
  const place = where.get(b), length = view.to - view.from;
  if (b.e < view.from || b.s > view.to || b.e - b.s > length) show((b.s + b.e - Math.max(length, 1.5 * (b.e - b.s))) / 2, (b.s + b.e + Math.max(length, 1.5 * (b.e - b.s))) / 2);
  if (place && (place.y < scroll.scrollTop + RULER || place.y + ROW > scroll.scrollTop + height)) scroll.scrollTop = place.y - height / 2;
  redraw();
}
function zoomTo(b) { const m = (b.e - b.s) * 0.5 + 10; show(b.s - m, b.e + m); bring(b); }

canvas.addEventListener('wheel', e => {
  if (e.ctrlKey || e.metaKey) zoom(Math.exp(Math.max(-200, Math.min(200, e.deltaY)) * (e.deltaMode ? 0.05 : 0.006)), t(e.offsetX));
  else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) pan((e.deltaX || e.deltaY) / 1200);
  else return;                                      // the page scrolls by itself
  e.preventDefault();
}, { passive: false });
scroll.addEventListener('scroll', redraw);

let drag = null, pinch = null;
const fingers = new Map();
canvas.addEventListener('pointerdown', e => {
  if (e.button > 0) return;
  canvas.setPointerCapture(e.pointerId);
  fingers.set(e.pointerId, e.offsetX);
  if (fingers.size === 2) {
    const [a, b] = [...fingers.values()];
    pinch = { ta: t(a), tb: t(b) };
    drag = null;
    return;
  }
  drag = { px: e.offsetX, py: e.offsetY, from: view.from, to: view.to, moved: false, measure: e.shiftKey || e.offsetY < RULER, at: t(e.offsetX) };
});
function lift(e) {
  const was = drag;
  fingers.delete(e.pointerId);
  if (fingers.size < 2) pinch = null;
  drag = null;
  canvas.classList.remove('drag');
  if (e.type === 'pointerup' && was && !was.moved && !was.measure) { const hit = find(e.offsetX, e.offsetY); choose(hit ? hit.it.b : null); }
  if (was && was.moved && was.measure) tab('range');
}
canvas.addEventListener('pointerup', lift);
canvas.addEventListener('pointercancel', lift);
canvas.addEventListener('pointermove', e => {
  if (fingers.has(e.pointerId)) fingers.set(e.pointerId, e.offsetX);
  if (pinch && fingers.size === 2) {                // the two times stay under the two fingers
    const [a, b] = [...fingers.values()];
    if (Math.abs(a - b) < 8) return;
    const length = (pinch.tb - pinch.ta) / (b - a) * (width - LABEL);
    if (length > 0) { const from = pinch.ta - (a - LABEL) / (width - LABEL) * length; show(from, from + length); }
    return;
  }
  if (drag && (drag.moved || Math.hypot(e.offsetX - drag.px, e.offsetY - drag.py) > 4)) {
    drag.moved = true;
    $('tip').style.display = 'none';
    if (drag.measure) {
      const at = t(Math.max(LABEL, e.offsetX));
      range = { from: Math.min(drag.at, at), to: Math.max(drag.at, at) };
      redraw();
    } else {
      canvas.classList.add('drag');
      const d = (drag.px - e.offsetX) / (width - LABEL) * (drag.to - drag.from);
      show(drag.from + d, drag.to + d);
      if (e.pointerType === 'mouse') scroll.scrollTop -= e.movementY;
    }
    return;
  }
  if (e.pointerType === 'mouse') point(e);
});
canvas.addEventListener('pointerleave', () => { hover = null; $('tip').style.display = 'none'; redraw(); });
canvas.addEventListener('dblclick', e => { const hit = find(e.offsetX, e.offsetY); if (hit) zoomTo(hit.it.b); });
function step(by) {                                 // the next bar of the lane of the chosen one
  if (!chosen) { if (lanes.length) choose(lanes[0].items[0].b, true); return; }
  const lane = lanes.find(l => l.items.some(i => i.b === chosen)), k = lane.items.findIndex(i => i.b === chosen) + by;
  if (lane.items[k]) choose(lane.items[k].b, true);
}
addEventListener('keydown', e => {
  const middle = (view.from + view.to) / 2;
  const keys = { ArrowLeft: () => pan(-0.15), ArrowRight: () => pan(0.15), a: () => pan(-0.15), d: () => pan(0.15),
    ArrowUp: () => scroll.scrollTop -= 40, ArrowDown: () => scroll.scrollTop += 40, PageUp: () => scroll.scrollTop -= height, PageDown: () => scroll.scrollTop += height,
    '+': () => zoom(0.7, middle), '=': () => zoom(0.7, middle), w: () => zoom(0.7, middle), '-': () => zoom(1.4, middle), s: () => zoom(1.4, middle),
    Home: fit, 0: fit, w: work, ',': () => step(-1), '.': () => step(1), f: () => chosen && zoomTo(chosen), t: () => tab('kernels'),
    m: () => { if (chosen) { range = { from: chosen.s, to: chosen.e }; tab('range'); } }, '/': () => $('search').focus(), '?': () => $('helpbox').showModal() };
  if (e.key === 'Escape') { if ($('helpbox').open) return; if (document.activeElement === $('search')) { $('search').value = ''; search(); scroll.focus(); } else { range = null; choose(null); } return; }
  if ((e.ctrlKey || e.metaKey) && e.key === 'f') { $('search').focus(); $('search').select(); e.preventDefault(); return; }
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName) || $('helpbox').open) return;
  if ((e.key.startsWith('Arrow') || e.key.startsWith('Page')) && $('body').contains(document.activeElement)) return;
  const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
  if (keys[key]) { keys[key](); e.preventDefault(); }
});

function find(px, py) {
  if (px < LABEL || py < RULER) return null;
  py += scroll.scrollTop;
  for (const l of lanes) {
    const k = Math.floor((py - l.y) / ROW);
    if (k < 0 || k >= l.rows.length) continue;
    const row = l.rows[k], at = t(px), slack = 3 * (view.to - view.from) / (width - LABEL);      // narrow bars: three pixels off will do
    const on = row[firstAfter(row, at)], near = row[firstAfter(row, at - slack)];
    const it = on && on.s <= at ? on : near;
    if (it && it.s <= at + slack) return { lane: l, it };
  }
  return null;
}
const took = b => b.predicted ? b.took : b.e - b.s;
const fromTo = b => b.predicted ? [b.at, b.at + b.took] : [b.s, b.e];
function details({ lane, it }) {
  const lines = [`${it.error ? 'failed API call' : KINDS[it.kind][1]}, ${lane.name}`, `${time(took(it))}, from ${time(fromTo(it)[0])} to ${time(fromTo(it)[1])}${it.unfinished ? ', not finished' : ''}`];
  if (it.predicted) lines.push(`predicted for ${P.gpu}: ${time(it.predicted.e - it.predicted.s)}`);
  if (it.shape) lines.push(`grid ${it.shape.slice(0, 3).join(' × ')}, block ${it.shape.slice(3, 6).join(' × ')}`, `${it.shape[6]} registers a thread, occupancy ${it.shape[7]}%`);
  if (it.bytes) lines.push(`${size(it.bytes)}, ${it.from} to ${it.to}, ${size(it.bytes / Math.max(1, took(it)) * 1e9)}/s`);
  if (it.wait) lines.push(`queued ${time(it.wait)} before it began`);
  if (it.error) lines.push(`answered ${it.error}`);
  if (it.place) lines.push(`at ${it.place}`);
  return lines;
}
function point(e) {
  const found = find(e.offsetX, e.offsetY), tip = $('tip');
  if ((found && found.it.b) !== (hover && hover.it.b)) { hover = found; redraw(); }
  tip.style.display = found && !drag ? 'block' : 'none';
  if (!found) return;
  tip.replaceChildren(el('b', found.it.name), ...details(found).map(line => el('span', line)));
  tip.style.left = Math.max(8, Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8)) + 'px';
  tip.style.top = Math.min(e.clientY + 16, innerHeight - tip.offsetHeight - 8) + 'px';
}

// --- the panel: a selection, a range, the kernels

let open = '';
function pairs(rows) {
  const dl = el('dl');
  for (const [name, ...values] of rows) { const dd = el('dd'); dd.append(...values); dl.append(el('dt', name), dd); }
  return dl;
}
function linkTo(b) { return el('button', `${label(b.name)} at ${time(fromTo(b)[0])}`, { className: 'link', onclick: () => choose(b, true) }); }
function linksTo(list) {
  const out = list.slice(0, 8).flatMap((b, k) => k ? [', ', linkTo(b)] : [linkTo(b)]);
  if (list.length > 8) out.push(` and ${list.length - 8} more`);
  return out;
}
function selectionBody() {
  if (!chosen) return [el('span', 'Nothing is selected: click a bar.')];
  const place = where.get(chosen), b = chosen, rows = [['what', b.error ? 'failed API call' : KINDS[b.kind][1]], ['lane', place ? place.lane.name : ''], ['time', time(took(b)) + (b.unfinished ? ' (not finished)' : '')],
    ['from, to', fromTo(b).map(time).join(', ')]];
  if (b.predicted) rows.push([`on ${P.gpu}`, `${time(b.predicted.e - b.predicted.s)}, `, linkTo(b.predicted)]);
  if (b.here) rows.push(['on this machine', `${time(b.here.took)}, `, linkTo(b.here)]);
  if (b.error) rows.push(['answered', el('span', b.error, { className: 'bad' })]);
  if (b.place) rows.push(['called at', b.place]);
  if (b.shape) rows.push(['grid, block', `${b.shape.slice(0, 3).join(' × ')}, ${b.shape.slice(3, 6).join(' × ')}`], ['registers', `${b.shape[6]} a thread, occupancy ${b.shape[7]}%`]);
  if (b.bytes) rows.push(['bytes', `${size(b.bytes)}, ${b.from} to ${b.to}, ${size(b.bytes / Math.max(1, took(b)) * 1e9)}/s`]);
  if (b.predicted) return [el('h2', b.name), pairs(rows)];
  if (b.engine !== undefined) {
    rows.push(['waited', `${time(b.wait)} between being queued and starting`]);
    if (b.call >= 0) rows.push(['queued by', ...linksTo([spans[b.call]]), spans[b.call].place ? ` (${spans[b.call].place})` : '']);
    if (waitsFor.has(b.i)) rows.push(['runs after', ...linksTo(waitsFor.get(b.i))]);
    if (letsGo.has(b.i)) rows.push(['before', ...linksTo(letsGo.get(b.i))]);
  } else if (queuedBy.has(b.i)) rows.push(['queued', ...linksTo(queuedBy.get(b.i))]);
  return [el('h2', b.name), pairs(rows)];
}
function makeTable(heads, rows, sorted, act) {
  const table = el('table'), body = el('tbody'), head = el('tr');
  const fill = () => body.replaceChildren(...rows.map(r => {
    const tr = el('tr');
    tr.append(...r.cells.map((c, k) => { const td = el('td'); td.append(k || !act ? c : el('button', c, { className: 'link', onclick: () => act(r) })); return td; }));
    return tr;
  }));
  heads.forEach((h, k) => { const th = el('th'), b = el('button', h, { title: 'sort', onclick: () => { rows.sort((p, q) => k ? q.keys[k] - p.keys[k] : p.keys[0].localeCompare(q.keys[0])); fill(); } }); th.append(b); head.append(th); });
  rows.sort((p, q) => q.keys[sorted] - p.keys[sorted]);
  fill();
  const thead = el('thead');
  thead.append(head);
  table.append(thead, body);
  return table;
}
function sums(list, from, to) {                     // by name: what lies inside, cut at the borders
  const by = new Map();
  for (const b of list) {
    const d = Math.min(b.e, to) - Math.max(b.s, from);
    if (d < 0 || (d === 0 && b.e > b.s)) continue;
    const r = by.get(b.name) || { name: b.name, n: 0, time: 0, bytes: 0, min: Infinity, max: 0, occupancy: 0, first: b };
    r.n++;
    r.time += d;
    r.bytes += b.e > b.s ? (b.bytes || 0) * d / (b.e - b.s) : b.bytes || 0;
    r.min = Math.min(r.min, d);
    r.max = Math.max(r.max, d);
    if (b.shape) r.occupancy = b.shape[7];
    by.set(b.name, r);
  }
  return [...by.values()];
}
function kernelsBody() {
  const rows = sums(bars.filter(b => b.kind === 'kernel'), -Infinity, Infinity), all = rows.reduce((n, r) => n + r.time, 0);
  if (!rows.length) return [el('span', 'No kernels ran.')];
  return [makeTable(['kernel', 'launches', 'time', 'share', 'average', 'shortest', 'longest', 'occupancy'],
    rows.map(r => ({ name: r.name, first: r.first, keys: [r.name, r.n, r.time, r.time, r.time / r.n, r.min, r.max, r.occupancy],
      cells: [r.name, String(r.n), time(r.time), percent(r.time, all), time(r.time / r.n), time(r.min), time(r.max), r.occupancy + '%'] })), 2,
    r => { $('search').value = r.name; search(); bring(r.first); })];
}
function rangeBody() {
  if (!range) return [el('span', 'No range: drag on the ruler, or press M with a bar selected.')];
  const { from, to } = range, o = overlap(from, to), calls = spans.filter(s => s.kind === 'api' && s.e >= from && s.s <= to);
  const rows = sums(bars, from, to);
  const parts = [pairs([['range', `${time(to - from)}, from ${time(from)} to ${time(to)}`], ['device busy', `${time(o.any)} = ${percent(o.any, to - from)}`],
    ['copy and kernel together', `${time(o.both)} = ${percent(o.both, o.any)} of busy time`],
    ...P.engines.flatMap((name, k) => o.engines[k] || o.held[k] ? [[name, `${percent(o.engines[k], to - from)} in use, ${percent(o.held[k], to - from)} waiting`]] : []),
    ['API calls', `${calls.length}`]])];
  if (rows.length) parts.push(makeTable(['activity', 'number', 'time', 'bytes', 'rate'], rows.map(r => ({ keys: [r.name, r.n, r.time, r.bytes, r.time ? r.bytes / r.time : 0],
    cells: [r.name, String(r.n), time(r.time), r.bytes ? size(Math.round(r.bytes)) : '', r.bytes && r.time ? size(r.bytes / r.time * 1e9) + '/s' : ''] })), 2));
  return parts;
}
const BODIES = { selection: selectionBody, range: rangeBody, kernels: kernelsBody };
function tab(name) {
  const was = open;
  open = name;
  $('panel').hidden = !name;
  if (name) {
    $('body').replaceChildren(...BODIES[name]());
    for (const b of document.querySelectorAll('#tabs [data-tab]')) b.setAttribute('aria-selected', b.dataset.tab === name);
  }
  if (!was !== !name) resize();
  redraw();
}
function choose(b, goThere) {
  chosen = b;
  tab(b ? 'selection' : range ? 'range' : '');
  if (b && goThere) bring(b);
}
for (const b of document.querySelectorAll('#tabs [data-tab]')) b.onclick = () => tab(b.dataset.tab);
$('close').onclick = () => { chosen = range = null; tab(''); };
$('copy').onclick = async () => {
  const text = $('body').innerText;
  try { await navigator.clipboard.writeText(text); } catch (e) {       // a page from a file may not: the old way
    const chosenText = getSelection();
    chosenText.selectAllChildren($('body'));
    document.execCommand('copy');
    chosenText.removeAllRanges();
  }
  $('copy').textContent = 'Copied';
  setTimeout(() => $('copy').textContent = 'Copy', 1200);
};

// --- searching

function search() {
  const word = $('search').value.trim().toLowerCase();
  matches = null;
  if (word) {
    const list = [...bars, ...spans].filter(b => b.name.toLowerCase().includes(word) || (b.error && b.error.toLowerCase().includes(word))).sort((a, b) => a.s - b.s);
    matches = { list, set: new Set(list), at: -1 };
  }
  $('found').textContent = matches ? `${matches.list.length} found` : '';
  redraw();
}
function nextMatch(by) {
  if (!matches || !matches.list.length) return;
  const n = matches.list.length;
  matches.at = matches.at < 0 && by < 0 ? n - 1 : (matches.at + by + n) % n;
  $('found').textContent = `${matches.at + 1} of ${n}`;
  choose(matches.list[matches.at], true);
}
$('search').addEventListener('input', search);
$('search').addEventListener('keydown', e => { if (e.key === 'Enter') { nextMatch(e.shiftKey ? -1 : 1); e.preventDefault(); } });

$('fit').onclick = fit;
$('work').onclick = work;
$('work').hidden = !bars.length;
$('table').onclick = () => tab(open === 'kernels' ? '' : 'kernels');
$('arrows').onclick = () => { arrows = !arrows; $('arrows').setAttribute('aria-pressed', arrows); redraw(); };
$('scale').hidden = !real.length;
$('scale').onclick = () => {
  sameLength = !sameLength;
  $('scale').setAttribute('aria-pressed', sameLength);
  placeReal();
  layout();
  resize();
  begin();
};
$('theme').onclick = () => theme(!document.documentElement.classList.contains('dark'));
$('help').onclick = () => $('helpbox').showModal();
const asked = location.hash.slice(1), prefers = matchMedia('(prefers-color-scheme: dark)');
theme(asked === 'dark' || (asked !== 'light' && prefers.matches));
prefers.addEventListener('change', e => theme(e.matches));
addEventListener('resize', resize);
resize();
begin();
window.timeline = { overlap: O, lanes, bars, spans, real, view, show, fit, work, draw, find, details, x, t, ticks, where, choose, bring, explain, KINDS, FAILED, // for tests and the curious
  get chosen() { return chosen; }, get range() { return range; }, get matches() { return matches; }, get label() { return LABEL; } };
