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
  const lease = short ? 200 : 400;
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
        nodes: ['a', 'b', 'c', ...(short ? [] : ['d', 'e'])],
        names: short ? 4 : names,
        journals: short ? 1 : journals,
        think: short ? 10 : 1,
        calm: short ? 60_000 : 15_000, // a test asks whether everyone enters, not how soon
        conditions: { loss: 0.2, duplication: 0.02, delay: 0.05 },
        most: (minutes * 60_000) / (chosen.length * some.length),
        rounds: short ? 1 : Number.POSITIVE_INFINITY,
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
