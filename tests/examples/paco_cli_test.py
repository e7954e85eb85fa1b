"""gpuimg-paco as a program: round trips through files and pipes, tiles, reports, signals, memory."""
import json
import os
import resource
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs"))
from paco_program import PACO, PICTURE, SANITIZED, main, noise, paco_test, run, segments, tiff


class round_trips(paco_test):
    def test_kinds_depths_and_components(self):
        cases = (("png", 1, (1, 2, 4, 8, 11, 16)), ("png", 2, (8, 16)), ("png", 3, (5, 8, 16)), ("png", 4, (8, 16)),
                 ("ppm", 3, (1, 8, 10, 16)), ("pgm", 1, (1, 8, 12)), ("pam", 4, (8, 13)), ("pam", 2, (7,)),
                 ("tif", 3, (3, 8, 9, 16)))
        for extension, components, depths in cases:
            for depth in depths:
                with self.subTest(extension=extension, components=components, depth=depth):
                    name = self.picture("a." + extension, "--size", "83x61", "--components", str(components), "--depth",
                                        str(depth))
                    self.comes_back(name, "b." + extension)
                    if components > 1:
                        self.comes_back(name, "b.tif", "--no-color-transform", "--verify")

    def test_signed_samples_and_many_components(self):
        for bits, signed in ((8, True), (16, True), (8, False), (16, False)):
            for components in (1, 3, 7):
                with self.subTest(bits=bits, signed=signed, components=components):
                    with open("a.tif", "wb") as file:
                        file.write(tiff(41, 29, components, bits, signed))
                    self.comes_back("a.tif", "b.tif", "--verify")
                    info = self.report("info", "x.paco")
                    self.assertEqual((info["signed"], info["depth"], info["components"]), (signed, bits, components))
                    self.assertEqual(info["color_transform"], components == 3)

    def test_options_change_the_stream_not_the_picture(self):
        name = self.picture("a.png", "--size", "301x257")
        seen = set()
        for options in ((), ("--levels", "0"), ("--levels", "32"), ("--block", "16"), ("--block", "32"),
                        ("--block", "128"), ("--block", "64x32"), ("--block", "32x64"), ("--block", "128x64"),
                        ("--block", "64x128"), ("--crc",), ("--tables", "default"), ("--raw-planes", "0"),
                        ("--no-raw-signs",), ("--no-strip-flags",), ("--compact-refinement",), ("--fast-planes", "3"),
                        ("--no-color-transform",), ("--color-components", "2,0,1"), ("--tile", "100x64"),
                        ("--tile", "301x1")):
            with self.subTest(options=options):
                stream = self.comes_back(name, "b.png", "--verify", *options)
                self.assertNotIn(stream, seen)
                seen.add(stream)
                self.report("info", "x.paco", "--check")
        alone = self.comes_back(name, "b.png", "--threads", "1")
        self.assertEqual(alone, self.comes_back(name, "b.png", "--threads", "7"))

    def test_tables_from_a_file(self):
        name = self.picture("a.png", "--size", "120x90")
        with open("tables", "wb") as file:
            file.write(bytes(150 + i % 50 for i in range(4 * 6144)))
        self.comes_back(name, "b.png", "--tables", "tables", "--verify")
        self.assertEqual(self.report("info", "x.paco")["tables"], "inline")
        for size in (0, 4 * 6144 - 1, 4 * 6144 + 1):
            with open("tables", "wb") as file:
                file.write(bytes(size))
            self.fails(1, "24576 bytes", "encode", name, "never.paco", "--tables", "tables")
        self.fails(1, "no-such", "encode", name, "never.paco", "--tables", "no-such")

    def test_alpha_keeps_its_meaning(self):
        for components, color_type in ((2, 4), (4, 6)):
            name = self.picture("a.png", "--size", "20x20", "--components", str(components))
            self.comes_back(name, "b.png")
            with open("b.png", "rb") as file:
                self.assertEqual(file.read()[25], color_type)
            self.comes_back(name, "b.pam")
            with open("b.pam", "rb") as file:
                self.assertIn(b"_ALPHA", file.read(100))

    def test_pipes(self):
        name = self.picture("a.ppm", "--size", "130x70")
        with open(name, "rb") as file:
            original = file.read()
        through_file = self.comes_back(name, "b.ppm")
        encoded = self.succeeds("encode", "-", "-", "--json", data=original)
        self.assertEqual(encoded.stdout, through_file)
        self.assertEqual(json.loads(encoded.stderr)["stream_bytes"], len(through_file))
        decoded = self.succeeds("decode", "-", "-", "--json", data=encoded.stdout)
        self.assertEqual(decoded.stdout, original)
        self.assertEqual(json.loads(decoded.stderr)["device"].split(",")[0], "host")
        png = self.succeeds("decode", "-", "-", "--format", "png", "-q", data=encoded.stdout)
        self.assertEqual(png.stdout[:4], b"\x89PNG")
        self.assertTrue(json.loads(self.succeeds("compare", "-", name, "--json", data=png.stdout).stdout)["equal"])
        self.assertEqual(json.loads(self.succeeds("info", "-", "--json", data=encoded.stdout).stdout)["width"], 130)

    def test_tiles_give_the_same_pixels(self):
        for depth, components in ((8, 3), (16, 1)):
            name = self.picture("a.png", "--size", "333x200", "--depth", str(depth), "--components", str(components))
            self.comes_back(name, "whole.ppm" if components == 3 else "whole.pgm")
            for tile in ("64x64", "333x50", "1000x1000", "7x200"):
                stream = self.comes_back(name, "tiled.pam", "--tile", tile)
                width, height = map(int, tile.split("x"))
                tiles = [s for s in segments(stream) if s[0] == "TILE"]
                self.assertEqual(len(tiles), -(-333 // width) * -(-200 // height))
                self.assertTrue(self.report("compare", "tiled.pam", name)["equal"])

    def test_replaces_an_existing_file(self):
        name = self.picture("a.png", "--size", "30x30")
        with open("out.paco", "wb") as file:
            file.write(bytes(100000))
        self.succeeds("encode", name, "out.paco")
        self.assertEqual(self.report("info", "out.paco")["stream_bytes"], os.path.getsize("out.paco"))

    def test_noise_grows_by_the_headers_only(self):
        with open("a.ppm", "wb") as file:
            file.write(b"P6 200 100 255\n" + noise(60000))
        stream = self.comes_back("a.ppm", "b.ppm", "--verify", "--crc")
        self.assertLess(len(stream), 60000 + 200)
        info = self.report("info", "x.paco", "--check")
        self.assertEqual((info["stored_tiles"], info["stored_bytes"], info["tables"]), (1, 60000, "none"))


class reports(paco_test):
    def test_encode_and_decode(self):
        name = self.picture("a.png", "--size", "200x100")
        e = self.report("encode", name, "b.paco", "--verify", "--tile", "64x64", "--levels", "3")
        self.assertEqual(e["raw_bytes"], 60000)
        self.assertEqual(e["stream_bytes"], os.path.getsize("b.paco"))
        self.assertAlmostEqual(e["ratio"], e["raw_bytes"] / e["stream_bytes"], places=6)
        self.assertAlmostEqual(e["bits_per_sample"], 8 * e["stream_bytes"] / 60000, places=6)
        self.assertTrue(e["verified"] and e["seconds"] > 0 and e["msamples_per_second"] > 0 and e["peak_bytes"] > 60000)
        self.assertEqual(e["settings"]["levels"], 3)
        self.assertEqual(e["settings"]["tiles"], 8)
        d = self.report("decode", "b.paco", "c.png")
        self.assertEqual((d["width"], d["height"], d["raw_bytes"]), (200, 100, 60000))
        self.assertEqual(d["stream_bytes"], e["stream_bytes"])
        self.assertTrue(d["lossless"])

    def test_info_adds_up(self):
        name = self.picture("a.png", "--size", "500x300")
        for options in ((), ("--tile", "128x128"), ("--block", "16", "--tables", "default", "--crc")):
            stream = self.comes_back(name, "b.png", *options)
            info = self.report("info", "x.paco", "--check")
            payload = sum(length for kind, _, length in segments(stream) if kind == "TILE")
            blocks = info["blocks"]
            self.assertEqual(payload, 32 * info["tiles"] + info["table_bytes"] + info["index_bytes"] + blocks["bytes"] +
                             info["stored_bytes"])
            for group in ("by_resolution", "by_component"):
                for key in ("bytes", "blocks", "empty_blocks", "raw_blocks"):
                    self.assertEqual(sum(part[key] for part in info[group]), blocks[key], (group, key))
            self.assertEqual(len(info["by_resolution"]), info["levels"] + 1)
            self.assertEqual(info["tiles_with_crc"], info["tiles"] if "--crc" in options else 0)
            text = self.succeeds("info", "x.paco").stdout.decode()
            self.assertIn("500x300", text)

    def test_compare(self):
        body = bytearray(noise(30 * 20 * 3))
        for name in ("a.ppm", "b.ppm"):
            with open(name, "wb") as file:
                file.write(b"P6 30 20 255\n" + body)
            body[(4 * 30 + 7) * 3 + 1] ^= 0x80
        equal = self.succeeds("compare", "a.ppm", "a.ppm")
        self.assertIn(b"equal", equal.stdout)
        different = run("compare", "a.ppm", "b.ppm", "--json")
        self.assertEqual(different.returncode, 1)
        result = json.loads(different.stdout)
        self.assertEqual((result["equal"], result["different_samples"], result["largest_error"]), (False, 1, 128))
        first = result["first_difference"]
        self.assertEqual((first["x"], first["y"], first["component"]), (7, 4, 1))
        self.assertGreater(result["psnr"], 20)
        self.assertIn(b"(7, 4) component 1", run("compare", "a.ppm", "b.ppm").stdout)
        self.picture("c.ppm", "--size", "31x20")
        self.assertEqual(run("compare", "a.ppm", "c.ppm").returncode, 1)
        self.assertFalse(json.loads(run("compare", "a.ppm", "c.ppm", "--json").stdout)["same_shape"])

    def test_help_and_version(self):
        for arguments in (("--help",), ("encode", "--help"), ("decode", "-h"), ("info", "-h"), ("compare", "--help")):
            done = subprocess.run([PACO, *arguments], capture_output=True, check=False, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertIn(b"Usage:", done.stdout)
        done = run("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout.decode(), r"^gpuimg-paco \d+\.\d+\.\d+\n$")

    def test_odd_names_in_json(self):
        name = 'a "\\\n\u00e9.png'
        self.picture(name, "--size", "10x10")
        self.assertEqual(self.report("encode", name, "b.paco")["input"], name)


class processes(paco_test):
    def test_signals_leave_no_partial_file(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            child = subprocess.Popen([PACO, "encode", "-", "never.paco", "--device", "host"], stdin=subprocess.PIPE)
            child.stdin.write(b"P5 1000 1000 255\n" + bytes(200000))
            child.stdin.flush()
            deadline = time.monotonic() + 60
            while not any(".partial-" in f for f in os.listdir()) and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertTrue(any(".partial-" in f for f in os.listdir()))
            child.send_signal(number)
            child.wait(timeout=60)
            child.stdin.close()
            self.assertEqual(child.returncode, -number)
            self.assertEqual(os.listdir(), [])

    @unittest.skipIf(SANITIZED, "sanitizers take their own memory")
    def test_tiles_bound_the_memory(self):
        """A picture of 144 MB under 200 MB of address space, from pipe to pipe."""
        limit = 200 << 20

        def limited(command, **more):
            return subprocess.Popen([str(c) for c in command], **more,
                                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

        size = ["--size", "6000x8000", "--format", "ppm", "-"]
        source = subprocess.Popen([PICTURE, *size], stdout=subprocess.PIPE)
        encoder = limited([PACO, "encode", "-", "big.paco", "--tile", "1000x1000", "--device", "host", "--threads", 1,
                           "--json"], stdin=source.stdout, stdout=subprocess.PIPE)
        source.stdout.close()
        report = json.loads(encoder.communicate(timeout=400)[0])
        self.assertEqual((source.wait(), encoder.returncode), (0, 0))
        self.assertEqual(report["raw_bytes"], 144000000)
        self.assertLess(report["peak_bytes"], limit // 2)
        decoder = limited([PACO, "decode", "big.paco", "-", "--device", "host", "--threads", 1, "-q"],
                          stdout=subprocess.PIPE)
        source = subprocess.Popen([PICTURE, *size], stdout=subprocess.PIPE)
        while True:
            expected = source.stdout.read(1 << 20)
            if expected != decoder.stdout.read(1 << 20):
                self.fail("the decoded picture differs")
            if not expected:
                break
        for child in (source, decoder):
            child.stdout.close()
            self.assertEqual(child.wait(timeout=60), 0)

    @unittest.skipIf(SANITIZED, "sanitizers take their own memory")
    def test_one_tile_takes_less_than_four_pictures(self):
        for depth in ("8", "16"):
            name = self.picture("a.pam", "--size", "3000x2000", "--depth", depth)
            report = self.report("encode", name, "b.paco")
            self.assertLess(report["peak_bytes"] - (10 << 20), 4 * report["raw_bytes"])


if __name__ == "__main__":
    main()
