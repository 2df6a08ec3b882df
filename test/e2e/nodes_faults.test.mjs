// A short run of the gate of several nodes (test/gates/cluster.mjs): two nodes, one fault of each kind (S95), no bus.
import { installed } from './lib/postgres.mjs';

if (installed) {
  const short = { SEED: 1, NODES: 2, AGENTS: 6, STOP: 3000, BUS: 0, KINDS: 'kill,part,failover,standby,stop,delay,drain,oneway,store,reset,cut,twice' };
  for (const [name, value] of Object.entries(short)) process.env[`AGON_CLUSTER_${name}`] ??= String(value);
  await import('../gates/cluster.mjs');
}
