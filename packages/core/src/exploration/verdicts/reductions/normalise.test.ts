import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { calls } from '../../../protocol/examples.contract.js';
import type { Json, Message } from '../../../protocol/node.js';
import {
  always,
  leadsTo,
  never,
  type Property,
  type SystemView,
  sometimes,
} from '../../../protocol/property.js';
import { complete } from '../../../topology/generators.js';
import { replay } from '../../../trace/replay.js';
import { explore } from '../../explore/explore.js';
import type { ExploreOptions } from '../../explore/options.js';
import { finding, greetings, verdicts } from '../../fixtures/explored.contract.js';
import { allAlike, clocks, withSymmetry } from '../../fixtures/symmetric.contract.js';
import type { World } from '../../worlds/world.js';
import { worldKey } from '../../worlds/world-key.js';
import { Worlds } from '../../worlds/worlds.js';

type Fields = Readonly<Record<string, Json>>;

/** Changes each context and each message in flight. */
function changed(
  world: World,
  context: (fields: Fields) => Fields,
  message: (sent: Message) => Message,
): World {
  const nodes = Object.fromEntries(
    Object.entries(world.nodes).map(([id, state]) => [
      id,
      { ...state, context: context(state.context) },
    ]),
  );
  const channels = Object.fromEntries(
    Object.entries(world.channels).map(([channel, sent]) => [channel, sent.map(message)]),
  );
  return { ...world, nodes, channels };
}

const clockOf = (carrier: object): number => ('clock' in carrier ? Number(carrier.clock) : 0);
const by = (world: World, change: (clock: number) => number) =>
  changed(
    world,
    (context) => ({ ...context, clock: change(clockOf(context)) }),
    (message) => ({ ...message, clock: change(clockOf(message)) }),
  );

/** Only differences of clocks matter. */
const lowered = (world: World): World => {
  const least = Math.min(
    ...[
      ...Object.values(world.nodes).map(({ context }) => context),
      ...Object.values(world.channels).flat(),
    ].map(clockOf),
  );
  return by(world, (clock) => clock - least);
};

const spread = ({ nodes }: SystemView) =>
  Math.abs(clockOf(nodes[0]?.context ?? {}) - clockOf(nodes[1]?.context ?? {}));
const behind = (system: SystemView) =>
  system.nodes.filter(({ value }) => value === 'behind').length;
const far = never('one is two ahead of the other', (system) => spread(system) >= 2);
const probes: readonly Property[] = [
  always('one is at most one ahead', (system) => spread(system) <= 1),
  never('one is five ahead', (system) => spread(system) >= 5),
  sometimes('both are behind', (system) => behind(system) === 2),
  sometimes('both know the same', (system) => spread(system) === 0 && behind(system) > 0),
];

const exploring = (options: ExploreOptions) =>
  explore(clocks, complete(2), {
    properties: probes,
    order: 'fifo',
    limits: { states: 3000 },
    ...options,
  });
const budget: ExploreOptions = { losses: 1 };

describe('a counter that grows forever', () => {
  const full = exploring(budget);
  const normal = exploring({ ...budget, normalise: lowered });

  it('makes infinitely many worlds, but few that differ', () => {
    expect(full).toMatchObject({ complete: false, limit: 'states' });
    expect(full.diagnosis.growing.map(({ field }) => field)).toContain('clock');
    expect(normal).toMatchObject({ complete: true, states: 41 });
    expect(normal.diagnosis.growing).toEqual([]);
  });

  it('finds what the unbounded search finds, and decides what it left open', () => {
    expect(verdicts(full)).toEqual([
      'violated',
      'incomplete',
      'reached',
      'reached',
      'incomplete',
      'incomplete',
      'incomplete',
    ]);
    expect(verdicts(normal)).toEqual([
      'violated',
      'holds',
      'reached',
      'reached',
      'holds',
      'vacuous',
      'holds',
    ]);
  });

  proof('has one world for each normal form: a long search finds no other', () => {
    const worlds = new Worlds(clocks, complete(2), budget);
    const known = new Map([[worldKey(worlds.initial, 'fifo'), worlds.initial]]);
    const forms = new Set<string>();
    for (const world of known.values()) {
      forms.add(worldKey(lowered(world), 'fifo'));
      for (const action of known.size < 2000 ? worlds.actions(world) : []) {
        const next = worlds.next(world, action);
        known.set(worldKey(next, 'fifo'), next);
      }
    }
    expect(normal.states).toBe(forms.size);
  });

  it('has traces that are real runs', () => {
    for (const { trace, name } of normal.properties) {
      if (!trace) continue;
      expect(replay(clocks, complete(2), trace)).toEqual({ steps: trace.lines.length });
      expect(trace.lines.length).toBe(finding(full, name).trace?.lines.length);
    }
    expect(normal.properties.filter(({ trace }) => trace)).toHaveLength(3);
  });

  it('can be combined with symmetry', () => {
    const both = exploring({ ...budget, normalise: lowered, reduce: 'symmetry' });
    expect(both.states).toBe(23);
    expect(verdicts(both)).toEqual(verdicts(normal));
    for (const { trace } of both.properties)
      if (trace) expect(replay(clocks, complete(2), trace)).toEqual({ steps: trace.lines.length });
  });

  it('leaves properties of runs open', () => {
    const settles = leadsTo(
      'a node that is behind gets ahead',
      ({ value }) => value === 'behind',
      ({ value }) => value === 'ahead',
    );
    expect(verdicts(exploring({ normalise: lowered, properties: [settles] }))[0]).toBe(
      'incomplete',
    );
  });
});

describe('lists that are sets', () => {
  const sorted = (world: World) =>
    changed(
      world,
      (context) => ({
        ...context,
        peers: Array.isArray(context.peers) ? [...context.peers].sort() : [],
      }),
      (message) => message,
    );

  it('do not prevent a symmetry once they are sorted', () => {
    const alike = withSymmetry(greetings, allAlike);
    const found = (options: ExploreOptions) =>
      explore(alike, complete(3), { ...options, limits: { states: 5000 } });
    const both = found({ reduce: 'symmetry', normalise: sorted });
    expect([found({}).states, found({ reduce: 'symmetry' }).states, both.states]).toEqual([
      80, 80, 21,
    ]);
    expect(verdicts(both)).toEqual(verdicts(found({})));
  });

  it('may not be sorted where their order matters', () => {
    expect(() =>
      explore(withSymmetry(calls, allAlike), complete(3), {
        reduce: 'symmetry',
        normalise: sorted,
        limits: { states: 500 },
      }),
    ).toThrow(
      /^Protocol 'calls' on 'complete:3': normalise changes what can happen\. .*channels.c→b nothing instead of .*Let normalise change only/,
    );
  });
});

describe('an invalid normal form is refused', () => {
  it('one that forgets what matters', () => {
    expect(() => exploring({ normalise: (world) => by(world, () => 0) })).toThrow(
      /^Protocol 'clocks' on 'complete:2': normalise changes what can happen. In \(a: .*nodes.a.value ahead instead of behind. Let/,
    );
  });

  it('one that allows a step that was impossible', () => {
    const again = (world: World): World => ({
      ...world,
      remaining: { ...world.remaining, commands: { a: [1], b: [1] } },
    });
    expect(() => exploring({ normalise: again })).toThrow(
      /^Protocol 'clocks' on 'complete:2': normalise changes what can happen. In .*, {"type":"command",.* is possible; in .*, nothing corresponds/,
    );
  });

  it('one that does not end', () => {
    expect(() => exploring({ normalise: (world) => by(world, (clock) => clock + 1) })).toThrow(
      /^normalise changes its own result: \(a: .*\) becomes \(a: .*nodes.a.context.clock 2 instead of 1. Let normalise return/,
    );
  });

  it('one that changes the value of a property', () => {
    const small = always('clocks are small', ({ nodes }) =>
      nodes.every(({ context }) => clockOf(context) < 3),
    );
    expect(() => exploring({ normalise: lowered, properties: [far, small] })).toThrow(
      /^Property 'clocks are small' has another value after normalise: false in \(a: .*\), but true in .*Leave out the property/,
    );
  });

  it('one that changes the value of a property in a world that is far from its normal form', () => {
    const small = never('a clock is at ten', ({ nodes }) =>
      nodes.some(({ context }) => clockOf(context) === 10),
    );
    expect(() => exploring({ normalise: lowered, properties: [small], initiators: ['a'] })).toThrow(
      /^Property 'a clock is at ten' has another value after normalise/,
    );
  });

  it('one that loses a node', () => {
    expect(() => exploring({ normalise: (world) => ({ ...world, nodes: {} }) })).toThrow(
      "The world has no node 'a'",
    );
  });
});
