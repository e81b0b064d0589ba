/**
 * Overtaking and step properties: compares the definition, with counters in the state, with the
 * verdicts from the graph of worlds.
 */

import type { Protocol } from '@conclave/core/protocol';
import { everyStep, overtaken, type SystemView } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { complete, ring } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { answerOf } from '../../../../core/src/protocol/answer.js';
import type { Cause } from '../../../../core/src/protocol/property.js';
import { randomProtocol } from '../../../../core/src/protocol/random-protocol.contract.js';
import { explore } from '../../explore/explore.js';
import { overtaking } from '../../explore/overtaking.js';
import { plainly } from '../../fixtures/systems.contract.js';
import type { Budget } from '../../worlds/budget.js';
import { LocalNode, nodeViewOf, viewOf } from '../../worlds/local-node.js';
import { standardProperties } from '../../worlds/standard-properties.js';
import type { Action, World } from '../../worlds/world.js';
import { worldKey } from '../../worlds/world-key.js';
import { Worlds } from '../../worlds/worlds.js';

const most = 400;

/**
 * Every world with a counter for each pair of nodes: how often the second has entered since the
 * first began to wait; undefined where there are too many. `together`: with a counter for each
 * node, of the entries of all others.
 */
function worstOvertaking(worlds: Worlds, upTo: number, together = false): number | undefined {
  const { protocol, topology } = worlds;
  const { nodes } = topology;
  const at = (world: World) => viewOf(protocol, topology, world);
  const has = (view: SystemView, id: string, tag: string) => view.node(id).tags.has(tag);
  const open = [{ world: worlds.initial, counts: {} as Readonly<Record<string, number>> }];
  const known = new Set<string>();
  let worst = 0;
  const keyOf = (waiter: string, other: string) => (together ? waiter : `${waiter} ${other}`);
  for (const { world, counts } of open) {
    const before = at(world);
    for (const next of followers(worlds, world)) {
      const after = at(next);
      const updated: Record<string, number> = {};
      for (const waiter of nodes)
        for (const other of nodes) {
          if (waiter === other || !has(before, waiter, 'waiting')) continue;
          const enters = !has(before, other, 'critical') && has(after, other, 'critical') ? 1 : 0;
          const count = Math.min(
            upTo,
            (updated[keyOf(waiter, other)] ?? counts[keyOf(waiter, other)] ?? 0) + enters,
          );
          worst = Math.max(worst, count);
          if (has(after, waiter, 'waiting')) updated[keyOf(waiter, other)] = count;
        }
      const key = `${worldKey(next, worlds.order)} ${JSON.stringify(updated)}`;
      if (known.has(key)) continue;
      known.add(key);
      if (known.size > 40 * most) return undefined;
      open.push({ world: next, counts: updated });
    }
  }
  return worst;
}

function* followers(worlds: Worlds, world: World): Generator<World> {
  for (const action of worlds.actions(world)) {
    try {
      yield worlds.next(world, action);
    } catch {
      // The step has a fault and leads to no world.
    }
  }
}

const budget: fc.Arbitrary<Budget> = fc.record({
  commands: fc.constantFrom(1, 2, 3),
  crashes: fc.constantFrom(0, 0, 1),
  restarts: fc.constantFrom(0, 0, 1),
  order: fc.constantFrom('fifo' as const, 'any' as const),
});

it('nodes are overtaken as often as the counters in the state say', () => {
  const met = new Map<string, number>();
  assertRuns(
    fc.property(
      randomProtocol,
      fc.constantFrom<Topology>(complete(2), ring(3)),
      budget,
      (protocol, topology, options) => {
        const properties = [0, 1, 2].map((times) => overtaken(times));
        const found = explore(protocol, topology, {
          ...options,
          properties,
          limits: { states: most },
        });
        if (!found.complete) return;
        const worst = worstOvertaking(new Worlds(protocol, topology, options), 3);
        if (worst === undefined) return;
        const handled = found.properties.find(
          (property) => property.name === standardProperties[0],
        );
        if (handled?.verdict === 'violated') {
          // what comes behind the fault is not known
          expect(() => overtaking(protocol, topology, options)).toThrow();
          return;
        }
        const largest = overtaking(protocol, topology, options);
        expect(Math.min(3, largest?.ofOne ?? -1)).toBe(worst);
        const all =
          options.commands === 2
            ? worstOvertaking(new Worlds(protocol, topology, options), 4, true)
            : undefined;
        if (all !== undefined) expect(Math.min(4, largest?.ofAll ?? -1)).toBe(all);
        for (const [times, { verdict, trace }] of found.properties.slice(0, 3).entries()) {
          met.set(
            `${times} ${plainly(verdict)}`,
            (met.get(`${times} ${plainly(verdict)}`) ?? 0) + 1,
          );
          expect([times, verdict === 'violated']).toEqual([times, worst > times]);
          if (trace)
            expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
        }
      },
    ),
    6,
    400,
    11,
  );
  if (!isWhole) return;
  for (const one of ['0 violated', '1 violated', '2 violated', '0 holds', '1 holds'])
    expect([one, (met.get(one) ?? 0) > 1]).toEqual([one, true]);
});

/** Whether some step of some reachable world is refused. */
function somethingRefused(
  worlds: Worlds,
  protocol: Protocol,
  topology: Topology,
  property: ReturnType<typeof everyStep>,
): boolean {
  const nodes = new Map(topology.nodes.map((id) => [id, new LocalNode(id, protocol, topology)]));
  const known = new Map([[worldKey(worlds.initial, worlds.order), worlds.initial]]);
  for (const world of known.values())
    for (const action of worlds.actions(world)) {
      try {
        const next = worlds.next(world, action);
        const id = actorOf(action);
        const [was, is] = [world.nodes[id], next.nodes[id]];
        const node = nodes.get(id);
        const cause = causeOf(action);
        if (was && is && node && cause) {
          const [before, after] = [was, is].map((state) =>
            nodeViewOf(protocol, topology, id, state, false),
          );
          const sent = node
            .perform(was, action)
            .effects.flatMap((effect) => (effect.type === 'send' ? [effect] : []));
          if (
            before &&
            after &&
            !answerOf(property, property.allows, { before, after, cause, sent, notified: [] })
          )
            return true;
        }
        if (!known.has(worldKey(next, worlds.order))) known.set(worldKey(next, worlds.order), next);
      } catch {
        // The step has a fault and leads to no world.
      }
    }
  return false;
}

function causeOf(action: Action): Cause | undefined {
  switch (action.type) {
    case 'deliver':
      return { kind: 'message', message: action.message, from: action.from };
    case 'command':
      return { kind: 'command', command: action.command };
    case 'timeout':
      return { kind: 'timeout', timer: action.timer };
    case 'choose':
      return { kind: 'choice', value: action.value };
    default:
      return undefined;
  }
}

const actorOf = (action: Action): string =>
  'node' in action ? action.node : 'to' in action ? action.to : '';

it('a step property is violated exactly if a step of a reachable world violates it', () => {
  const answers = [0, 0];
  const asked = [
    everyStep(
      'n does not come back to 0',
      ({ before, after }) => before.context.n === after.context.n || after.context.n !== 0,
    ),
    everyStep(
      'no message is sent on a timeout',
      ({ cause, sent }) => cause.kind !== 'timeout' || sent.length === 0,
    ),
    everyStep(
      'a message does not end the waiting',
      ({ before, after, cause }) =>
        cause.kind !== 'message' || !before.tags.has('waiting') || after.tags.has('waiting'),
    ),
  ];
  assertRuns(
    fc.property(
      randomProtocol,
      fc.constantFrom<Topology>(complete(2), ring(3)),
      budget,
      (protocol, topology, options) => {
        const found = explore(protocol, topology, {
          ...options,
          properties: asked,
          limits: { states: most },
        });
        if (!found.complete) return;
        for (const [index, property] of asked.entries()) {
          const isViolated = found.properties[index]?.verdict === 'violated';
          expect([property.name, isViolated]).toEqual([
            property.name,
            somethingRefused(new Worlds(protocol, topology, options), protocol, topology, property),
          ]);
          answers[Number(isViolated)] = (answers[Number(isViolated)] ?? 0) + 1;
          const { trace } = found.properties[index] ?? {};
          if (trace)
            expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
        }
      },
    ),
    4,
    150,
    12,
  );
  if (isWhole) expect(Math.min(...answers)).toBeGreaterThan(2);
});
