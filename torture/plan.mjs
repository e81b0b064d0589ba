/** What is run: the protocols, and how hard each is tortured. */
import { availableParallelism, cpus } from 'node:os';
import * as algorithms from '@conclave/algorithms';
import { media } from './media.mjs';

/** `kill`: it tolerates that a process is killed and comes back; `share` of the entries. */
const protocols = {
  leased: { name: 'leasedMajority', options: { lease: 400, drift: 0.01 }, lease: 400, kill: true, share: 0.9 },
  'ricart-agrawala': { name: 'ricartAgrawala', lease: 400, kill: false, share: 0.05 },
  raymond: { name: 'raymond', options: {}, lease: 400, kill: false, share: 0.05 },
};

export const protocolNames = Object.keys(protocols).filter((name) => protocols[name].name in algorithms);
export const mediumNames = Object.keys(media);

/** The runs, in their order. */
export function plan({ media: chosen, protocols: some, entries, seed, names, short, minutes }) {
  const shares = some.reduce((sum, name) => sum + protocols[name].share, 0) * chosen.length;
  return chosen.flatMap((medium) =>
    some.map((name) => ({
      medium,
      protocol: { ...protocols[name], key: name },
      entries: Math.ceil((entries * protocols[name].share) / shares),
      seed,
      names,
      think: 1,
      calm: short ? 8_000 : 15_000,
      conditions: { loss: 0.2, duplication: 0.02, delay: 0.05 },
      most: (minutes * 60_000) / (chosen.length * some.length),
      rounds: short ? 1 : Number.POSITIVE_INFINITY,
    })),
  );
}

export const machine = () => ({ cores: availableParallelism(), cpu: cpus()[0]?.model ?? '', node: process.version, platform: process.platform });
