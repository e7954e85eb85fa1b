#!/usr/bin/env python3
"""Convolution by other libraries on a CUDA device, as benchmarks/convolution.cu measures ours, in 10^9 samples a second.

    convolution_peers.py [--side 4096] [--npp FOLDER] [--json FILE]

NPP (FilterBorder; FilterRowBorder then FilterColumnBorder), CuPy (ndimage.correlate), CV-CUDA (conv2d), cuDNN through
PyTorch, with tensor cores (TF32) and without, and cuFFT through CuPy: a transform of the padded picture, the product
with the kernel's transform, which is ready, and the transform back. Random pictures, device-resident; the median of
seven rounds of a few calls between two CUDA events, after a comparison with sums in float64 in the middle. Needs CuPy;
the others are left out, with the reason, where they are not found. Each peer runs in a process of its own.
"""
import argparse
import ctypes
import json
import statistics
import subprocess
import sys

import npp as npp_library

SMALL = (3, 5, 7, 9, 11, 15)
LARGE = (31, 63, 127)


class Bench:
    """A picture on the device, and what is measured on it."""

    def __init__(self, cupy, arguments, peer):
        self.cupy, self.arguments, self.peer, self.side = cupy, arguments, peer, arguments.side
        self.slow = set()

    def picture(self, kind):
        values = self.cupy.random.randint(0, 256, (self.side, self.side))
        return values.astype({"u8": self.cupy.uint8, "f32": self.cupy.float32}[kind])

    def weights(self, height, width):
        weights = self.cupy.random.rand(height, width, dtype=self.cupy.float32)
        return weights / weights.sum()

    def expected(self, source, weights, turned):
        """The middle of the result, in float64."""
        height, width = weights.shape
        y, x, reach = self.side // 2, self.side // 2, 8
        window = source[y - height // 2:y + reach + height // 2, x - width // 2:x + reach + width // 2]
        windows = self.cupy.lib.stride_tricks.as_strided(window, (reach, reach, height, width), window.strides * 2)
        taps = weights[::-1, ::-1] if turned else weights
        return (windows.astype(self.cupy.float64) * taps.astype(self.cupy.float64)).sum(axis=(2, 3))

    def measure(self, operation, kind, k, call, result, expected, tolerance):
        call()
        y = x = self.side // 2
        error = float(abs(result()[y:y + 8, x:x + 8].astype(self.cupy.float64) - expected).max())
        row = {"operation": operation, "type": kind, "k": k, "peer": self.peer}
        if not error <= tolerance:
            row["note"] = f"differs by {error:.3g}"
        times = []
        for _ in range(7):
            begin, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
            calls = 2 if k > 15 else 10
            begin.record()
            for _ in range(calls):
                call()
            end.record()
            end.synchronize()
            times.append(self.cupy.cuda.get_elapsed_time(begin, end) / calls * 1e-3)
        row["gp_s"] = self.side * self.side / statistics.median(times) * 1e-9
        print(json.dumps(row), flush=True)


def npp(bench):
    library = npp_library.load("if", bench.arguments.npp)
    if library is None:
        raise RuntimeError("libnppif was not found")
    cupy, side = bench.cupy, bench.side
    context = npp_library.context(cupy.cuda.runtime.getDeviceProperties(0))
    size, origin = npp_library.Size(side, side), npp_library.Point(0, 0)

    def pointer(array):
        return ctypes.c_void_p(array.data.ptr)

    for kind, function in (("u8", "nppiFilterBorder32f_8u_C1R_Ctx"), ("f32", "nppiFilterBorder_32f_C1R_Ctx")):
        source = bench.picture(kind)
        target = cupy.zeros_like(source)
        for k in SMALL:
            weights = bench.weights(k, k)

            def whole(border=npp_library.REPLICATE):
                return getattr(library, function)(
                    pointer(source), source.strides[0], size, origin, pointer(target), target.strides[0], size,
                    pointer(weights), npp_library.Size(k, k), npp_library.Point(k // 2, k // 2), border, context)
            if whole() != 0:
                print(f"NPP {function} {k} x {k}: status {whole()}", file=sys.stderr)
                continue
            bench.measure("whole", kind, k, whole, lambda: target, bench.expected(source, weights, True),
                          0.6 if kind == "u8" else 1e-2)
        print(f"NPP {function}: status by border (constant, replicate, wrap, mirror): "
              f"{[whole(border) for border in (1, 2, 3, 4)]}", file=sys.stderr)
    middle = cupy.zeros_like(source)
    for k in SMALL:
        taps = bench.weights(1, k)

        def product():
            rest = pointer(taps), k, k // 2, npp_library.REPLICATE, context
            first = library.nppiFilterRowBorder_32f_C1R_Ctx(
                pointer(source), source.strides[0], size, origin, pointer(middle), middle.strides[0], size, *rest)
            return first or library.nppiFilterColumnBorder_32f_C1R_Ctx(
                pointer(middle), middle.strides[0], size, origin, pointer(target), target.strides[0], size, *rest)
        if product() != 0:
            print(f"NPP row and column of {k}: status {product()}", file=sys.stderr)
            continue
        bench.measure("product", "f32", k, product, lambda: target, bench.expected(source, taps.T @ taps, True), 1e-2)


def cupy_ndimage(bench):
    from cupyx.scipy import ndimage
    for kind in ("u8", "f32"):
        source = bench.picture(kind)
        target = bench.cupy.zeros_like(source)
        for k in (3, 5, 7, 15, 31):
            weights = bench.weights(k, k)
            bench.measure("whole", kind, k, lambda: ndimage.correlate(source, weights, output=target), lambda: target,
                          bench.expected(source, weights, False), 1 if kind == "u8" else 1e-2)


def cvcuda(bench):
    import cvcuda as library
    stream = library.as_stream(bench.cupy.cuda.get_current_stream())
    for kind, form in (("u8", library.Format.U8), ("f32", library.Format.F32)):
        source = bench.picture(kind)
        target = bench.cupy.zeros_like(source)
        for k in (3, 5, 7, 15, 31):
            weights = bench.weights(k, k)
            batches = []
            for array, f in ((source, form), (target, form), (weights, library.Format.F32)):
                batch = library.ImageBatchVarShape(1)
                batch.pushback(library.as_image(array, f))
                batches.append(batch)
            anchor = library.as_tensor(bench.cupy.full((1, 2), k // 2, bench.cupy.int32), "NC")
            bench.measure("whole", kind, k, lambda: library.conv2d_into(
                batches[1], batches[0], batches[2], anchor, library.Border.REFLECT, stream=stream), lambda: target,
                          bench.expected(source, weights, False), 0.6 if kind == "u8" else 1e-2)


def cudnn(bench, tensor_cores=False):
    import torch
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = tensor_cores
    source = bench.picture("f32")
    tensor = torch.as_tensor(source, device="cuda")[None, None]
    result = []

    def call(weights):
        result[:] = [torch.nn.functional.conv2d(tensor, weights, padding="same")]
    for k in (3, 5, 7, 15, 31):
        weights = bench.weights(k, k)
        held = torch.as_tensor(weights, device="cuda")[None, None]
        stream = bench.cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)
        with stream, torch.no_grad():
            bench.measure("whole", "f32", k, lambda: call(held), lambda: bench.cupy.asarray(result[0][0, 0]),
                          bench.expected(source, weights, False), 0.5 if tensor_cores else 1e-2)


def cufft(bench):
    from cupyx.scipy import fft
    cupy, side = bench.cupy, bench.side
    source = bench.picture("f32")
    for k in (15,) + LARGE:
        weights = bench.weights(k, k)
        length = fft.next_fast_len(side + k - 1, real=True)
        padded = cupy.pad(source, ((k // 2, length - side - k // 2),) * 2)
        spectrum = cupy.conj(cupy.fft.rfft2(weights, s=padded.shape))
        result = []

        def call():
            result[:] = [cupy.fft.irfft2(cupy.fft.rfft2(padded) * spectrum, s=padded.shape)]
        bench.measure("whole", "f32", k, call, lambda: result[0], bench.expected(source, weights, False), 1e-2)


MAKERS = {"NPP": npp, "CuPy": cupy_ndimage, "CV-CUDA": cvcuda, "cuDNN": cudnn,
          "cuDNN TF32": lambda bench: cudnn(bench, True), "cuFFT": cufft}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--npp", help="folder of libnppif")
    parser.add_argument("--json", help="file for the results")
    parser.add_argument("--only", choices=MAKERS, help="one peer, in this process")
    arguments = parser.parse_args()
    if arguments.only:
        import cupy
        MAKERS[arguments.only](Bench(cupy, arguments, arguments.only))
        return
    results = []
    for peer in MAKERS:
        command = [sys.executable, __file__, "--only", peer, "--side", str(arguments.side)]
        command += ["--npp", arguments.npp] if arguments.npp else []
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=90)
            output, problem = run.stdout, run.stderr.strip().splitlines()
        except subprocess.TimeoutExpired as late:
            output, problem = (late.stdout or b"").decode(), ["took more than 90 s"]
        rows = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        results += rows
        for row in rows:
            print(f"{peer} {row['operation']} {row['type']} k={row['k']}: {row['gp_s']:.4g} GP/s {row.get('note', '')}",
                  flush=True)
        for line in problem[-3:]:
            print(f"{peer}: {line[:200]}", flush=True)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
