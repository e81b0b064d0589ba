/**
 * Random protocols with random histories and labels: every search finds the worlds of the
 * definition.
 */

import { everyStep } from '@conclave/core/protocol';
import { oneShot, simulate } from '@conclave/core/simulation';
import { complete, ring } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomProtocol } from '../../../core/src/protocol/random-protocol.contract.js';
import { plainly } from '../fixtures/systems.contract.js';
import { truthOf } from '../fixtures/truth.contract.js';
import { follow } from '../follow/follow.js';
import type { Budget } from '../worlds/budget.js';
import { worldKey } from '../worlds/world-key.js';
import { Worlds } from '../worlds/worlds.js';
import { explore } from './explore.js';
import { historyProbes, pastOf, stepProbes, withHistory } from './random-history.contract.js';

const few = fc.constantFrom(0, 0, 1);
const budget: fc.Arbitrary<Budget> = fc.record({
  commands: fc.constantFrom(1, 1, 2),
  losses: few,
  duplications: few,
  crashes: few,
  restarts: few,
  order: fc.constantFrom('fifo' as const, 'any' as const),
});
const topology = fc.constantFrom(complete(2), complete(2), ring(3));
const plan = fc.record({
  below: fc.constantFrom(2, 3, 4),
  labelled: fc.boolean(),
  salt: fc.nat(99),
});
const most = 600;

it('a random system with histories has the worlds and verdicts of the definition, and more of them than without', () => {
  let compared = 0;
  let larger = 0;
  let refuted = 0;
  assertRuns(
    fc.property(randomProtocol, topology, budget, plan, (bare, network, asked, past) => {
      const protocol = withHistory(bare, past);
      const properties = [...historyProbes, ...stepProbes];
      const found = explore(protocol, network, { ...asked, properties, limits: { states: most } });
      if (!found.complete) return;
      compared++;
      const { states, transitions, depth, nearest } = truthOf(
        protocol,
        network,
        asked,
        historyProbes,
      );
      expect({ states: found.states, transitions: found.transitions, depth: found.depth }).toEqual({
        states,
        transitions,
        depth,
      });
      const isClean = found.properties.every(({ verdict }) => verdict !== 'incomplete');
      for (const { name, kind, verdict, trace } of found.properties) {
        if (trace) expect(replay(protocol, network, trace)).toEqual({ steps: trace.lines.length });
        if (kind === 'everyStep') continue;
        const isDecided = verdict === 'violated' || verdict === 'reached';
        expect(`${name}: ${isDecided}`).toBe(`${name}: ${nearest.has(name)}`);
        if (isClean && !isDecided)
          expect(plainly(verdict)).toBe(kind === 'sometimes' ? 'unreached' : 'holds');
        if (isDecided) refuted++;
      }
      const without = explore(bare, network, {
        ...asked,
        properties: [],
        limits: { states: most },
      });
      expect(without.states).toBeLessThanOrEqual(found.states);
      if (without.states < found.states) larger++;
    }),
    3,
    40,
    12,
  );
  if (!isWhole) return;
  expect(compared).toBeGreaterThan(12);
  expect(larger).toBeGreaterThan(6);
  expect(refuted).toBeGreaterThan(25);
});

it('the history and the labels do not change what can happen: without them, the worlds are those of the protocol alone', () => {
  let compared = 0;
  assertRuns(
    fc.property(randomProtocol, budget, plan, (bare, asked, past) => {
      const network = complete(2);
      const protocol = withHistory(bare, past);
      const projected = reached(new Worlds(protocol, network, asked));
      if (!projected) return;
      compared++;
      expect(projected).toEqual(reached(new Worlds(bare, network, asked)));
    }),
    1,
    15,
    12,
  );
  if (!isWhole) return;
  expect(compared).toBeGreaterThan(4);
});

/** The worlds of a small system without histories and labels, as texts. */
function reached(worlds: Worlds): ReadonlySet<string> | undefined {
  const keyOf = (world: typeof worlds.initial) =>
    worldKey(
      JSON.parse(
        JSON.stringify(world, (key, value) =>
          key === 'recorded' || key === '@label' ? undefined : value,
        ),
      ),
      worlds.order,
    );
  const open = [worlds.initial];
  const known = new Set([worldKey(worlds.initial, worlds.order)]);
  const seen = new Set<string>();
  for (const world of open) {
    if (open.length > most) return undefined;
    seen.add(keyOf(world));
    for (const action of worlds.actions(world)) {
      try {
        const next = worlds.next(world, action);
        const key = worldKey(next, worlds.order);
        if (!known.has(key)) open.push(next);
        known.add(key);
      } catch {
        // The action fails, with a history and without.
      }
    }
  }
  return seen;
}

it('a simulated run has the histories of the explored system', () => {
  let compared = 0;
  assertRuns(
    fc.property(randomProtocol, plan, fc.nat(1000), (bare, past, seed) => {
      const network = complete(2);
      const protocol = withHistory(bare, past);
      const pasts: string[] = [];
      const listen = everyStep('listen', ({ before, after }) => {
        pasts.push(`${before.id}: ${before.history} → ${after.history}`);
        return true;
      });
      const run = simulate({
        protocol,
        topology: network,
        seed,
        properties: [listen],
        workload: oneShot({ type: 'go' }, { nodes: ['a'] }),
        record: true,
        until: { steps: 40 },
      });
      if (run.fault !== undefined || !run.trace || pasts.length === 0) return;
      compared++;
      expect(follow(protocol, network, run.trace, { commands: 1 }).steps).toBe(
        run.trace.lines.length,
      );
      for (const [index, text] of pasts.slice(2).entries()) {
        const [id = ''] = text.split(':');
        const last = pasts.slice(2, index + 2).findLast((other) => other.startsWith(`${id}:`));
        // each step begins with the history after the last one
        if (last) expect(text.split(' ')[1]).toBe(last.split(' ')[3]);
      }
      expect(
        pasts.every((text) =>
          text
            .split(' ')
            .every((word) => word === '→' || word.endsWith(':') || pastOf(word) < past.below),
        ),
      ).toBe(true);
    }),
    5,
    30,
    12,
  );
  if (!isWhole) return;
  expect(compared).toBeGreaterThan(10);
});
