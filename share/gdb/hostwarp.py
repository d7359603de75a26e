# SPDX-License-Identifier: Apache-2.0
"""Commands for gdb: which kernel, block and threads a thread of the process runs. `hostwarp gdb` loads this; `source` does too."""
import gdb


class Memory:
    """Numbers and texts of the process, which stands still. Nothing is called in it: gdb cannot do that on every CPU."""

    def __init__(self):
        self.process = gdb.selected_inferior()

    def number(self, address, bytes, signed=False):
        return int.from_bytes(self.process.read_memory(address, bytes).tobytes(), 'little', signed=signed)

    def pointer(self, address):
        return self.number(address, 8)

    def three(self, address):
        return [self.number(address + 4 * i, 4) for i in range(3)]

    def text(self, address):
        return gdb.Value(address).cast(gdb.lookup_type('char').pointer()).string()


OFFSETS = ('places', 'scope_block', 'block_launch', 'block_ctaid', 'block_group', 'launch_ntid', 'launch_nctaid', 'launch_kernel', 'kernel_name', 'kernel_width', 'kernel_chunks', 'unused')


def where():
    """Of the selected thread. src/exec/debug.c has the table that is read here."""
    try:
        memory, table = Memory(), int(gdb.parse_and_eval('(unsigned long)&hostwarp_threads'))
        at = {name: memory.number(table + 4 * i, 4, signed=True) for i, name in enumerate(OFFSETS)}
        tid = gdb.selected_thread().ptid[1]
        place = table + 4 * len(OFFSETS) + tid % at['places'] * 16
        scope = memory.pointer(place + 8)
        block = scope and memory.pointer(place) == tid and memory.pointer(scope + at['scope_block'])
        launch = block and memory.pointer(block + at['block_launch'])
        if not launch:
            return 'not in a kernel'
        kernel = memory.pointer(launch + at['launch_kernel'])
        name, width, chunks = memory.text(memory.pointer(kernel + at['kernel_name'])), memory.number(kernel + at['kernel_width'], 4), memory.number(kernel + at['kernel_chunks'], 4)
        block_at, blocks, shape = memory.three(block + at['block_ctaid']), memory.three(launch + at['launch_nctaid']), memory.three(launch + at['launch_ntid'])
        threads, lanes = shape[0] * shape[1] * shape[2], width * chunks if width > 1 else 1
        first = memory.number(block + at['block_group'], 4) * lanes
        last = min(first + lanes, threads) - 1
        together = 'all in step, lane by lane of its vectors' if lanes > 1 else 'one after the other'
        return f'kernel {name}, block ({block_at[0]},{block_at[1]},{block_at[2]}) of ({blocks[0]},{blocks[1]},{blocks[2]}), threads {first} to {last} of {threads}, {together}'
    except gdb.error as e:
        return f'not known ({e})'


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
