/** What is run: the protocols, and how hard each is tortured. */
import { availableParallelism, cpus } from 'node:os';
import * as algorithms from '@conclave/algorithms';
import { media } from './media.mjs';

/** `kill`: it tolerates that a process is killed and comes back; `share` of the entries. */
const protocols = {
  leased: { name: 'leasedMajority', kill: true, reliable: false, share: 0.9 },
  'ricart-agrawala': { name: 'ricartAgrawala', kill: false, reliable: true, share: 0.05 },
  'naimi-trehel': { name: 'naimiTrehel', options: {}, kill: false, reliable: true, share: 0.05 },
};

/** One round, of some faults. */
const shortFaults = ({ kill }) => [
  'stop-inside',
  'cut-reset',
  ...(kill ? ['kill-inside', 'broker', 'cut-silent'] : []),
];

export const protocolNames = Object.keys(protocols).filter(
  (name) => protocols[name].name in algorithms,
);
export const mediumNames = Object.keys(media);

/** The runs, in their order. */
export function plan({
  media: chosen,
  protocols: some,
  entries,
  seed,
  names,
  journals,
  short,
  minutes,
}) {
  const shares = some.reduce((sum, name) => sum + protocols[name].share, 0) * chosen.length;
  // with `calm`, a short run asks whether everyone enters, not how soon
  const { lease, ...scale } = short
    ? {
        lease: 200,
        nodes: ['a', 'b', 'c'],
        names: 4,
        journals: 1,
        think: 10,
        calm: 60_000,
        rounds: 1,
      }
    : {
        lease: 400,
        nodes: ['a', 'b', 'c', 'd', 'e'],
        names,
        journals,
        think: 1,
        calm: 15_000,
        rounds: Number.POSITIVE_INFINITY,
      };
  return chosen.flatMap((medium) =>
    some.map((key) => {
      const { share, ...protocol } = protocols[key];
      return {
        medium,
        protocol: {
          ...protocol,
          key,
          lease,
          ...(protocol.kill && { options: { lease, drift: 0.01 } }),
        },
        entries: Math.ceil((entries * share) / shares),
        seed,
        ...scale,
        conditions: { loss: 0.2, duplication: 0.02, delay: 0.05 },
        most: (minutes * 60_000) / (chosen.length * some.length),
        faults: short ? shortFaults(protocol) : undefined,
      };
    }),
  );
}

export const machine = () => ({
  cores: availableParallelism(),
  cpu: cpus()[0]?.model ?? '',
  node: process.version,
  platform: process.platform,
});
