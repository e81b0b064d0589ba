/**
 * Compares a search reduced by symmetry with the full one, on properties of single nodes and on
 * rarely reached local states.
 */
import { assertRuns, isWhole, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ConclaveError } from '../../../base/error.js';
import {
  always,
  type NodeView,
  never,
  type PropertyOf,
  type SystemView,
  sometimes,
} from '../../../protocol/property.js';
import type { Protocol } from '../../../protocol/protocol.js';
import { complete, ring, star } from '../../../topology/generators.js';
import type { Topology } from '../../../topology/topology.js';
import { replay } from '../../../trace/replay.js';
import type { Trace, TraceLine } from '../../../trace/trace.js';
import { type Exploration, explore } from '../../explore/explore.js';
import type { ExploreOptions } from '../../explore/options.js';
import { finding, verdicts } from '../../fixtures/explored.contract.js';
import { randomProtocol } from '../../fixtures/random-protocol.contract.js';
import { allAlike, rotations, withSymmetry } from '../../fixtures/symmetric.contract.js';
import { lock, systems } from '../../fixtures/symmetric-systems.contract.js';
import { plainly } from '../../fixtures/systems.contract.js';
import { actionLines } from '../../worlds/action-lines.js';
import { canonical } from '../../worlds/canonical.js';
import { nextOrFault } from '../../worlds/next-or-fault.js';
import { viewOf } from '../../worlds/view.js';
import type { Action } from '../../worlds/world.js';
import { Worlds } from '../../worlds/worlds.js';

type Predicate = (system: SystemView) => boolean;
type Kind = 'always' | 'never' | 'sometimes';

/** Random predicates over single nodes and channels, made of values that occur in the system. */
function predicates(
  { nodes }: Topology,
  values: readonly string[],
  tags: readonly string[],
  types: readonly (string | undefined)[],
): fc.Arbitrary<Predicate> {
  const node = fc.constantFrom(...nodes);
  const tag = tags.length === 0 ? fc.constant('') : fc.constantFrom(...tags);
  const atom: fc.Arbitrary<Predicate> = fc.oneof(
    fc.tuple(node, fc.constantFrom(...values)).map(
      ([id, value]) =>
        (system: SystemView) =>
          JSON.stringify(system.node(id).value) === value,
    ),
    fc.tuple(node, node, fc.constantFrom(...types)).map(
      ([one, other, type]) =>
        (system: SystemView) =>
          system.inFlight(type).some(({ from, to }) => from === one && to === other),
    ),
    node.map((id) => (system: SystemView) => system.node(id).crashed),
    fc
      .nat(nodes.length - 1)
      .map(
        (index) => (system: SystemView) =>
          [...(system.nodes[index]?.tags ?? [])].includes('waiting'),
      ),
    ...(tags.length === 0
      ? []
      : [
          fc.tuple(node, tag).map(
            ([id, its]): Predicate =>
              (system) =>
                system.tagged(its).some((one) => one.id === id),
          ),
          fc.tuple(tag, fc.nat(2)).map(
            ([its, least]): Predicate =>
              (system) =>
                system.count(its) >= least,
          ),
        ]),
    fc.nat(3).map((least) => (system: SystemView) => system.inFlight().length >= least),
  );
  const literal = fc.tuple(atom, fc.boolean()).map(
    ([holds, is]): Predicate =>
      (system) =>
        holds(system) === is,
  );
  const all = fc.array(literal, { minLength: 1, maxLength: 3 }).map(
    (each): Predicate =>
      (system) =>
        each.every((holds) => holds(system)),
  );
  return fc
    .array(all, { minLength: 1, maxLength: 2 })
    .map((each) => (system) => each.some((holds) => holds(system)));
}

const properties = (
  predicate: fc.Arbitrary<Predicate>,
): fc.Arbitrary<readonly PropertyOf<Kind>[]> =>
  fc
    .array(fc.tuple(fc.constantFrom(always, never, sometimes), predicate), {
      minLength: 4,
      maxLength: 8,
    })
    .map((asked) => asked.map(([kind, holds], index) => kind(`property ${index}`, holds)));

/** What occurs in a system: the values of its nodes, their tags, the types of messages. */
function metIn(protocol: Protocol, topology: Topology) {
  const values = new Set<string>(['"none"']);
  const tags = new Set<string>();
  const types = Object.keys(protocol.messages);
  const look = sometimes('never', ({ nodes }) => {
    for (const { value, tags: its } of nodes) {
      values.add(JSON.stringify(value));
      for (const tag of its) tags.add(tag);
    }
    return false;
  });
  explore(protocol, topology, { properties: [look], limits: { states: 300 } });
  return [[...values], [...tags], types.length > 0 ? types : [undefined]] as const;
}

interface Told {
  readonly action: Action;
  readonly lines: readonly TraceLine[];
}

/**
 * Whether a trace is a run of the definition that leads through a world in which `decides` is true.
 */
function leadsTo(worlds: Worlds, { lines }: Trace, decides: Predicate): boolean {
  const left = lines.filter(({ event }) => event.kind !== 'start');
  let { initial: world } = worlds;
  const isDecided = () => decides(viewOf(worlds.protocol, worlds.topology, world));
  while (!isDecided()) {
    const told = worlds
      .actions(world)
      .filter((possible) => !(nextOrFault(worlds, world, possible) instanceof ConclaveError))
      .map((possible) => ({ action: possible, lines: actionLines(worlds, world, possible) }))
      .filter(({ lines: its }) => canonical(its) === canonical(left.slice(0, its.length)))
      .reduce(
        (best, one) => (one.lines.length > (best?.lines.length ?? 0) ? one : best),
        undefined as Told | undefined,
      ); // a crash in the middle of a step: more lines than the step
    if (left.length === 0 || !told) return false;
    left.splice(0, told.lines.length);
    world = worlds.next(world, told.action);
  }
  return true;
}

/**
 * Searches with and without the symmetry, and with the reduction of order on top; returns how many
 * properties had a witness; none where the symmetry changes the initial world and a property is not
 * symmetric.
 */
function compare(
  protocol: Protocol,
  topology: Topology,
  options: ExploreOptions,
  asked: readonly PropertyOf<Kind>[],
): number {
  const full = explore(protocol, topology, { ...options, properties: asked });
  const worlds = new Worlds(protocol, topology, options);
  let witnesses = 0;
  for (const reduce of ['symmetry', 'all'] as const) {
    let reduced: Exploration;
    try {
      reduced = explore(protocol, topology, { ...options, properties: asked, reduce });
    } catch (error) {
      if (error instanceof ConclaveError && error.message.includes('changes the initial world'))
        continue;
      throw error;
    }
    expect(verdicts(reduced).map(plainly)).toEqual(verdicts(full).map(plainly));
    for (const { name, trace } of reduced.properties) {
      if (!trace) continue;
      witnesses++;
      expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
      const property = asked.find((one) => one.name === name);
      if (property)
        expect(
          leadsTo(
            worlds,
            trace,
            (system) => property.holds(system) === (property.kind !== 'always'),
          ),
        ).toBe(true);
    }
  }
  return witnesses;
}

describe('a property of single nodes has the verdict of the full search, and a witness', () => {
  let witnesses = 0;

  proof.each(systems)('%s', (_name, protocol, topology, options) => {
    assertRuns(
      fc.property(properties(predicates(topology, ...metIn(protocol, topology))), (asked) => {
        witnesses += compare(protocol, topology, options, asked);
      }),
      1,
      4,
      5,
    );
  });

  afterAll(() => expect(witnesses).toBeGreaterThan(isWhole ? 250 : -1));

  it('random systems', () => {
    const few = fc.constantFrom(0, 0, 1);
    const system = fc
      .record({
        protocol: randomProtocol,
        options: fc.record({
          losses: few,
          duplications: few,
          crashes: few,
          restarts: few,
          partitions: few,
          order: fc.constantFrom('fifo' as const, 'any' as const),
          mayCrash: fc.constantFrom<(node: NodeView) => boolean>(
            () => true,
            ({ tags }) => tags.size > 0,
          ),
        }),
        network: fc.constantFrom(
          { topology: complete(2), symmetry: allAlike },
          { topology: ring(3), symmetry: rotations },
        ),
      })
      .chain(({ protocol, options, network: { topology, symmetry } }) =>
        properties(predicates(topology, ['"s0"', '"s1"', '"s2"'], ['critical'], ['m0', 'm1'])).map(
          (asked) => ({
            protocol: withSymmetry(protocol, symmetry),
            topology,
            options,
            asked,
          }),
        ),
      );
    let witnesses = 0;
    assertRuns(
      fc.property(system, ({ protocol, topology, options, asked }) => {
        const { complete: isSmall } = explore(protocol, topology, {
          ...options,
          limits: { states: 1_000 },
        });
        if (isSmall) witnesses += compare(protocol, topology, options, asked);
      }),
      3,
      25,
      9,
    );
    if (isWhole) expect(witnesses).toBeGreaterThan(40);
  });
});

it('a property that names nodes is violated by the image with these names', () => {
  const named = never(
    'd is in the critical section while b waits',
    (system) =>
      system.node('d').tags.has('critical') &&
      system.node('b').tags.has('waiting') &&
      !system.node('c').tags.has('waiting'),
  );
  const other = never('c is in the critical section while it waits', (system) =>
    ['waiting', 'critical'].every((tag) => system.node('c').tags.has(tag)),
  );
  const found = explore(lock, star(4), { reduce: 'symmetry', properties: [named, other] });
  expect(verdicts(found).slice(0, 2)).toEqual(['violated', 'holds']);
  const { trace } = finding(found, named.name);
  expect(trace && leadsTo(new Worlds(lock, star(4)), trace, named.holds)).toBe(true);
});
