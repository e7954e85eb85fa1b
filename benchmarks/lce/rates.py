#!/usr/bin/env python3
"""Rates of gpuimg-lce on the hyperspectral cubes of the optional data directory, and curves beside other codecs.

    benchmarks/lce/rates.py PROGRAM [--curves FOLDER]

PROGRAM is gpuimg-lce. Prints a table in Markdown and fails when a rate, plain or with the defaults, exceeds that of the
study by more than 0.5 %. With
--curves, draws a picture for each of three cubes: greatest error and mean squared error against the rate, beside LERC,
JPEG-LS, zfp and JPEG 2000 (Debian: liblerc-dev libcharls-dev libzfp-dev libopenjp2-7-dev python3-matplotlib).
The data directory is GPUIMG_DATA, else ../shared/data.
"""
import argparse
import array
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DATA = pathlib.Path(os.environ.get("GPUIMG_DATA", HERE.parent.parent.parent / "shared" / "data")) / "hyperspectral"
BOUNDS = (0, 5, 15, 30)
# Bits a sample of an independent, unoptimised study codec without zero flags and without an index of bands.
STUDY = {
    "jasper_ridge_aviris": (6.48, 3.10, 2.01, 1.58),
    "santa_barbara_aviris": (5.40, 2.66, 1.74, 1.37),
    "samson": (2.96, 1.22, 0.94, 0.76),
    "moffett_aviris": (6.10, 2.81, 1.82, 1.42),
    "salton_sea_aviris": (6.07, 3.00, 1.99, 1.58),
    "corn_kernel": (6.11, 2.75, 1.66, 1.21),
    "indian_pines_strip": (7.53, 4.12, 2.88, 2.23),
    "tiny_aviris_7x7": None,
}
CURVES = ("jasper_ridge_aviris", "santa_barbara_aviris", "samson")


def encode(program, cube, folder, *options):
    done = subprocess.run([program, "encode", DATA / f"{cube}.hdr", folder / "x.lce", "--verify", "--json", "--device",
                           "host", *map(str, options)], capture_output=True, check=True)
    return json.loads(done.stdout)


def table(program, folder):
    worst = -1.0  # without zero flags and an index of bands, as the study
    worst_default = -1.0
    print("| cube | " + " | ".join(f"{b}" for b in BOUNDS) + " | " + " | ".join(f"{b}, flags" for b in BOUNDS[1:]) +
          " | defaults at 0 / 5 / 15 / 30 |")
    print("|---|" + "---:|" * (2 * len(BOUNDS)))
    for cube, study in STUDY.items():
        plain = [encode(program, cube, folder, "--max-error", b, "--band-group", 0, "--zero-flags", "off")
                 for b in BOUNDS]
        flags = [encode(program, cube, folder, "--max-error", b, "--band-group", 0, "--zero-flags", "on")
                 for b in BOUNDS[1:]]
        default = [encode(program, cube, folder, "--max-error", b) for b in BOUNDS]
        for told, bound in zip(plain + flags + default, BOUNDS + BOUNDS[1:] + BOUNDS):
            if told["true_max_error"] > bound:
                sys.exit(f"{cube}: an error of {told['true_max_error']} where {bound} was asked for")
        cells = []
        for i, told in enumerate(plain):
            text = f"{told['bits_per_sample']:.3f}"
            if study:
                # The study's rates are rounded to two digits: the nearest is what it may have been.
                excess = told["bits_per_sample"] / (study[i] + 0.005) - 1
                worst = max(worst, excess)
                text += f" ({100 * (told['bits_per_sample'] / study[i] - 1):+.2f} %)"
            cells.append(text)
        if study:
            worst_default = max([worst_default] + [told["bits_per_sample"] / (study[i] + 0.005) - 1
                                                   for i, told in enumerate(default)])
        cells += [f"{told['bits_per_sample']:.3f}" for told in flags]
        cells.append(" / ".join(f"{told['bits_per_sample']:.3f}" for told in default))
        print(f"| {cube} | " + " | ".join(cells) + " |", flush=True)
    return worst, worst_default


def as_bsq(cube):
    """Width, height, bands and samples from 0 on in BSQ order."""
    fields = dict(line.split(" = ", 1) for line in (DATA / f"{cube}.hdr").read_text().splitlines() if " = " in line)
    w, h, b = (int(fields[name]) for name in ("samples", "lines", "bands"))
    samples = array.array("h" if fields["data type"] == "2" else "H", (DATA / f"{cube}.raw").read_bytes())
    if fields["interleave"] == "bip":
        samples = [samples[i * b + k] for k in range(b) for i in range(w * h)]
    elif fields["interleave"] == "bil":
        samples = [samples[(y * b + k) * w + x] for k in range(b) for y in range(h) for x in range(w)]
    low = min(0, min(samples))
    return w, h, b, array.array("H", (s - low for s in samples))


def peers(folder, cube):
    program = folder / "peers"
    if not program.exists():
        flags = subprocess.run(["pkg-config", "--cflags", "libopenjp2"], capture_output=True, text=True, check=True)
        subprocess.run(["g++", "-std=c++20", "-O2", *flags.stdout.split(), HERE / "peers.cpp", "-o", program, "-lLerc",
                        "-lcharls", "-lzfp", "-lopenjp2"], check=True)
    w, h, b, samples = as_bsq(cube)
    (folder / "cube.raw").write_bytes(samples.tobytes())
    lines = subprocess.run([program, str(w), str(h), str(b), folder / "cube.raw"], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    curves = {}
    for line in lines:
        codec, _, bits, error, squared = line.split(",")
        curves.setdefault(codec, []).append((float(bits), float(error), float(squared)))
    return curves


def draw(program, folder, target):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    target.mkdir(parents=True, exist_ok=True)
    for cube in CURVES:
        curves = {"LCE-style, bounded": [], "LCE-style, lossy": []}
        for bound in (0, 1, 2, 5, 10, 15, 30, 60):
            told = encode(program, cube, folder, "--max-error", bound)
            curves["LCE-style, bounded"].append((told["bits_per_sample"], told["true_max_error"],
                                                 told["mean_squared_error"]))
        for delta in (11, 21, 31, 61, 121):
            told = encode(program, cube, folder, "--lossy", "--delta", delta)
            curves["LCE-style, lossy"].append((told["bits_per_sample"], told["true_max_error"],
                                               told["mean_squared_error"]))
        curves.update(peers(folder, cube))
        figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.5))
        for axis, value, name in ((axes[0], 1, "greatest error"), (axes[1], 2, "mean squared error")):
            for codec, points in curves.items():
                points = sorted(p for p in points if p[value] > 0)
                axis.plot([p[0] for p in points], [p[value] for p in points], "o-", markersize=3, label=codec)
            axis.set_xlabel("bits a sample")
            axis.set_ylabel(name)
            axis.set_yscale("log")
            axis.set_xlim(0, 11)
            axis.grid(alpha=0.3)
        axes[0].legend()
        figure.suptitle(cube)
        figure.tight_layout()
        figure.savefig(target / f"{cube}.png", dpi=90)
        print(target / f"{cube}.png", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--curves", type=pathlib.Path, metavar="FOLDER")
    arguments = parser.parse_args()
    if not (DATA / "samson.hdr").exists():
        print(f"skipped: there are no cubes in {DATA}")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        worst, worst_default = table(arguments.program.resolve(), folder)
        print(f"\nLargest excess over the study's rates: {100 * worst:.2f} %, with the defaults {100 * worst_default:.2f} %.")
        if arguments.curves:
            draw(arguments.program.resolve(), folder, arguments.curves)
    return 1 if max(worst, worst_default) > 0.005 else 0


if __name__ == "__main__":
    sys.exit(main())
