#!/usr/bin/env python3
"""Runs gpuimg-lce on small cubes: every kind of file, parts, damage, bad input, and a cube larger than its memory."""
import array
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(os.environ.get("GPUIMG_PROGRAMS", "build/bin")) / "gpuimg-lce"
WIDTH, HEIGHT, BANDS = 37, 21, 11
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)


def run(*arguments, status=0, data=None, limit=None):
    def cap():
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    done = subprocess.run([PROGRAM, *map(str, arguments)], input=data, capture_output=True, check=False,
                          preexec_fn=cap if limit else None)
    if done.returncode != status:
        check(False, f"{' '.join(map(str, arguments))}: status {done.returncode}, {done.stderr.decode()[:300]}")
    return done


def cube(kind="H"):
    """Samples by (band, line, sample)."""
    source = random.Random(4)
    low = -200 if kind == "h" else 0
    return [max(low, min(255 if kind == "B" else 30000, 40 * b + x * y // 9 + source.randrange(6) + low))
            for b in range(BANDS) for y in range(HEIGHT) for x in range(WIDTH)]


def ordered(values, order, window=(0, 0, WIDTH, HEIGHT), bands=(0, BANDS)):
    x0, y0, w, h = window
    at = lambda b, y, x: values[(b * HEIGHT + y) * WIDTH + x]
    bs, ys, xs = range(bands[0], sum(bands)), range(y0, y0 + h), range(x0, x0 + w)
    if order == "bsq":
        return [at(b, y, x) for b in bs for y in ys for x in xs]
    if order == "bil":
        return [at(b, y, x) for y in ys for b in bs for x in xs]
    return [at(b, y, x) for y in ys for x in xs for b in bs]


def packed(values, kind, big=False):
    samples = array.array(kind, values)
    if big != (sys.byteorder == "big"):
        samples.byteswap()
    return samples.tobytes()


def unpacked(data, kind):
    samples = array.array(kind)
    samples.frombytes(data)
    if sys.byteorder == "big":
        samples.byteswap()
    return list(samples)


WAVELENGTHS = [f"{400.5 + 10 * b}" for b in range(BANDS)]


def header(code, order, big=0, offset=0, bands=BANDS):
    return (f"ENVI\ndescription = {{a cube,\n in two lines}}\nsamples = {WIDTH}\nlines = {HEIGHT}\nbands = {bands}\n"
            f"header offset = {offset}\nfile type = ENVI Standard\ndata type = {code}\ninterleave = {order}\n"
            f"byte order = {big}\ndata ignore value = -9999\nsensor type = made up\n"
            f"wavelength = {{{', '.join(WAVELENGTHS)}}}\n")


def fields(path):
    return dict(line.split(" = ", 1) for line in path.read_text().replace(",\n", ", ").splitlines() if " = " in line)


def test_envi(folder):
    for kind, code in (("H", 12), ("h", 2), ("B", 1)):
        values = cube(kind)
        for order in ("bsq", "bil", "bip"):
            for big, offset in ((0, 0), (1, 128)):
                name = folder / f"cube_{code}_{order}_{big}"
                name.with_suffix(".raw").write_bytes(b"x" * offset + packed(ordered(values, order), kind, big == 1))
                name.with_suffix(".hdr").write_text(header(code, order, big, offset))
                stream = name.with_suffix(".lce")
                run("encode", name.with_suffix(".hdr"), stream, "--slab-rows", 16, "--verify")
                back = folder / "back.hdr"
                run("decode", stream, back)
                check(back.with_suffix(".raw").read_bytes() == packed(ordered(values, order), kind), f"{name} comes back")
                kept = fields(back)
                check(kept["data ignore value"] == "-9999" and kept["sensor type"] == "made up", "fields are kept")
                check(kept["wavelength"] == "{" + ", ".join(WAVELENGTHS) + "}", "wavelengths are kept")
                check(kept["byte order"] == "0" and kept["header offset"] == "0", "fields follow the new file")
                check(kept["interleave"] == order and kept["data type"] == str(code), "order and type are kept")
    # A part, in another order.
    values = cube()
    window, bands = (5, 3, 20, 17), (2, 4)
    stream = folder / "cube_12_bil_0.lce"
    run("decode", stream, folder / "part.hdr", "--window", "5,3,20,17", "--bands", "2,4", "--interleave", "bip")
    check(unpacked((folder / "part.raw").read_bytes(), "H") == ordered(values, "bip", window, bands), "the part")
    part = fields(folder / "part.hdr")
    check(part["wavelength"] == "{" + ", ".join(WAVELENGTHS[2:6]) + "}", "wavelengths of the part")
    check((part["samples"], part["lines"], part["bands"]) == ("20", "17", "4"), "size of the part")
    check((part["x start"], part["y start"]) == ("6", "4"), "place of the part")
    run("decode", stream, folder / "no.hdr", "--window", "30,0,20,5", status=1)
    run("decode", stream, folder / "no.hdr", "--bands", "9,3", status=1)
    check(not (folder / "no.raw").exists(), "a refused part leaves no file")


def test_raw_and_npy(folder):
    values = cube("h")
    raw = folder / "plain.bin"
    raw.write_bytes(packed(ordered(values, "bip"), "h"))
    dims = f"{WIDTH}x{HEIGHT}x{BANDS}"
    run("encode", raw, folder / "raw.lce", "--dims", dims, "--type", "i16", "--interleave", "bip")
    run("decode", folder / "raw.lce", folder / "raw.out")
    check((folder / "raw.out").read_bytes() == raw.read_bytes(), "raw samples come back")
    run("decode", folder / "raw.lce", folder / "cube.npy", "--interleave", "bil")
    run("encode", folder / "cube.npy", folder / "npy.lce", "--interleave", "bil")
    run("decode", folder / "npy.lce", folder / "again.npy")
    check((folder / "again.npy").read_bytes() == (folder / "cube.npy").read_bytes(), ".npy comes back")
    check((folder / "cube.npy").read_bytes()[:6] == b"\x93NUMPY", ".npy has its magic number")
    # Through pipes.
    piped = run("encode", "-", "-", "--dims", dims, "--type", "i16", "--interleave", "bip", data=raw.read_bytes())
    check(piped.stdout == (folder / "raw.lce").read_bytes(), "a pipe gives the same stream")
    back = run("decode", "-", "-", data=piped.stdout)
    check(back.stdout == raw.read_bytes(), "samples through a pipe")


def test_bounds(folder):
    values = cube()
    source = folder / "cube_12_bsq_0.hdr"
    for arguments, bound in ((("--max-error", 4), 4), (("--delta", 31), 15), (("--delta", 31, "--utq", "19,16"), 18),
                             (("--max-error", 0), 0), (("--delta", 2), 1)):
        told = json.loads(run("encode", source, folder / "b.lce", *arguments, "--verify", "--json").stdout)
        run("decode", folder / "b.lce", folder / "b.bin")
        worst = max(abs(a - b) for a, b in zip(values, unpacked((folder / "b.bin").read_bytes(), "H")))
        check(worst <= bound and told["true_max_error"] == worst and told["max_error"] == bound, f"{arguments}: {worst}")
    told = json.loads(run("encode", source, folder / "l.lce", "--lossy", "--delta", 31, "--verify", "--json").stdout)
    check(told["mode"] == "lossy" and "max_error" not in told, "lossy promises no bound")
    shown = json.loads(run("info", folder / "l.lce", "--json").stdout)
    check(shown["mode"] == "lossy" and abs(shown["gamma"] - 0.3) < 0.01 and shown["envi_header"], "info")
    check(b"lossy" in run("info", folder / "l.lce").stdout, "info for people")
    for bad in (("--lossy",), ("--max-error", 1, "--lossless"), ("--delta", 0), ("--delta", 2, "--utq", "1"),
                ("--gamma", 1), ("--slab-rows", 8), ("--band-group", 16), ("--quicklook", "1,2")):
        done = run("encode", source, folder / "no.lce", *bad, status=1 if bad[0] in ("--slab-rows", "--band-group") else 2)
        check(done.stderr.startswith(b"gpuimg-lce: "), f"{bad} is explained")
        check(not (folder / "no.lce").exists(), f"{bad} leaves no file")


def test_quicklook(folder):
    run("encode", folder / "cube_12_bil_0.hdr", folder / "q.lce", "--quicklook", "9,5,0")
    check((folder / "q.lce.png").read_bytes()[:4] == b"\x89PNG", "the quick look is a PNG")
    run("encode", folder / "cube_12_bil_0.hdr", folder / "q2.lce", "--quicklook", "11,5,0", status=1)


def test_damage(folder):
    source = folder / "cube_12_bsq_0.hdr"
    run("encode", source, folder / "d.lce", "--checksums")
    data = bytearray((folder / "d.lce").read_bytes())
    data[len(data) // 2] ^= 0x40
    (folder / "d.lce").write_bytes(data)
    done = run("decode", folder / "d.lce", folder / "d.bin", status=1)
    check(b"damaged" in done.stderr and b"at byte" in done.stderr, "damage is named with its offset")
    check(not (folder / "d.bin").exists(), "a damaged stream leaves no file")
    run("decode", folder / "d.lce", folder / "d.bin", "--keep-going", status=3)
    values, decoded = cube(), unpacked((folder / "d.bin").read_bytes(), "H")
    wrong = {((i % WIDTH) // 16, i // WIDTH % HEIGHT // 16) for i, (a, b) in enumerate(zip(values, decoded)) if a != b}
    check(len(wrong) == 1, f"one block is lost: {wrong}")
    for size in (0, 30, 64, 70, 200, len(data) // 2):
        (folder / "cut.lce").write_bytes(data[:size])
        run("decode", folder / "cut.lce", folder / "cut.bin", status=1)


def test_bad_input(folder):
    name = folder / "bad.raw"
    name.write_bytes(packed(cube(), "H"))
    for text in ("", "ENVI\nsamples 3\n", "ENVI\nsamples = 3\n", header(4, "bsq"), header(12, "bsx"),
                 header(12, "bsq", bands=12), header(12, "bsq", bands=10), header(12, "bsq", big=2),
                 header(12, "bsq") + "file compression = 1\n", "ENVI\nx = {1, 2\n", header("x", "bsq")):
        name.with_suffix(".hdr").write_text(text)
        done = run("encode", name, folder / "bad.lce", status=1)
        check(done.stderr.startswith(b"gpuimg-lce: ") and not (folder / "bad.lce").exists(), "bad header")
    run("encode", folder / "absent.hdr", folder / "bad.lce", status=1)
    run("info", name, status=1)


def test_memory(folder):
    """64 MB of samples in slabs of 16 rows, with 24 MB for data."""
    width, height, bands = 512, 1024, 64
    row = array.array("H", [(x * 7 + b * 50) % 4000 for b in range(bands) for x in range(width)]).tobytes()
    big = folder / "big.bin"
    with open(big, "wb") as file:
        for _ in range(height):
            file.write(row)
    limit = 24 << 20
    dims = ("--dims", f"{width}x{height}x{bands}", "--interleave", "bil")
    run("encode", big, folder / "big.lce", *dims, "--slab-rows", 16, "--threads", 1, "--device", "host", limit=limit)
    run("decode", folder / "big.lce", folder / "big.out", "--threads", 1, "--device", "host", limit=limit)
    with open(big, "rb") as a, open(folder / "big.out", "rb") as b:
        check(all(a.read(1 << 20) == b.read(1 << 20) for _ in range(65)), "the large cube comes back")
    # As BSQ the output is filled in from many places.
    run("decode", folder / "big.lce", folder / "part.bin", "--interleave", "bsq", "--bands", "3,1", "--threads", 1,
        "--device", "host", limit=limit)
    check((folder / "part.bin").stat().st_size == width * height * 2, "one band of the large cube")


def main():
    if not PROGRAM.exists():
        print("skipped: gpuimg-lce is not built")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for test in (test_envi, test_raw_and_npy, test_bounds, test_quicklook, test_damage, test_bad_input, test_memory):
            test(pathlib.Path(folder))
    print("failures:", failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
