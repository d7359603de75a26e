# SPDX-License-Identifier: Apache-2.0
"""tinygrad's first training step, and where its processor time goes: in children (NVRTC's compilers), in calls that launch kernels (PTX to machine code, and the kernels), elsewhere (Python).

usage, after `eval "$(hostwarp env)"`: DEV=CUDA PYTHONPATH=TINYGRAD HOSTWARP_CACHE=EMPTY CACHEDB=EMPTY/db python tinygrad_step.py
A small network: two convolutions, one linear layer, SGD, 16 images.
"""
import resource

import tinygrad.runtime.ops_cuda as ops_cuda
from tinygrad import Device, Tensor, nn
from tinygrad.helpers import Context


def spent(who):
    r = resource.getrusage(who)
    return r.ru_utime + r.ru_stime


class Net:
    def __init__(self):
        self.first, self.second, self.last = nn.Conv2d(1, 8, 3), nn.Conv2d(8, 16, 3), nn.Linear(16 * 5 * 5, 10)

    def __call__(self, x):
        x = self.first(x).relu().max_pool2d(2)
        x = self.second(x).relu().max_pool2d(2)
        return self.last(x.flatten(1))


launches = {'n': 0, 'time': 0.0}
plain_launch = ops_cuda.CUDAProgram.__call__


def launch(self, *args, **more):
    before = spent(resource.RUSAGE_SELF)
    try:
        return plain_launch(self, *args, **more)
    finally:
        launches['n'] += 1
        launches['time'] += spent(resource.RUSAGE_SELF) - before


ops_cuda.CUDAProgram.__call__ = launch
Tensor.manual_seed(1)
net = Net()
opt = nn.optim.SGD(nn.state.get_parameters(net), lr=0.01)
x, y = Tensor.randn(16, 1, 28, 28), Tensor.randint(16, high=10)
with Context(TRAINING=1):
    opt.zero_grad()
    loss = net(x).sparse_categorical_crossentropy(y).backward()
    opt.step()
    print('loss', loss.item())
Device[Device.DEFAULT].synchronize()
own, children = spent(resource.RUSAGE_SELF), spent(resource.RUSAGE_CHILDREN)
print(f'{own + children:.1f} s: compilers {children:.1f}, {launches["n"]} launches {launches["time"]:.1f}, the rest {own - launches["time"]:.1f}')
