"""Drives PyTorch's caching allocator with a random trace and writes down every state; run by scripts/check_allocator_truth.

usage: record.py FILE SEED OPERATIONS STREAMS      (under forerun dry-run; options in PYTORCH_CUDA_ALLOC_CONF)
The form of FILE: tests/allocator/replay.cpp.
"""
import os
import random
import sys

import torch

MIB = 1 << 20
# Around every threshold: 512-byte blocks, the small pool, shared segments, own segments, 2 MiB pages, splits that leave 1 MiB.
EDGES = [n + d for n in (512, 1024, MIB // 2, MIB, 2 * MIB, 9 * MIB, 10 * MIB, 11 * MIB, 18 * MIB, 19 * MIB, 20 * MIB, 22 * MIB,
                         30 * MIB, 32 * MIB, 40 * MIB, 64 * MIB) for d in (-513, -512, -511, -1, 0, 1, 511, 512, 513)]


class Recorder:
    def __init__(self, out, seed, streams):
        self.out, self.random = out, random.Random(seed)
        self.allocate, self.delete = torch._C._cuda_cudaCachingAllocator_raw_alloc, torch._C._cuda_cudaCachingAllocator_raw_delete
        self.streams = [torch.cuda.default_stream()] + [torch.cuda.Stream() for _ in range(streams - 1)]
        self.live, self.count, self.first = {}, 0, None
        self.keys = []

    def state(self):
        s = torch._C._cuda_memoryStats(0)
        return ' '.join(str(s[name]['all']['current']) for name in ('allocated_bytes', 'active_bytes', 'reserved_bytes', 'requested_bytes', 'segment')) \
            + f" {s['num_alloc_retries']}"

    def size(self):
        kind = self.random.random()
        if kind < 0.3:
            return max(1, self.random.choice(EDGES))
        if kind < 0.35 and self.sizes:
            return self.random.choice(self.sizes)
        return int(2 ** self.random.uniform(0, self.largest))

    def add(self, stream):
        size = self.size()
        self.sizes.append(size)
        self.count += 1
        as_tensor = len(self.streams) > 1 and self.random.random() < 0.3
        try:
            if as_tensor:
                with torch.cuda.stream(self.streams[stream]):
                    block = torch.empty(size, dtype=torch.uint8, device='cuda')
                address = block.data_ptr()
            else:
                block = address = self.allocate(size, self.streams[stream].cuda_stream)
        except torch.OutOfMemoryError as problem:
            self.out.write(f'x {self.count} {size} {stream} | {self.state()} | {str(problem).splitlines()[0]}\n')
            return
        if self.first is None:
            self.first = address
        self.live[self.count] = block
        self.keys.append(self.count)
        self.out.write(f'a {self.count} {size} {stream} | {self.state()} {address - self.first}\n')

    def free(self, at):
        self.keys[at], self.keys[-1] = self.keys[-1], self.keys[at]
        key = self.keys.pop()
        block = self.live.pop(key)
        if isinstance(block, int):
            self.delete(block)
        del block
        self.out.write(f'f {key} | {self.state()}\n')

    def empty(self):
        torch.cuda.empty_cache()
        self.out.write(f'e | {self.state()}\n')

    def record_stream(self):
        key = self.random.choice(self.keys)
        if isinstance(self.live[key], int):
            return
        stream = self.random.randrange(len(self.streams))
        self.live[key].record_stream(self.streams[stream])
        self.out.write(f'r {key} {stream} | {self.state()}\n')

    # One character of trace: how large, how full, how often flushed; then everything goes back.
    def chapter(self, operations):
        self.sizes, self.largest = [], self.random.choice([16, 20, 22, 25, 27, 28.5])
        grows, flushes = self.random.choice([0.5, 0.52, 0.56, 0.65]), self.random.choice([0, 0.002, 0.02])
        for _ in range(operations):
            kind = self.random.random()
            if kind < flushes:
                self.empty()
            elif len(self.streams) > 1 and self.keys and kind < flushes + 0.05:
                self.record_stream()
            elif not self.keys or self.random.random() < grows:
                self.add(self.random.randrange(len(self.streams)))
            else:
                # Sometimes the newest, as a stack would, sometimes any.
                self.free(len(self.keys) - 1 if self.random.random() < 0.3 else self.random.randrange(len(self.keys)))
        while self.keys and self.random.random() < 0.999:
            self.free(self.random.randrange(len(self.keys)))


def main():
    path, seed, operations, streams = sys.argv[1], *map(int, sys.argv[2:])
    torch.cuda.init()
    free, total = torch.cuda.mem_get_info()
    with open(path, 'w') as out:
        out.write(f"memory {free} {total}\noptions {os.environ.get('PYTORCH_CUDA_ALLOC_CONF', '')}\n")
        recorder = Recorder(out, seed, streams)
        while operations > 0:
            length = min(operations, recorder.random.choice([300, 1000, 3000]))
            recorder.chapter(length)
            operations -= length


main()
