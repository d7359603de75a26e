# SPDX-License-Identifier: Apache-2.0
"""Runs torch's own operators on the CPU, for tensors whose memory is hostwarp's: a plugin for pytest, and a module to import first.

PyPI's torch holds its kernels as machine code of GPUs alone, which hostwarp cannot run. Its memory, copies, streams and events need no kernels: they are hostwarp's through libcudart. So every operator
but those is run like this: what it reads is copied from the device (cudaMemcpyAsync), torch's CPU code computes, what came out is copied back. Kernels of Triton see real device memory, and nothing of
this. What is compared in a test is therefore torch's CPU code with a kernel that hostwarp ran.
"""
import ctypes

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

aten = torch.ops.aten
# operators that touch memory or nothing, and launch no kernel
AS_THEY_ARE = {aten.empty.memory_format, aten.empty_strided.default, aten.new_empty.default, aten.new_empty_strided.default, aten.empty_like.default, aten.set_.source_Storage, aten.set_.source_Tensor,
               aten.set_.source_Storage_storage_offset, aten.record_stream.default, aten.is_pinned.default, aten._pin_memory.default, aten.detach.default, aten.lift_fresh.default, aten.resize_.default}
# The CPU's code for these adds up in half precision, a GPU's in single; which of the results are then made half again.
ADDS_IN_SINGLE = {aten.native_layer_norm.default: (True, False, False), aten.native_layer_norm_backward.default: (True, True, True)}
cudart = ctypes.CDLL('libcudart.so.13')


def on_device(x):
    return isinstance(x, torch.Tensor) and x.device.type == 'cuda'


def bytes_of(storage, device):
    return torch.empty(0, dtype=torch.uint8, device=device).set_(storage)


def to_host(t, seen):
    """A tensor of the same shape and strides in the host's memory; tensors that share memory share it there, too."""
    storage = t.untyped_storage()
    key = storage.data_ptr(), storage.nbytes()
    if key not in seen:
        seen[key] = torch.empty(storage.nbytes(), dtype=torch.uint8)
        seen[key].copy_(bytes_of(storage, t.device))
    host = torch.empty(0, dtype=t.dtype).set_(seen[key].untyped_storage(), t.storage_offset(), t.size(), t.stride())
    if t.is_conj():
        host = torch._conj(host)
    return torch._neg_view(host) if t.is_neg() else host


def to_device(t, device):
    host = t.resolve_conj().resolve_neg()
    if not aten.is_non_overlapping_and_dense.default(host):
        host = host.contiguous()
    out = torch.empty_strided(host.size(), host.stride(), dtype=host.dtype, device=device)
    if host.numel():
        flat = torch.empty(0, dtype=torch.uint8).set_(host.untyped_storage())
        first = host.storage_offset() * host.element_size()
        bytes_of(out.untyped_storage(), device)[:host.numel() * host.element_size()].copy_(flat[first:first + host.numel() * host.element_size()])
    return out


def clear(t):
    stream = torch.cuda.current_stream(t.device).cuda_stream
    if t.numel() and cudart.cudaMemsetAsync(ctypes.c_void_p(t.data_ptr()), 0, ctypes.c_size_t(t.numel() * t.element_size()), ctypes.c_void_p(stream)):
        raise RuntimeError('cudaMemsetAsync failed')


class OnCpu(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        tensors = []
        tree_map(lambda x: tensors.append(x) if on_device(x) else None, (args, kwargs))
        wanted = kwargs.get('device')
        wanted = torch.device(wanted) if wanted is not None else None
        if func in AS_THEY_ARE or func.is_view or (not tensors and (wanted is None or wanted.type != 'cuda')):
            return func(*args, **kwargs)
        if func is aten.zero_.default and args[0].is_contiguous():
            clear(args[0])
            return args[0]
        if func in ADDS_IN_SINGLE and tensors[0].dtype in (torch.float16, torch.bfloat16):
            return self.in_single(func, args, kwargs, tensors)
        return self.compute(func, args, kwargs, tensors, wanted)

    def in_single(self, func, args, kwargs, tensors):
        def cast(x, dtype):
            return self.compute(aten._to_copy.default, (x,), {'dtype': dtype}, [x], None) if on_device(x) else x
        narrow = tensors[0].dtype
        out = self.compute(func, *tree_map(lambda x: cast(x, torch.float32), (args, kwargs)), tensors, None)
        return tuple(cast(x, narrow) if again else x for x, again in zip(out, ADDS_IN_SINGLE[func]))

    def compute(self, func, args, kwargs, tensors, wanted):
        target = wanted or tensors[0].device
        device = target if target.type == 'cuda' else None
        if wanted is not None:
            kwargs['device'] = torch.device('cpu')
        seen, back = {}, {}

        def host(x):
            if isinstance(x, torch.Generator) and x.device.type == 'cuda':
                return None
            if not on_device(x):
                return x
            y = to_host(x, seen)
            back[id(y)] = x, y
            return y
        h_args, h_kwargs = tree_map(host, (args, kwargs))
        out = func(*h_args, **h_kwargs)
        written = [(h, d) for (d, h), w in self.writes(func, h_args, h_kwargs, back) if w]
        for h, d in written:
            bytes_of(d.untyped_storage(), d.device).copy_(bytes_of(h.untyped_storage(), 'cpu'))

        def device_again(x):
            if not isinstance(x, torch.Tensor):
                return x
            if id(x) in back:
                return back[id(x)][0]
            return to_device(x, device) if device and x.device.type == 'cpu' and func is not aten._local_scalar_dense.default else x
        if func is aten.copy_.default and not on_device(args[0]):
            return args[0]                          # device to host: the result is where it was asked to be
        return tree_map(device_again, out)

    @staticmethod
    def writes(func, args, kwargs, back):
        """Which of the arguments the operator's schema says it writes."""
        for i, a in enumerate(func._schema.arguments):
            value = args[i] if i < len(args) and not a.kwarg_only else kwargs.get(a.name)
            for x in value if isinstance(value, (list, tuple)) else [value]:
                if id(x) in back:
                    yield back[id(x)], bool(a.alias_info and a.alias_info.is_write)


def in_words(words):
    """torch prints tensors with modes switched off."""
    return lambda self, **k: words(self.cpu() if on_device(self) else self, **k)


if torch.cuda.is_available():
    torch.cuda.init()
    torch._tensor_str._str = in_words(torch._tensor_str._str)
    OnCpu().__enter__()
