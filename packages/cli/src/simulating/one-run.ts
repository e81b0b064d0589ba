/** One simulated run: its verdicts, figures and trace. */

import { setFlagsFromString } from 'node:v8';
import { faults } from '@conclave/core/internal';
import { measuredCost } from '@conclave/core/internal/simulation';
import { readableLines } from '@conclave/core/internal/trace';
import type { Protocol } from '@conclave/core/protocol';
import { type SimulationResult, simulate, totalMessages } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { linesText, type Trace, traceText } from '@conclave/core/trace';
import { oneLine } from '../errors.js';
import { isCompetition } from '../input/environment.js';
import { again, againLine, lookAtTrace, repeatable, writeTrace } from '../output/files.js';
import {
  blocks,
  counted,
  decimal,
  heading,
  number,
  titleOf,
  verdictTable,
} from '../output/text.js';
import { answer, complain, type Session, stopOf, withProgress } from '../session.js';
import {
  limitText,
  type Simulated,
  type SimulateOptions,
  stepsRow,
  systemRows,
  untilOf,
} from './system.js';

/** So many nodes need the memory that V8 would leave to garbage, up to three times what lives. */
const manyNodes = 100_000;

/** Simulates one run and reports it. @throws {ConclaveError} `bad-input`, `bad-topology`. */
export function simulateOnce(
  session: Session,
  name: string,
  system: Simulated,
  options: SimulateOptions,
): void {
  const { seed = 1 } = options;
  const { protocol } = system.options;
  const until = { ...untilOf(system.options, options), ...stopOf(session) };
  const record = options.trace !== undefined;
  if (system.options.topology.nodes.length >= manyNodes)
    setFlagsFromString('--heap-growing-percent=60'); // a third less memory for a little time
  const result = withProgress(session, (show) => {
    const onProgress = (delivered: number, virtualMs: number) =>
      show(
        () =>
          `simulating: ${number(delivered)} messages, ${(virtualMs / 1000).toFixed(1)} s of virtual time`,
      );
    return repeatable(again(session.argv, seed), () =>
      simulate({ ...system.options, seed, until, record, onProgress }),
    );
  });
  const { trace, violated, fault, ended } = result;
  const incomplete = incompleteText(result, system, options);
  session.exitCode =
    violated !== undefined ? 1 : ended === 'interrupted' ? 130 : incomplete === undefined ? 0 : 2;
  const traceNote = writeTrace(name, options, trace, protocol);
  answer(session, options.json, report(protocol, result, incomplete), () =>
    blocks(
      summary(system, options, result, session),
      ...(violated !== undefined && trace
        ? [
            `${lastSteps(protocol, trace)}${fault === undefined ? '' : `${oneLine(fault)}\n`}`,
            againLine(session.argv, options, seed),
          ]
        : []),
      `${traceNote}${lookAtTrace(name, options)}`,
    ),
  );
  complain(session, incomplete);
}

/** Why a run is not reliable; a limit that the user gave is no such reason. */
function incompleteText(
  { ended, steps, virtualMs }: SimulationResult,
  system: Simulated,
  options: SimulateOptions,
): string | undefined {
  const after = `after ${counted(steps, 'step')}, at ${decimal(virtualMs)} ms`;
  if (ended === 'interrupted') return `interrupted ${after}.`;
  if (ended === 'step limit' && options.untilSteps === undefined)
    return `the default limit ended it ${after}. ${limitText(system, options)}`;
  if (ended !== 'time stands still') return undefined;
  return `time stands still ${after}: the nodes take steps forever at the same moment. Give messages a --delay above 0.`;
}

/**
 * How often nodes entered, and how many messages an entry took; nothing for a protocol without a
 * critical section.
 */
function entriesOf(protocol: Protocol, result: SimulationResult) {
  const entries = isCompetition(protocol) ? result.exclusion.entries.length : undefined;
  return { entries, messagesPerEntry: entries ? totalMessages(result) / entries : undefined };
}

/** How the critical section was shared; nothing for a protocol without one. */
function exclusionOf(protocol: Protocol, { exclusion }: SimulationResult) {
  if (!isCompetition(protocol)) return {};
  const { meanWait, synchronisationDelay, overtaken } = exclusion;
  return { meanWait, synchronisationDelay, overtaken };
}

/** What `--json` prints; what is undefined is left out. */
function report(protocol: Protocol, result: SimulationResult, incomplete: string | undefined) {
  const of = (names: readonly (keyof SimulationResult)[]) =>
    Object.fromEntries(names.map((name) => [name, result[name]]));
  const { violated, fault, trace } = result;
  return {
    ...of(['protocol', 'topology', 'nodes', 'seed', 'host', 'hostReason', 'steps', 'confirmed']),
    ...of(['virtualMs', 'delivered', 'messages']),
    ...entriesOf(protocol, result),
    ...exclusionOf(protocol, result),
    ...of(['load', 'leader', 'properties', 'complete']),
    ...{ incomplete, violated, fault },
    trace: violated !== undefined && trace ? traceText(trace) : undefined,
  };
}

/** What it prints for people. */
function summary(
  system: Simulated,
  options: SimulateOptions,
  result: SimulationResult,
  session: Session,
): string {
  const { colours } = session;
  const { protocol } = system.options;
  return blocks(
    heading(
      titleOf(protocol, colours),
      [...systemRows(system, `seed ${result.seed}`), ...figures(system, result), stepsRow(result)],
      session,
    ),
    verdictTable(result.properties, session, ['violated']),
    `${ending(result)}${result.ended === 'step limit' ? ` ${limitText(system, options)}` : ''}
`,
  );
}

function figures(system: Simulated, result: SimulationResult): string[][] {
  const { protocol } = system.options;
  const { entries } = entriesOf(protocol, result);
  const { meanWait, synchronisationDelay, overtaken } = result.exclusion;
  const total = totalMessages(result);
  const byType = Object.entries(result.messages).map(([type, sent]) => `${type} ${number(sent)}`);
  const messages = [
    `${number(total)} sent${byType.length > 0 ? ` (${byType.join(', ')})` : ''}`,
    ...faults.channelFaultRows.flatMap(({ fate }) =>
      result[fate] > 0 ? [`${number(result[fate])} ${fate}`] : [],
    ),
  ];
  const order =
    overtaken === 0
      ? 'in the order of the requests'
      : `${number(overtaken)} overtaken by a later request`;
  const row = (label: string, text: string | undefined | false): string[][] =>
    text === undefined || text === false ? [] : [[label, text]];
  return [
    ['messages', messages.join(', ')],
    ...row('cost', costText(protocol, system.options.topology, result)),
    ...row(
      'entries',
      entries === undefined ? undefined : entries === 0 ? 'none' : `${number(entries)}, ${order}`,
    ),
    ...row('wait', meanWait === undefined ? undefined : `${decimal(meanWait)} ms on average`),
    ...row(
      'hand-over',
      synchronisationDelay === undefined
        ? undefined
        : `${decimal(synchronisationDelay)} ms on average (synchronisation delay)`,
    ),
    ...row('leader', result.leader),
  ];
}

/**
 * What the run has cost, and what the protocol says that it costs on this network; undefined where
 * it says nothing, or there was nothing to count.
 */
function costText(
  protocol: Protocol,
  topology: Topology,
  result: SimulationResult,
): string | undefined {
  const measured = measuredCost(protocol, result);
  if (!protocol.cost || measured === undefined) return undefined;
  const { per, of, formula, messages, average } = protocol.cost;
  const { least, most } = messages(result.nodes, topology);
  const range = least === most ? `= ${decimal(least)}` : `(${decimal(least)} to ${decimal(most)})`;
  const bounds = average ? `= ${decimal(average(result.nodes))} on average ${range}` : range;
  // a run has many
  if (per === 'period') return `by formula ${formula} ${bounds} messages per period`;
  return `${decimal(measured)} ${of ? `${of.join(', ')} ` : ''}messages per ${per}; by formula ${formula} ${bounds}`;
}

function ending({ ended, virtualMs, delivered, exclusion }: SimulationResult): string {
  const after = `after ${decimal(virtualMs)} ms of virtual time and ${counted(delivered, 'delivery', 'deliveries')}`;
  const undecided = 'messages still in flight might change the verdicts';
  if (ended === 'quiescent') return `Quiescent ${after}.`;
  if (ended === 'served')
    return `${exclusion.entries.length === 0 ? 'Nothing is left to do' : 'Every request was granted'} ${after}; the protocol itself runs forever.`;
  if (ended === 'violation') return `Stopped at the violation ${after}.`;
  if (ended === 'interrupted') return `Interrupted ${after}; ${undecided}.`;
  if (ended === 'time stands still')
    return `Time stands still ${after}: the nodes take steps forever at the same moment.`;
  return `Stopped by the ${ended} ${after}; ${undecided}.`;
}

/** How much of the trace of a violation is printed. */
const shownLines = 20;

function lastSteps(protocol: Protocol, { lines }: Trace): string {
  const last = lines.slice(-shownLines);
  const title =
    last.length < lines.length ? `The last ${shownLines} of ${lines.length} steps:` : 'The run:';
  return `${title}\n${linesText(readableLines(protocol, last))}`;
}
