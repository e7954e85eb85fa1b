#!/usr/bin/env python3
"""Medians of peers on a CUDA device: NPP, CuPy, CV-CUDA and cuCIM, in 10^9 pixels a second. (On hosts: filters_host.py.)

    median_peers.py [--side 4096] [--npp FOLDER] [--json FILE] [--limit SECONDS]

Random pictures, device-resident, replicated borders for NPP and reflected ones for CuPy and cuCIM (CV-CUDA replicates);
the median of a few runs, timed with CUDA events, after a comparison with SciPy at some pixels of the middle. Needs CuPy;
the others are left out, with the reason, where they are not found. Each peer and type runs in a process of its own: a
peer's illegal access takes the device's context with it.
"""
import argparse
import ctypes
import json
import subprocess
import sys

import npp as npp_library

KINDS = {"u8": "uint8", "u16": "uint16", "f32": "float32"}
SIDES = (3, 5, 7, 9, 11, 13, 15, 17, 21, 31, 51, 101)
PEERS = ("NPP", "CuPy", "CV-CUDA", "cuCIM")


def seconds(cupy, run, most=0.3):
    run()
    start, stop = cupy.cuda.Event(), cupy.cuda.Event()

    def time_of(calls):
        start.record()
        for _ in range(calls):
            run()
        stop.record()
        stop.synchronize()
        return cupy.cuda.get_elapsed_time(start, stop) * 1e-3 / calls

    times = [time_of(1)]
    calls = 10 if times[0] < 1e-3 else 1  # an event takes some microseconds itself
    while len(times) < 8 and sum(times) < most:
        times.append(time_of(calls))
    times = times[1:] or times
    return sorted(times)[len(times) // 2]


def npp_median(cupy, arguments, kind, source, result):
    library = npp_library.load("if", arguments.npp)
    if library is None:
        raise RuntimeError("libnppif was not found")
    name = {"u8": "8u", "u16": "16u", "f32": "32f"}[kind]
    query = getattr(library, f"nppiFilterMedianBorderGetBufferSize_{name}_C1R_Ctx")
    run = getattr(library, f"nppiFilterMedianBorder_{name}_C1R_Ctx")
    height, width = source.shape
    size = npp_library.Size(width, height)
    pitch = source.strides[0]
    ctx = npp_library.context(cupy.cuda.runtime.getDeviceProperties(0))

    def prepared(k):
        mask, anchor = npp_library.Size(k, k), npp_library.Point(k // 2, k // 2)
        needed = ctypes.c_uint64(0)  # wide enough for either form of the query
        if query(size, mask, ctypes.byref(needed), ctx) != 0:
            raise RuntimeError(f"NPP has no median of {k} x {k}")
        scratch = cupy.empty(max(needed.value, 1), cupy.uint8)

        def call():
            status = run(ctypes.c_void_p(source.data.ptr), pitch, size, npp_library.Point(0, 0),
                         ctypes.c_void_p(result.data.ptr), pitch, size, mask, anchor, ctypes.c_void_p(scratch.data.ptr),
                         npp_library.REPLICATE, ctx)
            if status != 0:
                raise RuntimeError(f"NPP status {status}")
        return call
    return prepared


def cupy_median(cupy, arguments, kind, source, result):
    from cupyx.scipy import ndimage
    return lambda k: lambda: ndimage.median_filter(source, k, mode="reflect", output=result)


def cvcuda_median(cupy, arguments, kind, source, result):
    import cvcuda
    tensors = [cvcuda.as_tensor(array.reshape(1, *array.shape, 1), "NHWC") for array in (source, result)]
    stream = cvcuda.as_stream(cupy.cuda.get_current_stream())
    return lambda k: lambda: cvcuda.median_blur_into(tensors[1], tensors[0], (k, k), stream=stream)


def cucim_median(cupy, arguments, kind, source, result):
    from cucim.skimage import filters
    return lambda k: lambda: filters.median(source, cupy.ones((k, k), bool), out=result, mode="reflect")


MAKERS = dict(zip(PEERS, (npp_median, cupy_median, cvcuda_median, cucim_median)))


def is_right(cupy, source, result, k):
    """Compares the middle with a plain selection."""
    y, x, reach = source.shape[0] // 2, source.shape[1] // 2, 8
    window = source[y - k // 2:y + reach + k // 2, x - k // 2:x + reach + k // 2]
    windows = cupy.lib.stride_tricks.as_strided(window, (reach, reach, k, k), window.strides * 2)
    expected = cupy.sort(windows.reshape(reach, reach, k * k), axis=2)[:, :, k * k // 2]
    return bool((expected == result[y:y + reach, x:x + reach]).all())


def measure(arguments, peer, kind):
    """In a process of its own: prints a line of JSON a window."""
    import cupy
    side = arguments.side
    # NPP and CV-CUDA may launch on the default stream: so does CuPy.
    source = cupy.random.randint(0, 256 if kind == "u8" else 65536, (side, side)).astype(KINDS[kind])
    result = cupy.zeros_like(source)
    prepared = MAKERS[peer](cupy, arguments, kind, source, result)
    for k in SIDES:
        row = {"type": kind, "k": k, "peer": peer}
        call = prepared(k)
        result.fill(0)
        call()
        cupy.cuda.runtime.deviceSynchronize()
        if not is_right(cupy, source, result, k):
            row["note"] = "differs from the median"
        taken = seconds(cupy, call)
        row["gp_s"] = side * side / taken * 1e-9
        print(json.dumps(row), flush=True)
        if taken > arguments.limit:
            break


def device_peers(arguments):
    results = []
    for peer in PEERS:
        for kind in KINDS:
            command = [sys.executable, __file__, "--only", peer, kind, "--side", str(arguments.side), "--limit",
                       str(arguments.limit)] + (["--npp", arguments.npp] if arguments.npp else [])
            try:
                run = subprocess.run(command, capture_output=True, text=True, timeout=60)
                said = [line for line in run.stderr.splitlines() if "rror" in line]
                output, problem = run.stdout, (said + [f"exit {run.returncode}"])[:1] if run.returncode else []
            except subprocess.TimeoutExpired as late:
                output, problem = (late.stdout or b"").decode(), ["took more than 60 s"]
            rows = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
            results += rows
            for row in rows:
                print(f"{peer} {kind} k={row['k']}: {row['gp_s']:.4g} GP/s {row.get('note', '')}", flush=True)
            if problem:
                print(f"{peer} {kind} ended after k={rows[-1]['k'] if rows else 0}: {problem[0][:160]}", flush=True)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--npp", help="folder of libnppif")
    parser.add_argument("--json", help="file for the results")
    parser.add_argument("--limit", type=float, default=0.3, help="leave out windows after one that took longer, seconds")
    parser.add_argument("--only", nargs=2, metavar=("PEER", "TYPE"), help="one peer and type, in this process")
    arguments = parser.parse_args()
    if arguments.only:
        measure(arguments, *arguments.only)
    else:
        device_peers(arguments)


if __name__ == "__main__":
    main()
