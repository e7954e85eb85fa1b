#!/usr/bin/env python3
"""Ceilings for the codec's colour and wavelet stages on a CUDA device: NPP's RGB to YCbCr, and a device-to-device copy.

    python3 benchmarks/npp_color.py [--npp LIBNPPICC.so] [--json]

Needs PyTorch for memory and events, and NPP's libnppicc (CUDA toolkit, or the package nvidia-npp). 8-bit interleaved RGB, 4K and 8K.
"""
import argparse
import ctypes
import glob
import json
import sys

import torch


class Size(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


class StreamContext(ctypes.Structure):
    _fields_ = [
        ("stream", ctypes.c_void_p), ("device", ctypes.c_int), ("multiprocessors", ctypes.c_int),
        ("threads_per_multiprocessor", ctypes.c_int), ("threads_per_block", ctypes.c_int), ("shared_per_block", ctypes.c_size_t),
        ("major", ctypes.c_int), ("minor", ctypes.c_int), ("flags", ctypes.c_uint), ("reserved", ctypes.c_int)]


def find_npp(path):
    places = [path] if path else (glob.glob("/usr/local/cuda*/lib64/libnppicc.so*") +
                                  glob.glob("/usr/local/cuda*/targets/*/lib/libnppicc.so*") +
                                  [p for s in sys.path for p in glob.glob(s + "/nvidia/**/libnppicc.so*", recursive=True)])
    for place in places:
        try:
            return ctypes.CDLL(place)
        except OSError:
            continue
    return None


def microseconds(call, repeats=50):
    for _ in range(5):
        call()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(repeats):
        call()
    end.record()
    end.synchronize()
    return 1000.0 * begin.elapsed_time(end) / repeats


def context():
    p = torch.cuda.get_device_properties(0)
    return StreamContext(torch.cuda.current_stream().cuda_stream, 0, p.multi_processor_count,
                         p.max_threads_per_multi_processor, 1024, 48 * 1024, p.major, p.minor, 0, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--npp", help="path of libnppicc")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    npp = find_npp(options.npp)
    rows = []
    for name, width, height in (("4k_rgb", 3840, 2160), ("8k_rgb", 7680, 4320)):
        source = torch.randint(0, 256, (height, width, 3), dtype=torch.uint8, device="cuda")
        target = torch.empty_like(source)
        row = {"picture": name, "copy_us": microseconds(lambda: target.copy_(source))}
        if npp is not None and hasattr(npp, "nppiRGBToYCbCr_8u_C3R_Ctx"):
            ctx = context()
            call = lambda: npp.nppiRGBToYCbCr_8u_C3R_Ctx(ctypes.c_void_p(source.data_ptr()), 3 * width,
                                                         ctypes.c_void_p(target.data_ptr()), 3 * width,
                                                         Size(width, height), ctx)
            if call() == 0:
                row["npp_rgb_to_ycbcr_us"] = microseconds(call)
        rows.append(row)
    if options.json:
        print(json.dumps(rows))
        return
    for row in rows:
        print("  ".join(f"{k}={v:.1f}" if isinstance(v, float) else f"{k}={v}" for k, v in row.items()))
    if npp is None:
        print("NPP was not found: copy only")


if __name__ == "__main__":
    main()
