# SPDX-License-Identifier: Apache-2.0
"""A headless chromium, driven as a person would: real mouse, wheel, touch and key events, sent through its debugging pipe. Needs nothing but the browser."""
import base64
import json
import os
import select
import shutil
import subprocess
import time

NAMES = 'chromium', 'chromium-browser', 'google-chrome'
SHIFT, CTRL = 8, 2


def program():
    return next((p for p in map(shutil.which, NAMES) if p), None)


class Browser:
    def __init__(self, profile_folder):
        to_read, self.to_write = os.pipe()
        self.from_read, from_write = os.pipe()

        def fds():                                   # the browser reads from 3 and writes to 4
            high = os.dup(to_read), os.dup(from_write)
            a, b = (os.dup2(h, 64 + k) for k, h in enumerate(high))
            os.dup2(a, 3)
            os.dup2(b, 4)
        self.p = subprocess.Popen([program(), '--headless=new', '--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND', '--remote-debugging-pipe',
                                   '--no-first-run', '--disable-extensions', f'--user-data-dir={profile_folder}', 'about:blank'], preexec_fn=fds, close_fds=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.buffer, self.last, self.session, self.messages, self.loaded = b'', 0, None, [], False
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in 'Page', 'Runtime', 'Log':
            self.call(domain + '.enable')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call('Browser.close')
        except (OSError, AssertionError):
            pass
        try:
            self.p.wait(10)
        except subprocess.TimeoutExpired:
            self.p.kill()
            self.p.wait()
        os.close(self.to_write)
        os.close(self.from_read)

    def read(self, limit):
        """One message; None past the limit."""
        while b'\0' not in self.buffer:
            if not select.select([self.from_read], [], [], max(0, limit - time.monotonic()))[0]:
                return None
            data = os.read(self.from_read, 1 << 16)
            assert data, 'the browser ended'
            self.buffer += data
        text, _, self.buffer = self.buffer.partition(b'\0')
        message = json.loads(text)
        method, params = message.get('method'), message.get('params', {})
        if method == 'Page.loadEventFired':
            self.loaded = True
        if method in ('Runtime.exceptionThrown', 'Log.entryAdded', 'Runtime.consoleAPICalled'):
            self.messages.append(json.dumps(params)[:600])
        return message

    def call(self, method, **params):
        self.last += 1
        message = {'id': self.last, 'method': method, 'params': params}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b'\0')
        limit = time.monotonic() + 60
        while True:
            answer = self.read(limit)
            assert answer, f'no answer to {method}'
            if answer.get('id') == self.last:
                assert 'error' not in answer, (method, answer['error'])
                return answer['result']

    # --- pages

    def size(self, width, height, touch=False):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=touch)
        self.call('Emulation.setTouchEmulationEnabled', enabled=touch, maxTouchPoints=5)

    def open(self, url):
        for place in 'about:blank', url:             # a change of the hash alone would not load anything
            self.loaded = False
            self.call('Page.navigate', url=place)
            limit = time.monotonic() + 60
            while not self.loaded:
                assert self.read(limit), 'the page does not load'
            # the event may have been that of the page before
            while not self.js(f'location.href === {json.dumps(place)} && document.readyState === "complete"'):
                assert time.monotonic() < limit, 'the page does not load'
                time.sleep(0.02)
        self.settle()

    def js(self, text):
        r = self.call('Runtime.evaluate', expression=text, returnByValue=True, awaitPromise=True)
        assert 'exceptionDetails' not in r, r['exceptionDetails'].get('exception', r)
        return r['result'].get('value')

    def settle(self):
        """Until what was asked for is drawn."""
        self.js('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')

    def picture(self, path):
        with open(path, 'wb') as f:
            f.write(base64.b64decode(self.call('Page.captureScreenshot', format='png')['data']))

    # --- hands

    def mouse(self, kind, x, y, **more):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def move(self, x, y):
        self.mouse('mouseMoved', x, y)
        self.settle()

    def wheel(self, x, y, dx=0, dy=0, modifiers=0):
        self.mouse('mouseWheel', x, y, deltaX=dx, deltaY=dy, modifiers=modifiers)
        time.sleep(0.25)                             # scrolling is smooth: it takes a moment
        self.settle()

    def click(self, x, y, count=1):
        self.mouse('mouseMoved', x, y)
        for n in range(1, count + 1):
            self.mouse('mousePressed', x, y, button='left', buttons=1, clickCount=n)
            self.mouse('mouseReleased', x, y, button='left', clickCount=n)
        self.settle()

    def drag(self, x0, y0, x1, y1, modifiers=0):
        self.mouse('mouseMoved', x0, y0)
        self.mouse('mousePressed', x0, y0, button='left', buttons=1, clickCount=1, modifiers=modifiers)
        for k in range(1, 6):
            self.mouse('mouseMoved', x0 + (x1 - x0) * k / 5, y0 + (y1 - y0) * k / 5, button='left', buttons=1, modifiers=modifiers)
        self.mouse('mouseReleased', x1, y1, button='left', clickCount=1, modifiers=modifiers)
        self.settle()

    def key(self, key, modifiers=0, code=0):
        text = {'text': key} if len(key) == 1 and not modifiers & CTRL else {'text': '\r'} if key == 'Enter' else {}
        self.call('Input.dispatchKeyEvent', type='keyDown', key=key, modifiers=modifiers, windowsVirtualKeyCode=code, **text)
        self.call('Input.dispatchKeyEvent', type='keyUp', key=key, modifiers=modifiers, windowsVirtualKeyCode=code)
        self.settle()

    def type(self, text):
        for c in text:
            self.key(c)

    def touch(self, kind, *points):
        self.call('Input.dispatchTouchEvent', type=kind, touchPoints=[{'x': x, 'y': y, 'id': i} for i, (x, y) in enumerate(points)])

    def tap(self, x, y):
        self.touch('touchStart', (x, y))
        self.touch('touchEnd')
        self.settle()

    def swipe(self, *paths, steps=8):
        """Each path: ((x0, y0), (x1, y1)), one finger."""
        self.touch('touchStart', *(p[0] for p in paths))
        for k in range(1, steps + 1):
            self.touch('touchMove', *((a[0] + (b[0] - a[0]) * k / steps, a[1] + (b[1] - a[1]) * k / steps) for a, b in paths))
        self.touch('touchEnd')
        time.sleep(0.2)
        self.settle()
