#!/usr/bin/env python3
"""Chan-Vese and morphological snakes of scikit-image and cuCIM on the pictures of benchmark_snake_benchmark.

    benchmark_snake_benchmark --pictures DIRECTORY
    benchmarks/snake/peers.py DIRECTORY [--largest 2048] [--largest-host 512] [--rounds 3]

All start from the same rectangle as the region snake. Chan-Vese with its default parameters, which end it when a step
changes little, and with 500 steps whatever they change; the morphological snake on the picture and, since neither models
noise, on the picture after a Gaussian of sigma 3. Times are from a picture in the memory of the processor (scikit-image)
or of the device (cuCIM) to a mask there. Needs numpy and scikit-image; cuCIM and CuPy where there is a device. What is
not installed is left out.
"""
import argparse
import pathlib
import statistics
import sys
import time

import numpy


def read_pgm(path):
    data = path.read_bytes()
    fields = data.split(maxsplit=4)[:4]
    width, height = int(fields[1]), int(fields[2])
    return numpy.frombuffer(data[-width * height:], dtype=numpy.uint8).reshape(height, width)


def dice(mask, truth):
    """Of the phase that agrees better with the truth: Chan-Vese does not say which one is the target."""
    def agreement(candidate):
        return 2.0 * numpy.logical_and(candidate, truth).sum() / (candidate.sum() + truth.sum())
    return max(agreement(mask), agreement(~mask))


def start_of(shape):
    """The rectangle that the region snake starts from: 1 inside, -1 outside."""
    height, width = shape
    level = -numpy.ones(shape, dtype=numpy.float32)
    y, x = height // 10, width // 10
    level[y:y + height - height // 5, x:x + width - width // 5] = 1
    return level


class peer:
    """A method: its name, whether it runs on a device, and how it makes a mask from a picture and its start there."""

    def __init__(self, name, on_device, segment):
        self.name, self.on_device, self.segment = name, on_device, segment


def methods():
    """All that is installed."""
    found = []

    def add(library, on_device, segmentation, filters):
        for name, segment in (
                ("chan_vese", lambda p, s: segmentation.chan_vese(p, init_level_set=s)),
                ("chan_vese, 500 steps",
                 lambda p, s: segmentation.chan_vese(p, init_level_set=s, tol=0, max_num_iter=500)),
                ("gaussian, then chan_vese, 500 steps",
                 lambda p, s: segmentation.chan_vese(filters.gaussian(p, 3), init_level_set=s, tol=0, max_num_iter=500)),
                ("morphological_chan_vese, 100 steps",
                 lambda p, s: segmentation.morphological_chan_vese(p, 100, init_level_set=s)),
                ("gaussian, then morphological_chan_vese, 200 steps, smoothing 3",
                 lambda p, s: segmentation.morphological_chan_vese(filters.gaussian(p, 3), 200, init_level_set=s,
                                                                   smoothing=3))):
            found.append(peer(f"{library} {name}", on_device, segment))

    try:
        from skimage import filters, segmentation
        add("scikit-image", False, segmentation, filters)
    except ImportError as problem:
        print(f"scikit-image left out: {problem}", file=sys.stderr)
    try:
        import cupy
        from cucim.skimage import filters as device_filters
        from cucim.skimage import segmentation as on_device
        cupy.cuda.runtime.getDeviceCount()
        add("cuCIM", True, on_device, device_filters)
    except Exception as problem:  # no package, or no device
        print(f"cuCIM left out: {problem}", file=sys.stderr)
    return found


def measure(method, picture, start, rounds):
    """Milliseconds of each round, and the mask on the host."""
    start = (start > 0).astype(numpy.int8) if "morphological" in method.name else start
    if not method.on_device:
        times, mask = [], None
        for _ in range(rounds):
            begin = time.perf_counter()
            mask = method.segment(picture, start)
            times.append(1000 * (time.perf_counter() - begin))
        return times, mask
    import cupy
    picture, start = cupy.asarray(picture), cupy.asarray(start)
    times = []
    for number in range(rounds + 1):  # the first one compiles
        cupy.cuda.runtime.deviceSynchronize()
        begin = time.perf_counter()
        mask = method.segment(picture, start)
        cupy.cuda.runtime.deviceSynchronize()
        if number > 0:
            times.append(1000 * (time.perf_counter() - begin))
    return times, cupy.asnumpy(mask)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--largest", type=int, default=2048, help="side of the largest picture")
    parser.add_argument("--largest-host", type=int, default=512, help="the same for methods on the processor")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each; the median is printed")
    arguments = parser.parse_args()
    print("| method | picture | ms | Dice |\n|---|---|---:|---:|")
    truths = sorted(arguments.directory.glob("star_*_truth.pgm"), key=lambda p: int(p.stem.split("_")[1]))
    for method in methods():
        for truth_path in truths:
            side = int(truth_path.stem.split("_")[1])
            if side > (arguments.largest if method.on_device else arguments.largest_host):
                continue
            picture = read_pgm(truth_path.with_name(f"star_{side}.pgm")).astype(numpy.float32) / 255
            truth = read_pgm(truth_path) != 0
            try:
                times, mask = measure(method, picture, start_of(picture.shape), arguments.rounds)
                print(f"| {method.name} | {side} x {side} | {statistics.median(times):.1f} | "
                      f"{dice(mask.astype(bool), truth):.4f} |", flush=True)
            except Exception as problem:  # a peer's own; the others still run
                print(f"| {method.name} | {side} x {side} | failed: {problem} | |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
