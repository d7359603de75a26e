#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the pages: links lead somewhere, marked commands run, generated tables are what their data say. usage: run.py BUILD [PATTERN]      The result is TAP.

In a page, a block that begins with

    ```sh run             is run, with `hostwarp` on the path, in a copy of examples/
    ```sh run status=1    must end with that status
    ```cuda file=x.cu     is written to that file first
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(TREE / 'tools'))
import ci_commands                               # noqa: E402
BUILD = pathlib.Path(sys.argv[1]).resolve()
PAGES = sorted([*TREE.glob('*.md'), *(TREE / 'docs').glob('*.md')])
BLOCK = re.compile(r'^ *```(\w*)([^\n]*)\n(.*?)^ *```', re.M | re.S)
LINK = re.compile(r'!?\[[^\]]*\]\(([^)\s]+)\)')


def prose(text):
    """Without blocks and code in lines."""
    return re.sub(r'`[^`\n]*`', '', BLOCK.sub('', text))


def anchors(path):
    """What GitHub makes of headings."""
    heads = re.findall(r'^#+ (.*)$', BLOCK.sub('', path.read_text()), re.M)
    return {re.sub(r'[^\w\- ]', '', re.sub(r'[`*]', '', h).lower()).strip().replace(' ', '-') for h in heads}


def test_links_lead_somewhere():
    bad, n = [], 0
    for page in PAGES:
        for target in LINK.findall(BLOCK.sub('', page.read_text())):
            if re.match(r'(https?|mailto):', target):
                continue
            n += 1
            name, _, anchor = target.partition('#')
            path = page.parent / name if name else page
            if not path.exists():
                bad.append(f'{page.name}: {target}')
            elif anchor and path.suffix == '.md' and anchor not in anchors(path):
                bad.append(f'{page.name}: {target}: no such heading')
    assert not bad, '\n'.join(bad)
    assert n > 50, n


def test_files_that_pages_name_exist():
    ours = {path.name for folder in ('src', 'include', 'tests', 'bench', 'examples', 'tools', 'share') for path in (TREE / folder).rglob('*') if path.is_file()}
    bad, n = [], 0
    for page in PAGES:
        for name in re.findall(r'`((?:[a-z_0-9]+/)*[a-z_0-9]+\.(?:c|h|def|py))`', BLOCK.sub('', page.read_text())):
            n += 1
            where = [TREE / name, TREE / 'src' / name, TREE / 'src/core' / name]
            if '/' in name and not any((TREE / d / name.split('/')[0]).is_dir() for d in ('.', 'src', 'src/core')):
                continue                            # another project's
            if name.split('/')[-1] not in ours or ('/' in name and name.split('/')[0] in ('src', 'core', 'exec', 'jit', 'pass') and not any(w.exists() for w in where)):
                bad.append(f'{page.name}: {name}')
    assert not bad, '\n'.join(bad)
    assert n > 50, n


def test_every_page_is_reached_from_the_readme():
    seen, todo = set(), [TREE / 'README.md']
    while todo:
        page = todo.pop()
        if page in seen or page.suffix != '.md' or not page.exists():
            continue
        seen.add(page)
        todo += [(page.parent / t.partition('#')[0]).resolve() for t in LINK.findall(page.read_text()) if not re.match(r'https?:|#', t)]
    missing = [p.name for p in PAGES if p not in seen and not p.name.startswith('status-')]
    assert not missing, missing


def commands_of(page):
    """(kind, options, body) of the blocks that say what to do with them."""
    for kind, more, body in BLOCK.findall(page.read_text()):
        words = more.split()
        if words:
            yield kind, words, body


def run_page(page):
    with tempfile.TemporaryDirectory(prefix='hostwarp-docs-') as folder:
        work = pathlib.Path(folder) / 'examples'
        shutil.copytree(TREE / 'examples', work)
        env = {k: v for k, v in os.environ.items() if not k.startswith('HOSTWARP_')}
        env.update(PATH=f'{BUILD}/bin:{os.environ["PATH"]}', HOSTWARP_CACHE=str(pathlib.Path(folder) / 'cache'))
        n = 0
        for kind, words, body in commands_of(page):
            options = dict(w.partition('=')[::2] for w in words)
            if 'file' in options:
                (work / options['file']).write_text(body)
            if kind != 'sh' or 'run' not in options:
                continue
            p = subprocess.run(['sh', '-ec', body], cwd=work, env=env, capture_output=True, text=True, timeout=200)
            assert p.returncode == int(options.get('status', 0)), f'{page.name}:\n{body}\nstatus {p.returncode}\n{p.stdout[-1500:]}{p.stderr[-1500:]}'
            n += 1
        return n


for _page in PAGES:
    if any(k == 'sh' and 'run' in w for k, w, _ in commands_of(_page)):
        globals()[f'test_the_commands_of_{_page.stem.lower()}_run'] = lambda page=_page: run_page(page)


def test_generated_tables_are_up_to_date():
    p = subprocess.run([sys.executable, TREE / 'tools/gen_performance.py'], capture_output=True, text=True)
    assert p.returncode == 0, p.stdout + p.stderr


def test_make_targets_in_the_pages_exist():
    makefile = (TREE / 'Makefile').read_text()
    targets = set(re.findall(r'^([a-z]+):', makefile, re.M))
    for page in PAGES:
        for block in re.findall(r'`(make [a-z]+)[^`]*`', page.read_text()) + re.findall(r'^(make [a-z]+)', '\n'.join(b for _, _, b in BLOCK.findall(page.read_text())), re.M):
            assert block.split()[1] in targets | {'test'}, f'{page.name}: {block}'


def test_files_named_in_the_tasks_exist():
    text = (TREE / 'docs/tasks.md').read_text()
    assert len(re.findall(r'^\| \*\*', text, re.M)) == 10
    names = [n for n in re.findall(r'`((?:src|tests|tools|bench|man|share|include)/[\w./*-]*)`', text)]
    missing = [n for n in names if not list(TREE.glob(n.rstrip('/')))]
    assert names and not missing, missing


def test_retired_words_stay_retired():
    glossary = (TREE / 'docs/glossary.md').read_text()
    table = re.search(r'<!-- begin retired -->\n(.*?)<!-- end retired -->', glossary, re.S).group(1)
    words = [w.strip() for row in table.splitlines()[2:] for w in row.split('|')[1].split(',')]
    assert len(words) >= 5, words
    bad = []
    for page in PAGES:
        if page.name == 'glossary.md' or page.name.startswith('status-'):        # the table itself; names of other people's programs
            continue
        text = re.sub(r'\s+', ' ', prose(page.read_text()).lower())
        bad += [f'{page.name}: {w}' for w in words if re.search(rf'\b{re.escape(w)}\b', text)]
    assert not bad, bad


def test_the_words_of_the_glossary_have_one_row_each():
    rows = re.findall(r'^\| ([^|]+) \|', (TREE / 'docs/glossary.md').read_text().split('## Retired')[0], re.M)
    words = [w.strip() for r in rows if r not in ('word', '---') for w in r.split(',')]
    assert len(words) == len(set(words)), sorted(w for w in words if words.count(w) > 1)


def test_ci_files_hold_commands_for_every_service():
    found = dict(ci_commands.commands((TREE / 'docs/ci.md').read_text()))
    assert set(found) == {'GitHub Actions', 'GitLab', 'CMake', 'Make'} and all(len(c) >= 2 for c in found.values()), found
    assert len(ci_commands.of_yaml((TREE / 'action.yml').read_text())) == 2
    assert ci_commands.of_containerfile((TREE / 'Containerfile').read_text())


def test_pictures_are_drawings_of_their_own():
    import xml.etree.ElementTree as et
    for picture in (TREE / 'docs/img').glob('*.svg'):
        root = et.parse(picture).getroot()
        assert root.get('aria-label') and 'http' not in picture.read_text().replace('http://www.w3.org/2000/svg', ''), picture


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else ''
    tests = [(name, fn) for name, fn in list(globals().items()) if name.startswith('test_') and pattern in name]
    failed = 0
    print(f'1..{len(tests)}')
    for i, (name, fn) in enumerate(tests, 1):
        try:
            fn()
            print(f'ok {i} {name}', flush=True)
        except Exception:
            failed += 1
            print(f'not ok {i} {name}\n' + ''.join('# ' + l + '\n' for l in traceback.format_exc().splitlines()[-12:]), flush=True)
    return 1 if failed else 0


sys.exit(main())
