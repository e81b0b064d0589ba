/** Q1: messages that overtake each other in A7. */
import { everyStep } from '@conclave/core/protocol';
import { assign } from 'xstate';
import { moduleOf } from '../../algorithm/files.mjs';
import {
  checked,
  command,
  explored,
  linked,
  names,
  number,
  page,
  table,
  trace,
  verdictText,
  violationOf,
} from '../evidence.mjs';

const { machine } = await moduleOf('mutual-exclusion/token/raymond/raymond');

/** All trees of 2, 3 and 4 nodes, with the token at each place: the first node has it. */
const trees = [
  'chain:2',
  'chain:3',
  'tree:2:3',
  'chain:4',
  'tree:2:4',
  'star:4',
  'edges:a-b,b-c,b-d',
];

/** A neighbour that has the token, or gets it first, requests it only after it has passed it on. */
const noneOvertakes = everyStep(
  'no request overtakes the token',
  ({ before, cause }) =>
    cause.kind !== 'message' ||
    cause.message.type !== 'request' ||
    cause.from !== before.context.holder,
);

/** A node that takes such a request for an error. */
const dismissing = machine.provide({
  actions: {
    enqueue: assign(({ context, event }) =>
      event.from === context.holder ? {} : { queue: [...context.queue, event.from] },
    ),
  },
});

export const q1 = {
  id: 'Q1',
  of: ['A7'],
  asks: 'Are messages that overtake each other a problem, such as a request that overtakes the token?',
  run: ({ quick }) => {
    const specs = quick ? trees.slice(0, 3) : trees;
    const rows = specs.map((spec) =>
      ['any', 'fifo'].map((order) => checked('A7', spec, { commands: 2, order })),
    );
    const all = rows.flat();
    const holds = all.every(({ violated }) => violated.length === 0);
    const [overtaken, fifo] = ['any', 'fifo'].map((order) =>
      explored('A7', 'chain:2', { order, properties: [noneOvertakes] }),
    );
    const dismissed = violationOf(
      explored('A7', 'chain:2', { commands: 2, order: 'any', machine: dismissing }),
      names.entry,
    );
    const twice = checked('A7', 'chain:3', { duplications: 1 });
    const total = (column) => number(rows.reduce((sum, row) => sum + row[column].states, 0));
    return {
      answer: `${holds ? 'No' : 'Yes'}. A request that arrives before the token is queued where it would have been queued anyway, and the token finds it there.`,
      evidence: page(
        `All properties are checked on every tree of up to 4 nodes, with two entries of each node and the token at each place: ${total(0)} states in any order, ${total(1)} with FIFO.`,
        table(
          ['tree', 'states, any order', 'states, FIFO', 'properties'],
          rows.map(([any, one]) => [
            `\`${any.spec}\``,
            number(any.states),
            number(one.states),
            verdictText(any),
          ]),
        ),
        command(all.at(-2).command),
        `A request does overtake the token, in ${overtaken.violated[0].steps} steps${fifo.violated.length === 0 ? ', and never with FIFO' : ''}. Node b gets a request from the neighbour that it believes to have the token:`,
        trace(overtaken.violated[0].text),
      ),
      changes: `If a node dismissed a request from the neighbour to which its HOLDER points, the sender would wait forever: after ${dismissed.steps} steps on two nodes. If messages could be duplicated: a second token breaks exclusion on three nodes after ${violationOf(twice, names.exclusion).steps} steps (\`${twice.command}\`). ${linked('A7')} has more.`,
    };
  },
};
