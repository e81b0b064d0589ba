import type { Protocol, Verdict } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { badInput } from '../base/bad-input.js';
import { noDeadlock } from '../worlds/standard-properties.js';
import { type ExportOptions, exploredSystem, type Found } from './explored-system.js';
import {
  commentText,
  eventLines,
  type PromelaClaim,
  PromelaNames,
  promelaClaims,
} from './promela.js';
import type { EventTable, SystemTables } from './system-tables.js';

/** One system as a model for another tool, with what the explorer has found. */
export interface ExportedModel extends Omit<PromelaModel, 'claims'> {
  readonly states: number;
  readonly transitions: number;
  readonly assumptions: readonly string[];
  readonly properties: readonly {
    readonly name: string;
    readonly kind: string;
    readonly verdict: Verdict;
    /** How the model checks it; absent: not. */
    readonly claim?: PromelaModel['claims'][number];
  }[];
}

/**
 * A system as a complete model in Promela, for SPIN: from the tables of its machines, with channels,
 * faults and commands written anew.
 *
 * @throws {ConclaveError} as `explore`; `bad-input` for what such a model cannot say, and for a
 * system that is too large.
 */
export function exportPromela(
  protocol: Protocol,
  topology: Topology,
  options: ExportOptions = {},
): ExportedModel {
  const { tables, found } = exploredSystem('exportPromela', protocol, topology, options);
  const { claims, ...model } = promelaModel(tables, found);
  const { states, transitions, assumptions } = found;
  return {
    ...{ ...model, states, transitions, assumptions },
    properties: found.properties.map(({ name, kind, verdict }) => {
      const claim = claims.find(({ property }) => property === name);
      return { name, kind, verdict, ...(claim && { claim }) };
    }),
  };
}

/** SPIN takes no more processes, and no more lines in useful time. */
const mostProcesses = 250;
const mostLines = 60_000;

interface PromelaModel {
  readonly text: string;
  /** What SPIN counts: a start that sends is a state of its own. */
  readonly stored: number;
  readonly counted: number;
  /** For `gcc`, so that the verifier keeps every state of this model. */
  readonly flags: readonly string[];
  /** The same for states alone: a state at the end of a run has no step of its own. */
  readonly stateFlags: readonly string[];
  readonly claims: readonly PromelaClaim[];
}

/**
 * The whole model: names, variables, one process for each fair class of events, properties.
 *
 * @throws {ConclaveError} `bad-input` for a system that is too large for SPIN.
 */
function promelaModel(tables: SystemTables, found: Found): PromelaModel {
  const names = new PromelaNames(tables);
  const processes = processesOf(names);
  const body = [
    ...stateLines(names),
    ...messageLines(names),
    ...variableLines(names),
    ...processLines(names, processes),
  ];
  const { claims, lines } = promelaClaims(names, found.properties, found.waiting);
  requireSmall(tables, processes.length, body.length);
  const extra = isStarted(tables) ? 1 : 0; // the start
  const flags = [
    ...['-DNOREDUCE', '-DVECTORSZ=16384'],
    `-DNFAIR=${Math.max(2, Math.ceil((processes.length + 4) / 4))}`,
  ];
  const model = {
    stored: found.states + extra,
    counted: found.transitions + extra + 1, // SPIN counts the first state as well
    flags,
    stateFlags: [...flags, '-DSAFETY', '-DNOSTUTTER'],
  };
  const text = [...headLines(found, tables, model), '', ...body, ...lines, ''].join('\n');
  return { ...model, text, claims };
}

function requireSmall({ nodes, channels }: SystemTables, processes: number, lines: number): void {
  const most = Math.max(...channels.map(({ capacity }) => capacity));
  const reason =
    processes > mostProcesses
      ? `${processes} different fair events, and SPIN has at most ${mostProcesses} processes`
      : lines > mostLines
        ? `${lines} lines as a model; SPIN would take hours to read more than ${mostLines}`
        : most > 255
          ? `channels with ${most} messages, and SPIN has at most 255`
          : undefined;
  if (reason !== undefined)
    throw badInput(
      `The system of ${nodes.length} nodes has ${reason}`,
      'Take a smaller network, fewer commands or faults, or --format aut.',
    );
}

function headLines(
  { head, states, transitions, assumptions, properties }: Found,
  { choices }: SystemTables,
  { stored, counted, flags, stateFlags }: Omit<PromelaModel, 'text' | 'claims'>,
): readonly string[] {
  const draws = choices.some((list) => list.some(({ weights }) => weights));
  return [
    ...head,
    `The explorer of Conclave found ${states} states and ${transitions} transitions.`,
    ...(draws ? ['What is drawn at random may be any of its values here.'] : []),
    ...assumptions.map((assumption) => `It assumes ${assumption}.`),
    '',
    `SPIN must count ${stored} states and ${counted} transitions (with the first state):`,
    '  spin -a FILE',
    `  gcc ${stateFlags.join(' ')} -o pan pan.c`,
    '  ./pan -N states -m100000',
    'An assertion that fails is a step that the tables lack.',
    'A property of states, such as p1; an error is a run that violates it:',
    '  ./pan -N p1 -m100000',
    'A property of runs (<>), with weak fairness: faults need not happen, hence IDLE.',
    "For 'leadsTo' optional commands need not come either: spin -DIDLE -DIDLE_COMMANDS.",
    '  spin -DIDLE -a FILE',
    `  gcc ${flags.join(' ')} -o pan pan.c`,
    '  ./pan -a -f -N p2 -m100000',
    ...(properties.some(({ name }) => name === noDeadlock)
      ? [
          'That no node waits where nothing can happen:',
          '  spin -DQUIESCENCE -a FILE, then as for all states',
        ]
      : []),
  ].map((line) => (line === '' ? '//' : `// ${commentText(line)}`));
}

function stateLines(names: PromelaNames): readonly string[] {
  return names.tables.nodes.flatMap(({ id, states }, node) => [
    `// The local states of ${commentText(id)}`,
    ...states.map(
      ({ detail }, state) =>
        `#define ${names.state(node, state)} ${state} /* ${commentText(detail)} */`,
    ),
    '',
  ]);
}

function messageLines(names: PromelaNames): readonly string[] {
  const { order, messages } = names.tables;
  if (order === 'any') return [];
  return [
    '// The messages',
    ...messages.map(
      (text, message) => `#define ${names.messages[message]} ${message} /* ${commentText(text)} */`,
    ),
    '',
  ];
}

const typeFor = (most: number): string => (most < 256 ? 'byte' : 'short');

function variableLines(names: PromelaNames): readonly string[] {
  const { nodes, budget, choices, asked } = names.tables;
  const faults = Object.entries(budget).filter(([, count]) => count > 0);
  return [
    ...nodes.flatMap(({ id, states, initial, counters, conditions }, node) => [
      `${typeFor(states.length)} ${names.at[node]} = ${names.state(node, initial)}; /* where ${commentText(id)} is */`,
      ...counters.map(
        ({ initial: count }, index) => `${typeFor(count)} ${names.left[node]?.[index]} = ${count};`,
      ),
      ...conditions.map((_, index) => `bit ${names.done[node]?.[index]};`),
      ...(names.mayCrash ? [`bit ${names.down[node]};`] : []),
    ]),
    ...faults.map(([name, count]) => `byte ${name} = ${count};`),
    ...(names.asks ? [`${typeFor(choices.length)} open = ${asked};`] : []),
    ...choices
      .slice(1)
      .map((list, index) => `/* open == ${index + 1}: ${commentText(JSON.stringify(list))} */`),
    ...channelLines(names),
    '',
  ];
}

function channelLines(names: PromelaNames): readonly string[] {
  const { order, channels } = names.tables;
  return channels.flatMap(({ messages, initial, capacity }, channel) => {
    if (messages.length === 0) return [];
    if (order === 'fifo')
      return [
        `chan ${names.channels[channel]} = [${capacity}] of { ${typeFor(names.messages.length)} };`,
      ];
    return messages.map((message) => {
      const count = initial.filter((other) => other === message).length;
      return `byte ${names.counts[channel]?.get(message)}${count > 0 ? ` = ${count}` : ''};`;
    });
  });
}

interface Process {
  readonly name: string;
  /** If this is defined, it need not do what it can. */
  readonly idle?: string;
  readonly lines: readonly string[];
}

/** One for each fairness class: what it can do continuously, it does (`pan -f`). */
function processesOf(names: PromelaNames): readonly Process[] {
  const { tables } = names;
  const fair = new Map<number, EventTable[]>();
  for (const event of tables.events)
    if (event.fair >= 0) fair.set(event.fair, [...(fair.get(event.fair) ?? []), event]);
  const unfair = [
    ...tables.events.filter((event) => event.fair < 0).flatMap((event) => eventLines(names, event)),
    ...faultLines(names),
  ];
  const processes = [...fair.values()].map((events) => ({
    name: names.of(`step_${events[0]?.label}`),
    ...(events.some(({ isOptional }) => isOptional) && { idle: 'IDLE_COMMANDS' }),
    lines: events.flatMap((event) => eventLines(names, event)),
  }));
  return unfair.length === 0
    ? processes
    : [...processes, { name: names.of('faults'), idle: 'IDLE', lines: unfair }];
}

/** Whether the start needs a step of its own. */
const isStarted = ({ order, channels }: SystemTables): boolean =>
  order === 'fifo' && channels.some(({ initial }) => initial.length > 0);

function processLines(names: PromelaNames, processes: readonly Process[]): readonly string[] {
  const { tables } = names;
  const active = isStarted(tables) ? '' : 'active ';
  return [
    ...(tables.budget.duplications > 0 && tables.order === 'fifo' ? twice : []),
    ...processes.flatMap(({ name, idle, lines }) => [
      `${active}proctype ${name}() {`,
      'end: do',
      ...lines.map((line) => `  ${line}`),
      ...(idle ? [`#ifdef ${idle}`, '  :: true -> skip', '#endif'] : []),
      '  od',
      '}',
      '',
    ]),
    ...(isStarted(tables)
      ? startLines(
          names,
          processes.map(({ name }) => name),
        )
      : []),
  ];
}

/** The processes begin once the messages of the start are sent. */
function startLines(names: PromelaNames, processes: readonly string[]): readonly string[] {
  const { channels } = names.tables;
  const sends = channels.flatMap(({ initial }, channel) =>
    initial.map((message) => `${names.send(channel, message)};`),
  );
  return [
    'init {',
    '  atomic {',
    ...[...sends, ...processes.map((name) => `run ${name}();`)].map((line) => `    ${line}`),
    '  }',
    '}',
    '',
  ];
}

/** The copy goes directly behind the head of a channel. */
const twice = [
  'hidden byte copy, count;',
  'inline twice(channel) {',
  '  channel?copy; channel!copy; channel!copy; count = len(channel) - 2;',
  '  do',
  '  :: count > 0 -> channel?copy; channel!copy; count--',
  '  :: else -> break',
  '  od',
  '}',
  '',
];

/** Messages are lost, duplicated, and in vain where their receiver is down. */
function faultLines(names: PromelaNames): readonly string[] {
  const { channels, nodes, messages, budget } = names.tables;
  const quiet = names.asks ? 'open == 0 && ' : '';
  return channels.flatMap((channel, index) =>
    channel.messages.flatMap((message) => {
      const from = `${messages[message]} from ${nodes[channel.from]?.id}`;
      const next = names.isNext(index, message);
      const take = names.take(index, message);
      const down = names.down[channel.to];
      const line = (what: string, body: string) =>
        `:: d_step { ${quiet}${body} } /* ${commentText(`${nodes[channel.to]?.id} ${what} ${from}`)} */`;
      const up = names.mayCrash ? ` && !${down}` : '';
      return [
        ...(names.mayCrash ? [line('drop', `${down} && ${next} -> ${take}`)] : []),
        ...(budget.losses > 0
          ? [line('drop', `losses > 0${up} && ${next} -> ${take}; losses--`)]
          : []),
        ...(budget.duplications > 0
          ? [
              line(
                'duplicate',
                `duplications > 0 && ${next} -> ${copyOf(names, index, message)}; duplications--`,
              ),
            ]
          : []),
      ];
    }),
  );
}

const copyOf = (names: PromelaNames, channel: number, message: number): string =>
  names.tables.order === 'any' ? names.send(channel, message) : `twice(${names.channels[channel]})`;
