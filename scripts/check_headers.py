#!/usr/bin/env python3
"""Compiles every public header alone, and prints what each costs.

    scripts/check_headers.py [--nvcc] [--arch 90] [--jobs N] [HEADER...]

Each .hpp is compiled by g++ (an object file: seconds and bytes are printed) and by clang++ where there is one. Each .cuh
is compiled by nvcc when --nvcc is given; a host compiler must be told by #error, before anything else is reported.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion"]


class Result:
    def __init__(self, header):
        self.header = header
        self.seconds = {}
        self.size = None
        self.faults = []


def run(command, cwd):
    start = time.monotonic()
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return done, time.monotonic() - start


def check_host(result, folder, source):
    host = ["-std=c++20", "-O2", "-I", str(INCLUDE), "-Werror", "-Wpedantic", *WARNINGS]
    done, seconds = run(["g++", *host, "-c", source, "-o", "header.o"], folder)
    result.seconds["g++"] = seconds
    if done.returncode:
        result.faults.append("g++: " + done.stderr[:2000])
    else:
        result.size = os.path.getsize(folder / "header.o")
    if shutil.which("clang++"):
        done, seconds = run(["clang++", *host, "-fsyntax-only", source], folder)
        result.seconds["clang++"] = seconds
        if done.returncode:
            result.faults.append("clang++: " + done.stderr[:2000])


def check_refusal(result, folder, source):
    done, _ = run(["g++", "-std=c++20", "-I", str(INCLUDE), "-fsyntax-only", source], folder)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    if not errors or "#error" not in errors[0]:
        result.faults.append("g++: the first complaint must be an #error: " + (done.stderr[:1000] or "there is none"))


def check_device(result, folder, source, arch):
    done, seconds = run(["nvcc", "-std=c++20", f"-arch=sm_{arch}", "-I", str(INCLUDE), "-Werror", "all-warnings",
                         "-Xcompiler=" + ",".join(["-Werror", *WARNINGS]), "-c", source, "-o", "header.o"], folder)
    result.seconds["nvcc"] = seconds
    if done.returncode:
        result.faults.append("nvcc: " + (done.stdout + done.stderr)[:2000])
    else:
        result.size = os.path.getsize(folder / "header.o")


def check(header, options):
    result = Result(header)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for source in ("header.cpp", "header.cu"):
            (folder / source).write_text(f'#include "{header}"\n#include "{header}"\n', encoding="utf-8")
        if header.endswith(".cuh"):
            check_refusal(result, folder, "header.cpp")
            if options.nvcc:
                check_device(result, folder, "header.cu", options.arch)
        else:
            check_host(result, folder, "header.cpp")
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", action="store_true")
    parser.add_argument("--arch", default="90")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("headers", nargs="*")
    options = parser.parse_args()

    headers = options.headers or sorted(
        str(path.relative_to(INCLUDE)) for pattern in ("*.hpp", "*.cuh") for path in INCLUDE.rglob(pattern))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda header: check(header, options), headers))

    def cell(result, compiler):
        return f"{result.seconds[compiler]:7.1f}s" if compiler in result.seconds else f"{'-':>8}"

    print(f"{'header compiled alone':52}{'g++':>8}{'clang++':>8}{'nvcc':>8}{'object':>10}")
    for result in results:
        size = f"{result.size:,}" if result.size is not None else "-"
        print(f"{result.header:52}{cell(result, 'g++')}{cell(result, 'clang++')}{cell(result, 'nvcc')}{size:>10}")
    failed = [result for result in results if result.faults]
    for result in failed:
        for fault in result.faults:
            print(f"\n{result.header}: {fault}")
    print(f"{len(results) - len(failed)} headers are self-contained, {len(failed)} are not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
