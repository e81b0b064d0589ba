/** What all checks have in common: how they report a result, and the exit code. */

import { isDeepStrictEqual } from 'node:util';
import type { Exploration, PropertyFinding } from '@conclave/check';
import { standardProperties } from '@conclave/check/internal';
import { faults, readable } from '@conclave/core/internal';
import { readableLines } from '@conclave/core/internal/trace';
import type { Protocol, TimeModel } from '@conclave/core/protocol';
import { linesText, type Trace, traceText } from '@conclave/core/trace';
import { pageUrl } from '@conclave/studio/internal/page';
import { type Link, linkText } from '@conclave/studio/link';
import { budgetRows } from '../input/environment.js';
import { looksLikePath } from '../input/module.js';
import { defined } from '../input/options.js';
import { commandLine, writeTrace } from '../output/files.js';
import {
  abridged,
  blocks,
  counted,
  few,
  heading,
  number,
  type Verdict,
  verdictTable,
} from '../output/text.js';
import { answer, complain, type Session } from '../session.js';
import type { Check, NetworkCheck } from './options.js';

/**
 * The verdicts that refute a protocol. An unreached `sometimes` is one: in a complete check nothing
 * can reach it.
 */
const refuted: readonly Verdict[] = ['violated', 'unreached'];

export const isViolated = ({ verdict }: { readonly verdict: Verdict }): boolean =>
  verdict === 'violated';

type Finding = Pick<PropertyFinding, 'name' | 'kind' | 'verdict' | 'remark' | 'trace'>;

/** The run that violates the first violated property. */
export const counterexampleIn = (findings: readonly Finding[]): Trace | undefined =>
  findings.find(isViolated)?.trace;

interface Outcome {
  readonly findings: readonly Finding[];
  readonly limit?: Exploration['limit'] | undefined;
  /** Why some verdict is not known; undefined when all are. */
  readonly incomplete: string | undefined;
  /** What `--json` prints, besides `incomplete` and `leftOut`; what is undefined is left out. */
  readonly report: Readonly<Record<string, unknown>>;
  /** What it prints for people, besides the verdicts. */
  readonly summary: () => Summary;
}

interface Summary {
  readonly title: string;
  readonly rows: readonly string[][];
  /** Lines below the verdicts. */
  readonly remark?: string;
  /** The sentence of a complete check. */
  readonly complete: string;
  /** What follows the reason why it is incomplete. */
  readonly advice?: string;
  /** Lines below that. */
  readonly assumptions?: string;
  /** Counterexamples, what to try, how to repeat it. */
  readonly more: readonly string[];
}

/** Writes the trace, prints the outcome of a check, and sets the exit code. */
export function conclude(
  check: Check<{ readonly name: string }> & { readonly protocol?: Protocol },
  outcome: Outcome,
): void {
  const { session, name, protocol, options, leftOut } = check;
  const { findings, limit, incomplete, report, summary } = outcome;
  const { colours } = session;
  const traceNote = writeTrace(name, options, counterexampleIn(findings), protocol);
  if (limit === 'interrupted') session.exitCode = 130;
  else if (findings.some(({ verdict }) => refuted.includes(verdict))) session.exitCode = 1;
  else if (incomplete !== undefined || findings.some(({ verdict }) => verdict === 'vacuous'))
    session.exitCode = 2;
  const open = {
    incomplete,
    leftOut: leftOut.length === 0 ? undefined : leftOut.map(({ name }) => name),
  };
  answer(session, options.json, { ...report, ...open }, () => {
    const { title, rows, remark = '', complete, advice = '', assumptions = '', more } = summary();
    const ending =
      incomplete === undefined
        ? complete
        : `${colours.yellow('INCOMPLETE:')} ${incomplete}${advice}`;
    const notJudged = leftOut.map(({ name }) => `Left out by --safety: ${name}.\n`).join('');
    return blocks(
      heading(title, rows, session),
      `${verdictTable(findings, session, refuted)}${remarksText(findings)}${notJudged}${remark}`,
      `${ending}\n${assumptions}`,
      ...more,
      traceNote,
    );
  });
  complain(session, incomplete);
}

/** Why properties hold that could not fail, a line each. */
const remarksText = (findings: Outcome['findings']): string =>
  findings
    .map(({ name, remark }) => (remark === undefined ? '' : `Remark on '${name}': ${remark}.\n`))
    .join('');

/** What `--json` prints of a finding; the link opens a counterexample in the studio. */
type FindingReport = Omit<PropertyFinding, 'trace' | 'steps' | 'loopsFromStep' | 'others'> & {
  readonly trace: string | undefined;
  readonly others?: readonly Pick<FindingReport, 'trace' | 'link' | 'reason'>[];
  readonly link: string | undefined;
};

/** What was found in one system; in exact time, its tick numbers the actions of a link. */
type Found = Pick<Exploration, 'properties' | 'tick'>;

export const findingReports = (
  check: NetworkCheck,
  { properties: findings, tick }: Found,
): readonly FindingReport[] =>
  findings.map((finding) => {
    const { trace, steps: _, loopsFromStep: __, others, ...found } = finding;
    const link = linkTo(check, finding, tick);
    const more = others?.map(({ trace, steps, reason }) => ({
      trace: traceText(trace),
      link: linkTo(check, { ...finding, steps }, tick),
      ...defined({ reason }),
    }));
    return { ...found, trace: trace && traceText(trace), link, ...defined({ others: more }) };
  });

/** The runs that violate properties, and how to look at them. */
export const counterexamples = (
  check: NetworkCheck,
  { properties: findings, tick }: Found,
): readonly string[] =>
  findings
    .filter(isViolated)
    .flatMap((finding) => [finding, ...othersOf(finding)])
    .map((finding) => {
      const { name, trace, loopsFrom } = finding;
      const lines = trace ? readableLines(check.protocol, trace.lines) : [];
      const steps = linesText(lines).split('\n').slice(0, -1);
      const fault = trace?.header.get('fault');
      const run = markedSteps(name, steps, loopsFrom, check.session.colours);
      return `${run}${fault === undefined ? '' : `${readable(check.protocol).shown(fault)}\n`}${lookLine(check, finding, tick)}`;
    });

/** The other counterexamples, each as a finding. */
const othersOf = (finding: PropertyFinding): readonly PropertyFinding[] =>
  (finding.others ?? []).map((other) => ({ ...finding, ...other }));

/** A run that violates a property, with a mark where it ends or begins to repeat. */
export function markedSteps(
  name: string,
  steps: readonly string[],
  loopsFrom: number | undefined,
  { red, dim }: Session['colours'],
): string {
  const ends = loopsFrom === steps.length;
  const after =
    steps.length === 0 ? 'in the initial state' : `after ${counted(steps.length, 'step')}`;
  const mark =
    loopsFrom === undefined
      ? []
      : [dim(ends ? '— nothing more happens —' : '— from here on, repeated forever —')];
  const lines = [
    ...shortened(steps.slice(0, loopsFrom)),
    ...mark,
    ...shortened(steps.slice(loopsFrom ?? steps.length)),
  ];
  const title = `${red('✗')} ${name}, ${loopsFrom === undefined || ends ? after : 'on an infinite run'}:`;
  return [title, ...lines].map((line) => `${line}\n`).join('');
}

/** The beginning and the end of a long run; a trace file has all of it. */
function shortened(steps: readonly string[]): readonly string[] {
  const [first, last] = [10, 20];
  const left = steps.length - first - last;
  return left <= 1
    ? steps
    : [...steps.slice(0, first), `… ${counted(left, 'step')} …`, ...steps.slice(-last)];
}

/** The system that was checked. */
export const networkRows = ({ protocol, topology, budget }: NetworkCheck): string[][] => [
  ['network', `${abridged(topology.spec)}, ${counted(topology.nodes.length, 'node')}`],
  ...budgetRows(protocol, budget),
];

/** How much of each statechart was used, what walks alone reached, and what was not used. */
export function coverageRows({
  coverage = [],
  taken: how,
  walked = [],
}: Pick<Exploration, 'coverage'> & {
  /** What is said of the transitions, such as `taken so far`. */
  readonly taken: string;
  readonly walked?: readonly { readonly role: string; readonly transitions: readonly string[] }[];
}): string[][] {
  const listRow = (what: string, list: readonly string[]) =>
    list.length === 0 ? [] : [['', `${what}: ${few(list)}`]];
  return coverage.flatMap(
    ({ role, transitions, taken, missed, guards, unentered, undelivered, untaken = [] }) => {
      const { transitions: reached = [] } = walked.find((one) => one.role === role) ?? {};
      const more =
        reached.length === 0 ? '' : `, ${reached.length} more reached by walks, not exhausted`;
      const never = missed.filter((transition) => !reached.includes(transition));
      return [
        ['coverage', `${role}: ${taken} of ${counted(transitions, 'transition')} ${how}${more}`],
        ...reached.map((transition) => ['', `by walks ${transition}`]),
        ...never.map((transition) => [
          '',
          `never ${transition}${guards.neverTrue.includes(transition) ? ' (guard never true)' : ''}`,
        ]),
        ...listRow('guard never false', guards.neverFalse),
        ...listRow('never entered', unentered),
        ...listRow('no reachable state takes', untaken),
        ...listRow('never delivered', undelivered),
      ];
    },
  );
}

/** How many steps of single nodes were used, and whether XState has confirmed them. */
export function stepsRows(all: readonly Exploration['steps'][]): string[][] {
  const total = (count: (steps: Exploration['steps']) => number) =>
    all.reduce((sum, steps) => sum + count(steps), 0);
  const [distinct, confirmed] = [
    total((steps) => steps.distinct),
    total((steps) => steps.confirmed),
  ];
  const how =
    confirmed === distinct ? 'all' : confirmed === 0 ? 'none' : `${number(confirmed)} of them`;
  const uncompiled = new Map(all.flatMap((steps) => Object.entries(steps.uncompiled ?? {})));
  return [
    [
      'steps',
      distinct === 0
        ? 'no local steps'
        : `${counted(distinct, 'distinct local step')}, ${how} confirmed by XState`,
    ],
    ...[...uncompiled].map(([role, why]) => [
      '',
      `${role} is not compiled, which is slower: its machine ${why}`,
    ]),
  ];
}

/** What the verdicts rest on, a line each. */
export const assumptionsText = (assumptions: readonly string[]): string =>
  assumptions.map((what) => `Assumed: ${what}.\n`).join('');

/** `35 states, 72 transitions, depth 9` */
export const sizeOf = ({
  states,
  transitions,
  depth,
}: Pick<Exploration, 'states' | 'transitions' | 'depth'>): string =>
  `${counted(states, 'state')}, ${counted(transitions, 'transition')}, depth ${depth}`;

const [, , noStepFails] = standardProperties;

/** Where a run goes no further, in words. */
export const faultOf = (
  findings: readonly { readonly name: string; readonly verdict: Verdict }[],
): string =>
  findings.some(({ name, verdict }) => name === noStepFails && verdict === 'violated')
    ? 'a step that fails'
    : 'an unhandled message';

/** What may follow in a complete check with an unhandled message or a failing action. */
export const openAfter = (
  what: string,
  findings: readonly { readonly verdict: Verdict }[],
): string =>
  findings.some(({ verdict }) => verdict === 'incomplete')
    ? ` What follows ${what} was not explored.`
    : '';

// Links that open a counterexample in the studio.

type FoundRun = Pick<PropertyFinding, 'verdict' | 'steps' | 'loopsFromStep'>;

/** In exact time, in milliseconds: the actions are numbered with it. */
type Tick = number | undefined;

/**
 * The link to the run of a violated property: a file URL; of a module of the user's own, which the
 * page of the catalogue does not have, only what stands behind `#`. Undefined without such a run.
 */
export function linkTo(check: NetworkCheck, finding: FoundRun, tick: Tick): string | undefined {
  const { verdict, steps, loopsFromStep } = finding;
  if (verdict !== 'violated' || !steps || check.from) return undefined; // its page begins at the start
  const hash = linkText({
    setup: setupOf(check, tick, steps.length),
    view: 'world',
    steps,
    ...defined({ loopsFrom: loopsFromStep }),
  });
  return looksLikePath(check.name) ? hash : `${pageUrl}#${hash}`;
}

/** The line that says how to look at the run of a violated property; empty without such a run. */
export function lookLine(check: NetworkCheck, finding: FoundRun, tick: Tick): string {
  const link = linkTo(check, finding, tick);
  if (link === undefined) return '';
  const { name, options } = check;
  const exported = options.export === undefined ? [] : ['--export', options.export];
  return `Look: ${looksLikePath(name) ? commandLine(['studio', name, ...exported, '--link', link]) : link}\n`;
}

/** The system of a check; what is as by default is left out. `most`: commands where any number may come. */
function setupOf(
  { name, protocol, topology, budget }: NetworkCheck,
  tick: Tick,
  most: number,
): Link['setup'] {
  const { commands, initiators, atomicSteps, unsent, mayCrash, unexpected, order, time } = budget;
  const counted = (count: number, usual = 0) => (count === usual ? undefined : count);
  return {
    protocol: protocol.name,
    options: looksLikePath(name) ? {} : (protocol.options ?? {}),
    topology: topology.spec,
    budget: defined({
      commands: counted(commands === 'unlimited' ? most : commands, 1),
      ...faults.perFault((name) => counted(budget[name])),
      order: order === protocol.channels.order ? undefined : order,
      ...{
        initiators,
        atomicSteps,
        unsent,
        mayCrash,
        unexpected,
        time: timeIn(protocol, time, tick),
      },
    }),
  };
}

/** The model of time, with its tick; undefined where it is that of the protocol, which has none. */
function timeIn({ channels }: Protocol, time: TimeModel, tick: Tick): TimeModel | undefined {
  const fitted = time === 'untimed' || !tick ? time : { ...time, tick };
  return isDeepStrictEqual(fitted, channels.time ?? 'untimed') ? undefined : fitted;
}
