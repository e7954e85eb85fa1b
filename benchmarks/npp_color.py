#!/usr/bin/env python3
"""Ceilings for the codec's colour and wavelet stages on a CUDA device: NPP's RGB to YCbCr, and a device-to-device copy.

    python3 benchmarks/npp_color.py [--npp FOLDER] [--json]

Needs CuPy for memory and events, and NPP's libnppicc (CUDA toolkit, or the package nvidia-npp). 8-bit interleaved RGB, 4K and 8K.
"""
import argparse
import ctypes
import json

import cupy

import npp as npp_library


def microseconds(call, repeats=50):
    for _ in range(5):
        call()
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    begin.record()
    for _ in range(repeats):
        call()
    end.record()
    end.synchronize()
    return 1000.0 * cupy.cuda.get_elapsed_time(begin, end) / repeats


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--npp", help="folder of libnppicc")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    npp = npp_library.load("icc", options.npp)
    rows = []
    for name, width, height in (("4k_rgb", 3840, 2160), ("8k_rgb", 7680, 4320)):
        source = cupy.random.randint(0, 256, (height, width, 3)).astype(cupy.uint8)
        target = cupy.empty_like(source)
        row = {"picture": name, "copy_us": microseconds(lambda: cupy.copyto(target, source))}
        if npp is not None and hasattr(npp, "nppiRGBToYCbCr_8u_C3R_Ctx"):
            ctx = npp_library.context(cupy.cuda.runtime.getDeviceProperties(0))
            call = lambda: npp.nppiRGBToYCbCr_8u_C3R_Ctx(ctypes.c_void_p(source.data.ptr), 3 * width,
                                                         ctypes.c_void_p(target.data.ptr), 3 * width,
                                                         npp_library.Size(width, height), ctx)
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
