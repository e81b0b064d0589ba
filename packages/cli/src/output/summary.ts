import { type Conditions, delayText } from '@conclave/core/channel';
import type { Cost, Protocol } from '@conclave/core/protocol';
import { type SimulationResult, totalMessages } from '@conclave/core/simulation';
import { linesText, type Trace } from '@conclave/core/trace';
import { abridged } from '../input/network.js';
import type { Session } from '../session.js';
import { titleOf, verdictTable } from './findings.js';
import { counted, decimal, number } from './numbers.js';
import { entriesOf } from './report.js';
import { table } from './table.js';

/** How much of the trace of a violation is shown. */
const shownLines = 20;

interface Run {
  readonly protocol: Protocol;
  readonly conditions: Conditions;
  /** What the application did, in words. */
  readonly workload: string;
  readonly result: SimulationResult;
}

/** What `simulate` prints for people. */
export function summary({ protocol, conditions, workload, result }: Run, { colours }: Pick<Session, 'colours'>): string {
  const { bold, dim } = colours;
  const setting = [
    ['network', `${abridged(result.topology)}, ${counted(result.nodes, 'node')}`],
    ['channels', channelsText(conditions)],
    ['workload', `${workload}; seed ${result.seed}`],
  ];
  const rows = [...setting, ...figures(protocol, result)].map(([label = '', text = '']) => [dim(label), text]);
  const blocks = [`${bold(titleOf(protocol))}\n${table(rows)}`, verdictTable(result.properties, colours), `${ending(result)}\n`];
  return blocks.filter((block) => block !== '').join('\n');
}

/** The end of the trace of a violation. */
export function lastSteps({ lines }: Trace): string {
  const last = lines.slice(-shownLines);
  const heading = last.length < lines.length ? `The last ${shownLines} of ${lines.length} steps:` : 'What happened:';
  return `${heading}\n${linesText(last)}`;
}

function channelsText({ delay, order, loss, duplication }: Conditions): string {
  return [
    `delay ${delayText(delay)}`,
    `order ${order}`,
    ...(loss > 0 ? [`loss ${loss}`] : []),
    ...(duplication > 0 ? [`duplication ${duplication}`] : []),
  ].join(', ');
}

function figures(protocol: Protocol, result: SimulationResult): string[][] {
  const { entries, messagesPerEntry } = entriesOf(protocol, result);
  const { meanWait, synchronisationDelay, overtaken } = result.exclusion;
  const total = totalMessages(result);
  const byType = Object.entries(result.messages).map(([type, sent]) => `${type} ${number(sent)}`);
  const mishaps = [
    ...(result.lost > 0 ? [`${number(result.lost)} lost`] : []),
    ...(result.duplicated > 0 ? [`${number(result.duplicated)} doubled`] : []),
  ];
  return [
    ['messages', [`${number(total)} sent${byType.length > 0 ? ` (${byType.join(', ')})` : ''}`, ...mishaps].join(', ')],
    ...(protocol.cost && entries !== 0 ? [['cost', costText(protocol.cost, result.nodes, messagesPerEntry ?? total)]] : []),
    ...(entries === undefined ? [] : [['entries', entries === 0 ? 'none' : `${number(entries)}, ${orderText(overtaken)}`]]),
    ...(meanWait === undefined ? [] : [['wait', `${decimal(meanWait)} ms on average`]]),
    ...(synchronisationDelay === undefined
      ? []
      : [['hand-over', `${decimal(synchronisationDelay)} ms on average (synchronisation delay)`]]),
    ...(result.leader === undefined ? [] : [['leader', result.leader]]),
  ];
}

const orderText = (overtaken: number): string =>
  overtaken === 0 ? 'in the order of the wishes' : `${number(overtaken)} overtaken by a later wish`;

function costText({ per, formula, messages }: Cost, nodes: number, measured: number): string {
  const { least, most } = messages(nodes);
  const bounds = least === most ? `= ${number(least)}` : `(${number(least)} to ${number(most)})`;
  return `${decimal(measured)} messages per ${per}; by formula ${formula} ${bounds}`;
}

function ending({ ended, virtualMs, delivered }: SimulationResult): string {
  const after = `after ${decimal(virtualMs)} ms of virtual time and ${counted(delivered, 'delivery', 'deliveries')}`;
  if (ended === 'quiescent') return `At rest ${after}.`;
  if (ended === 'served') return `Every wish served ${after}; the protocol itself goes on for ever.`;
  if (ended === 'violation') return `Stopped at the violation ${after}.`;
  if (ended === 'interrupted') return `Interrupted ${after}; what is still on its way might yet change the verdicts.`;
  if (ended === 'time stands still') return `Time stands still ${after}: nodes go on for ever, and no moment passes.`;
  return `Stopped by the ${ended} ${after}; what is still on its way might yet change the verdicts.`;
}
