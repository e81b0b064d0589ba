/**
 * The part of the contract about coverage: a system uses the whole machine, except where there is a
 * reason.
 */
import type { RoleCoverage } from '@conclave/core/exploration';
import type { Protocol } from '@conclave/core/protocol';
import { proof } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { quick } from './explored.contract.js';
import { planCoverage, searched } from './findings.js';
import type { SmallSystem } from './shared.contract.js';

/**
 * A system that takes every transition which the protocol can take, and lists of the parts of the
 * machine that it does not use, by default empty. With several roles each entry begins with its
 * role: `coordinator free: released`.
 */
export interface Covered extends SmallSystem {
  readonly states: number;
  readonly transitions: number;
  /** The number of steps to the furthest world. */
  readonly depth: number;
  readonly missed?: RoleCoverage['missed'];
  readonly neverTrue?: RoleCoverage['guards']['neverTrue'];
  readonly neverFalse?: RoleCoverage['guards']['neverFalse'];
  readonly unentered?: RoleCoverage['unentered'];
  readonly undelivered?: RoleCoverage['undelivered'];
}

const inOrder = (lists: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, [...list].sort()]));

export function everyTransition(
  protocol: Protocol,
  { topology, budget, states, transitions, depth, ...unused }: Covered,
): void {
  planCoverage(protocol, { topology, budget });
  const test = states > quick ? proof : it;
  test(`takes every transition, and every guard is true and false, except where there is a reason: ${topology.spec}`, () => {
    const found = searched(protocol, { topology, budget }, true);
    expect(found).toMatchObject({ complete: true, states, transitions, depth });
    const roles = found.coverage ?? [];
    const all = (listOf: (role: RoleCoverage) => readonly string[]) =>
      roles.flatMap((role) =>
        listOf(role).map((entry) => (roles.length > 1 ? `${role.role} ${entry}` : entry)),
      );
    const left = {
      missed: all(({ missed }) => missed),
      neverTrue: all(({ guards }) => guards.neverTrue),
      neverFalse: all(({ guards }) => guards.neverFalse),
      unentered: all(({ unentered }) => unentered),
      undelivered: all(({ undelivered }) => undelivered),
    };
    expect(inOrder(left)).toEqual(
      inOrder({
        missed: [],
        neverTrue: [],
        neverFalse: [],
        unentered: [],
        undelivered: [],
        ...unused,
      }),
    );
  });
}
