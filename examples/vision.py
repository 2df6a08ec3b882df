#!/usr/bin/env python3
"""Saves the newest picture of a vision stream as PNG.

    vision.py NAME FILE.png

NAME is the shm_name that configure_streams answered. Nothing but Python's own library is needed: the stream is a file
below /dev/shm (or where --vision-dir says), and docs/protocols/game-rl.md tells what lies in it.
"""
import mmap
import struct
import sys
import zlib
from array import array

HEADER = 4096
FORMATS = {0: ("rgba8", 4), 1: ("bgra8", 4), 2: ("rgb8", 3), 3: ("r32f", 4), 4: ("rg32f", 8)}


class Stream:
    """A stream that is open for reading. What lies there was written by somebody else: everything is checked."""

    def __init__(self, name):
        path = "/dev/shm" + name if name.count("/") == 1 else name
        with open(path, "rb") as file:
            self.map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, version, header = struct.unpack_from("<8sII", self.map, 0)
        self.width, self.height, self.stride, kind = struct.unpack_from("<IIII", self.map, 0x10)
        self.slots, pixel, self.slot_stride, self.size, total = struct.unpack_from("<IIQQQ", self.map, 0x20)
        if (
            (magic, version, header) != (b"GRLVIS1\0", 1, HEADER)
            or FORMATS.get(kind, ("", 0))[1] != pixel
            or not (1 <= self.width <= 4096 and 1 <= self.height <= 4096 and 1 <= self.slots <= 64)
            or self.stride != self.width * pixel
            or self.size != self.stride * self.height
            or self.slot_stride != -(-(64 + self.size) // 4096) * 4096
            or total != HEADER + self.slots * self.slot_stride
            or total > len(self.map)
        ):
            raise ValueError(f"{name} is no vision stream, or it is damaged")
        self.format = FORMATS[kind][0]
        self.id = self.map[0x100:0x140].split(b"\0")[0].decode()

    def latest(self):
        """(frame id, tick, pixels), or None when nothing has been drawn yet."""
        for _ in range(16):
            (state,) = struct.unpack_from("<I", self.map, 0xC4)
            if state != 1:
                raise ValueError("the stream is closed")
            (latest,) = struct.unpack_from("<Q", self.map, 0x80)
            if latest == 0:
                return None
            at = HEADER + (latest - 1) % self.slots * self.slot_stride
            seq, frame, tick, _, _, valid, crc = struct.unpack_from("<QQQQQII", self.map, at)
            pixels = self.map[at + 64 : at + 64 + self.size]
            (again,) = struct.unpack_from("<Q", self.map, at)
            if seq % 2 or again != seq or frame != latest - 1:
                continue  # the writer was faster
            if valid != self.size or (crc and zlib.crc32(pixels) != crc):
                raise ValueError("the frame is damaged")
            return frame, tick, pixels
        raise ValueError("the writer is too fast")


def shades(pixels, step):
    """Floats as bytes between the least and the greatest; of two floats the sizes of both count."""
    values = array("f", pixels)
    low, high = min(values), max(values)
    most = (high - low) * step or 1
    return bytes(int(sum(v - low for v in values[i : i + step]) / most * 255) for i in range(0, len(values), step))


def png(width, height, channels, pixels):
    colour = {1: 0, 3: 2, 4: 6}[channels]
    row = width * channels
    lines = b"".join(b"\0" + pixels[y * row : (y + 1) * row] for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    stream = Stream(sys.argv[1])
    found = stream.latest()
    if found is None:
        sys.exit("nothing has been drawn yet")
    frame, tick, pixels = found
    if stream.format == "bgra8":
        pixels = bytes(pixels[i - i % 4 + (2, 1, 0, 3)[i % 4]] for i in range(len(pixels)))
    channels = {"rgb8": 3, "rgba8": 4, "bgra8": 4}.get(stream.format, 1)
    if channels == 1:
        pixels = shades(pixels, 2 if stream.format == "rg32f" else 1)
    with open(sys.argv[2], "wb") as file:
        file.write(png(stream.width, stream.height, channels, pixels))
    print(f"{stream.id}: frame {frame}, tick {tick}, {stream.width} x {stream.height}")


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"vision.py: {error}")
