/**
 * Random plain systems against their definition: what is reachable, and whether a bad run exists,
 * by trying every set of states in which it could stay.
 */

import { always, eventually, leadsTo, never, sometimes } from '@conclave/core/protocol';
import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plainly } from '../fixtures/systems.contract.js';
import type { Fairness } from '../verdicts/properties/liveness.js';
import { exploreSystem, type PlainExploration } from './plain.js';
import { counted } from './published.contract.js';

interface Step {
  readonly from: number;
  readonly to: number;
  readonly fair: 'a' | 'b' | 'c' | undefined;
}
interface Asked {
  readonly steps: readonly Step[];
  readonly initials: readonly number[];
  /** Sets of states, as bits. */
  readonly first: number;
  readonly second: number;
  readonly done: number;
}
type Action = readonly [number: number, to: number, fair: string];

const most = 6;
const state = fc.nat(most - 1);
const bits = fc.nat(2 ** most - 1);
const asked: fc.Arbitrary<Asked> = fc.record({
  // A cycle first, so that most states are reached and visited again.
  steps: fc
    .tuple(
      fc.array(fc.constantFrom('a' as const, 'b' as const, 'c' as const, undefined), {
        minLength: most,
        maxLength: most,
      }),
      fc.nat(most),
      fc.array(
        fc.record({
          from: state,
          to: state,
          fair: fc.constantFrom('a' as const, 'b' as const, 'c' as const, undefined),
        }),
        { maxLength: 6 },
      ),
    )
    .map(([cycle, length, more]) => [
      ...cycle.slice(0, length).map((fair, from) => ({ from, to: (from + 1) % most, fair })),
      ...more,
    ]),
  initials: fc.array(state, { minLength: 1, maxLength: 3 }),
  first: bits,
  second: bits,
  done: bits,
});

const has = (set: number, one: number): boolean => ((set >> one) & 1) === 1;
const states = Array.from({ length: most }, (_, index) => index);

/** The states reached from `from` through `inside`, by `steps`. */
function reached(
  steps: readonly Step[],
  from: readonly number[],
  inside: number,
): ReadonlySet<number> {
  const met = new Set(from.filter((one) => has(inside, one)));
  for (let size = -1; size !== met.size; ) {
    size = met.size;
    for (const step of steps) if (met.has(step.from) && has(inside, step.to)) met.add(step.to);
  }
  return met;
}

/** Whether a run from some state of `from` may stay inside forever. */
function mayStay(
  { steps }: Asked,
  from: readonly number[],
  inside: number,
  fairness: Fairness,
): boolean {
  const met = reached(steps, from, inside);
  const enables = (one: number, fair: string) =>
    steps.some((step) => step.from === one && step.fair === fair);
  if ([...met].some((one) => !steps.some((step) => step.from === one && step.fair !== undefined)))
    return true;
  for (let set = 1; set < 2 ** most; set++) {
    const members = states.filter((one) => has(set, one));
    if (!members.every((one) => met.has(one))) continue;
    // A run that keeps visiting exactly these may take all steps between them: more steps make it
    // fairer.
    const among = steps.filter((step) => has(set, step.from) && has(set, step.to));
    const isConnected =
      among.length > 0 &&
      members.every((one) => reached(among, [one], set).size === members.length);
    if (!isConnected) continue;
    const isFair = (fair: string) => {
      if (fairness === 'none' || among.some((step) => step.fair === fair)) return true;
      return fairness === 'weak'
        ? members.some((one) => !enables(one, fair))
        : members.every((one) => !enables(one, fair));
    };
    if (['a', 'b', 'c'].every(isFair)) return true;
  }
  return false;
}

const everything = 2 ** most - 1;
const predicate = (set: number) => (one: number) => has(set, one);

/** The definition's verdict on each property, in order. */
function truth(question: Asked, fairness: Fairness): readonly string[] {
  const { steps, initials, first, second, done } = question;
  const met = [...reached(steps, initials, everything)];
  const ends = met.filter((one) => !steps.some((step) => step.from === one));
  const owing = met.filter((one) => has(first, one) && !has(second, one));
  const violatedIf = (is: boolean) => (is ? 'violated' : 'holds');
  return [
    violatedIf(met.some((one) => !has(first, one))),
    violatedIf(met.some((one) => has(first, one))),
    met.some((one) => has(first, one)) ? 'reached' : 'unreached',
    violatedIf(mayStay(question, initials, everything & ~first, fairness)),
    violatedIf(mayStay(question, owing, everything & ~second, fairness)),
    'holds',
    violatedIf(ends.some((one) => !has(done, one))),
  ];
}

/** What is wrong with the run of a finding, if anything. */
function flaw(
  { steps, initials, first, second }: Asked,
  {
    kind,
    initial = -1,
    path = [],
    loopsFrom,
  }: PlainExploration<number, Action>['properties'][number],
): string | undefined {
  if (!initials.includes(initial)) return 'it begins nowhere';
  const visited = [initial, ...path.map((step) => step.state)];
  for (const [index, { action, state: to }] of path.entries()) {
    const step = steps[action[0]];
    if (step?.from !== visited[index] || step?.to !== to) return `step ${index} cannot be taken`;
  }
  if (loopsFrom === undefined) return undefined;
  if (loopsFrom < path.length && visited[loopsFrom] !== visited.at(-1)) return 'it does not loop';
  const from =
    kind === 'eventually'
      ? 0
      : visited.findIndex(
          (one, index) =>
            has(first, one) && visited.slice(index).every((later) => !has(second, later)),
        );
  if (from < 0) return 'nothing is owed';
  return visited.slice(from).some((one) => has(kind === 'eventually' ? first : second, one))
    ? 'it gets there'
    : undefined;
}

it.each(['none', 'weak', 'strong'] as const)(
  'a random system has the counts, verdicts and runs of the definition: %s',
  (fairness) => {
    const met = new Map<string, number>();
    assertRuns(
      fc.property(asked, (question) => {
        const { steps, initials, first, second, done } = question;
        const system = {
          initials,
          actions: (at: number) =>
            steps.flatMap(({ from, to, fair }, index): Action[] =>
              from === at ? [[index, to, fair ?? '']] : [],
            ),
          next: (_at: number, [, to]: Action) => to,
          fair: ([, , fair]: Action) => (fair === '' ? undefined : fair),
          done: predicate(done),
        };
        const properties = [
          always<number>('1', predicate(first)),
          never<number>('2', predicate(first)),
          sometimes<number>('3', predicate(first)),
          eventually<number>('4', predicate(first)),
          leadsTo<number>('5', predicate(first), predicate(second)),
        ];
        const found = exploreSystem(system, { properties, fairness });
        expect(found).toMatchObject({ ...counted(system), complete: true });
        expect(found.properties.map(({ verdict }) => plainly(verdict))).toEqual(
          truth(question, fairness),
        );
        const deep = exploreSystem(system, { properties, fairness, order: 'depth' });
        expect(deep.properties.map(({ verdict }) => plainly(verdict))).toEqual(
          truth(question, fairness),
        );
        for (const finding of [...found.properties, ...deep.properties]) {
          met.set(
            `${finding.kind} ${finding.verdict}`,
            (met.get(`${finding.kind} ${finding.verdict}`) ?? 0) + 1,
          );
          if (finding.path) expect(flaw(question, finding)).toBeUndefined();
        }
      }),
      6,
      250,
      5,
    );
    if (!isWhole) return;
    for (const one of [
      'eventually holds',
      'eventually violated',
      'leadsTo holds',
      'leadsTo violated',
      'sometimes unreached',
      'always holds',
      'never holds',
    ])
      expect([one, (met.get(one) ?? 0) > 50]).toEqual([one, true]);
  },
);
