import type { Command } from 'commander';
import { expectedOfProtocol, expectedOfUserSystem, expectedOptions } from '../checking/expected.js';
import { declare } from '../input/options.js';
import { checkableFor, protocolMeaning } from '../input/protocol.js';
import type { Session } from '../session.js';

const help = `A scheduler decides what happens next, fair or not, and only draws are random: the least and the
greatest expectation over all schedulers, as fractions that were proved. What is not proved is
printed as an interval. A run that never gets there costs ∞; such a run is printed. --graph writes
what was solved for another model checker.

A system of plain functions (conclave check --help) may also export
  weights     (state) => [1, 2, ...], where one of its actions is drawn
  rewards     { name: ({ state, action }) => n }, what a step costs, for --cost name

Exit codes:
  0  the costs are computed
  2  a usage or input error, or a limit stopped the search
  130  interrupted by Ctrl-C

Examples:
  conclave expected B15 --topology ring:3 --cost messages
  conclave expected B15 --topology ring:2 --cost draws --until leader --graph run.drn`;

const description = {
  name: 'expected',
  description:
    'compute what a run costs: the least and the greatest expectation over all schedulers',
  argument: ['protocol', `${protocolMeaning}, or a system of plain functions`] as const,
  options: expectedOptions,
  help,
};

/** `conclave expected`: the expected costs of one system. */
export const expectedCommand = (program: Command, session: Session): void =>
  declare(program, description, async (options, name) => {
    const target = await checkableFor(name, options);
    if (target.kind === 'system')
      expectedOfUserSystem(session, target.name, options, target.system);
    else expectedOfProtocol(session, name, options, target.protocol);
  });
