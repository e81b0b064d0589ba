import { type Command, Option } from '@commander-js/extra-typings';
import { parseDelay } from '@conclave/core/channel';
import { type SimulationOptions, type SimulationResult, simulate } from '@conclave/core/simulation';
import { complain } from '../checking/asked.js';
import { beyondAssumptions, conditionsFor } from '../input/conditions.js';
import { networkFor } from '../input/network.js';
import { collected, count, crash, initiators, measure, probability, seed } from '../input/option-values.js';
import { protocolArgument, protocolFor, protocolOptions } from '../input/protocol.js';
import { workloadFor } from '../input/workload.js';
import { again, againWithTrace, withCommand, wroteText } from '../output/again.js';
import { oneLine } from '../output/error-line.js';
import { counted, decimal, number } from '../output/numbers.js';
import { Progress } from '../output/progress.js';
import { report } from '../output/report.js';
import { lastSteps, summary } from '../output/summary.js';
import { requireWritable, writeTrace } from '../output/trace-file.js';
import { answer, remark, type Session, stopOf } from '../session.js';

const help = `
Where nothing is said:
  --topology  five nodes in the shape that the protocol needs (a connected network of
              another shape is given that shape as an overlay)
  --delay     geo where the network has link delays, otherwise fixed:1
  --order     fifo, as over TCP
  --loss, --duplicate  0

Networks:
  ring:8  ring:8:shuffled:SEED  two-way-ring:8  complete:5  chain:5  star:5  tree:2:15
  random-tree:12  grid:3x4  torus:3x4  hypercube:3  random:20:0.2  abilene  nsfnet  geant
  edges:a-b,b-c  ring-over:abilene  file:PATH (an edge a line: a b delayMs)
Delays in ms:
  fixed:5  uniform:10:50  exponential:20  normal:20:5  geo  geo+uniform:0:5
Traces:
  FILE.svg a space-time diagram, FILE.mmd a Mermaid sequence diagram, FILE.shiviz a ShiViz
  log, any other the text that \`conclave replay\` reads

Examples:
  conclave simulate ricart-agrawala --topology abilene --entries 3 --order any
  conclave simulate B3 --topology ring:8:shuffled:1 --delay uniform:10:50 --trace run.svg`;

/** `conclave simulate`: one run on a virtual network, and what it showed. */
export function simulateCommand(program: Command, session: Session): void {
  program
    .command('simulate')
    .description('run a protocol on a virtual network')
    .argument('<protocol>', protocolArgument)
    .option('--topology <spec>', 'the network, such as ring:8, abilene or file:PATH')
    .option('--delay <delay>', 'how long a message travels, such as fixed:5, uniform:10:50 or geo', parseDelay)
    .addOption(new Option('--order <order>', 'whether each channel keeps the order').choices(['fifo', 'any'] as const))
    .option('--loss <p>', 'probability that a message is lost', probability)
    .option('--duplicate <p>', 'probability that a message comes twice', probability)
    .option('--seed <n>', 'same seed, same run', seed, 1)
    .option('--entries <k>', 'how often each competitor enters the critical section (default: 1)', count)
    .option('--initiators <nodes>', 'who starts or competes: all, or some such as a,b (default: all)', initiators)
    .option('--think <delay>', 'rest before each wish to enter (default: exponential:20)', parseDelay)
    .option('--hold <delay>', 'stay in the critical section (default: fixed:5)', parseDelay)
    .option('--crash <node@ms>', 'crash a node, as in c@100; c@100+50 restarts it 50 ms later; repeatable', crash)
    .option('--until-steps <n>', 'stop after so many steps (default: 10 million)', count)
    .option('--until-time <ms>', 'stop at this virtual time', measure('milliseconds'))
    .option(...protocolOptions.option, collected)
    .option(...protocolOptions.export)
    .option('--trace <file>', 'write the trace')
    .option('--json', 'print one JSON value and nothing else')
    .addHelpText('after', help)
    .action(async (name, options) => {
      const protocol = await protocolFor(name, options);
      const { topology, note } = networkFor(protocol, options.topology, 5);
      const conditions = conditionsFor(topology, options);
      const { workload, text } = workloadFor(protocol, options);
      if (options.trace !== undefined) requireWritable(options.trace);
      remark(session, note, beyondAssumptions(protocol, conditions));

      const { seed, crash: faults = [], untilSteps, untilTime = Infinity } = options;
      const until = { time: untilTime, ...(untilSteps === undefined ? {} : { steps: untilSteps }), ...stopOf(session) };
      const setup = { protocol, topology, conditions, workload, faults, seed, until, record: options.trace !== undefined };
      const result = resultOf(session, setup);
      const violated = result.violated !== undefined;
      const incomplete = incompleteText(result);
      session.exitCode = violated ? 1 : result.ended === 'interrupted' ? 130 : incomplete === undefined ? 0 : 2;
      const { trace } = result;
      const written = options.trace !== undefined && trace ? writeTrace(options.trace, trace) : undefined;
      answer(session, options.json, report(protocol, result, incomplete), () => {
        const parts = [summary({ protocol, conditions, workload: text, result }, session)];
        if (violated && trace)
          parts.push(`${lastSteps(trace)}${faultText(result)}`, `Again: ${againWithTrace(session.argv, options, seed)}\n`);
        if (written !== undefined) parts.push(wroteText(name, options, written));
        return parts.join('\n');
      });
      complain(session, incomplete);
    });
}

/** What broke the rules, after the steps that led to it. */
const faultText = ({ fault }: SimulationResult): string => (fault === undefined ? '' : `${oneLine(fault)}\n`);

/** Why a run is not to be relied on; a limit that was asked for is no such reason. */
function incompleteText({ ended, steps, virtualMs }: SimulationResult): string | undefined {
  const after = `after ${counted(steps, 'step')}, at ${decimal(virtualMs)} ms`;
  if (ended === 'interrupted') return `interrupted ${after}.`;
  if (ended !== 'time stands still') return undefined;
  return `time stands still ${after}: nodes go on for ever without a moment passing. Give messages a --delay above 0.`;
}

type Setup = SimulationOptions & { readonly seed: number };

function resultOf(session: Session, setup: Setup): SimulationResult {
  const progress = new Progress(session);
  const onProgress = (delivered: number, virtualMs: number) =>
    progress.show(() => `simulating: ${number(delivered)} messages, ${(virtualMs / 1000).toFixed(1)} s of virtual time`);
  try {
    return simulate({ ...setup, onProgress });
  } catch (error) {
    throw withCommand(error, again(session.argv, setup.seed));
  } finally {
    progress.stop();
  }
}
