"""gpuimg-filter on a CUDA device: the same picture as on the host, sample for sample. Skipped without a device."""
import itertools
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.join(os.environ.get("GPUIMG_PROGRAMS", ""), "gpuimg-filter")
KERNELS = {"ramp": "1 -2 3 0 1\n-4 5 6 1 2\n7 -8 9 2 -3\n", "smooth": "0.1 0.2 0.1\n0.05 0.1 0.05\n0.1 0.2 0.1\n",
           "product": "\n".join(" ".join(str(a * b) for a in (1, 4, 6, 4, 1)) for b in (1, 4, 6, 4, 1)) + "\n"}


def run(data, device, *arguments):
    return subprocess.run([PROGRAM, arguments[0], "-", "-", *map(str, arguments[1:]), "--device", device], input=data,
                          capture_output=True, check=False, timeout=300)


def picture(width, height, top, components=1):
    """Noise and steps."""
    state, values = 1, []
    for i in range(width * height * components):
        state = (state * 1664525 + 1013904223) % 2**32
        values.append(top if i // 64 % 5 == 0 else state * (top + 1) >> 32)
    size = 2 if top > 255 else 1
    kind = "P5" if components == 1 else "P6"
    return f"{kind}\n{width} {height}\n{top}\n".encode() + b"".join(v.to_bytes(size, "big") for v in values)


class FilterOnDevice(unittest.TestCase):
    def check(self, data, *arguments):
        host, device = (run(data, where, *arguments) for where in ("host", "cuda"))
        self.assertEqual(host.returncode, 0, host.stderr)
        self.assertEqual(device.returncode, 0, (arguments, device.stderr))
        self.assertTrue(host.stdout == device.stdout, arguments)

    def test_every_command(self):
        pictures = [picture(176, 48, 255), picture(131, 67, 1023), picture(97, 40, 65535), picture(64, 33, 255, 3)]
        with tempfile.TemporaryDirectory() as folder:
            commands = [("median", "--size", "3"), ("median", "--size", "7x5"), ("median", "--size", "21"),
                        ("rank", "--size", "5", "--rank", "min"), ("rank", "--size", "3", "--rank", "6"),
                        ("box", "--size", "9"), ("box", "--size", "4x3", "--iterations", "2"),
                        ("gaussian", "--sigma", "1.3"), ("gaussian", "--sigma", "4")]
            for name, text in KERNELS.items():
                path = os.path.join(folder, name)
                with open(path, "w", encoding="ascii") as file:
                    file.write(text)
                commands += [("convolve", "--kernel", path), ("correlate", "--kernel", path)]
            for data, command in itertools.product(pictures, commands):
                self.check(data, *command)

    def test_borders(self):
        for border in ("constant", "replicate", "reflect", "reflect101", "wrap"):
            for command in (("median", "--size", "5"), ("box", "--size", "15")):
                self.check(picture(50, 41, 255), *command, "--border", border, "--value", 77)


def device_is_there():
    with tempfile.TemporaryDirectory() as folder:
        source, target = (os.path.join(folder, name) for name in ("in.pgm", "out.pgm"))
        with open(source, "wb") as file:
            file.write(picture(8, 8, 255))
        done = subprocess.run([PROGRAM, "median", source, target, "--device", "cuda", "--json"], capture_output=True,
                              check=False, timeout=120)
        return done.returncode == 0 and json.loads(done.stdout)["device"].startswith("cuda")


if __name__ == "__main__":
    if not os.path.exists(PROGRAM):
        print("skipped: gpuimg-filter is not built")
        sys.exit(77)
    if not device_is_there():
        print("skipped: gpuimg-filter finds no CUDA device")
        sys.exit(77)
    unittest.main()
