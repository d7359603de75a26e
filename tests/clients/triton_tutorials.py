# SPDX-License-Identifier: Apache-2.0
"""Runs Triton's tutorials 01 to 05 as they are, but for the tables of timings at their ends, and looks at what they computed. 06 has tests of its own."""
import os
import pathlib
import runpy

import pytest
import torch
import triton

TUTORIALS = pathlib.Path(os.environ['TUTORIALS'])


@pytest.fixture(autouse=True)
def no_timings(monkeypatch):
    class Nothing:
        def run(self, *_, **__):
            pass
    monkeypatch.setattr(triton.testing, 'perf_report', lambda _: lambda _: Nothing())


def run(name):
    torch.manual_seed(0)
    return runpy.run_path(str(next(TUTORIALS.glob(name + '-*.py'))))


def test_01_vector_add():
    g = run('01')
    torch.testing.assert_close(g['output_triton'], g['output_torch'], rtol=0, atol=0)


def test_02_fused_softmax():
    g = run('02')
    torch.testing.assert_close(g['y_triton'], g['y_torch'])


def test_03_matrix_multiplication(capsys):
    run('03')
    said = capsys.readouterr().out
    assert 'match' in said and 'differ' not in said, said


def test_04_low_memory_dropout():
    g = run('04')
    x, p, kept = g['x'], g['p'], g['x_keep']
    torch.testing.assert_close(g['dropout'](x, x_keep=kept, p=p), torch.where(kept.bool(), x / (1 - p), torch.zeros_like(x)))
    same = [g['seeded_dropout'](x, p=0.5, seed=123) for _ in range(2)]
    assert torch.equal(*same) and not torch.equal(same[0], g['seeded_dropout'](x, p=0.5, seed=512))


def test_05_layer_norm():
    run('05')['test_layer_norm'](1151, 8192, torch.float16)
