#!/usr/bin/env python3
"""Filters on one core beside OpenCV and SciPy, in 10^6 samples a second.

    filters_host.py --program build/bin/benchmark_filters_host [--only REGEX] [--rounds N] [--json FILE]

Ours and a peer's runs take turns, so that what else the machine does meets both; of many short runs the least time of
the process counts. Pictures of 2048 x 1024 with random content (SciPy: of fewer rows). Needs OpenCV and SciPy
(pip install opencv-python-headless scipy). Same borders; Gaussians and kernels of the same taps.
"""
import argparse
import json
import re
import subprocess
import time

import cv2
import numpy
from scipy import ndimage

WIDTH, HEIGHT = 2048, 1024
SIDES = {"median": (3, 5, 7, 9, 15, 21, 31), "whole": (3, 5, 7, 9, 15, 31)}


def peers(operation, kind, k):
    """Calls of the peers for a case: name, call, samples."""
    random = numpy.random.default_rng(1)
    if kind == "f32":
        source = random.random((HEIGHT, WIDTH), dtype=numpy.float32)
    else:
        dtype = numpy.uint8 if kind == "u8" else numpy.uint16
        source = random.integers(0, numpy.iinfo(dtype).max, (HEIGHT, WIDTH), endpoint=True).astype(dtype)
    to = numpy.empty_like(source)
    few = source[:max(32, 256 // k)]
    to_few = numpy.empty_like(few)
    kernel = random.random((k, k)).astype(numpy.float32)
    kernel /= kernel.sum()
    line = random.random(k).astype(numpy.float32)
    line /= line.sum()
    border = cv2.BORDER_REFLECT
    opencv = {
        "median": lambda: cv2.medianBlur(source, k, to),
        "whole": lambda: cv2.filter2D(source, -1, kernel, to, borderType=border),
        "product": lambda: cv2.sepFilter2D(source, -1, line, line, to, borderType=border),
        "gaussian": lambda: cv2.GaussianBlur(source, (k, k), k / 6, to, k / 6, borderType=border),
        "box": lambda: cv2.blur(source, (k, k), to, borderType=border),
    }[operation]
    scipy = {
        "median": lambda: ndimage.median_filter(few, k, output=to_few),
        "whole": lambda: ndimage.correlate(few, kernel, to_few),
        "product": None,
        "gaussian": lambda: ndimage.gaussian_filter(few, k / 6, output=to_few, radius=k // 2),
        "box": lambda: ndimage.uniform_filter(few, k, to_few),
    }[operation]
    if operation == "median" and kind != "u8" and k > 5:
        opencv = None  # it has none
    return [(name, call, picture.size) for name, call, picture in
            (("OpenCV", opencv, source), ("SciPy", scipy, few)) if call is not None]


def rate_of(call, samples, seconds):
    least = None
    end = time.perf_counter() + seconds
    while least is None or time.perf_counter() < end:
        start = time.process_time_ns()
        call()
        taken = time.process_time_ns() - start
        least = taken if least is None else min(least, taken)
    return samples / max(least, 1) * 1e3


def own_rate(program, case, repetitions):
    command = [program, f"--benchmark_filter=^{case}$", "--benchmark_min_time=0.01",
               f"--benchmark_repetitions={repetitions}", "--benchmark_format=json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    runs = [run for run in json.loads(done.stdout)["benchmarks"] if run["run_type"] == "iteration"]
    units = {"ns": 1.0, "us": 1e3, "ms": 1e6}
    return max(WIDTH * HEIGHT / (run["cpu_time"] * units[run["time_unit"]]) * 1e3 for run in runs)


def measure(program, operation, kind, k, rounds):
    case = f"{operation}/{kind}/{k}"
    rates = {"ours": 0.0}
    if operation == "median" and k <= 7:
        rates["plain"] = 0.0
    calls = peers(operation, kind, k)
    for _, call, _ in calls:
        call()
    repetitions = 8 if operation != "median" or k <= 15 else 1  # some take seconds
    for _ in range(rounds):
        rates["ours"] = max(rates["ours"], own_rate(program, case, repetitions))
        if "plain" in rates:
            rates["plain"] = max(rates["plain"], own_rate(program, f"median_plain/{kind}/{k}", repetitions))
        for name, call, samples in calls:
            rates[name] = max(rates.get(name, 0.0), rate_of(call, samples, 0.1))
    return rates


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="benchmark_filters_host")
    parser.add_argument("--only", default="", help="cases whose operation/type/k the expression is found in")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--json", help="file for the rates")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    results = {}
    print(f"OpenCV {cv2.__version__}, NumPy {numpy.__version__}")
    print("| case | ours | without AVX2 | OpenCV | SciPy | ours / OpenCV |\n|---|---:|---:|---:|---:|---:|")
    for operation in ("median", "whole", "product", "gaussian", "box"):
        for kind in ("u8", "u16", "f32"):
            for k in SIDES.get(operation, SIDES["whole"]):
                case = f"{operation}/{kind}/{k}"
                if not re.search(arguments.only, case):
                    continue
                rates = measure(arguments.program, operation, kind, k, arguments.rounds)
                results[case] = rates
                cells = [f"{rates[name]:.3g}" if name in rates else "" for name in ("ours", "plain", "OpenCV", "SciPy")]
                ratio = f"{rates['ours'] / rates['OpenCV']:.2f}" if "OpenCV" in rates else ""
                print(f"| {case} | {' | '.join(cells)} | {ratio} |", flush=True)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
