#!/usr/bin/env python3
"""Convolution of other libraries on a CUDA device, as benchmarks/convolution.cu measures ours: GP/s, 4096 x 4096.

    benchmarks/convolution_peers.py [--npp LIBRARY_FOLDER]

CuPy (ndimage.correlate), cuDNN through PyTorch, and NPP (FilterBorder, FilterRowBorder then FilterColumnBorder) where
its shared libraries are found. Each is measured by events over ten calls, the median of seven.
"""
import argparse
import ctypes
import glob
import os
import site
import statistics
import sys

SIDE = 4096


def time_gpu(cupy, work, calls=10, rounds=7):
    work()
    work()
    times = []
    for _ in range(rounds):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        for _ in range(calls):
            work()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end) / calls * 1e-3)
    return statistics.median(times)


def report(name, side, seconds):
    print(f"{name:24} k={side:3} {seconds * 1e6:10.1f} us {SIDE * SIDE / seconds * 1e-9:9.1f} GP/s", flush=True)


class Size(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


def find_npp(folder):
    folders = [folder] if folder else [os.path.join(p, "nvidia", "*", "lib") for p in site.getsitepackages()]
    folders += ["/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib"]
    for where in folders:
        found = sorted(glob.glob(os.path.join(where, "libnppif.so*")))
        if found:
            core = sorted(glob.glob(os.path.join(os.path.dirname(found[0]), "libnppc.so*")))
            if core:
                ctypes.CDLL(core[0], mode=ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(found[0])
    return None


class StreamContext(ctypes.Structure):
    _fields_ = [("stream", ctypes.c_void_p), ("device", ctypes.c_int), ("processors", ctypes.c_int),
                ("threads", ctypes.c_int), ("block", ctypes.c_int), ("shared", ctypes.c_size_t),
                ("major", ctypes.c_int), ("minor", ctypes.c_int), ("flags", ctypes.c_uint), ("reserved", ctypes.c_int)]


def npp_context(cupy):
    p = cupy.cuda.runtime.getDeviceProperties(0)
    return StreamContext(None, 0, p["multiProcessorCount"], p["maxThreadsPerMultiProcessor"], p["maxThreadsPerBlock"],
                         p["sharedMemPerBlock"], p["major"], p["minor"], 0, 0)


def run_npp(cupy, npp):
    replicate = 2
    context = npp_context(cupy)
    cases = (("8u_C1R", cupy.uint8, "nppiFilterBorder32f_8u_C1R_Ctx"), ("32f_C1R", cupy.float32,
                                                                      "nppiFilterBorder_32f_C1R_Ctx"))
    for name, kind, function in cases:
        source = cupy.random.randint(0, 255, (SIDE, SIDE)).astype(kind)
        target = cupy.empty_like(source)
        pitch = ctypes.c_int(source.strides[0])
        place = ctypes.c_void_p(source.data.ptr), pitch, Size(SIDE, SIDE), Size(0, 0), ctypes.c_void_p(target.data.ptr)
        for side in (3, 5, 7, 9, 11, 15):
            mask = cupy.full((side, side), 1 / side / side, cupy.float32)

            def whole(side=side, mask=mask):
                return getattr(npp, function)(*place, pitch, Size(SIDE, SIDE), ctypes.c_void_p(mask.data.ptr),
                                              Size(side, side), Size(side // 2, side // 2), replicate, context)
            if whole() != 0:
                print(f"NPP {name} k={side}: status {whole()}")
                continue
            report("NPP " + name, side, time_gpu(cupy, whole))
    middle = cupy.empty_like(source)
    for side in (3, 5, 7, 9, 11, 15):
        mask = cupy.full(side, 1 / side, cupy.float32)

        def product(side=side, mask=mask):
            taps = ctypes.c_void_p(mask.data.ptr), ctypes.c_int(side), ctypes.c_int(side // 2), replicate, context
            first = npp.nppiFilterRowBorder_32f_C1R_Ctx(
                ctypes.c_void_p(source.data.ptr), pitch, Size(SIDE, SIDE), Size(0, 0), ctypes.c_void_p(middle.data.ptr),
                pitch, Size(SIDE, SIDE), *taps)
            second = npp.nppiFilterColumnBorder_32f_C1R_Ctx(
                ctypes.c_void_p(middle.data.ptr), pitch, Size(SIDE, SIDE), Size(0, 0), ctypes.c_void_p(target.data.ptr),
                pitch, Size(SIDE, SIDE), *taps)
            return first or second
        if product() != 0:
            print(f"NPP separable k={side}: status {product()}")
            continue
        report("NPP separable 32f", side, time_gpu(cupy, product))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--npp")
    arguments = parser.parse_args()
    try:
        import cupy
        from cupyx.scipy import ndimage
    except ImportError as problem:
        sys.exit(f"CuPy is missing: {problem}")
    npp = find_npp(arguments.npp)
    if npp is None:
        print("NPP: not found")
    else:
        run_npp(cupy, npp)
    picture = cupy.random.rand(SIDE, SIDE, dtype=cupy.float32)
    result = cupy.empty_like(picture)
    for side in (3, 7, 15):
        weights = cupy.random.rand(side, side, dtype=cupy.float32)
        report("CuPy f32", side, time_gpu(cupy, lambda w=weights: ndimage.correlate(picture, w, output=result), 3, 3))
    try:
        import torch
    except ImportError:
        return
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = False
    tensor = torch.rand(1, 1, SIDE, SIDE, device="cuda")
    for side in (3, 7, 15, 31):
        weights = torch.rand(1, 1, side, side, device="cuda")
        stream = cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
        with stream, torch.no_grad():
            report("cuDNN f32 (PyTorch)", side,
                   time_gpu(cupy, lambda w=weights: torch.nn.functional.conv2d(tensor, w, padding="same"), 3, 3))
    # By the Fourier transform: the reference for large kernels, with another order of operations and no NaN locality.
    spectrum = cupy.fft.rfft2(picture)
    report("cuFFT f32 (both ways)", 127, time_gpu(
        cupy, lambda: cupy.fft.irfft2(cupy.fft.rfft2(picture) * spectrum, s=picture.shape), 3, 3))


if __name__ == "__main__":
    main()
