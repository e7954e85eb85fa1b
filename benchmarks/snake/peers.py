#!/usr/bin/env python3
"""Chan-Vese and morphological snakes of scikit-image and cuCIM on the pictures of benchmark_snake_benchmark.

    benchmark_snake_benchmark --pictures DIRECTORY
    benchmarks/snake/peers.py DIRECTORY [--largest 2048] [--rounds 3]

All start from the same rectangle as the region snake, with their default parameters (the morphological snake with 100
iterations). Needs numpy and scikit-image; cuCIM and CuPy where there is a device. What is not installed is left out.
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


def methods():
    """(name, function from a picture and its start to a mask on the host) of all that is installed."""
    found = []
    try:
        from skimage import segmentation
        found.append(("scikit-image chan_vese",
                      lambda p, s: segmentation.chan_vese(p.astype(numpy.float64), init_level_set=s.astype(float))))
        found.append(("scikit-image morphological_chan_vese, 100 iterations",
                      lambda p, s: segmentation.morphological_chan_vese(p, 100, init_level_set=s > 0) != 0))
    except ImportError as problem:
        print(f"scikit-image left out: {problem}", file=sys.stderr)
    try:
        import cupy
        from cucim.skimage import segmentation as on_device

        def chan_vese(picture, start):
            mask = on_device.chan_vese(cupy.asarray(picture, dtype=cupy.float32), init_level_set=cupy.asarray(start))
            return cupy.asnumpy(mask)

        def morphological(picture, start):
            mask = on_device.morphological_chan_vese(cupy.asarray(picture), 100,
                                                     init_level_set=cupy.asarray(start > 0))
            return cupy.asnumpy(mask) != 0

        cupy.cuda.runtime.getDeviceCount()
        found.append(("cuCIM chan_vese", chan_vese))
        found.append(("cuCIM morphological_chan_vese, 100 iterations", morphological))
    except Exception as problem:  # no package, or no device
        print(f"cuCIM left out: {problem}", file=sys.stderr)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--largest", type=int, default=2048, help="side of the largest picture")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each; the median is printed, the first is not counted on a device")
    arguments = parser.parse_args()
    print("| method | picture | ms | Dice |\n|---|---|---:|---:|")
    for name, method in methods():
        for truth_path in sorted(arguments.directory.glob("star_*_truth.pgm"), key=lambda p: int(p.stem.split("_")[1])):
            side = int(truth_path.stem.split("_")[1])
            if side > arguments.largest:
                continue
            picture = read_pgm(truth_path.with_name(f"star_{side}.pgm"))
            truth = read_pgm(truth_path) != 0
            start = start_of(picture.shape)
            on_device = name.startswith("cuCIM")
            times = []
            try:
                for round_number in range(arguments.rounds + on_device):
                    begin = time.perf_counter()
                    mask = method(picture, start)
                    if round_number >= on_device:
                        times.append(1000 * (time.perf_counter() - begin))
            except Exception as problem:
                print(f"| {name} | {side} x {side} | failed: {problem} | |", flush=True)
                continue
            print(f"| {name} | {side} x {side} | {statistics.median(times):.1f} | {dice(mask != 0, truth):.4f} |", flush=True)


if __name__ == "__main__":
    main()
