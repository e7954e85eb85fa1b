"""What the tests of gpuimg-paco share: running it, pictures, streams."""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = os.environ.get("GPUIMG_PROGRAMS", "")
PACO = os.path.join(PROGRAMS, "gpuimg-paco")
PICTURE = os.path.join(PROGRAMS, "gpuimg-test-picture")
SANITIZED = os.path.exists(PACO) and b"__asan_init" in open(PACO, "rb").read()


def run(*arguments, data=None, **more):
    """The finished process; everything on the host, so that results do not depend on the machine."""
    arguments = [str(a) for a in arguments]
    if arguments and arguments[0] in ("encode", "decode"):
        arguments += ["--device", "host"]
    return subprocess.run([PACO, *arguments], input=data, capture_output=True, check=False, timeout=300, **more)


def noise(count, seed=1):
    """Bytes that nothing compresses, the same each time."""
    state, out = seed, bytearray()
    for _ in range(count):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        out.append(state >> 16 & 0xFF)
    return bytes(out)


def tiff(width, height, components, bits, signed):
    """A TIFF of one contiguous strip, of waves with noise on them; little-endian."""
    kind = {(8, False): "B", (8, True): "b", (16, False): "H", (16, True): "h", (32, False): "I"}[bits, signed]
    low = -(1 << bits - 1) if signed else 0
    top = (1 << bits) - 1
    grain = noise(width * height * components)
    samples = [low + (i * 37 * (top // 4000 + 1) + grain[i] * (top // 2000 + 1)) % (top + 1)
               for i in range(width * height * components)]
    data = struct.pack(f"<{len(samples)}{kind}", *samples)
    entries = []
    extra = b""
    extra_at = 8 + 2 + 12 * (12 if components > 1 else 11) + 4

    def entry(tag, field, values):
        nonlocal extra
        size = {3: 2, 4: 4}[field]
        packed = struct.pack(f"<{len(values)}{'HI'[field - 3]}", *values)
        if len(values) * size <= 4:
            entries.append(struct.pack("<HHI4s", tag, field, len(values), packed))
        else:
            entries.append(struct.pack("<HHII", tag, field, len(values), extra_at + len(extra)))
            extra += packed

    entry(256, 4, [width])
    entry(257, 4, [height])
    entry(258, 3, [bits] * components)
    entry(259, 3, [1])
    entry(262, 3, [1])
    strip = len(entries)
    entries.append(b"")
    entry(277, 3, [components])
    entry(278, 4, [height])
    entry(279, 4, [len(data)])
    entry(284, 3, [1])
    if components > 1:
        entry(338, 3, [0] * (components - 1))
    entry(339, 3, [2 if signed else 1] * components)
    entries[strip] = struct.pack("<HHII", 273, 4, 1, extra_at + len(extra))
    head = b"II*\0" + struct.pack("<IH", 8, len(entries)) + b"".join(entries) + b"\0\0\0\0"
    return head.ljust(extra_at, b"\0") + extra + data


def segments(stream):
    """(type, offset of the payload, length) of each segment."""
    at, found = 16, []
    while at < len(stream):
        kind, flags, length = struct.unpack_from("<4sIQ", stream, at)
        found.append((kind.decode(), at + 16, length))
        at += 16 + length + 4 * (flags & 1)
    return found


class paco_test(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.before = os.getcwd()
        self.addCleanup(os.chdir, self.before)
        os.chdir(self.folder)

    def picture(self, name, *options):
        subprocess.run([PICTURE, *options, name], check=True, timeout=300)
        return name

    def succeeds(self, *arguments, **more):
        done = run(*arguments, **more)
        self.assertEqual(done.returncode, 0, (arguments, done.stderr))
        return done

    def fails(self, status, part, *arguments, **more):
        """The program ends with this status and one line of error that contains `part`; no output file."""
        done = run(*arguments, **more)
        text = done.stderr.decode()
        self.assertEqual(done.returncode, status, (arguments, text))
        self.assertIn(part, text)
        self.assertTrue(text.startswith("gpuimg-paco: ") and text.count("\n") == 1 and text.endswith("\n"), text)
        self.assertEqual([f for f in os.listdir() if ".partial-" in f or f.startswith("never")], [])
        return text

    def report(self, *arguments):
        done = self.succeeds(*arguments, "--json")
        return json.loads(done.stdout)

    def comes_back(self, original, decoded, *options):
        """Encodes `original` with options, decodes to `decoded`, compares. @returns the stream."""
        self.succeeds("encode", original, "x.paco", "-q", *options)
        self.succeeds("decode", "x.paco", decoded, "-q")
        result = self.report("compare", original, decoded)
        self.assertTrue(result["equal"], (original, options, result))
        with open("x.paco", "rb") as file:
            return file.read()


def main():
    """Runs the tests of the calling script; skipped where the programs are not built."""
    if not (os.path.exists(PACO) and os.path.exists(PICTURE)):
        print("skipped: no gpuimg-paco in GPUIMG_PROGRAMS")
        sys.exit(77)
    unittest.main()
