/** Q10: A7 on a star beside the central manager A1. */
import { explore } from '@conclave/check';
import { topology } from '@conclave/core/topology';
import { command, entryOf, fixed, linked, number, page, table } from '../evidence.mjs';
import { measured } from '../locks.mjs';

const ids = ['A1', 'A7'];
const star = 'star:16';
const small = 'star:4';

/** The first node is the centre. Clients of A1 compete; in A7 its centre may, too. */
const [centre, leaf] = topology(small).nodes;

const isIdle = ({ tags }) => !tags.has('waiting') && !tags.has('critical');
/** Only in A7 the last user keeps the token; in A1 it has left all behind. */
const hasToken = { A1: () => false, A7: ({ tags }) => tags.has('token') };

/** The node, and the state in which it may crash; undefined where that state does not exist. */
const crashes = [
  [
    'an idle leaf without the token',
    (id) => (node) => node.id === leaf && isIdle(node) && !hasToken[id](node),
  ],
  [
    'an idle leaf with the token',
    (id) =>
      id === 'A7' ? (node) => node.id === leaf && isIdle(node) && hasToken[id](node) : undefined,
  ],
  [
    'a leaf that waits',
    () =>
      ({ id, tags }) =>
        id === leaf && tags.has('waiting'),
  ],
  [
    'a leaf inside',
    () =>
      ({ id, tags }) =>
        id === leaf && tags.has('critical'),
  ],
  ['the idle centre', () => (node) => node.id === centre && isIdle(node)],
];

/** What a crash of this node breaks. */
function afterCrash(id, mayCrash) {
  if (!mayCrash) return { states: 0, text: 'no such state' };
  const { states, complete, properties } = explore(entryOf(id).make(), topology(small), {
    ...{ crashes: 1, atomicSteps: true, mayCrash },
  });
  if (!complete) throw new Error(`${id}: the search ended at a limit.`);
  const verdictOf = (name) => properties.find((one) => one.name === name).verdict;
  const isSafe = verdictOf('at most one node is in the critical section') === 'holds';
  const isLive = verdictOf('no node waits in a quiescent state') === 'holds';
  return { states, text: `${isSafe ? 'safe' : '**unsafe**'}, ${isLive ? 'live' : '**not live**'}` };
}

function run(id, load, { seed, entries, nodes }) {
  const network = topology(star);
  const { cost, result, command } = measured(entryOf(id), {
    ...{ topology: network, n: 16, load, seed, entries, nodes },
  });
  const counts = network.nodes.map((node) => result.load[node].sent + result.load[node].received);
  const { entries: all, overtaken, synchronisationDelay } = result.exclusion;
  return {
    cost,
    handOver: synchronisationDelay,
    overtaken: (100 * overtaken) / all.length,
    share: (100 * counts[0]) / counts.reduce((sum, count) => sum + count, 0),
    command,
  };
}

export const q10 = {
  id: 'Q10',
  of: ['A7', 'A1'],
  asks: 'What is the difference between A7 on a star and the central manager A1, and what was bad about the manager?',
  run: ({ quick, seed }) => {
    const given = { seed, entries: quick ? 5 : 100 };
    const loads = ['light', 'heavy'];
    const [manager, token] = ids.map((id) => loads.map((load) => run(id, load, given)));
    const alone = ids.flatMap((id) =>
      loads.map((load) => run(id, load, { ...given, nodes: [leaf] })),
    );
    const rows = crashes.map(([who, where]) => [
      who,
      ...ids.map((id) => afterCrash(id, where(id))),
    ]);
    const states = rows.flatMap(([, ...found]) => found.map((one) => one.states));
    const n = 16;
    return {
      answer: `In A7 the centre is no manager: it only passes requests and the token on, and the token stays with its last user. That saves all messages of one who enters again, and costs ${fixed(token[0].cost, 2)} and ${fixed(token[1].cost, 2)} messages per entry under light and heavy load, where A1 takes ${fixed(manager[0].cost, 0)}. What was bad about the manager remains: the centre is in each message, and its crash stops all.`,
      evidence: page(
        `Measured on \`${star}\`, a message takes 1 ms.`,
        table(
          ['', `${linked('A1')}: light`, 'heavy', `${linked('A7')}: light`, 'heavy'],
          [
            ['messages per entry', ...[...manager, ...token].map(({ cost }) => fixed(cost, 2))],
            [
              'by formula',
              '3',
              '3',
              `4((n−1)/n)² = ${fixed(4 * ((n - 1) / n) ** 2, 2)}`,
              `4(n−1)/n = ${fixed((4 * (n - 1)) / n, 2)}`,
            ],
            ['one leaf alone, again and again', ...alone.map(({ cost }) => fixed(cost, 2))],
            [
              'hand-over, in ms',
              ...[...manager, ...token].map(({ handOver }) => fixed(handOver, 2)),
            ],
            [
              'entries overtaken',
              ...[...manager, ...token].map(({ overtaken }) => `${fixed(overtaken, 1)} %`),
            ],
            [
              'messages with the centre at one end',
              ...[...manager, ...token].map(({ share }) => `${fixed(2 * share, 0)} %`),
            ],
          ],
        ),
        command(...manager.map(({ command }) => command), ...token.map(({ command }) => command)),
        `What one crash does, explored on \`${small}\` with an entry of each node (up to ${number(Math.max(...states))} states):`,
        table(
          ['crash of', 'A1', 'A7'],
          rows.map(([who, ...found]) => [who, ...found.map(({ text }) => text)]),
        ),
        '[Waits and loads of both](paths.md#q10-a7-on-a-star-beside-the-central-manager). So A7 on a star tolerates less: an idle node takes the token with it. The manager can also do what it alone knows enough for: serve requests in the order of their arrival, refuse, number its grants, and be asked who is inside.',
      ),
      changes:
        'If one node enters many times in a row, A7 is cheaper. If the network has no star, A7 needs no new links, and the centre of any tree has less to do: [Q7](q7.md).',
    };
  },
};
