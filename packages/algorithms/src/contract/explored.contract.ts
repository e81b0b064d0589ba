/** The part of the contract about every interleaving of small systems. */
import { type Exploration, type ExploreOptions, explore } from '@conclave/check';
import { matchers } from '@conclave/check/vitest';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { proof, sampled } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import type { SmallSystem } from './shared.contract.js';

expect.extend(matchers);

type OneSystem = readonly [system: Topology, budget: ExploreOptions, states: number];
type Systems = readonly [
  what: string,
  systems: readonly (Topology | SmallSystem)[],
  budget: ExploreOptions,
  states: number,
];

/**
 * A system, or several from the smallest on and what they are; what may happen in each of them; and
 * the sum of their states.
 */
export type Explored = OneSystem | Systems;

const isOne = (explored: Explored): explored is OneSystem => typeof explored[0] !== 'string';

export function systemsOf(explored: Explored): readonly SmallSystem[] {
  if (isOne(explored)) return [{ topology: explored[0], budget: explored[1] }];
  const [, systems, budget] = explored;
  return systems.map((one) =>
    'nodes' in one ? { topology: one, budget } : { ...one, budget: { ...budget, ...one.budget } },
  );
}

const statesOf = (explored: Explored): number => (isOne(explored) ? explored[2] : explored[3]);

function textOf(explored: Explored): string {
  if (!isOne(explored)) return explored[0];
  const [{ spec }, budget] = explored;
  const given = Object.entries(budget).map(([name, value]) =>
    typeof value === 'function' ? name : `${name} ${JSON.stringify(value)}`,
  );
  return [spec, ...given].join(', ');
}

export interface Mutant {
  readonly protocol: Protocol;
  /**
   * The first explored system on which it fails, the length of the shortest trace, and the fault or
   * the violated property.
   */
  readonly refuted: string;
}

/** Up to as many states, `npm test` may search a system. */
export const quick = 1_000;

/** @param mutants by name. */
export function everyInterleaving(
  protocol: Protocol,
  explored: readonly Explored[],
  mutants: Readonly<Record<string, Mutant>> = {},
  isVariant = false,
): void {
  const quickest = quickSystems(explored, isVariant);
  for (const one of explored) {
    const states = statesOf(one);
    const test = quickest.includes(one) ? it : proof;
    test(`its properties hold in every interleaving: ${textOf(one)}: ${states.toLocaleString('en')} states`, () =>
      everyPropertyHolds(protocol, systemsOf(one), states));
  }

  const [first] = explored.flatMap(systemsOf);
  const isQuick = ({ refuted }: Mutant) => refuted.startsWith(`${first?.topology.spec}, `);
  const chosen = sampled(Object.values(mutants).filter(isQuick), 1);
  for (const [name, mutant] of Object.entries(mutants)) {
    const test = chosen.includes(mutant) ? it : proof;
    test(`the explorer refutes the mutant, and its nodes replay the trace: ${name}`, () =>
      expect(refutation(mutant.protocol, explored)).toBe(mutant.refuted));
  }
}

/** The same for other options of a protocol: `npm test` searches one of its quick systems. */
export const everyInterleavingOfVariant = (
  protocol: Protocol,
  explored: readonly Explored[],
  mutants?: Readonly<Record<string, Mutant>>,
): void => everyInterleaving(protocol, explored, mutants, true);

/**
 * The smallest system, unless it takes seconds, and another one of the quick ones; of a variant,
 * one of the quick ones.
 */
function quickSystems(explored: readonly Explored[], isVariant: boolean): readonly Explored[] {
  const upTo = (most: number) => explored.filter((one) => statesOf(one) <= most);
  if (isVariant) return sampled(upTo(quick), 1);
  const [smallest] = upTo(3 * quick).toSorted((a, b) => statesOf(a) - statesOf(b));
  const others = upTo(quick).filter((one) => one !== smallest);
  return [...(smallest ? [smallest] : []), ...sampled(others, 1)];
}

function everyPropertyHolds(
  protocol: Protocol,
  systems: readonly SmallSystem[],
  states: number,
): void {
  let total = 0;
  /** Properties that could not fail in some system, and those that could in another. */
  const [idle, checked] = [new Set<string>(), new Set<string>()];
  for (const { topology, budget } of systems) {
    const found = explore(protocol, topology, budget);
    expect({ ...found, properties: found.properties.filter(isNotVacuous) }).toHold();
    for (const { name, verdict, remark, trace } of found.properties) {
      (verdict === 'vacuous' || remark !== undefined ? idle : checked).add(name);
      if (trace) expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
    }
    total += found.states;
  }
  expect([...idle].filter((name) => !checked.has(name))).toEqual([]);
  expect(total).toBe(states);
}

const isNotVacuous = ({ verdict }: Exploration['properties'][number]) => verdict !== 'vacuous';

/** A mutant may have worlds without end: most mistakes show in the first few. */
const depths = [2_000, 200_000].map((states) => ({ states }));

function refutation(protocol: Protocol, explored: readonly Explored[]): string {
  for (const { topology, budget } of explored.flatMap(systemsOf)) {
    for (const limits of depths) {
      const found = explore(protocol, topology, { ...budget, all: false, limits });
      const wrong = found.properties.find(({ verdict }) => verdict === 'violated');
      if (wrong?.trace) {
        const { header, lines } = wrong.trace;
        expect(replay(protocol, topology, wrong.trace)).toEqual({ steps: lines.length });
        const [what] = (header.get('fault') ?? wrong.name).split('. ');
        return `${topology.spec}, ${lines.length} steps: ${what}`;
      }
      const missing = found.properties.find(({ verdict }) => verdict === 'unreached');
      if (missing) return `${topology.spec}, never: ${missing.name}`;
      if (found.complete) break;
    }
  }
  return 'not at all';
}
