#!/usr/bin/env python3
"""Runs gpuimg-snake on a picture made here and looks at every file that it writes."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

PROGRAM = pathlib.Path(os.environ.get("GPUIMG_PROGRAMS", "")) / "gpuimg-snake"
SIDE = 160


def write_pgm(path, rows):
    path.write_bytes(b"P5\n%d %d\n255\n" % (len(rows[0]), len(rows)) + b"".join(bytes(row) for row in rows))


def read_pgm(path):
    fields = path.read_bytes().split(maxsplit=4)
    width, height = int(fields[1]), int(fields[2])
    data = path.read_bytes()[-width * height:]
    return [data[y * width:(y + 1) * width] for y in range(height)]


def run(*arguments, expect=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == expect, (arguments, done.returncode, done.stderr)
    return done


def main():
    if not PROGRAM.exists():
        print(f"skipped: no {PROGRAM}")
        return 77
    noise = random.Random(1)
    inside = [[(x - 70) ** 2 + (y - 80) ** 2 < 45 ** 2 for x in range(SIDE)] for y in range(SIDE)]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        picture, truth = folder / "in.pgm", folder / "truth.pgm"
        write_pgm(picture, [[min(255, max(0, round(noise.gauss(150 if i else 110, 25)))) for i in row] for row in inside])
        write_pgm(truth, [[7 if i else 0 for i in row] for row in inside])
        outputs = {name: folder / f"out.{name}" for name in ("json", "svg", "trace")}
        mask, overlay = folder / "mask.pgm", folder / "overlay.png"
        for start in (("--rect", "16,16,128,128"), ("--auto", "1"), ("--boxes", truth), ()):
            done = run(picture, *start, "--truth", truth, "--label", "7", "--json", outputs["json"], "--svg",
                       outputs["svg"], "--mask", mask, "--overlay", overlay, "--zoom", "2", "--trace", outputs["trace"])
            found = json.loads(outputs["json"].read_text())
            assert found["dice"] > 0.97 and found["hausdorff"] < 8, (start, found["dice"], done.stderr)
            snake = found["snakes"][0]
            assert snake["crossings"] == 0 and snake["reason"] == "converged"
            assert snake["target"]["pixels"] == sum(v == 255 for row in read_pgm(mask) for v in row)
            assert abs(snake["target"]["mean"] - 150) < 4
            paths = xml.etree.ElementTree.fromstring(outputs["svg"].read_text())
            assert len(paths) == 1 and len(paths[0].get("d").split()) == len(snake["nodes"]) + 2
            assert overlay.read_bytes().startswith(b"\x89PNG")
            lines = outputs["trace"].read_text().splitlines()
            assert len(lines) == snake["iterations"] + 1 and lines[0].startswith("snake iteration step")
        polygon = folder / "start.txt"
        polygon.write_text("# a triangle\n70 5\n150 150\n5 150\n")
        for noise_model in ("gaussian", "poisson", "gamma:3", "exponential", "rayleigh", "log-normal"):
            run(picture, "--polygon", polygon, "--noise", noise_model, "--prune", "--json", outputs["json"])
            assert json.loads(outputs["json"].read_text())["noise"] == noise_model
        for wrong in (("--noise", "cauchy"), ("--rect", "1,2,3"), ("--rect", "0,0,500,20"), ("--truth", folder / "no"),
                      ("--noise", "gamma:-1"), ("--component", "3"), ("--valid", folder / "no")):
            done = run(picture, *wrong, expect=1)
            assert done.stderr.startswith("gpuimg-snake: "), done.stderr
        run(picture, "--device", "host", "--json", outputs["json"])
        on_host = outputs["json"].read_text()
        run(picture, "--json", outputs["json"])
        assert on_host == outputs["json"].read_text()
        for wrong_device in ("gpu", "cuda:", "cuda:x", "cuda:99"):
            run(picture, "--device", wrong_device, expect=1)
        polygon.write_text("1 2\n3 x\n")
        assert "line 2" in run(picture, "--polygon", polygon, expect=1).stderr
    return 0


if __name__ == "__main__":
    sys.exit(main())
