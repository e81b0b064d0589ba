/** Q6: FIFO channels in A10. */
import { moduleOf } from '../../algorithm/files.mjs';
import {
  checked,
  command,
  entryCell,
  explored,
  linked,
  names,
  page,
  table,
  trace,
  violationOf,
} from '../evidence.mjs';

const { machine } = await moduleOf('mutual-exclusion/token/hunted-token/hunted-token');
/** Without HT6. */
const withoutHops = machine.provide({ guards: { tokenIsComing: () => false } });

const orders = ['any', 'fifo'];

export const q6 = {
  id: 'Q6',
  of: ['A10'],
  asks: 'Are FIFO channels necessary on the one-way ring?',
  run: ({ quick }) => {
    const sizes = quick ? [2, 3] : [2, 3, 4, 5];
    const rows = sizes.map((n) => {
      const budget = { commands: n < (quick ? 3 : 4) ? 2 : 1 };
      const spec = `ring:${n}`;
      return {
        counted: orders.map((order) => checked('A10', spec, { ...budget, order })),
        uncounted:
          n < 5
            ? orders.map((order) =>
                explored('A10', spec, { ...budget, order, machine: withoutHops }),
              )
            : [],
        spec,
        budget,
      };
    });
    const holds = rows.every(({ counted }) =>
      counted.every(({ violated }) => violated.length === 0),
    );
    const run = violationOf(
      explored('A10', 'ring:2', { order: 'any', machine: withoutHops }),
      names.entry,
    );
    return {
      answer: `${holds ? 'No, if the token counts its hops and each hunt carries the count of the token’s last visit. Yes, without the count' : 'Yes: see below'}.`,
      evidence: page(
        table(
          ['ring', 'entries each', 'any order', 'FIFO', 'no count, any order', 'no count, FIFO'],
          rows.map(({ spec, budget, counted, uncounted }) => [
            `\`${spec}\``,
            budget.commands,
            ...[...counted, ...uncounted].map(entryCell),
            ...(uncounted.length === 0 ? ['', ''] : []),
          ]),
        ),
        'States if all properties hold, or the steps until a node waits forever. Without the count, a hunt that overtakes the token ends at a node that expects the token already, and is lost:',
        trace(run.text),
        command(rows.at(-1).counted[0].command),
      ),
      changes: `Without the rule HT6 of ${linked('A10')}, as above. On rings whose channels keep the order the count can be left out. A lost hunt makes its sender wait forever in either case.`,
    };
  },
};
