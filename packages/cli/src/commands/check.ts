import type { Command } from '@commander-js/extra-typings';
import { checkByDeepening } from '../checking/deepening.js';
import { checkBySearch } from '../checking/search.js';
import { checkSystem } from '../checking/system.js';
import { checkByWalks } from '../checking/walks.js';
import { choosesSizes, declareCheck } from '../input/check-options.js';
import { checkableFor } from '../input/protocol.js';
import type { Session } from '../session.js';

const help = `
Where no size is given (by --topology, --entries, --initiators, --walks, --max-states, …), larger
and larger systems are looked at: from two nodes in the shape that the protocol needs and one wish
each, until one violates a property, until two have added nothing to a full coverage of the
statechart, or --for 10s. What holds does so in the systems that were exhausted; they are listed.

Where nothing else is said:
  --topology  three nodes in the shape that the protocol needs
  --order     as the protocol assumes
  --time      as the protocol assumes; mostly untimed: a timer may fire at any moment
  --max-memory  three quarters of this machine's
  --max-…     no other limit

A check is incomplete, and proves nothing, when a limit stops it, for what it has not seen may
violate anything. With --reduce or --compact, what is asked of runs ('eventually', 'leadsTo',
'atMost', 'increases') is not judged: it stays incomplete, unless --safety leaves it out. Walks
prove nothing.
Exit codes:
  0  every property asked holds, every 'sometimes' was reached, and the check is complete
  1  a property is violated, or a 'sometimes' cannot be reached
  2  a usage or input error, or an incomplete check that found no violation
  130  interrupted by Ctrl-C; what was found so far is told
In the JSON, incomplete says why, leftOut what was not asked. loopsFrom is the step of the trace,
from 0, from which on it repeats for ever; the number of its steps where it comes to rest.

A module may also export a system of plain functions over plain data, such as a commit protocol:
  { initial, actions: (state) => [...], next: (state, action) => state, properties: [...] }

Examples:
  conclave check A3 --topology complete:3 --entries 2 --workers 2
  conclave check raymond --option greedy=1 --loss 1 --trace lost.svg`;

/** `conclave check`: every interleaving on a small network, and a shortest counterexample to what does not hold. */
export function checkCommand(program: Command, session: Session): void {
  declareCheck(program)
    .addHelpText('after', help)
    .action(async (name, options) => {
      const target = await checkableFor(name, options);
      if (target.kind === 'system') checkSystem(session, target.name, target.system, options);
      else if (options.walks !== undefined) checkByWalks(session, name, target.protocol, options.walks, options);
      else if (choosesSizes(options)) checkByDeepening(session, name, target.protocol, options);
      else checkBySearch(session, name, target.protocol, options);
    });
}
