// Folders of a test: gone when its process ends, whatever became of it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const folders = [];
process.on('exit', () => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })));

export function scratch(name) {
  folders.push(mkdtempSync(path.join(tmpdir(), name)));
  return folders.at(-1);
}
