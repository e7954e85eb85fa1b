"""gpuimg-paco as a program: wrong usage, damaged and cut streams, limits; one line of error, no file left."""
import os
import struct
import subprocess
import sys
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs"))
from paco_program import PACO, main, paco_test, segments, tiff


class refusals(paco_test):
    def test_usage(self):
        name = self.picture("a.png", "--size", "20x20")
        self.fails(2, "required")
        self.fails(2, "no command", "bogus")
        self.fails(2, "input is required", "encode")
        self.fails(2, "output is required", "decode", "x.paco")
        for option, value in (("--levels", "33"), ("--levels", "-1"), ("--block", "48"), ("--block", "64x"),
                              ("--tile", "0x5"), ("--tile", "64"), ("--tile", "5x5x5"), ("--threads", "-2"),
                              ("--raw-planes", "25"), ("--color-components", "0,1"), ("--color-components", "0,1,1"),
                              ("--color-components", "0,1,2,3")):
            self.fails(2, option, "encode", name, "never.paco", option, value)
        done = subprocess.run([PACO, "encode", name, "never.paco", "--device", "gpu"], capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.fails(2, "no-such-option", "encode", name, "never.paco", "--no-such-option")
        self.fails(2, "excludes", "encode", name, "never.paco", "--json", "--quiet")
        self.fails(2, "--memory-limit", "decode", "x.paco", "never.png", "--memory-limit", "12Q")
        self.fails(2, "--format", "decode", "x.paco", "never.png", "--format", "gif")
        self.fails(2, "known are .png", "decode", "x.paco", "never.gif")
        self.fails(2, "only one", "compare", "-", "-")

    def test_files(self):
        name = self.picture("a.png", "--size", "20x20")
        self.comes_back(name, "b.png")
        self.fails(1, "no-such.png", "encode", "no-such.png", "never.paco")
        self.fails(1, "no-such.paco", "decode", "no-such.paco", "never.png")
        self.fails(1, "no-such.paco", "info", "no-such.paco")
        self.fails(1, "no-such.png", "compare", name, "no-such.png")
        self.fails(1, "no/such/folder", "encode", name, "no/such/folder/a.paco")
        self.fails(1, "no/such/folder", "decode", "x.paco", "no/such/folder/a.png")
        self.fails(1, "magic", "decode", name, "never.png")
        self.fails(1, "x.paco", "encode", "x.paco", "never.paco")
        self.fails(1, "/dev/null", "encode", "/dev/null", "never.paco")

    def test_pictures_that_do_not_fit(self):
        with open("a.tif", "wb") as file:
            file.write(tiff(9, 9, 1, 32, False))
        self.fails(1, "32 bits", "encode", "a.tif", "never.paco")
        name = self.picture("a.pgm", "--size", "9x9", "--components", "1")
        self.fails(1, "components", "encode", name, "never.paco", "--color-components", "0,1,2")
        name = self.picture("a.ppm", "--size", "9x9")
        self.fails(1, "colour component", "encode", name, "never.paco", "--color-components", "0,1,3")
        self.fails(1, "not built in", "encode", name, "never.paco", "--block", "16x128")
        self.comes_back(name, "b.ppm")
        self.fails(1, "", "decode", "x.paco", "never.pgm")

    def test_truncated_streams(self):
        name = self.picture("a.png", "--size", "90x70")
        stream = self.comes_back(name, "b.png", "--tile", "64x64", "--crc")
        starts = [start for _, start, _ in segments(stream)]
        cuts = {0, 1, 15, 16, 31, len(stream) - 1, len(stream) - 4, len(stream) - 20}
        cuts |= {s + d for s in starts for d in (-16, -1, 0, 1, 40) if s + d < len(stream)}
        for cut in sorted(cuts):
            with self.subTest(cut=cut):
                part = stream[:cut]
                self.fails(1, "at byte", "decode", "-", "never.png", data=part)
                self.fails(1, "at byte", "info", "-", data=part)
                with open("cut.paco", "wb") as file:
                    file.write(part)
                self.fails(1, "at byte", "decode", "cut.paco", "never.ppm")
                self.fails(1, "at byte", "info", "cut.paco", "--check")

    def test_damaged_streams(self):
        name = self.picture("a.png", "--size", "90x70")
        stream = self.comes_back(name, "b.png", "--crc")
        for _, start, length in segments(stream):
            for at in {start - 16, start - 8, start, start + length // 2}:
                with self.subTest(at=at):
                    damaged = bytearray(stream)
                    damaged[min(at, len(stream) - 1)] ^= 0x41
                    self.fails(1, "PaCo stream", "decode", "-", "never.png", data=bytes(damaged))
                    self.fails(1, "PaCo stream", "info", "-", "--check", data=bytes(damaged))

    def test_unknown_segments(self):
        name = self.picture("a.png", "--size", "30x30")
        stream = self.comes_back(name, "b.png")
        (_, _, _), (_, tile, _) = segments(stream)[:2]
        for flags, good in ((2, True), (3, True), (0, False), (1, False)):
            extra = struct.pack("<4sIQ", b"TEST", flags, 6) + b"abcdef"
            if flags & 1:
                extra += struct.pack("<I", zlib.crc32(extra))
            longer = stream[:tile - 16] + extra + stream[tile - 16:]
            if good:
                self.succeeds("decode", "-", "c.png", data=longer)
                self.assertTrue(self.report("compare", "c.png", name)["equal"])
                self.succeeds("info", "-", "--check", data=longer)
            else:
                self.fails(1, "TEST", "decode", "-", "never.png", data=longer)
        # Bytes behind END are not part of the stream.
        self.succeeds("decode", "-", "c.png", data=stream + b"more")

    def test_headers_that_ask_for_too_much(self):
        name = self.picture("a.png", "--size", "64x64")
        stream = self.comes_back(name, "b.png")
        self.succeeds("decode", "x.paco", "c.png", "--memory-limit", "1M")
        self.fails(1, "--memory-limit", "decode", "x.paco", "never.png", "--memory-limit", "1000")
        huge = bytearray(stream)
        huge[32:48] = struct.pack("<4I", 0xFFFFFFFF, 65536, 0xFFFFFFFF, 65536)  # picture and tile
        self.fails(1, "--memory-limit", "decode", "-", "never.tif", data=bytes(huge))
        self.fails(1, "", "info", "-", data=bytes(huge))
        huge[32:48] = b"\xff" * 16
        self.fails(1, "", "decode", "-", "never.tif", data=bytes(huge))
        self.fails(1, "", "info", "-", data=bytes(huge))
        # A length that the pipe does not have.
        (_, tile, _) = segments(stream)[1]
        huge = bytearray(stream)
        huge[tile - 8:tile] = struct.pack("<Q", 1 << 40)
        self.fails(1, "--memory-limit", "decode", "-", "never.png", data=bytes(huge))

    def test_full_device(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        name = self.picture("a.png", "--size", "64x64")
        self.comes_back(name, "b.png")
        self.fails(1, "/dev/full", "encode", name, "/dev/full")
        self.fails(1, "/dev/full", "decode", "x.paco", "/dev/full", "--format", "ppm")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PACO, "info", "x.paco"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1)

    def test_build_without_cuda(self):
        name = self.picture("a.png", "--size", "20x20")
        done = subprocess.run([PACO, "encode", name, "never.paco", "--device", "cuda:99"], capture_output=True,
                              check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cuda:99", done.stderr)


if __name__ == "__main__":
    main()
