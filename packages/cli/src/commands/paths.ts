import { type PathOptions, type Paths, paths } from '@conclave/check';
import { choices, readable } from '@conclave/core/internal';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import type { Command } from 'commander';
import { badInput } from '../errors.js';
import {
  budgetFor,
  budgetOptions,
  budgetRows,
  type CheckBudget,
  warningsOf,
} from '../input/environment.js';
import {
  choice,
  count,
  declare,
  defined,
  jsonOption,
  parsed,
  positive,
  text,
  type ValuesOf,
} from '../input/options.js';
import { networkFor, protocolFor, protocolMeaning, protocolOptions } from '../input/protocol.js';
import { again, repeatable } from '../output/files.js';
import { abridged, blocks, counted, few, heading, number, table, titleOf } from '../output/text.js';
import { answer, complain, remark, type Session, stopOf, withProgress } from '../session.js';

const pathsOptions = {
  topology: text('spec', 'the network, such as ring:3 or complete:3; a small one'),
  kind: choice(
    'kind',
    choices.paths,
    'shortest: to each state a shortest path; simple: every path that visits no state twice (default: shortest)',
  ),
  covering: text(
    'text',
    'only paths that take a transition with this text, such as request; the shortest first',
  ),
  show: parsed(
    'n',
    'how many paths are printed, besides those that take a transition first (default: 20); the JSON has all',
    count,
  ),
  ...budgetOptions,
  maxStates: parsed('n', 'stop after so many states (default: 20,000)', positive),
  maxPaths: parsed('n', 'stop after so many paths (default: 20,000)', positive),
  ...protocolOptions,
  ...jsonOption,
};

type Options = ValuesOf<typeof pathsOptions>;

const help = `The paths are those that model tests of @xstate/test and xstate/graph generate from model(protocol,
topology), without those that are the beginning of another one. 'takes first' names the transitions
of the statechart that no path above takes.

Exit codes:
  0  all paths were generated
  2  a usage or input error; or there is no path, or not all: a limit was reached or an action fails
  130  interrupted by Ctrl-C; the paths so far are printed

Examples:
  conclave paths A3 --topology complete:2
  conclave paths raymond --kind simple --covering 'held: release'`;

const description = {
  name: 'paths',
  description: 'list the paths that model tests generate, and the transitions that they take',
  argument: ['protocol', protocolMeaning] as const,
  options: pathsOptions,
  help,
};

/** `conclave paths`: the paths that model tests generate. */
export const pathsCommand = (program: Command, session: Session): void =>
  declare(program, description, async (options, name) => {
    const protocol = await protocolFor(name, options);
    const { topology, note } = networkFor(protocol, options.topology, 3);
    const budget = budgetFor(protocol, options);
    remark(session, note, warningsOf(protocol, budget));
    const found = generated(
      session,
      protocol,
      topology,
      { ...budget, ...defined({ kind: options.kind }) },
      options,
    );
    const report = reportOf(protocol, found, options);
    const incomplete = incompleteOf(report, found, options);
    if (incomplete !== undefined) session.exitCode = found.limit === 'interrupted' ? 130 : 2;
    complain(session, incomplete);
    answer(session, options.json, { ...report, ...defined({ incomplete }) }, () =>
      summary(session, { protocol, topology, budget, report, options }),
    );
  });

function generated(
  session: Session,
  protocol: Protocol,
  topology: Topology,
  settings: PathOptions,
  options: Options,
): Paths {
  const { maxStates, maxPaths } = options;
  const limits = { ...defined({ worlds: maxStates, paths: maxPaths }), ...stopOf(session) };
  return withProgress(session, (show) => {
    const onProgress = (worlds: number, made: number) =>
      show(
        () =>
          `generating: ${counted(worlds, 'state')}${made === 0 ? '' : `, ${counted(made, 'path')}`}`,
      );
    return repeatable(again(session.argv), () =>
      paths(protocol, topology, { ...settings, limits, onProgress }),
    );
  });
}

type Report = ReturnType<typeof reportOf>;

/**
 * What is printed: texts in place of positions.
 * @throws {ConclaveError} `bad-input` where no transition has the text of `--covering`.
 */
function reportOf({ roles }: Protocol, found: Paths, { covering }: Options) {
  const isOfOne = Object.keys(roles).length === 1;
  const texts = found.transitions.map(({ role, text }) => (isOfOne ? text : `${role} ${text}`));
  const wanted = new Set(
    texts.flatMap((text, position) =>
      covering !== undefined && text.includes(covering) ? [position] : [],
    ),
  );
  if (covering !== undefined && wanted.size === 0)
    throw badInput(`No transition has the text '${covering}'`, `There are ${few(texts)}.`);
  const chosen =
    covering === undefined
      ? found.paths
      : found.paths
          .filter(({ takes }) => takes.some((position) => wanted.has(position)))
          .toSorted((one, other) => one.steps.length - other.steps.length);
  const taken = new Set<number>();
  const textOf = (position: number): string => texts[position] ?? '';
  const listed = chosen.map(({ steps, actions, takes }) => {
    const first = takes.filter((position) => !taken.has(position));
    for (const position of first) taken.add(position);
    return {
      length: steps.length,
      takesFirst: first.map(textOf),
      takes: takes.map(textOf),
      actions: actions.map((position) => found.actions[position] ?? ''),
      steps,
    };
  });
  const { protocol, topology, kind, worlds, tick, complete, limit, fault } = found;
  return {
    ...{ protocol, topology, kind, states: worlds, complete },
    ...defined({ tick, limit, fault }),
    transitions: found.transitions.map(({ paths, isPossible }, position) => ({
      transition: textOf(position),
      paths,
      isPossible,
    })),
    /** By no path at all, whatever `--covering` chooses. */
    uncovered: found.transitions.flatMap(({ paths }, position) =>
      paths === 0 ? [textOf(position)] : [],
    ),
    paths: listed,
  };
}

/** Why these are not all paths, or none; undefined where they are. */
function incompleteOf(
  { paths: listed }: Report,
  { limit, fault, worlds, paths: all }: Paths,
  options: Options,
): string | undefined {
  const { maxStates = 20_000, maxPaths = 20_000, covering } = options;
  const made = `${counted(all.length, 'path')} to ${counted(worlds, 'state')}`;
  if (limit === 'interrupted') return `interrupted after ${made}; there are more.`;
  if (limit === 'worlds')
    return `more than ${number(maxStates)} states (--max-states); these are ${made}.`;
  if (limit === 'paths') return `more than ${number(maxPaths)} paths (--max-paths).`;
  if (limit === 'steps') return `the paths are too long to list all; these are ${made}.`;
  if (fault !== undefined) return `an action fails, and no path leads beyond it: ${fault}`;
  if (!listed.some(({ length }) => length > 0))
    return covering === undefined
      ? 'nothing can happen, so there is no path.'
      : `no path takes a transition with the text '${covering}'.`;
  return undefined;
}

interface Summarized {
  readonly protocol: Protocol;
  readonly topology: Topology;
  readonly budget: CheckBudget;
  readonly report: Report;
  readonly options: Options;
}

function summary(
  session: Session,
  { protocol, topology, budget, report, options }: Summarized,
): string {
  const { colours } = session;
  const { kind, states, complete, transitions, uncovered, paths: all } = report;
  const { show = 20, covering } = options;
  const rows = all.map((path, index) => ({ ...path, index }));
  const shown = rows.filter(({ takesFirst, index }) => index < show || takesFirst.length > 0);
  const hidden = rows.length - shown.length;
  const steps = all.reduce((sum, { length }) => sum + length, 0);
  const head = ['path', 'steps', 'takes first', 'actions'].map((word) => colours.bold(word));
  const cells = shown.map(({ index, length, takesFirst, actions }) => [
    number(index + 1),
    number(length),
    takesFirst.join('\n') || colours.dim('–'),
    wrapped(actions.map(readable(protocol).shown)),
  ]);
  const elsewhere = transitions
    .filter(({ paths, isPossible }) => paths === 0 && isPossible)
    .map(({ transition }) => transition);
  const never = uncovered.filter((text) => !elsewhere.includes(text));
  return blocks(
    heading(
      titleOf(protocol, colours),
      [
        ['network', `${abridged(topology.spec)}, ${counted(topology.nodes.length, 'node')}`],
        ...budgetRows(protocol, budget),
        [
          'paths',
          `${counted(all.length, `${kind} path`)}${covering === undefined ? '' : ` with '${covering}'`}, ${counted(steps, 'step')}; ${counted(states, 'state')}`,
        ],
        [
          'taken',
          `${number(transitions.length - uncovered.length)} of ${counted(transitions.length, 'transition')}`,
        ],
      ],
      session,
    ),
    shown.length === 0
      ? ''
      : table([head, ...cells]) +
          (hidden === 0 ? '' : `and ${counted(hidden, 'path')} more: --show ${rows.length}\n`),
    listText('No path takes, although some step does', elsewhere, colours),
    listText(
      complete && report.fault === undefined
        ? 'No step in this system takes'
        : 'No step that was found takes',
      never,
      colours,
    ),
  );
}

const listText = (
  title: string,
  texts: readonly string[],
  { yellow }: Session['colours'],
): string =>
  texts.length === 0
    ? ''
    : `${yellow(title)} (${number(texts.length)}):\n${texts.map((text) => `  ${text}\n`).join('')}`;

const width = 80;

/** Actions, comma by comma, in lines that are not too long. */
function wrapped(actions: readonly string[]): string {
  const lines: string[] = [];
  for (const [index, action] of actions.entries()) {
    const part = index < actions.length - 1 ? `${action},` : action;
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length < width)
      lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(part);
  }
  return lines.join('\n');
}
