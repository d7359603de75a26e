# SPDX-License-Identifier: Apache-2.0
"""A plugin for pytest that `suites.py` loads: writes what there is to run, runs what it is told to, and appends a line to a file when a test begins and when it ends, so that a crash loses nothing."""
import json
import os
import pathlib

OUT = os.environ['SUITES_OUT']                    # lines are appended here
RUN = os.environ.get('SUITES_RUN')                # a file with the ids to run; without it, all tests are listed
current, ids = {}, {}


def say(**line):
    with open(OUT, 'a') as f:
        f.write(json.dumps(line) + '\n')


def whole_id(item):
    """pytest's id begins with a path that depends on what it was told to collect; this one does not."""
    path = str(item.path).rsplit('/site-packages/', 1)[-1]
    root = os.environ.get('SUITES_ROOT', '')
    path = path[len(root):].lstrip('/') if root and path.startswith(root) else path
    return path + '::' + item.nodeid.split('::', 1)[-1]


def pytest_collection_modifyitems(config, items):
    ids.update((item.nodeid, whole_id(item)) for item in items)
    if RUN:
        wanted = set(pathlib.Path(RUN).read_text().split('\n'))
        config.hook.pytest_deselected(items=[item for item in items if ids[item.nodeid] not in wanted])
        items[:] = [item for item in items if ids[item.nodeid] in wanted]
        return
    for item in items:
        say(id=ids[item.nodeid], path=str(item.path))
    items.clear()


def pytest_collectreport(report):
    if report.failed and not RUN:
        say(id=report.nodeid or '?', path=None, why=str(report.longrepr)[-500:])


def pytest_runtest_logstart(nodeid):
    current.clear()
    current.update(id=ids.get(nodeid, nodeid), result='passed', why='')
    say(id=current['id'], result='started')


def reason(report):
    crash = getattr(report.longrepr, 'reprcrash', None)
    if crash:
        return crash.message
    return str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)


def pytest_runtest_logreport(report):
    if report.failed and current['result'] != 'failed':
        current.update(result='failed', why=reason(report)[:600])
    elif report.skipped and current['result'] == 'passed':
        current.update(result='xfailed' if hasattr(report, 'wasxfail') else 'skipped', why=reason(report)[:200])


def pytest_runtest_logfinish(nodeid):
    say(**current)
