/** Q2: fairness of A7. */
import { overtaking } from '@conclave/check/internal';
import { topology } from '@conclave/core/topology';
import {
  checked,
  command,
  entryOf,
  fixed,
  listed,
  names,
  number,
  page,
  table,
  violationOf,
} from '../evidence.mjs';
import { measured } from '../locks.mjs';
import { pathsByWalks } from '../trees.mjs';

const small = ['chain:2', 'chain:3', 'chain:4', 'star:4'];
const large = ['chain:15', 'star:15', 'tree:2:15', 'tree:4:15'];

const diameter = (network) => pathsByWalks(network).longest;

/** In exact time, where messages take one unit and a stay takes `stay` units. */
const exactTime = (stay) => ({ kind: 'exact', delay: [1, 1], stays: { critical: [stay, stay] } });

const overtakingOn = (spec, options) =>
  overtaking(entryOf('A7').make(), topology(spec), { order: 'fifo', ...options });

/** Of each entry: how often others, and one other, entered since its request. */
function passedBy(entries) {
  const sorted = entries.toSorted((a, b) => a.enteredAt - b.enteredAt);
  return sorted.map(({ node, requestedAt, enteredAt }, place) => {
    const counts = new Map();
    for (let at = place - 1; at >= 0 && sorted[at].enteredAt > requestedAt; at--)
      if (sorted[at].node !== node && sorted[at].enteredAt < enteredAt)
        counts.set(sorted[at].node, (counts.get(sorted[at].node) ?? 0) + 1);
    return {
      all: [...counts.values()].reduce((sum, count) => sum + count, 0),
      one: Math.max(0, ...counts.values()),
    };
  });
}

const entriesEach = 40;
/** In ms. */
const slowest = 20;
const delay = { kind: 'uniform', least: 1, most: slowest };

/** Under heavy load, where a message takes up to 20 ms and a stay `hold` ms. */
function simulated(spec, hold, seed) {
  const network = topology(spec);
  const { result, command } = measured(entryOf('A7'), {
    ...{ topology: network, n: network.nodes.length, load: 'heavy', seed, delay },
    ...{ entries: entriesEach, hold: { kind: 'fixed', ms: hold } },
  });
  const passed = passedBy(result.exclusion.entries);
  const mean = passed.reduce((sum, { all }) => sum + all, 0) / passed.length;
  const most = (key) => Math.max(...passed.map((one) => one[key]));
  return { mean, all: most('all'), one: most('one'), command };
}

export const q2 = {
  id: 'Q2',
  of: ['A7'],
  asks: 'Does the FIFO queue of a node guarantee fairness? How many others can be served between my request and my entry?',
  run: ({ quick, seed }) => {
    const specs = quick ? small.slice(0, 2) : small;
    const rows = specs.map((spec) => explorations(spec));
    const networks = quick ? large.slice(0, 2) : large;
    const runs = networks.map((spec) => {
      const longest = diameter(topology(spec));
      return {
        spec,
        longest,
        short: simulated(spec, 1, seed),
        long: simulated(spec, slowest * longest + 1, seed),
      };
    });
    const live = checked('A7', specs.at(-1), { commands: 2, order: 'any' });
    const starves = violationOf(live, names.entry) !== undefined;
    const once = rows.every(({ longer, n }) => longer.ofOne === 1 && longer.ofAll === n - 1);
    const twice = rows.every(({ equal }) => equal.ofOne > 1);
    return {
      answer: `${starves ? 'It does not even exclude starvation' : 'Nobody starves, but there is no bound'}: while a request, of mine or on my behalf, is on its way, others enter as often as they like. ${once ? 'Where a stay takes longer than a message across the tree, each other node enters at most once before me, n − 1 entries in all' : 'See the table for bounds in time'}.`,
      evidence: page(
        `Explored: how often one other node, and all others together, enter between a request and its entry at most. Untimed, a message takes any time: the numbers are those of the budget, k entries of each of n − 1 others. In exact time a message takes 1, a stay in the critical section s; D is the longest path.`,
        table(
          ['network', 'D', 'untimed, k = 1', 'k = 2', 'k = 3', 's = D', 's = D + 1'],
          rows.map(({ spec, longest, untimed, equal, longer }) => [
            `\`${spec}\``,
            longest,
            ...untimed.map(pair),
            pair(equal),
            pair(longer),
          ]),
        ),
        `Largest system: ${number(Math.max(...rows.flatMap(({ untimed, equal, longer }) => [...untimed, equal, longer]).map(({ states }) => states)))} states; in exact time two entries each, three on up to three nodes. ${twice ? 'With s = D one node enters twice: its second request is as fast as mine.' : ''}`,
        `Simulated on 15 nodes under heavy load, where a message takes 1 to ${slowest} ms, with stays of 1 ms, and with stays longer than ${slowest}·D ms: entries of others between request and entry, on average, at most, and at most of one node.`,
        table(
          [
            'network',
            'D',
            'short stays: mean',
            'most',
            'of one',
            'long stays: mean',
            'most',
            'of one',
          ],
          runs.map(({ spec, longest, short, long }) => [
            `\`${spec}\``,
            longest,
            ...[short, long].flatMap(({ mean, all, one }) => [fixed(mean, 2), all, one]),
          ]),
        ),
        command(live.command, runs.at(-1).short.command, runs.at(-1).long.command),
        fairnessText(runs),
      ),
      changes:
        'With `greedy` a node enters before its turn, so often in a row at most. A single queue, as that of A1, serves all requests in the order in which they arrive; one that is on its way can be passed there, too.',
    };
  },
};

function explorations(spec) {
  const network = topology(spec);
  const n = network.nodes.length;
  const longest = diameter(network);
  const commands = n > 3 ? 2 : 3;
  const [equal, longer] = [longest, longest + 1].map((stay) =>
    overtakingOn(spec, { commands, time: exactTime(stay) }),
  );
  const untimed = [1, 2, 3].map((each) => overtakingOn(spec, { commands: each }));
  return { spec, n, longest, untimed, equal, longer };
}

const pair = ({ ofOne, ofAll }) => `${ofOne}, ${ofAll}`;

function fairnessText(runs) {
  const more = runs.filter(({ short }) => short.one > 1).map(({ spec }) => `\`${spec}\``);
  return more.length === 0
    ? 'In these runs no node passes another twice.'
    : `With short stays some node enters more than once while another waits on ${listed(more)}: the token finds it nearby while the other’s request still travels.`;
}
