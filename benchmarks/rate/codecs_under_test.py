"""The programs whose lossless sizes are compared: OpenJPEG, OpenJPH and gpuimg-paco, all called as programs."""

import json
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from pictures import Picture, read_any, write_png, write_pnm, write_tiff

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Result:
    """What one program made of one picture. `size` is None where it failed; `note` says why, or what is odd."""

    size: int | None
    note: str = ""
    encode_seconds: float | None = None
    verified: bool | None = None  # None: not decoded


def run(command: list[str], timeout: float = 600) -> tuple[str, float]:
    """Returns what is wrong (empty when nothing) and the wall time in seconds."""
    begin = time.perf_counter()
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return f"no end after {timeout:g} s", timeout
    seconds = time.perf_counter() - begin
    if done.returncode == 0:
        return "", seconds
    lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
    return f"exit status {done.returncode}: {lines[-1].strip() if lines else 'no message'}", seconds


class Codec:
    """One column of the table. Subclasses give the two command lines and the carrier file formats."""

    name = ""
    program = ""
    flags: list[str] = []

    def available(self) -> bool:
        return bool(shutil.which(self.program))

    def version(self) -> str:
        raise NotImplementedError

    def write_input(self, picture: Picture, folder: Path) -> Path:
        raise NotImplementedError

    def encode_command(self, source: Path, stream: Path) -> list[str]:
        raise NotImplementedError

    def decode_command(self, stream: Path, target: Path) -> list[str]:
        raise NotImplementedError

    def stream_name(self) -> str:
        raise NotImplementedError

    def output_name(self, picture: Picture) -> str:
        return "back.pgm" if picture.channels == 1 else "back.ppm" if picture.channels == 3 else "back.pam"

    def measure(self, picture: Picture, verify: bool) -> Result:
        with tempfile.TemporaryDirectory(prefix="rate-") as name:
            folder = Path(name)
            source = self.write_input(picture, folder)
            stream = folder / self.stream_name()
            wrong, seconds = run(self.encode_command(source, stream))
            # OpenJPH's programs end with status 0 after an error, so the file decides.
            if wrong or not stream.exists() or stream.stat().st_size == 0:
                return Result(None, f"cannot encode ({wrong or 'no file'})", seconds)
            size = stream.stat().st_size
            if not verify:
                return Result(size, "", seconds)
            target = folder / self.output_name(picture)
            wrong, _ = run(self.decode_command(stream, target))
            if wrong or not target.exists():
                return Result(size, f"cannot decode ({wrong or 'no file'})", seconds, False)
            try:
                same = read_any(target).same_samples(picture)
            except ValueError as error:
                return Result(size, f"cannot read the decoded file ({error})", seconds, False)
            return Result(size, "" if same else "decoded picture differs", seconds, same)


def _comment_in_stream(codec: Codec, pattern: bytes) -> str:
    """The peers' programs print no version, but write it into each codestream."""
    small = Picture("small", 64, 64, 1, 8, bytes(range(64)) * 64)  # OpenJPEG refuses 5 levels below 32 x 32
    with tempfile.TemporaryDirectory(prefix="rate-") as name:
        source = codec.write_input(small, Path(name))
        stream = Path(name) / codec.stream_name()
        run(codec.encode_command(source, stream))
        match = re.search(pattern, stream.read_bytes()) if stream.exists() else None
    return match.group(1).decode() if match else "unknown"


class OpenJpeg(Codec):
    name, program = "OpenJPEG", "opj_compress"
    flags = ["-n", "6", "-b", "64,64"]  # 6 resolutions are 5 levels; reversible 5/3 and RCT are its defaults

    def version(self) -> str:
        return _comment_in_stream(self, rb"OpenJPEG version (\d+(?:\.\d+)*)")

    def write_input(self, picture: Picture, folder: Path) -> Path:
        ending = {1: "pgm", 3: "ppm"}.get(picture.channels, "pam")
        path = folder / f"in.{ending}"
        write_pnm(picture, path)
        return path

    def stream_name(self) -> str:
        return "stream.j2k"

    def output_name(self, picture: Picture) -> str:
        return "back.pnm" if picture.channels in (2, 4) else super().output_name(picture)  # no *.pam, PAM inside

    def encode_command(self, source: Path, stream: Path) -> list[str]:
        return [self.program, "-i", str(source), "-o", str(stream), *self.flags]

    def decode_command(self, stream: Path, target: Path) -> list[str]:
        return ["opj_decompress", "-i", str(stream), "-o", str(target)]


class OpenJph(Codec):
    name, program = "OpenJPH", "ojph_compress"
    flags = ["-num_decomps", "5", "-block_size", "{64,64}", "-reversible", "true"]

    def version(self) -> str:
        return _comment_in_stream(self, rb"OpenJPH Ver (\d+(?:\.\d+)*)")

    def write_input(self, picture: Picture, folder: Path) -> Path:
        if picture.channels in (1, 3):
            path = folder / ("in.pgm" if picture.channels == 1 else "in.ppm")
            write_pnm(picture, path)
        else:
            path = folder / "in.tif"
            write_tiff(picture, path)
        return path

    def stream_name(self) -> str:
        return "stream.j2c"

    def output_name(self, picture: Picture) -> str:
        return "back.tif" if picture.channels in (2, 4) else super().output_name(picture)

    def encode_command(self, source: Path, stream: Path) -> list[str]:
        # The ending tells grey from colour: a grey picture has no transform to ask for.
        colour = [] if source.suffix == ".pgm" else ["-colour_trans", "true"]
        return [self.program, "-i", str(source), "-o", str(stream), *self.flags, *colour]

    def decode_command(self, stream: Path, target: Path) -> list[str]:
        return ["ojph_expand", "-i", str(stream), "-o", str(target)]


class Paco(Codec):
    """Ours: the default command line, or a variant with more flags between `encode` and the file names."""

    def __init__(self, name: str, program: Path, flags: list[str], carrier: str):
        self.name, self.program, self.flags, self.carrier = name, str(program), flags, carrier

    def version(self) -> str:
        done = subprocess.run([self.program, "--version"], capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else "unknown"

    def write_input(self, picture: Picture, folder: Path) -> Path:
        path = folder / self.output_name(picture).replace("back", "in")
        write = write_png if self.carrier == "png" else write_pnm
        write(picture, path)
        return path

    def stream_name(self) -> str:
        return "stream.paco"

    def output_name(self, picture: Picture) -> str:
        return "back.png" if self.carrier == "png" else super().output_name(picture)

    def encode_command(self, source: Path, stream: Path) -> list[str]:
        return [self.program, "encode", *self.flags, str(source), str(stream)]

    def decode_command(self, stream: Path, target: Path) -> list[str]:
        return [self.program, "decode", str(stream), str(target)]


def find_paco() -> Path | None:
    """The newest gpuimg-paco below build*/ of the repository, else the one on PATH."""
    found = [path for path in REPOSITORY.glob("build*/**/gpuimg-paco") if path.is_file()]
    if found:
        return max(found, key=lambda path: path.stat().st_mtime)
    on_path = shutil.which("gpuimg-paco")
    return Path(on_path) if on_path else None


def paco_columns(program: Path, variants: list[str], carrier: str) -> list[Paco]:
    columns = [Paco("gpuimg-paco", program, [], carrier)]
    for text in variants:
        name, colon, flags = text.partition(":")
        if not colon or not name:
            raise ValueError(f'--variant {text!r}: expected name:"flags"')
        if name in (OpenJpeg.name, OpenJph.name) or any(name == column.name for column in columns):
            raise ValueError(f"--variant {text!r}: there is a column of that name")
        columns.append(Paco(name, program, shlex.split(flags), carrier))
    return columns


class PeerCache:
    """Sizes of the peers by program version, flags and samples. Ours is never cached: it is what changes."""

    def __init__(self, path: Path | None):
        self.path = path
        self.entries: dict[str, dict] = json.loads(path.read_text()) if path and path.exists() else {}

    def measure(self, codec: Codec, version: str, picture: Picture, verify: bool) -> Result:
        key = f"{codec.name} {version} {' '.join(codec.flags)} {picture.digest()}"
        known = self.entries.get(key)
        if known and (not verify or known["verified"] is not None):
            return Result(known["size"], known["note"], None, known["verified"])
        result = codec.measure(picture, verify)
        verified = False if result.size is None else result.verified
        self.entries[key] = {"size": result.size, "note": result.note, "verified": verified}
        return result

    def save(self) -> None:
        if self.path:
            self.path.write_text(json.dumps(self.entries, indent=0, sort_keys=True) + "\n")
