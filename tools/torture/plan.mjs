/** What is run: the protocols, and how hard each is tortured. */
import { availableParallelism, cpus } from 'node:os';
import * as algorithms from '@conclave/algorithms';
import { media } from './media.mjs';

/** The servers that keep rows. */
export const mediaOfRows = Object.keys(media).filter((name) => media[name].store);

const leases = { name: 'leasedMajority', kill: true, reliable: false };

/**
 * `kill`: it tolerates that a process is killed and comes back; `share` of the entries; `options`
 * beside those of each lease; `scale`: where the run differs from the others; `row`: it has a lease in
 * one row of a server; `watch`: the node lives in a worker thread, with a limit of so many leases;
 * `servers`: who votes, and the others are clients; `slower`: how much longer the lease is.
 */
const five = ['a', 'b', 'c', 'd', 'e'];
const three = five.slice(0, 3);
const protocols = {
  row: {
    ...{ name: 'leaseInOneRow', kill: true, reliable: false, share: 0.15, row: true },
    scale: { names: 8, journals: 0, jobs: 0 }, // each tick is of the wall clock, which jumps
    media: mediaOfRows,
  },
  leased: { ...leases, share: 0.5 },
  kept: { ...leases, options: { keep: 60_000 }, share: 0.25 },
  watched: {
    ...{ ...leases, share: 0.05, watch: { leases: 5 }, slower: 2.5 },
    scale: { names: 1, journals: 1, jobs: 0 },
    media: ['nats', 'redis', 'websocket', 'tcp'], // an IPC channel belongs to the main thread
  },
  clients: {
    ...{ ...leases, share: 0.05, options: { servers: 3, cancel: true }, servers: three },
    scale: { nodes: five, names: 1, journals: 0, jobs: 0 },
    media: ['nats', 'tcp'], // the others admit no clients
  },
  voters: {
    ...{ ...leases, share: 0.05, options: { voters: three, cancel: true } },
    scale: { nodes: five, names: 4, jobs: 0 },
  },
  'ricart-agrawala': { name: 'ricartAgrawala', kill: false, reliable: true, share: 0.05 },
  'naimi-trehel': { name: 'naimiTrehel', options: {}, kill: false, reliable: true, share: 0.05 },
};

const noMessages = { loss: 0, duplication: 0, delay: 0 };

/** One round, of some faults. */
const shortFaults = ({ kill }) => [
  ...['stop-inside', 'cut-reset'],
  ...(kill ? ['kill-inside', 'kill-ticking', 'spin-short', 'broker', 'cut-silent'] : []),
  ...['kill-changing', 'kill-client', 'kill-server', 'leave-client', 'clock-ahead', 'clock-behind'],
];

/** By how it elects. */
export const electionOptions = {
  lease: { lease: 800 },
  bully: {
    bully: { timeout: 250, electAtStart: true },
    heartbeat: { period: 100, timeout: 600 },
  },
};

/** Clients of an election, which are no lock: election-run.mjs. */
export const followers = 'followers';

const lockNames = Object.keys(protocols).filter((name) => protocols[name].name in algorithms);
export const protocolNames = [...lockNames, followers];
export const mediumNames = Object.keys(media);

/** The runs, in their order. */
export function plan({
  media: chosen,
  protocols: chosenNames,
  entries,
  seed,
  names,
  journals,
  short,
  minutes,
}) {
  const some = chosenNames.filter((name) => name !== followers);
  const runsOn = (medium) =>
    some.filter((key) => protocols[key].media?.includes(medium) ?? !media[medium].store);
  const runs = chosen.flatMap((medium) => runsOn(medium).map((key) => [medium, key]));
  const shares = runs.reduce((sum, [, key]) => sum + protocols[key].share, 0);
  // with `calm`, a short run asks whether everyone enters, not how soon
  const { lease: usual, ...scale } = short
    ? {
        lease: 200,
        nodes: three,
        names: 4,
        jobs: 1,
        journals: 1,
        think: 10,
        calm: 60_000,
        rounds: 1,
      }
    : {
        lease: 400,
        nodes: five,
        names,
        jobs: 2,
        journals,
        think: 1,
        calm: 15_000,
        rounds: Number.POSITIVE_INFINITY,
      };
  return runs.map(([medium, key]) => {
    const { share, media: _, scale: its, watch, slower = 1, ...protocol } = protocols[key];
    const lease = usual * slower;
    return {
      medium,
      protocol: {
        ...protocol,
        ...{ key, lease },
        ...(protocol.kill && { options: { lease, drift: 0.01, ...protocol.options } }),
        ...(watch && { watch: { stall: watch.leases * lease } }),
      },
      entries: Math.ceil((entries * share) / shares),
      seed,
      ...{ ...scale, ...(!protocol.kill && { jobs: 0 }), ...its },
      conditions: media[medium].store ? noMessages : { loss: 0.2, duplication: 0.02, delay: 0.05 },
      most: (minutes * 60_000) / runs.length,
      faults: short ? shortFaults(protocol) : undefined,
    };
  });
}

export const machine = () => ({
  cores: availableParallelism(),
  cpu: cpus()[0]?.model ?? '',
  node: process.version,
  platform: process.platform,
});
