# SPDX-License-Identifier: Apache-2.0
"""The commands in descriptions of CI jobs: what a service would give to a shell. Reads the few forms that docs/ci.md, action.yml and Containerfile use."""
import re


def of_yaml(text):
    """`run:` of GitHub, on one line or with |, and the items of `script:` and `before_script:` of GitLab."""
    lines, out, i = text.splitlines(), [], 0
    while i < len(lines):
        m = re.match(r'^(\s*)(?:- )?(run|script|before_script):\s*(.*)$', lines[i])
        i += 1
        if not m:
            continue
        indent, kind, rest = len(m.group(1)), m.group(2), m.group(3)
        body = []
        while i < len(lines) and (not lines[i].strip() or len(lines[i]) - len(lines[i].lstrip()) > indent):
            body.append(lines[i].strip())
            i += 1
        if kind == 'run':
            out.append('\n'.join(body) if rest == '|' else rest)
            if rest != '|':
                i -= len(body)
        else:
            out += [b[2:] for b in body if b.startswith('- ')]
    return out


def of_containerfile(text):
    return re.findall(r'^RUN (.*)$', text, re.M)


def commands(page):
    """(title, commands) of each block of docs/ci.md that is marked `yaml`."""
    for title, block in re.findall(r'^## ([^\n]*)\n(?:(?!^## ).)*?^```yaml\n(.*?)^```', page, re.M | re.S):
        yield title, of_yaml(block)
