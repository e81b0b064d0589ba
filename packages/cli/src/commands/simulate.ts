import { type Conditions, parseDelay } from '@conclave/core/channel';
import { choices } from '@conclave/core/options';
import { optionalCommands, type Protocol } from '@conclave/core/protocol';
import { closedLoop, idleFor, oneShot, type SimulationResult, simulate, totalMessages, type Workload } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { linesText, type Trace, traceText } from '@conclave/core/trace';
import { type Command, InvalidArgumentError } from 'commander';
import { badInput, oneLine } from '../errors.js';
import { beyondAssumptions, competes, hasNoCommand, initiatorsText, noCommands } from '../input/environment.js';
import {
  choice,
  count,
  declare,
  defined,
  initiators,
  jsonOption,
  measure,
  parsed,
  probability,
  seed,
  text,
  type ValuesOf,
} from '../input/options.js';
import { networkFor, protocolFor, protocolMeaning, protocolOptions } from '../input/protocol.js';
import { abridged, blocks, counted, decimal, heading, number, titleOf, verdictTable } from '../output/text.js';
import { again, againLine, repeatable, requireWritable, written } from '../output/trace.js';
import { answer, complain, remark, type Session, stopOf, withProgress } from '../session.js';

const help = `Defaults:
  --topology  five nodes in the shape that the protocol needs (a connected network of
              another shape gets an overlay of that shape)
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

type Faults = NonNullable<Parameters<typeof simulate>[0]['faults']>;

/** A delay, as the user writes it and as a channel takes it. */
const delayOf = (text: string) => ({ text, delay: parseDelay(text) });

/** `c@100`, or `c@100+50` for a restart 50 ms later; may be given repeatedly. */
function crash(text: string, previous: Faults = []): Faults {
  const [, node, at, restartAfter] = /^(.+)@(\d*\.?\d+)(?:\+(\d*\.?\d+))?$/.exec(text) ?? [];
  if (node === undefined) throw new InvalidArgumentError('Write c@100, or c@100+50 for a restart 50 ms later.');
  const restart = restartAfter === undefined ? {} : { restartAfter: Number(restartAfter) };
  return [...previous, { kind: 'crash', node, at: Number(at), ...restart }];
}

const options = {
  topology: text('spec', 'the network, such as ring:8, abilene or file:PATH'),
  delay: parsed('delay', 'how long a message travels, such as fixed:5, uniform:10:50 or geo', delayOf),
  order: choice('order', choices.order, 'whether each channel keeps the order'),
  loss: parsed('p', 'probability that a message is lost', probability),
  duplicate: parsed('p', 'probability that a message is duplicated', probability),
  seed: parsed('n', 'same seed, same run (default: 1)', seed),
  entries: parsed('k', 'how often each competitor enters the critical section (default: 1)', count),
  initiators: parsed('nodes', 'which nodes start or compete: all, or some such as a,b (default: all)', initiators),
  think: parsed('delay', 'pause before each request to enter (default: exponential:20)', delayOf),
  hold: parsed('delay', 'stay in the critical section (default: fixed:5)', delayOf),
  crash: parsed('node@ms', 'crash a node, as in c@100; c@100+50 restarts it 50 ms later; repeatable', crash),
  untilSteps: parsed('n', 'stop after so many steps (default: 10 million)', count),
  untilTime: parsed('ms', 'stop at this virtual time', measure('milliseconds')),
  ...protocolOptions,
  trace: text('file', 'write the trace'),
  ...jsonOption,
};

type SimulateOptions = ValuesOf<typeof options>;

const description = {
  name: 'simulate',
  description: 'run a protocol on a virtual network',
  argument: ['protocol', protocolMeaning] as const,
  options,
  help,
};

/** `conclave simulate`: one run on a virtual network, and what it showed. */
export const simulateCommand = (program: Command, session: Session): void =>
  declare(program, description, async (options, name) => {
    const { seed = 1, crash: faults = [], untilSteps, untilTime = Infinity } = options;
    const protocol = await protocolFor(name, options);
    const { topology, note } = networkFor(protocol, options.topology, 5);
    const { delayText, ...conditions } = conditionsFor(topology, options);
    const { workload, text } = workloadFor(protocol, options);
    requireWritable(options);
    remark(session, note, beyondAssumptions(protocol, conditions));

    const until = { time: untilTime, ...defined({ steps: untilSteps }), ...stopOf(session) };
    const record = options.trace !== undefined;
    const result = withProgress(session, (show) => {
      const onProgress = (delivered: number, virtualMs: number) =>
        show(() => `simulating: ${number(delivered)} messages, ${(virtualMs / 1000).toFixed(1)} s of virtual time`);
      return repeatable(again(session.argv, seed), () =>
        simulate({ protocol, topology, conditions, ...defined({ workload }), faults, seed, until, record, onProgress }),
      );
    });
    const { trace, violated, fault, ended } = result;
    const incomplete = incompleteText(result);
    session.exitCode = violated !== undefined ? 1 : ended === 'interrupted' ? 130 : incomplete === undefined ? 0 : 2;
    const traceNote = written(name, options, trace);
    answer(session, options.json, report(protocol, result, incomplete), () =>
      blocks(
        summary(protocol, { ...conditions, delayText }, text, result, session.colours),
        ...(violated !== undefined && trace
          ? [`${lastSteps(trace)}${fault === undefined ? '' : `${oneLine(fault)}\n`}`, againLine(session.argv, options, seed)]
          : []),
        traceNote,
      ),
    );
    complain(session, incomplete);
  });

/**
 * What the channels of this run do. Default: the links' own delays where the network has them, otherwise 1 ms; in order; no loss, no duplication.
 *
 * @throws {ConclaveError} `bad-input`: `geo` on a network without delays.
 */
function conditionsFor({ links, spec }: Topology, options: SimulateOptions): Conditions & { readonly delayText: string } {
  const { order = 'fifo', loss = 0, duplicate = 0 } = options;
  const bare = links.find((link) => link.delay === undefined);
  const { text, delay } = options.delay ?? delayOf(bare || links.length === 0 ? 'fixed:1' : 'geo');
  if (delay.kind === 'link' && bare)
    throw badInput(
      `--delay geo takes the delays of the links, and in '${abridged(spec)}' ${bare.from}→${bare.to} has none`,
      'Use a backbone (abilene, nsfnet, geant), an edge list with delays, or another --delay.',
    );
  return { delay, delayText: text, order, loss, duplication: duplicate };
}

/**
 * What the application does in this run, also in words: competitors enter `entries` times each; in any other protocol, each initiator gets the
 * first optional command once.
 *
 * @throws {ConclaveError} `bad-input` for options without effect here.
 */
function workloadFor(protocol: Protocol, options: SimulateOptions): { readonly workload?: Workload; readonly text: string } {
  const { entries, initiators: nodes, think, hold } = options;
  const who = initiatorsText(nodes);
  if (competes(protocol)) return { workload: competition(options), text: `${counted(entries ?? 1, 'entry', 'entries')} by ${who}` };
  const surplus = Object.entries({ entries, think, hold }).find(([, value]) => value !== undefined);
  if (surplus) throw badInput(`--${surplus[0]} is for a critical section, and ${protocol.title} has none`, 'Leave it out.');
  const [command] = optionalCommands(protocol);
  if (command !== undefined)
    return { workload: nodes ? oneShot(command, { nodes }) : toAll(protocol, command), text: `'${command.type}' to ${who}` };
  if (nodes) throw hasNoCommand(protocol, 'initiators');
  if (!protocol.perpetual) return { text: noCommands };
  const ms = options.untilTime ?? 1000; // its messages never end
  return { workload: idleFor(ms), text: `${noCommands}, for ${number(ms)} ms` };
}

/** Gives the command at once to each node that accepts it, and that may get it now: no multicast to a node that is no member yet. */
function toAll({ commands }: Protocol, command: { readonly type: string }): Workload {
  const { when = () => true } = commands[command.type] ?? {};
  return (application) => {
    const accepting = new Set(application.nodesAccepting(command.type));
    for (const node of application.nodes.filter(({ id }) => accepting.has(id)))
      application.later({ kind: 'fixed', ms: 0 }, () => when(node) && application.tell(node.id, command));
    return () => {};
  };
}

function competition({ entries, initiators: nodes, think, hold }: SimulateOptions): Workload {
  const geo = [think, hold].find((given) => given?.delay.kind === 'link');
  if (geo) throw badInput(`'${geo.text}' is the delay of links, and --think and --hold have none`, 'Write fixed:5.');
  return closedLoop(defined({ entries, nodes, think: think?.delay, hold: hold?.delay }));
}

/** Why a run is not reliable; a limit that the user gave is no such reason. */
function incompleteText({ ended, steps, virtualMs }: SimulationResult): string | undefined {
  const after = `after ${counted(steps, 'step')}, at ${decimal(virtualMs)} ms`;
  if (ended === 'interrupted') return `interrupted ${after}.`;
  if (ended !== 'time stands still') return undefined;
  return `time stands still ${after}: the nodes take steps forever at the same moment. Give messages a --delay above 0.`;
}

/** How often nodes entered, and how many messages an entry took; nothing for a protocol without a critical section. */
function entriesOf(protocol: Protocol, result: SimulationResult) {
  const entries = competes(protocol) ? result.exclusion.entries.length : undefined;
  return { entries, messagesPerEntry: entries ? totalMessages(result) / entries : undefined };
}

/** What `--json` prints; what is undefined is left out. */
function report(protocol: Protocol, result: SimulationResult, incomplete: string | undefined) {
  const { topology, nodes, seed, virtualMs, delivered, messages, leader, properties, complete, violated, fault, trace } = result;
  return {
    ...{ protocol: result.protocol, topology, nodes, seed, virtualMs, delivered, messages },
    ...entriesOf(protocol, result),
    ...{ leader, properties, complete, incomplete, violated, fault },
    trace: violated !== undefined && trace ? traceText(trace) : undefined,
  };
}

/** What it prints for people. */
function summary(
  protocol: Protocol,
  { delayText, order, loss, duplication }: ReturnType<typeof conditionsFor>,
  workload: string,
  result: SimulationResult,
  colours: Session['colours'],
): string {
  const channels = [
    ...[`delay ${delayText}`, `order ${order}`],
    ...(loss > 0 ? [`loss ${loss}`] : []),
    ...(duplication > 0 ? [`duplication ${duplication}`] : []),
  ];
  const rows = [
    ['network', `${abridged(result.topology)}, ${counted(result.nodes, 'node')}`],
    ['channels', channels.join(', ')],
    ['workload', `${workload}; seed ${result.seed}`],
    ...figures(protocol, result),
  ];
  return blocks(
    heading(titleOf(protocol, colours), rows, colours),
    verdictTable(result.properties, colours, ['violated']),
    `${ending(result)}\n`,
  );
}

function figures(protocol: Protocol, result: SimulationResult): string[][] {
  const { entries, messagesPerEntry } = entriesOf(protocol, result);
  const { meanWait, synchronisationDelay, overtaken } = result.exclusion;
  const total = totalMessages(result);
  const byType = Object.entries(result.messages).map(([type, sent]) => `${type} ${number(sent)}`);
  const messages = [
    `${number(total)} sent${byType.length > 0 ? ` (${byType.join(', ')})` : ''}`,
    ...(result.lost > 0 ? [`${number(result.lost)} lost`] : []),
    ...(result.duplicated > 0 ? [`${number(result.duplicated)} duplicated`] : []),
  ];
  const order = overtaken === 0 ? 'in the order of the requests' : `${number(overtaken)} overtaken by a later request`;
  const row = (label: string, text: string | undefined | false): string[][] =>
    text === undefined || text === false ? [] : [[label, text]];
  return [
    ['messages', messages.join(', ')],
    ...row('cost', protocol.cost && entries !== 0 && costText(protocol.cost, result.nodes, messagesPerEntry ?? total)),
    ...row('entries', entries === undefined ? undefined : entries === 0 ? 'none' : `${number(entries)}, ${order}`),
    ...row('wait', meanWait === undefined ? undefined : `${decimal(meanWait)} ms on average`),
    ...row(
      'hand-over',
      synchronisationDelay === undefined ? undefined : `${decimal(synchronisationDelay)} ms on average (synchronisation delay)`,
    ),
    ...row('leader', result.leader),
  ];
}

function costText({ per, formula, messages }: NonNullable<Protocol['cost']>, nodes: number, measured: number): string {
  const { least, most } = messages(nodes);
  const bounds = least === most ? `= ${number(least)}` : `(${number(least)} to ${number(most)})`;
  if (per === 'period') return `by formula ${formula} ${bounds} messages per period`; // a run has many
  return `${decimal(measured)} messages per ${per}; by formula ${formula} ${bounds}`;
}

function ending({ ended, virtualMs, delivered, exclusion }: SimulationResult): string {
  const after = `after ${decimal(virtualMs)} ms of virtual time and ${counted(delivered, 'delivery', 'deliveries')}`;
  const undecided = 'messages still in flight might change the verdicts';
  if (ended === 'quiescent') return `Quiescent ${after}.`;
  if (ended === 'served')
    return `${exclusion.entries.length === 0 ? 'Nothing is left to do' : 'Every request was granted'} ${after}; the protocol itself runs forever.`;
  if (ended === 'violation') return `Stopped at the violation ${after}.`;
  if (ended === 'interrupted') return `Interrupted ${after}; ${undecided}.`;
  if (ended === 'time stands still') return `Time stands still ${after}: the nodes take steps forever at the same moment.`;
  return `Stopped by the ${ended} ${after}; ${undecided}.`;
}

/** How much of the trace of a violation is printed. */
const shownLines = 20;

function lastSteps({ lines }: Trace): string {
  const last = lines.slice(-shownLines);
  const title = last.length < lines.length ? `The last ${shownLines} of ${lines.length} steps:` : 'The run:';
  return `${title}\n${linesText(last)}`;
}
