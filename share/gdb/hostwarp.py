# SPDX-License-Identifier: Apache-2.0
"""Commands for gdb: which kernel, block and threads a thread of the process runs. `hostwarp gdb` loads this; `source` does too."""
import gdb


def where():
    """Of the selected thread. The others stand still while it answers."""
    locking = gdb.parameter('scheduler-locking')
    try:
        gdb.execute('set scheduler-locking on')
        return gdb.parse_and_eval('((const char *(*)(void))hostwarp_where)()').string()
    except gdb.error as e:
        return f'not known ({e})'
    finally:
        gdb.execute(f'set scheduler-locking {locking}')


class Hostwarp(gdb.Command):
    """Kernels of hostwarp. hostwarp where: what the selected thread runs; hostwarp threads: what each thread runs."""

    def __init__(self):
        super().__init__('hostwarp', gdb.COMMAND_STATUS, gdb.COMPLETE_NONE, True)


class Where(gdb.Command):
    """Kernel, block and threads that the selected thread runs."""

    def __init__(self):
        super().__init__('hostwarp where', gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        print(where())


class Threads(gdb.Command):
    """The same for every thread that is in a kernel."""

    def __init__(self):
        super().__init__('hostwarp threads', gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        chosen = gdb.selected_thread()
        for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):
            thread.switch()
            text = where()
            if not text.startswith('not'):
                print(f'{"*" if thread.num == chosen.num else " "} {thread.num}: {text}')
        chosen.switch()


Hostwarp()
Where()
Threads()
gdb.execute('set breakpoint pending on')
