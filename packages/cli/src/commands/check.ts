import type { Command } from 'commander';
import { checkByDeepening } from '../checking/deepening.js';
import { estimateSearch } from '../checking/estimate.js';
import {
  checkGroups,
  checkOptions,
  choosesSizes,
  networkCheck,
  type ProtocolCheck,
  protocolCheck,
  usualSecondsOfMachine,
} from '../checking/options.js';
import { raisedFaults } from '../checking/schedule.js';
import { checkBySearch } from '../checking/search.js';
import { checkSystem } from '../checking/system.js';
import { declare } from '../input/options.js';
import { checkableFor, protocolMeaning } from '../input/protocol.js';
import type { Session } from '../session.js';

const help = `Where no size is given (by --topology, --entries, --initiators, --walks, --max-states,
…), larger and larger systems are explored, for 10 s or --max-seconds: from two nodes in the shape
that the protocol needs and one command each. Nodes, commands, and each fault that the protocol
declares to tolerate (${raisedFaults.map(({ name }) => name[0]).join(', ')}) are raised in turns, up to 12, until a
property is violated. What an option fixes is not raised. Where nodes fail because the protocol
tolerates it, safety properties are judged. What holds, holds in the exhausted systems; they are
listed, and what was not tried. The last fifth of the time is for walks through larger systems and
more faults: what they alone reach is reached by walks, not exhausted, and nothing holds because of
them.

Other defaults:
  --topology  three nodes in the shape that the protocol needs
  --order     as the protocol assumes
  --time      as the protocol assumes; mostly untimed: a timer may fire at any moment
  --max-memory  three quarters of this machine's memory; a heap that is nearly full always ends the
                search
  --max-…     no other limit; a bare machine: --max-seconds ${usualSecondsOfMachine}

A check is incomplete, and proves nothing, when a limit stops it: unexplored states may violate any
property. Walks prove nothing.

Exit codes:
  0  every property holds, every 'sometimes' was reached, and the check is complete
  1  a property is violated, or a 'sometimes' cannot be reached
  2  a usage or input error, or an incomplete check that found no violation
  130  interrupted by Ctrl-C; the results so far are printed
In the JSON, incomplete says why, leftOut lists what --safety left out, and notTried what was not
tried; reachedByWalks, the transitions that only walks have reached. loopsFrom is the step of the
trace, from 0, from which on it repeats forever; the number of its steps where it ends. discarded
lists the messages that --unexpected discard has dropped, and in which states. link opens a
counterexample in the studio; for your own: conclave studio MODULE --link LINK.

A module may also export a system of plain functions over plain data, such as a commit protocol:
  { initial, actions: (state) => [...], next: (state, action) => state, properties: [...] }
or export these by name. Optional parts:
  initials    several initial states, in place of initial
  fair        (action) => its class: some action of a class that stays possible is taken eventually;
              undefined: this action may be postponed forever. Without fair, any action may be
  done        (state) => whether a run may end there; then a run that ends elsewhere is a deadlock

Examples:
  conclave check A3 --topology complete:3 --entries 2
  conclave check B1 --topology complete:4 --walks 1000 --seeds 1..20
  conclave check ./my-machine.ts`;

const description = {
  name: 'check',
  description: 'explore every interleaving of a protocol on a small network',
  argument: ['protocol', `${protocolMeaning}, or a system of plain functions`] as const,
  options: checkOptions,
  groups: checkGroups,
  help,
};

/**
 * `conclave check`: every interleaving on a small network, and a counterexample to each property
 * that does not hold.
 */
export const checkCommand = (program: Command, session: Session): void =>
  declare(program, description, async (options, name) => {
    const target = await checkableFor(name, options);
    if (target.kind === 'system') return checkSystem(session, target.name, options, target.system);
    const check = protocolCheck(session, name, options, target.protocol);
    if (options.estimate) estimateSearch(networkCheck(check));
    else if (options.walks !== undefined) await walksOf(check, options.walks);
    else if (choosesSizes(options, target.protocol)) checkByDeepening(check);
    else checkBySearch(networkCheck(check));
  });

/** Other checks begin sooner without them. */
async function walksOf(check: ProtocolCheck, walks: number): Promise<void> {
  const { checkByWalks, checkByWalksOfSeeds } = await import('../checking/walks.js');
  const { seeds } = check.options;
  if (seeds) await checkByWalksOfSeeds(networkCheck(check), { walks, seeds });
  else checkByWalks(networkCheck(check), walks);
}
