#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a timeline, to be looked at: three sizes, light and dark, plain, with a selection, with the table of kernels.

usage: pictures.py PAGE.html FOLDER      PAGE: of `hostwarp prof --timeline PAGE.html PROGRAM`
"""
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
import browser                                   # beside this file

SIZES = {'wide': (1920, 1080, False), 'laptop': (1280, 720, False), 'telephone': (390, 844, True)}
SHOWN = {'plain': '', 'chosen': 'timeline.choose(timeline.bars[Math.floor(timeline.bars.length / 2)], true)', 'table': "document.getElementById('table').click()"}


def main():
    page, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, browser.Browser(profile) as b:
        for size, (width, height, touch) in SIZES.items():
            for theme in 'light', 'dark':
                for shown, script in SHOWN.items():
                    b.size(width, height, touch)
                    b.open(f'{page.as_uri()}#{theme}')
                    b.js(script or '0')
                    b.settle()
                    b.picture(folder / f'{size}-{theme}-{shown}.png')
        assert not b.messages, b.messages


main()
