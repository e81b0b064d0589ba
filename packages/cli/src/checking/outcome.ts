/**
 * What all checks have in common: how they report a result, and the exit code.
 *
 * A search, a check without sizes, walks and systems of plain functions find different things, but a
 * script must not care which: `conclude` alone decides between the codes 0, 1, 2 and 130, and prints
 * the same parts in the same order. Below it are the rows and sentences that several checks share.
 */
import type { Exploration, PropertyFinding } from '@conclave/check';
import { noStepFails } from '@conclave/core/internal';
import type { Protocol } from '@conclave/core/protocol';
import { budgetRows } from '../input/environment.js';
import { writeTrace } from '../output/files.js';
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
import { answer, complain } from '../session.js';
import { counterexampleIn } from './counterexample.js';
import type { Check, NetworkCheck } from './options.js';

/**
 * The verdicts that refute a protocol. An unreached `sometimes` is one: in a complete check nothing
 * can reach it.
 */
const refuted: readonly Verdict[] = ['violated', 'unreached'];

type Finding = Pick<PropertyFinding, 'name' | 'kind' | 'verdict' | 'remark' | 'trace'>;

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

/** The system that was checked. */
export const networkRows = ({ protocol, topology, budget }: NetworkCheck): string[][] => [
  ['network', `${abridged(topology.spec)}, ${counted(topology.nodes.length, 'node')}`],
  ...budgetRows(protocol, budget),
];

/** How much of each statechart was used, what walks alone reached, and what was not used. */
export function coverageRows({
  coverage = [],
  how,
  walked = [],
}: Pick<Exploration, 'coverage'> & {
  /** What is said of the transitions, such as `taken so far`. */
  readonly how: string;
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

/** At what a run goes no further, in words. */
export const runsEndAt = (
  findings: readonly { readonly name: string; readonly verdict: Verdict }[],
): string =>
  findings.some(({ name, verdict }) => name === noStepFails && verdict === 'violated')
    ? 'a step that fails'
    : 'an unhandled message';

/** Which states were explored, and what a complete check leaves open if a run goes no further at `what`. */
export const exploredText = (
  where: string,
  what: string,
  findings: readonly { readonly verdict: Verdict }[],
): string =>
  findings.some(({ verdict }) => verdict === 'incomplete')
    ? `every state${where} before ${what} was explored. What follows ${what} was not explored.`
    : `every reachable state${where} was explored.`;
