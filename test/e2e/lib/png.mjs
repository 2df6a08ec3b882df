// PNG as far as the examples write it: eight bits a channel, not interlaced.
import assert from "node:assert/strict";
import zlib from "node:zlib";

function paeth(a, b, c) {
    const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

const filters = [() => 0, (a) => a, (a, b) => b, (a, b) => (a + b) >> 1, paeth];

function unfilter(raw, row, height, channels) {
    const out = Buffer.alloc(row * height);
    for (let y = 0; y < height; y++) {
        const filter = filters[raw[y * (row + 1)]];
        for (let x = 0; x < row; x++) {
            const at = y * row + x;
            const a = x >= channels ? out[at - channels] : 0, b = y ? out[at - row] : 0;
            const c = x >= channels && y ? out[at - row - channels] : 0;
            out[at] = raw[y * (row + 1) + 1 + x] + filter(a, b, c);
        }
    }
    return out;
}

// {width, height, channels, pixels}
export function decode(file) {
    assert.equal(file.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n");
    const data = [];
    let head;
    for (let at = 8; at < file.length; ) {
        const size = file.readUInt32BE(at), kind = file.toString("latin1", at + 4, at + 8);
        const body = file.subarray(at + 8, at + 8 + size);
        if (zlib.crc32) assert.equal(zlib.crc32(file.subarray(at + 4, at + 8 + size)), file.readUInt32BE(at + 8 + size));
        if (kind === "IHDR") head = body;
        if (kind === "IDAT") data.push(body);
        at += size + 12;
    }
    const width = head.readUInt32BE(0), height = head.readUInt32BE(4);
    const channels = { 0: 1, 2: 3, 6: 4 }[head[9]];
    assert.deepEqual([head[8], head[12]], [8, 0]);
    return { width, height, channels, pixels: unfilter(zlib.inflateSync(Buffer.concat(data)), width * channels, height, channels) };
}
