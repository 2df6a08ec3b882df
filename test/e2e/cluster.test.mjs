// The gate of several nodes (test/gates/cluster.mjs) in short: two nodes, one fault of each kind (S95).
import { installed } from './lib/postgres.mjs';

if (installed) {
  const short = { SEED: 1, NODES: 2, AGENTS: 8, STOP: 4000, KINDS: 'kill,part,failover,stop,delay,bus,drain,oneway,store,busless,reset,cut,twice' };
  for (const [name, value] of Object.entries(short)) process.env[`AGON_CLUSTER_${name}`] ??= String(value);
  await import('../gates/cluster.mjs');
}
