# What PyTorch's allocator does, in bytes, under whatever PYTORCH_CUDA_ALLOC_CONF says; a line a subject.
import ctypes
import os

import torch

DEVICE = torch.cuda
GIB = 1 << 30


def free():
    return DEVICE.mem_get_info()[0]


def many_small():
    before = free()
    tensors = [torch.empty(100, device="cuda") for _ in range(5000)]
    taken, reserved = before - free(), DEVICE.memory_reserved()
    del tensors
    DEVICE.empty_cache()
    return taken, reserved, before - free()


def one_large():
    before = free()
    tensor = torch.empty(50 << 20, dtype=torch.uint8, device="cuda")
    taken, reserved = before - free(), DEVICE.memory_reserved()
    del tensor
    DEVICE.empty_cache()
    return taken, reserved, before - free()


def fragments():
    """Idle blocks are given back before a request fails."""
    tensors = [torch.empty(GIB, dtype=torch.uint8, device="cuda") for _ in range(free() // GIB)]
    del tensors[:10]
    large = torch.empty(5 * GIB, dtype=torch.uint8, device="cuda")
    del tensors
    DEVICE.empty_cache()
    return large.numel() // GIB


def fraction():
    DEVICE.set_per_process_memory_fraction(0.5)
    try:
        torch.empty(free(), dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError as problem:
        return " GiB allowed" in str(problem)
    finally:
        DEVICE.set_per_process_memory_fraction(1.0)


def host():
    ours = torch.ones(1024)
    runtime = DEVICE.cudart()
    registered = int(runtime.cudaHostRegister(ours.data_ptr(), 4096, 0)), ours.is_pinned()
    unregistered = int(runtime.cudaHostUnregister(ours.data_ptr())), ours.is_pinned()
    return ours.pin_memory().is_pinned(), registered, unregistered


def managed():
    """Host memory, not counted on the device."""
    runtime, pointer = ctypes.CDLL("libcudart.so.13"), ctypes.c_void_p()
    before = free()
    status = runtime.cudaMallocManaged(ctypes.byref(pointer), ctypes.c_size_t(1 << 20), 1)
    ctypes.memset(pointer, 7, 1 << 20)
    return status, before - free(), runtime.cudaFree(pointer)


def pools():
    """A pool of the program's own: what it keeps is its threshold's, and trimming gives it back."""
    runtime, pool, pointer = ctypes.CDLL("libcudart.so.13"), ctypes.c_void_p(), ctypes.c_void_p()
    before, value = free(), ctypes.c_uint64(1 << 40)
    properties = (ctypes.c_uint32 * 24)(1, 0, 1, 0)  # pinned allocations, no handles, of device 0
    statuses = [runtime.cudaMemPoolCreate(ctypes.byref(pool), properties),
                runtime.cudaMemPoolSetAttribute(pool, 4, ctypes.byref(value)),
                runtime.cudaMallocFromPoolAsync(ctypes.byref(pointer), ctypes.c_size_t(1000), pool, None),
                runtime.cudaFreeAsync(pointer, None)]
    kept = before - free()
    statuses += [runtime.cudaMemPoolTrimTo(pool, ctypes.c_size_t(0)), runtime.cudaMemPoolDestroy(pool)]
    return sum(statuses), kept, before - free()


def peers():
    first, second = torch.tensor([1.0, 2.0]).cuda(0), torch.empty(2, device="cuda:1")
    second.copy_(first)
    return DEVICE.device_count(), DEVICE.can_device_access_peer(0, 1), second.tolist(), DEVICE.memory_allocated(1)


for subject in (many_small, one_large, fragments, host, managed, pools, peers):
    print(subject.__name__, subject())
if "Async" not in os.environ.get("PYTORCH_CUDA_ALLOC_CONF", ""):
    print("fraction", fraction())
