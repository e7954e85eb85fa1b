"""gpuimg-filter as a program: each command on small pictures, borders, kernels from files, what it refuses."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.join(os.environ.get("GPUIMG_PROGRAMS", ""), "gpuimg-filter")


def run(*arguments, data=None):
    return subprocess.run([PROGRAM, *map(str, arguments), "--device", "host"], input=data, capture_output=True,
                          check=False, timeout=120)


def pgm(rows, top=255):
    size = 2 if top > 255 else 1
    head = f"P5\n{len(rows[0])} {len(rows)}\n{top}\n".encode()
    return head + b"".join(v.to_bytes(size, "big") for row in rows for v in row)


def rows_of(data):
    _, width, height, top, body = parse(data)
    size = 2 if top > 255 else 1
    values = [int.from_bytes(body[i:i + size], "big") for i in range(0, len(body), size)]
    return [values[i * width:(i + 1) * width] for i in range(height)]


def parse(data):
    fields, at = [], 0
    while len(fields) < 4:
        end = min(i for i in (data.find(b" ", at), data.find(b"\n", at)) if i >= 0)
        fields.append(data[at:end])
        at = end + 1
    return fields[0], int(fields[1]), int(fields[2]), int(fields[3]), data[at:]


class Filter(unittest.TestCase):
    def filtered(self, rows, *arguments, top=255):
        done = run(arguments[0], "-", "-", *arguments[1:], data=pgm(rows, top))
        self.assertEqual(done.returncode, 0, done.stderr)
        return rows_of(done.stdout)

    def kernel(self, text):
        handle, path = tempfile.mkstemp(suffix=".txt")
        with os.fdopen(handle, "w") as file:
            file.write(text)
        self.addCleanup(os.remove, path)
        return path

    def test_ranks(self):
        rows = [[9, 1, 8], [2, 7, 3], [6, 4, 5]]
        self.assertEqual(self.filtered(rows, "median")[1][1], 5)
        self.assertEqual(self.filtered(rows, "rank", "--rank", "min")[1][1], 1)
        self.assertEqual(self.filtered(rows, "rank", "--rank", "max")[1][1], 9)
        self.assertEqual(self.filtered(rows, "rank", "--rank", "7")[1][1], 8)
        self.assertEqual(self.filtered([[1, 9, 2, 8, 3]], "median", "--size", "3x1"), [[1, 2, 8, 3, 3]])

    def test_convolve_turns_the_kernel(self):
        delta = [[0] * 5 for _ in range(5)]
        delta[2][2] = 1
        path = self.kernel("1 2 3\n4, 5, 6  # the middle\n\n7 8 9\n")
        turned = self.filtered(delta, "convolve", "--kernel", path)
        self.assertEqual([row[1:4] for row in turned[1:4]], [[1, 2, 3], [4, 5, 6], [7, 8, 9]])
        straight = self.filtered(delta, "correlate", "--kernel", path)
        self.assertEqual([row[1:4] for row in straight[1:4]], [[9, 8, 7], [6, 5, 4], [3, 2, 1]])

    def test_borders(self):
        path = self.kernel("1 0 0\n")
        expected = {"constant": 7, "replicate": 1, "reflect": 1, "reflect101": 2, "wrap": 3}
        for border, first in expected.items():
            rows = self.filtered([[1, 2, 3]], "correlate", "--kernel", path, "--border", border, "--value", 7)
            self.assertEqual(rows, [[first, 1, 2]], border)

    def test_smoothing(self):
        self.assertEqual(self.filtered([[10, 11, 12, 20, 0, 255]], "box", "--size", "2x1"),
                         [[10, 10, 12, 16, 10, 128]])
        flat = [[100] * 9 for _ in range(9)]
        self.assertEqual(self.filtered(flat, "gaussian", "--sigma", "1.5"), flat)
        self.assertEqual(self.filtered([[0, 0, 1000, 0, 0]], "box", "--size", "3x1", "--iterations", 2, top=1023),
                         [[111, 222, 333, 222, 111]])

    def test_results_stay_within_the_depth(self):
        path = self.kernel("3\n")
        self.assertEqual(self.filtered([[0, 500, 1000]], "correlate", "--kernel", path, top=1023), [[0, 1023, 1023]])

    def test_report(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "in.pgm")
            with open(path, "wb") as file:
                file.write(pgm([[1, 2], [3, 4]]))
            done = run("median", path, os.path.join(folder, "out.png"), "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads(done.stdout)
            self.assertEqual((report["width"], report["height"], report["device"]), (2, 2, "host"))

    def test_refusals(self):
        picture = pgm([[1, 2], [3, 4]])
        bad = self.kernel("1 2\n3\n")
        words = self.kernel("1 two\n")
        cases = [(2, "median", "-", "-", "--size", "0"), (2, "median", "-", "-", "--border", "mirror"),
                 (2, "rank", "-", "-"), (1, "rank", "-", "-", "--rank", "9"), (2, "convolve", "-", "-"),
                 (1, "convolve", "-", "-", "--kernel", bad), (1, "convolve", "-", "-", "--kernel", words),
                 (1, "convolve", "-", "-", "--kernel", "/nowhere"), (1, "gaussian", "-", "-", "--sigma", "0"),
                 (1, "median", "/nowhere", "-")]
        for status, *arguments in cases:
            done = run(*arguments, data=picture)
            self.assertEqual(done.returncode, status, (arguments, done.stderr))
            self.assertTrue(done.stderr.startswith(b"gpuimg-filter: "), done.stderr)
            self.assertEqual(done.stderr.count(b"\n"), 1)


if __name__ == "__main__":
    if not os.path.exists(PROGRAM):
        print("skipped: gpuimg-filter is not built")
        sys.exit(77)
    unittest.main()
