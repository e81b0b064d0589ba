import type { Command } from '@commander-js/extra-typings';
import { type MutateOptions, type MutationReport, mutate } from '@conclave/core/mutation';
import { ConclaveError } from '@conclave/core/protocol';
import { declareMutate, type MutateCommandOptions, systemsFor } from '../input/mutate-options.js';
import { checkableFor } from '../input/protocol.js';
import { mutationSummary } from '../output/mutation-summary.js';
import { number } from '../output/numbers.js';
import { Progress } from '../output/progress.js';
import { answer, remark, type Session, stopOf } from '../session.js';

const help = `
A mutant is the protocol with one mistake in a statechart: an action dropped, repeated or moved, a
guard dropped or turned round, a rule deleted or made to ignore its event, a transition that leads
elsewhere, a tag or timer gone, a message not sent, sent twice or to the wrong neighbour; or with
channels that may do more than it assumes. Each is explored on small systems, smallest first, until
a property is violated.
  killed        a property notices it, or asks for a tag that is gone; or nobody handles a message
  rejected      the checks of defineProtocol refuse it, whatever its properties
  equivalent    bisimilar to the protocol on every system explored
  unreached     no system comes by what is changed
  survived      differs from the protocol, and every property holds
  inconclusive  nothing is violated up to a limit
The score is killed of all but rejected and equivalent. Each survivor comes with the shortest run
on which it differs: '-' is the protocol, '+' the mutant.
Exit codes:
  0  no mutant survives
  1  some survive, or are not reached
  2  a usage or input error, a protocol that does not pass itself, or inconclusive mutants only
  130  interrupted by Ctrl-C; what was judged so far is told

Examples:
  conclave mutate A3
  conclave mutate raymond --topology chain:3 --entries 2 --operators ignore,drop-tag
  conclave mutate ./my-protocol.ts --max-seconds 60 --json`;

/** `conclave mutate`: how many mistakes in its statechart the properties of a protocol notice. */
export function mutateCommand(program: Command, session: Session): void {
  declareMutate(program)
    .addHelpText('after', help)
    .action(async (name, options) => {
      const target = await checkableFor(name, options);
      if (target.kind === 'system')
        throw new ConclaveError(
          'bad-input',
          `'${target.name}' is a system of plain functions, and has no statechart to change`,
          'Give a protocol: what defineProtocol returns.',
        );
      const { systems, note } = systemsFor(target.protocol, options);
      remark(session, note, []);
      const report = mutating(session, options, (limits, onProgress) =>
        mutate(target.protocol, {
          ...(systems ? { systems } : {}),
          ...(options.operators ? { operators: options.operators } : {}),
          ...{ limits, onProgress },
        }),
      );
      session.exitCode = exitCodeOf(report);
      const incomplete = incompleteOf(report, options);
      if (incomplete !== undefined) session.stderr(`incomplete: ${incomplete}.\n`);
      answer(session, options.json, report, () => mutationSummary(report, session));
    });
}

type OnProgress = (done: number, all: number, counts: MutationReport['counts']) => void;
type MutationLimits = NonNullable<MutateOptions['limits']>;

/** Makes a report that shows its progress. */
function mutating(
  session: Session,
  { maxStates, maxSeconds }: MutateCommandOptions,
  run: (limits: MutationLimits, onProgress: OnProgress) => MutationReport,
): MutationReport {
  const progress = new Progress(session);
  const limits = {
    ...(maxStates === undefined ? {} : { states: maxStates }),
    ...(maxSeconds === undefined ? {} : { seconds: maxSeconds }),
    ...stopOf(session),
  };
  try {
    return run(limits, (done, all, { killed, unhandled, survived }) =>
      progress.show(
        () => `mutating: ${number(done)} of ${number(all)}, ${number(killed + unhandled)} killed, ${number(survived)} survived`,
      ),
    );
  } finally {
    progress.stop();
  }
}

/** Why not every mutant was judged; undefined: every one was. */
function incompleteOf({ limit, mutants }: MutationReport, { maxSeconds }: MutateCommandOptions): string | undefined {
  if (limit === undefined) return undefined;
  const judged = mutants.filter((mutant) => mutant.limit !== limit).length;
  const why = limit === 'interrupted' ? 'interrupted' : `--max-seconds ${maxSeconds} was reached`;
  return `${why} after ${number(judged)} of ${number(mutants.length)} mutants; the score counts the others as if they passed`;
}

function exitCodeOf({ limit, counts: { survived, unreached, inconclusive } }: MutationReport): 0 | 1 | 2 | 130 {
  if (limit === 'interrupted') return 130;
  if (survived + unreached > 0) return 1;
  return inconclusive > 0 ? 2 : 0;
}
