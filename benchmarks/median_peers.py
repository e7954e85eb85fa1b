#!/usr/bin/env python3
"""Medians of peers on a CUDA device: NPP (through ctypes) and CuPy, in 10^9 pixels a second; with --host, of OpenCV and
SciPy on one core.

    median_peers.py [--side 4096] [--npp PATH] [--json FILE] [--limit SECONDS] [--host]

Random pictures, device-resident, replicated borders for NPP and reflected ones for CuPy; the median of a few runs,
timed with CUDA events. Needs CuPy; NPP is looked for beside CuPy's CUDA libraries and where the loader looks.
"""
import argparse
import ctypes
import glob
import json
import os
import sys
import time

try:
    import cupy
except ImportError:
    cupy = None


class Size(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


class Point(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int)]


class StreamContext(ctypes.Structure):
    _fields_ = [("stream", ctypes.c_void_p), ("device", ctypes.c_int), ("multiprocessors", ctypes.c_int),
                ("threads_per_multiprocessor", ctypes.c_int), ("threads_per_block", ctypes.c_int),
                ("shared_memory_per_block", ctypes.c_size_t), ("major", ctypes.c_int), ("minor", ctypes.c_int),
                ("stream_flags", ctypes.c_uint), ("reserved", ctypes.c_int)]


def context():
    properties = cupy.cuda.runtime.getDeviceProperties(0)
    return StreamContext(None, 0, properties["multiProcessorCount"], properties["maxThreadsPerMultiProcessor"],
                         properties["maxThreadsPerBlock"], properties["sharedMemPerBlock"], properties["major"],
                         properties["minor"], 0, 0)


def find_npp(path):
    if path:
        return ctypes.CDLL(path)
    folders = [os.path.dirname(os.path.dirname(cupy.__file__))] + sys.path
    names = ["libnppif.so.13", "libnppif.so.12", "libnppif.so"]
    for folder in folders:
        names += glob.glob(os.path.join(folder, "nvidia", "**", "libnppif.so.*"), recursive=True)
    names += glob.glob("/usr/local/cuda*/**/libnppif.so.*", recursive=True)
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def seconds(run, most=0.3):
    run()
    start, stop = cupy.cuda.Event(), cupy.cuda.Event()
    times = []
    while len(times) < 7 and sum(times) < most:
        start.record()
        run()
        stop.record()
        stop.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, stop) * 1e-3)
    return sorted(times)[len(times) // 2]


def npp_median(npp, kind, source, k):
    """A call of nppiFilterMedianBorder, or None where NPP has none for the type."""
    name = {"u8": "8u", "u16": "16u", "f32": "32f"}[kind]
    height, width = source.shape
    pitch = source.strides[0]
    destination = cupy.empty_like(source)
    size, mask, anchor = Size(width, height), Size(k, k), Point(k // 2, k // 2)
    ctx = context()
    bytes_needed = ctypes.c_uint32(0)
    query = getattr(npp, f"nppiFilterMedianBorderGetBufferSize_{name}_C1R_Ctx")
    run = getattr(npp, f"nppiFilterMedianBorder_{name}_C1R_Ctx")
    if query(size, mask, ctypes.byref(bytes_needed), ctx) != 0 or bytes_needed.value > 60 << 30:
        return None
    scratch = cupy.empty(max(bytes_needed.value, 1), cupy.uint8)

    def call():
        status = run(ctypes.c_void_p(source.data.ptr), pitch, size, Point(0, 0), ctypes.c_void_p(destination.data.ptr),
                     pitch, size, mask, anchor, ctypes.c_void_p(scratch.data.ptr), 2, ctx)
        if status != 0:
            raise RuntimeError(f"NPP status {status}")
    return call


def host_peers():
    import cv2
    import numpy
    from scipy import ndimage
    cv2.setNumThreads(1)
    random = numpy.random.default_rng(1)
    for kind, dtype in (("u8", numpy.uint8), ("u16", numpy.uint16), ("f32", numpy.float32)):
        source = random.integers(0, 256 if kind == "u8" else 65536, (1024, 2048)).astype(dtype)
        for k in (3, 5, 7, 9, 11, 15, 21, 31, 51):
            small = source[:max(64, 1024 // k)]
            calls = {"SciPy": (lambda: ndimage.median_filter(small, k), small.size)}
            if kind == "u8" or k <= 5:
                calls["OpenCV"] = (lambda: cv2.medianBlur(source, k), source.size)
            for peer, (call, pixels) in calls.items():
                times = []
                for _ in range(3):
                    start = time.perf_counter()
                    call()
                    times.append(time.perf_counter() - start)
                print(f"host {kind} k={k} {peer}: {pixels / min(times) * 1e-6:.4g} MP/s", flush=True)
                if peer == "SciPy" and k > 21:
                    break


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--npp", help="path of libnppif")
    parser.add_argument("--json", help="file for the results")
    parser.add_argument("--limit", type=float, default=1.0, help="leave out windows after one that took longer, seconds")
    parser.add_argument("--host", action="store_true", help="OpenCV and SciPy instead, on one core")
    arguments = parser.parse_args()
    if arguments.host:
        host_peers()
        return
    npp = find_npp(arguments.npp)
    results = []
    pixels = arguments.side ** 2
    from cupyx.scipy import ndimage
    for kind, dtype in (("u8", cupy.uint8), ("u16", cupy.uint16), ("f32", cupy.float32)):
        source = cupy.random.randint(0, 256 if kind == "u8" else 65536, (arguments.side, arguments.side)).astype(dtype)
        done = set()
        for k in (3, 5, 7, 9, 11, 13, 15, 17, 21, 31, 51):
            peers = {"CuPy": lambda: ndimage.median_filter(source, k, mode="reflect")}
            if npp is not None:
                peers["NPP"] = npp_median(npp, kind, source, k)
            for peer, call in peers.items():
                if call is None or peer in done:
                    continue
                try:
                    time = seconds(call)
                except Exception as failure:  # a peer that cannot is a result too
                    print(f"{kind} k={k} {peer}: {failure}", flush=True)
                    done.add(peer)
                    continue
                results.append({"type": kind, "k": k, "peer": peer, "gp_s": pixels / time * 1e-9})
                print(f"{kind} k={k} {peer}: {pixels / time * 1e-9:.4g} GP/s", flush=True)
                if time > arguments.limit:
                    done.add(peer)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
