# SPDX-License-Identifier: Apache-2.0
"""A strict reader of the Trace Event format, in the place of Perfetto's trace processor: faults(trace) lists what that would drop, cut or refuse."""
import math

KNOWN = set('BEXiICbnesTtfPMSpFNODVvRc')
METADATA = {'process_name': ('name', str), 'process_labels': ('labels', str), 'process_sort_index': ('sort_index', int),
            'thread_name': ('name', str), 'thread_sort_index': ('sort_index', int)}
TOP = {'traceEvents': list, 'displayTimeUnit': str, 'otherData': dict, 'systemTraceEvents': str, 'stackFrames': dict, 'samples': list}


def is_number(v):
    return isinstance(v, (int, float)) and not isinstance(v, bool) and math.isfinite(v)


def ns(us):
    return round(us * 1000)


def fields(e, where):
    """Each event by itself."""
    bad = []
    ph = e.get('ph')
    if not isinstance(ph, str) or ph not in KNOWN:
        return [f'{where}: ph is {ph!r}']
    if not isinstance(e.get('name'), str) or not e['name']:
        if ph not in 'EP':
            bad.append(f'{where}: no name')
    for key in 'pid', 'tid':
        if key == 'tid' and ph == 'M' and 'tid' not in e:
            continue
        if not isinstance(e.get(key), int) or isinstance(e.get(key), bool):
            bad.append(f'{where}: {key} is {e.get(key)!r}')
    if ph != 'M' and (not is_number(e.get('ts')) or e['ts'] < 0):
        bad.append(f'{where}: ts is {e.get("ts")!r}')
    if 'cat' in e and not isinstance(e['cat'], str):
        bad.append(f'{where}: cat is no text')
    if 'args' in e and not isinstance(e['args'], dict):
        bad.append(f'{where}: args is no object')
    if ph == 'X' and (not is_number(e.get('dur')) or e['dur'] < 0):
        bad.append(f'{where}: dur is {e.get("dur")!r}')
    if ph in 'iI' and e.get('s', 't') not in ('g', 'p', 't'):
        bad.append(f'{where}: scope {e.get("s")!r}')
    if ph == 'C' and (not e.get('args') or not all(is_number(v) for v in e['args'].values())):
        bad.append(f'{where}: a counter without numbers')
    if ph in 'bnestfOND' and 'id' not in e and 'id2' not in e:
        bad.append(f'{where}: no id')
    if ph in 'bnestf' and not e.get('cat'):
        bad.append(f'{where}: no category')
    if ph == 'f' and e.get('bp', 'e') != 'e':
        bad.append(f'{where}: bp is {e["bp"]!r}')
    if ph == 'M':
        key, kind = METADATA.get(e.get('name'), (None, None))
        if key is None:
            bad.append(f'{where}: unknown metadata {e.get("name")!r}')
        elif not isinstance(e.get('args', {}).get(key), kind):
            bad.append(f'{where}: metadata without {key}')
    return bad


def nesting(events):
    """On one thread a slice lies inside of another one or beside it; B and E come in pairs."""
    bad, threads, open_b = [], {}, {}
    for e in events:
        key = (e['pid'], e['tid']) if 'tid' in e else None
        if e['ph'] == 'X':
            threads.setdefault(key, []).append((ns(e['ts']), ns(e['ts']) + ns(e['dur']), e['name']))
        elif e['ph'] == 'B':
            open_b.setdefault(key, []).append(e)
        elif e['ph'] == 'E':
            if not open_b.get(key):
                bad.append(f'thread {key}: E without B at {e["ts"]}')
                continue
            b = open_b[key].pop()
            if e.get('name', b['name']) != b['name']:
                bad.append(f'thread {key}: {e["name"]!r} ends {b["name"]!r}')
            if ns(e['ts']) < ns(b['ts']):
                bad.append(f'thread {key}: {b["name"]!r} ends before it begins')
            threads.setdefault(key, []).append((ns(b['ts']), ns(e['ts']), b['name']))
    bad += [f'thread {key}: {e["name"]!r} never ends' for key, left in open_b.items() for e in left]
    for key, slices in threads.items():
        stack = []
        for start, end, name in sorted(slices, key=lambda s: (s[0], -s[1])):
            while stack and stack[-1][0] <= start:
                stack.pop()
            if stack and stack[-1][0] < end:
                bad.append(f'thread {key}: {name!r} [{start}, {end}) reaches out of {stack[-1][1]!r} which ends at {stack[-1][0]}')
            stack.append((end, name))
    return bad, threads


def pairs(events, first, middle, last, what):
    """Events that belong together by category, id and, for flows, name."""
    bad, groups = [], {}
    for e in events:
        if e['ph'] in (first, middle, last):
            groups.setdefault((e.get('cat'), str(e.get('id', e.get('id2')))), []).append(e)
    for key, group in groups.items():
        group = sorted(group, key=lambda e: (ns(e['ts']), [first, middle, last].index(e['ph'])))
        phases = ''.join(e['ph'] for e in group)
        if phases[0] != first or phases[-1] != last or phases.count(first) != 1 or phases.count(last) != 1:
            bad.append(f'{what} {key}: events {phases}, not {first}...{last}')
        if len({e['name'] for e in group}) != 1:
            bad.append(f'{what} {key}: several names')
    return bad


def bound(events, threads):
    """Both ends of an arrow need a slice of their thread around them."""
    bad = []
    for e in events:
        if e['ph'] not in 'stf':
            continue
        at = ns(e['ts'])
        if not any(start <= at < end or start == at == end for start, end, _ in threads.get((e['pid'], e['tid']), [])):
            bad.append(f'flow {e["id"]}: no slice at its {e["ph"]}, {e["ts"]}')
    return bad


def names(events):
    """Every thread with slices says its process's name and its own, or is a thread of the system; no name is given twice."""
    bad, seen = [], {}
    for e in events:
        if e['ph'] == 'M' and e['name'] in ('process_name', 'thread_name'):
            key = (e['name'], e['pid'], e.get('tid') if e['name'] == 'thread_name' else None)
            if key in seen:
                bad.append(f'{key} is named twice')
            seen[key] = e['args']['name']
    for pid in {e['pid'] for e in events}:
        if ('process_name', pid, None) not in seen:
            bad.append(f'process {pid} has no name')
    return bad


def faults(trace):
    if not isinstance(trace, dict):
        return ['the trace is no object']
    bad = [f'unknown member {k}' for k in trace if k not in TOP] + [f'{k} is no {t.__name__}' for k, t in TOP.items() if k in trace and not isinstance(trace[k], t)]
    if bad or 'traceEvents' not in trace:
        return bad or ['no traceEvents']
    if trace.get('displayTimeUnit', 'ms') not in ('ms', 'ns'):
        bad.append('displayTimeUnit')
    events = trace['traceEvents']
    for i, e in enumerate(events):
        bad += fields(e, f'event {i}') if isinstance(e, dict) else [f'event {i} is no object']
    if bad:
        return bad
    nested, threads = nesting(events)
    return nested + pairs(events, 's', 't', 'f', 'flow') + pairs(events, 'b', 'n', 'e', 'range') + bound(events, threads) + names(events)
