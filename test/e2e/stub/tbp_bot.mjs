// A bot of the Tetris Bot Protocol with one fault: `crash` ends at the first question, `illegal` suggests what no piece can do,
// `refuse` does not play with these rules, `noise` sends what is no message.
import { createInterface } from 'node:readline';

const mode = process.argv[2];
const send = (m) => process.stdout.write(`${typeof m === 'string' ? m : JSON.stringify(m)}\n`);

send({ type: 'info', name: 'stub', version: '1', author: 'tests', features: [] });
createInterface({ input: process.stdin }).on('line', (line) => {
  const m = JSON.parse(line);
  if (m.type === 'rules') send(mode === 'refuse' ? { type: 'error', reason: 'unsupported_rules' } : { type: 'ready' });
  if (m.type === 'quit') process.exit(0);
  if (m.type !== 'suggest') return;
  if (mode === 'crash') {
    process.stderr.write('the stub has had enough\n');
    process.exit(7);
  }
  if (mode === 'noise') send('no message');
  send({ type: 'suggestion', moves: [{ location: { type: 'T', orientation: 'north', x: 4, y: 30 }, spin: 'none' }] });
});
