// Processes of a file of tests: gone when its tests are over, whatever became of them.
import { spawn as start } from 'node:child_process';
import { after } from 'node:test';

const running = new Set();
const end = () => running.forEach((child) => child.kill('SIGKILL'));

export function spawn(...words) {
  const child = start(...words);
  running.add(child.on('exit', () => running.delete(child)));
  return child;
}

process.on('exit', end);

// Behind the hooks of the file itself, in which servers are asked to end. Connections to them hold the process no longer.
setImmediate(() => after(end));

// When a hook fails the ones behind it are not called; and there may be other things that hold it. The hooks of the file come behind
// this one: several servers with sanitizers end in them, which takes minutes on a busy machine.
after(() => {
  const late = setTimeout(() => {
    console.error('the tests are over, and this process is held by', process.getActiveResourcesInfo());
    process.exit(1);
  }, 300000);
  late.unref();
});
