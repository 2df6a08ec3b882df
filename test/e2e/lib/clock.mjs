// The wall clock of one process, which a test moves while it runs (clock.c).
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratch } from './scratch.mjs';

let library;
function build() {
  const file = path.join(scratch('clock-'), 'clock.so');
  execFileSync(process.env.CC ?? 'cc', ['-shared', '-fPIC', '-O1', '-o', file, fileURLToPath(new URL('./clock.c', import.meta.url))]);
  return file;
}

export class Clock {
  constructor() {
    library ??= build();
    this.file = path.join(scratch('clock-'), 'offset');
    this.move(0);
  }
  // From the true time.
  move(ms) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(ms));
    writeFileSync(this.file, bytes, { flag: this.moved ? 'r+' : 'w' }); // the process has it mapped
    this.moved = true;
  }
  // What a shell's command line begins with.
  get words() {
    return `LD_PRELOAD='${library}' AGON_TEST_CLOCK='${this.file}'`;
  }
}
