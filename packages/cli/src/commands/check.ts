import { totalmem } from 'node:os';
import { type Command, Option } from '@commander-js/extra-typings';
import { type Exploration, type ExploreOptions, explore, type Limit, type Limits } from '@conclave/core/exploration';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { budgetFor } from '../input/budget.js';
import { beyondAssumptions } from '../input/conditions.js';
import { networkFor } from '../input/network.js';
import { collected, count, initiators, measure } from '../input/option-values.js';
import { protocolArgument, protocolFor, protocolOptions } from '../input/protocol.js';
import { again, againWithTrace, withCommand, wroteText } from '../output/again.js';
import { checkReport, refuted } from '../output/check-report.js';
import { checkSummary, speed } from '../output/check-summary.js';
import { counted, number } from '../output/numbers.js';
import { Progress } from '../output/progress.js';
import { requireWritable, writeTrace } from '../output/trace-file.js';
import { answer, remark, type Session } from '../session.js';

const help = `
Where nothing is said:
  --topology  three nodes in the shape that the protocol needs
  --order     as the protocol assumes
  --max-memory  three quarters of this machine's
  --max-…     no other limit

A check that a limit stops is incomplete: what it has not seen may violate anything, so
nothing is proved. Exit codes:
  0  every property holds, every 'sometimes' was reached, and the check is complete
  1  a property is violated, or a 'sometimes' cannot be reached
  2  a usage or input error, or an incomplete check that found no violation
In the JSON, loopsFrom is the step of the trace, from 0, from which on it repeats for ever;
the number of its steps where it comes to rest.

Examples:
  conclave check A3 --topology complete:3 --entries 2
  conclave check raymond --option greedy=1 --loss 1 --trace lost.svg`;

/** `conclave check`: every interleaving on a small network, and a shortest counterexample to what does not hold. */
export function checkCommand(program: Command, session: Session): void {
  program
    .command('check')
    .description('look at every interleaving of a protocol on a small network')
    .argument('<protocol>', protocolArgument)
    .option('--topology <spec>', 'the network, such as ring:3 or complete:3; a small one')
    .option('--entries <k>', 'how often each initiator may wish, such as to enter the critical section (default: 1)', count)
    .option('--initiators <nodes>', 'who may wish: all, or some such as a,b (default: all)', initiators)
    .addOption(new Option('--order <order>', 'whether each channel keeps the order').choices(['fifo', 'any'] as const))
    .option('--loss <n>', 'how many messages may be lost', count, 0)
    .option('--duplicate <n>', 'how many messages may come twice', count, 0)
    .option('--crash <n>', 'how many nodes may crash', count, 0)
    .option('--restart <n>', 'how many of the crashed may come back', count, 0)
    .addOption(
      new Option('--fair <fairness>', 'which steps are not put off for ever: weak, those that stay possible; strong, also those that recur')
        .choices(['none', 'weak', 'strong'] as const)
        .default('weak' as const),
    )
    .option('--max-states <n>', 'stop after so many states', count)
    .option('--max-memory <MB>', 'stop when the states take so much memory', measure('megabytes'))
    .option('--max-seconds <s>', 'stop after so long', measure('seconds'))
    .option('--max-depth <n>', 'look no further than so many steps', count)
    .option(...protocolOptions.option, collected)
    .option(...protocolOptions.export)
    .option('--trace <file>', 'write the first counterexample; FILE.svg and FILE.mmd are diagrams')
    .option('--json', 'print one JSON value and nothing else')
    .addHelpText('after', help)
    .action(async (name, options) => {
      const protocol = await protocolFor(name, options);
      const { topology, note } = networkFor(protocol, options.topology, 3);
      const budget = budgetFor(protocol, options);
      const limits = limitsOf(options);
      if (options.trace !== undefined) requireWritable(options.trace);
      remark(session, note, beyondAssumptions(protocol, { order: budget.order, loss: options.loss, duplication: options.duplicate }));
      const exploration = explorationOf(session, protocol, topology, { ...budget, fairness: options.fair, limits });
      const incomplete = exploration.complete ? undefined : incompleteText(exploration, limits);
      if (exploration.properties.some(({ verdict }) => refuted.includes(verdict))) session.exitCode = 1;
      else if (incomplete !== undefined) session.exitCode = 2;
      const trace = exploration.properties.find(({ verdict }) => verdict === 'violated')?.trace;
      const written = options.trace !== undefined && trace ? writeTrace(options.trace, trace) : undefined;
      answer(session, options.json, checkReport(exploration), () => {
        const parts = [checkSummary({ protocol, topology, budget, fairness: options.fair, exploration, incomplete }, session)];
        if (trace) parts.push(`Again: ${againWithTrace(session.argv, options)}\n`);
        if (written !== undefined) parts.push(wroteText(name, options, written));
        else if (options.trace !== undefined) parts.push(`There is no counterexample, so ${options.trace} was not written.\n`);
        return parts.join('\n');
      });
      if (session.exitCode === 2) session.stderr(`${session.colours.yellow('incomplete:')} ${incomplete}\n`);
    });
}

interface LimitOptions {
  readonly maxStates?: number | undefined;
  readonly maxMemory?: number | undefined;
  readonly maxSeconds?: number | undefined;
  readonly maxDepth?: number | undefined;
}

function limitsOf({ maxStates = Infinity, maxMemory = mostMemory(), maxSeconds = Infinity, maxDepth = Infinity }: LimitOptions): Limits {
  return { states: maxStates, memory: maxMemory, seconds: maxSeconds, depth: maxDepth };
}

/** Beyond that the machine would start to swap, or the search end in the middle of a state. */
const mostMemory = (): number => Math.floor((0.75 * totalmem()) / 2 ** 20);

const optionOf: Readonly<Record<Limit, string>> = {
  states: '--max-states',
  memory: '--max-memory',
  seconds: '--max-seconds',
  depth: '--max-depth',
};

function incompleteText({ limit, states }: Exploration, limits: Limits): string {
  const reached = limit === undefined ? 'the search ended early' : `${optionOf[limit]} ${limits[limit]} was reached`;
  return `${reached} with ${counted(states, 'state')} found; nothing is proved to hold.`;
}

function explorationOf(session: Session, protocol: Protocol, topology: Topology, options: ExploreOptions): Exploration {
  const progress = new Progress(session);
  const onProgress = (states: number, transitions: number, depth: number) =>
    progress.show((seconds) => {
      const found = `${counted(states, 'state')}, ${counted(transitions, 'transition')}, depth ${depth}`;
      return `checking: ${found}, ${number(speed(states, seconds))} states/s`;
    });
  try {
    return explore(protocol, topology, { ...options, coverage: true, onProgress });
  } catch (error) {
    throw withCommand(error, again(session.argv));
  } finally {
    progress.stop();
  }
}
