"""Pictures for the rate measurements: reading, cropping, writing. Python standard library only.

A picture is interleaved samples, big-endian when they have more than 8 bits: exactly what a binary PGM, PPM or PAM
holds, so that writing is free and two pictures are equal when their bytes are.
"""

import hashlib
import re
import shutil
import struct
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Picture:
    name: str
    width: int
    height: int
    channels: int
    depth: int  # bits of a sample, 1 to 16
    samples: bytes

    @property
    def count(self) -> int:
        return self.width * self.height * self.channels

    @property
    def sample_bytes(self) -> int:
        return 2 if self.depth > 8 else 1

    @property
    def shape(self) -> str:
        return f"{self.width}x{self.height}x{self.channels}, {self.depth} bit"

    def digest(self) -> str:
        head = f"{self.width} {self.height} {self.channels} {self.depth} ".encode()
        return hashlib.sha256(head + self.samples).hexdigest()

    def crop(self, x: int, y: int, width: int, height: int) -> "Picture":
        if x < 0 or y < 0 or x + width > self.width or y + height > self.height:
            raise ValueError(f"{self.name}: crop {width}x{height}+{x}+{y} leaves {self.width}x{self.height}")
        pixel = self.channels * self.sample_bytes
        rows = []
        for row in range(y, y + height):
            begin = (row * self.width + x) * pixel
            rows.append(self.samples[begin : begin + width * pixel])
        name = f"{self.name}_{width}x{height}+{x}+{y}"
        return Picture(name, width, height, self.channels, self.depth, b"".join(rows))

    def same_samples(self, other: "Picture") -> bool:
        """Depth is left out: a program may declare fewer or more bits and still give every value back."""
        mine = (self.width, self.height, self.channels, self.sample_bytes)
        theirs = (other.width, other.height, other.channels, other.sample_bytes)
        return mine == theirs and self.samples == other.samples


# --- PGM, PPM, PAM, TIFF, PNG: writing ---------------------------------------------------------------------------------


def write_pnm(picture: Picture, path: Path) -> None:
    """PGM or PPM; PAM when there is an alpha channel."""
    maximum = (1 << picture.depth) - 1
    if picture.channels in (1, 3):
        kind = "P5" if picture.channels == 1 else "P6"
        head = f"{kind}\n{picture.width} {picture.height}\n{maximum}\n"
    else:
        kind = "GRAYSCALE_ALPHA" if picture.channels == 2 else "RGB_ALPHA"
        head = (
            f"P7\nWIDTH {picture.width}\nHEIGHT {picture.height}\nDEPTH {picture.channels}\n"
            f"MAXVAL {maximum}\nTUPLTYPE {kind}\nENDHDR\n"
        )
    path.write_bytes(head.encode() + picture.samples)


def write_tiff(picture: Picture, path: Path) -> None:
    """One uncompressed strip, big-endian; the only way to give OpenJPH four channels."""
    short, long = 3, 4
    channels, size = picture.channels, len(picture.samples)
    padding = size & 1
    directory_at = 8 + size + padding
    alpha = channels in (2, 4)
    entry_count = 10 + alpha
    depths_at = directory_at + 2 + 12 * entry_count + 4
    bits = 8 * picture.sample_bytes

    def entry(tag: int, kind: int, value: int, count: int = 1) -> bytes:
        inline = struct.pack(">HH", value, 0) if kind == short and count == 1 else struct.pack(">I", value)
        return struct.pack(">HHI", tag, kind, count) + inline

    two_depths = struct.unpack(">I", struct.pack(">HH", bits, bits))[0]  # two shorts fit into the entry itself
    depths = entry(258, short, bits if channels == 1 else two_depths if channels == 2 else depths_at, channels)
    entries = [
        entry(256, long, picture.width),
        entry(257, long, picture.height),
        depths,
        entry(259, short, 1),
        entry(262, short, 2 if channels >= 3 else 1),
        entry(273, long, 8),
        entry(277, short, channels),
        entry(278, long, picture.height),
        entry(279, long, size),
        entry(284, short, 1),
    ]
    if alpha:
        entries.append(entry(338, short, 2))
    directory = struct.pack(">H", entry_count) + b"".join(entries) + bytes(4)
    tail = struct.pack(f">{channels}H", *[bits] * channels)
    path.write_bytes(b"MM\0*" + struct.pack(">I", directory_at) + picture.samples + bytes(padding) + directory + tail)


def write_png(picture: Picture, path: Path) -> None:
    """Rows unfiltered: the file is only a carrier. Depths that PNG lacks travel in the next 8 or 16 bits."""
    row_bytes = picture.width * picture.channels * picture.sample_bytes
    rows = [
        b"\0" + picture.samples[begin : begin + row_bytes]
        for begin in range(0, row_bytes * picture.height, row_bytes)
    ]
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[picture.channels]
    header = struct.pack(">IIBBBBB", picture.width, picture.height, 8 * picture.sample_bytes, colour, 0, 0, 0)

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    parts = [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(b"".join(rows), 1)), chunk(b"IEND", b"")]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))


# --- reading ----------------------------------------------------------------------------------------------------------


def parse_pnm(data: bytes, name: str) -> Picture:
    """Binary PGM, PPM and PAM, comments allowed (OpenJPEG writes one)."""
    if data[:2] == b"P7":
        end = data.index(b"ENDHDR\n") + 7
        fields = {}
        for line in data[2:end].decode("latin-1").splitlines():
            words = line.split()
            if len(words) == 2 and not line.startswith("#"):
                fields[words[0]] = words[1]
        width, height, channels, maximum = (int(fields[key]) for key in ("WIDTH", "HEIGHT", "DEPTH", "MAXVAL"))
    elif data[:2] in (b"P5", b"P6"):
        gap = rb"(?:\s+(?:#[^\n]*\n)?)+"
        match = re.match(rb"P[56]" + gap + rb"(\d+)" + gap + rb"(\d+)" + gap + rb"(\d+)\s", data)
        if not match:
            raise ValueError(f"{name}: bad header of a PGM or PPM")
        width, height, maximum = (int(text) for text in match.groups())
        channels, end = (1 if data[:2] == b"P5" else 3), match.end()
    else:
        raise ValueError(f"{name}: neither PGM, PPM nor PAM (starts with {data[:4]!r})")
    picture = Picture(name, width, height, channels, maximum.bit_length(), data[end:])
    if len(picture.samples) != picture.count * picture.sample_bytes:
        raise ValueError(f"{name}: {len(picture.samples)} bytes of samples, {picture.count} samples expected")
    return picture


def parse_tiff(data: bytes, name: str) -> Picture:
    """Just what OpenJPH writes: contiguous uncompressed strips, one depth for all channels, either byte order."""
    order = {b"II": "<", b"MM": ">"}[data[:2]]
    at = struct.unpack_from(order + "I", data, 4)[0]
    tags: dict[int, list[int]] = {}
    for index in range(struct.unpack_from(order + "H", data, at)[0]):
        begin = at + 2 + 12 * index
        tag, kind, count = struct.unpack_from(order + "HHI", data, begin)
        code, size = {3: ("H", 2), 4: ("I", 4)}.get(kind, ("B", 1))
        place = begin + 8 if size * count <= 4 else struct.unpack_from(order + "I", data, begin + 8)[0]
        tags[tag] = list(struct.unpack_from(f"{order}{count}{code}", data, place))
    if tags.get(259, [1]) != [1]:
        raise ValueError(f"{name}: compressed TIFF")
    samples = b"".join(data[begin : begin + size] for begin, size in zip(tags[273], tags[279]))
    depth = tags[258][0]
    if depth > 8 and order == "<":
        samples = _swap_pairs(samples)
    return Picture(name, tags[256][0], tags[257][0], tags.get(277, [1])[0], depth, samples)


def _swap_pairs(data: bytes) -> bytes:
    swapped = bytearray(len(data))
    swapped[0::2], swapped[1::2] = data[1::2], data[0::2]
    return bytes(swapped)


def read_png(path: Path) -> Picture:
    """Through netpbm's pngtopam where it is installed (fast), else through zlib (slow, not interlaced)."""
    data = path.read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError(f"{path}: not a PNG file")
    colour, interlaced = data[25], data[28]
    if shutil.which("pngtopam") and colour != 3:
        flags = ["-alphapam"] if colour in (4, 6) else []
        run = subprocess.run(["pngtopam", *flags, str(path)], capture_output=True, check=True)
        if run.stdout[:2] != b"P4":  # a two-level picture would arrive as packed, inverted bits
            return parse_pnm(run.stdout, path.stem)
    if interlaced or colour == 3:
        raise ValueError(f"{path}: interlaced or palette PNG, out of scope here")
    return _decode_png(data, path.stem)


def read_any(path: Path) -> Picture:
    """A decoder's output, whatever the file is called."""
    data = path.read_bytes()
    if data[:4] == b"\x89PNG":
        return read_png(path)
    if data[:4] in (b"II*\0", b"MM\0*"):
        return parse_tiff(data, path.name)
    return parse_pnm(data, path.name)


def _decode_png(data: bytes, name: str) -> Picture:
    width, height, depth, colour = struct.unpack(">IIBB", data[16:26])
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    packed, at = [], 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IDAT":
            packed.append(data[at + 8 : at + 8 + size])
        at += 12 + size
    raw = zlib.decompress(b"".join(packed))
    row_bytes = (width * channels * depth + 7) // 8
    step = max(1, channels * depth // 8)
    previous = bytearray(row_bytes)
    rows = []
    for row in range(height):
        begin = row * (row_bytes + 1)
        previous = _unfilter(raw[begin], bytearray(raw[begin + 1 : begin + 1 + row_bytes]), previous, step)
        rows.append(bytes(previous) if depth >= 8 else _unpack_bits(previous, depth, width * channels))
    return Picture(name, width, height, channels, depth, b"".join(rows))


def _unfilter(kind: int, line: bytearray, above: bytearray, step: int) -> bytearray:
    """PNG specification, section 9."""
    for index in range(len(line) if kind else 0):
        left = line[index - step] if index >= step else 0
        up = above[index]
        corner = above[index - step] if index >= step else 0
        if kind == 1:
            guess = left
        elif kind == 2:
            guess = up
        elif kind == 3:
            guess = (left + up) // 2
        else:
            base = left + up - corner
            to_left, to_up, to_corner = abs(base - left), abs(base - up), abs(base - corner)
            guess = left if to_left <= to_up and to_left <= to_corner else up if to_up <= to_corner else corner
        line[index] = (line[index] + guess) & 255
    return line


def _unpack_bits(line: bytearray, depth: int, count: int) -> bytes:
    each, mask = 8 // depth, (1 << depth) - 1
    table = [bytes((byte >> (8 - depth * (i + 1))) & mask for i in range(each)) for byte in range(256)]
    return b"".join(table[byte] for byte in line)[:count]


# --- the sets ---------------------------------------------------------------------------------------------------------

SET_NAMES = ["kodak", "large", "photo", "gray", "depth16", "screen", "small"]

# Crops with flat, busy and mixed content; small pictures show what headers and tables cost.
_SMALL = ["kodak/kodim03", "kodak/kodim05", "kodak/kodim23", "gray/camera"]
_SMALL_SIZE = 128


def load_set(images: Path, name: str):
    """Yields the pictures of a set, one at a time: a large one needs 25 MB."""
    if name == "small":
        for stem in _SMALL:
            path = images / f"{stem}.png"
            if path.exists():
                whole = read_png(path)
                x, y = (whole.width - _SMALL_SIZE) // 2, (whole.height - _SMALL_SIZE) // 2
                yield whole.crop(x, y, _SMALL_SIZE, _SMALL_SIZE)
        return
    for path in sorted((images / name).glob("*.png")):
        yield read_png(path)
