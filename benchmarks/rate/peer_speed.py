#!/usr/bin/env python3
"""Wall time of the peers' programs, file to file, on one core: lossless, 64 x 64 blocks, 5 levels.

    benchmarks/rate/peer_speed.py                 large/dandelion_3840x2160 as PPM, 7 runs
    benchmarks/rate/peer_speed.py --picture gray/camera --runs 3

The whole process is timed, as a user of the program sees it: start, reading, coding, writing; files lie in the page
cache. The process and its children are pinned to one core, so that a program's own threads gain nothing. Best and
median are in 10^6 samples a second; the best is the one to quote from a machine that other work shares.
"""

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

from codecs_under_test import REPOSITORY, Codec, OpenJpeg, OpenJph, run
from lossless_rate import render
from pictures import Picture, read_png


def time_runs(command: list[str], runs: int) -> list[float]:
    times = []
    for _ in range(runs):
        wrong, seconds = run(command)
        if wrong:
            sys.exit(f"{' '.join(command)}: {wrong}")
        times.append(seconds)
    return times


def measure(codec: Codec, picture: Picture, runs: int) -> list[list[str]]:
    lines = []
    with tempfile.TemporaryDirectory(prefix="rate-") as name:
        folder = Path(name)
        source = codec.write_input(picture, folder)
        stream, target = folder / codec.stream_name(), folder / codec.output_name(picture)
        steps = [("encode", codec.encode_command(source, stream)), ("decode", codec.decode_command(stream, target))]
        for step, command in steps:
            times = time_runs(command, runs)
            best, middle = min(times), statistics.median(times)
            speeds = [f"{picture.count / seconds / 1e6:.1f}" for seconds in (best, middle)]
            lines.append([f"{codec.name} {codec.version()}", step, f"{best:.3f}", f"{middle:.3f}", *speeds])
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default_data = os.environ.get("GPUIMG_DATA") or str(REPOSITORY.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default_data), metavar="DIR", help="folder with images/")
    parser.add_argument("--picture", default="large/dandelion_3840x2160", help="PNG below images/, without ending")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    options = parser.parse_args()
    path = options.data / "images" / f"{options.picture}.png"
    if not path.is_file():
        sys.exit(f"{path}: no such file; set GPUIMG_DATA or give --data")
    if options.runs < 1:
        sys.exit(f"--runs {options.runs}: must be at least 1")
    picture = read_png(path)
    os.environ.pop("OPJ_NUM_THREADS", None)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    table = [["program", "step", "best s", "median s", "best MS/s", "median MS/s"]]
    for codec in (OpenJpeg(), OpenJph()):
        if codec.available():
            table += measure(codec, picture, options.runs)
    print(f"{picture.name}: {picture.shape}, {options.runs} runs, one core\n")
    print(render(table, options.markdown))
    return 0


if __name__ == "__main__":
    sys.exit(main())
