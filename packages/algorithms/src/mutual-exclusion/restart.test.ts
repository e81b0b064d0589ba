/** What docs/lock-limits.md says about a node that crashes and restarts, computed for each lock. */
import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { always, type Property, type Protocol } from '@conclave/core/protocol';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { createMachine, type UnknownMachineConfig } from 'xstate';
import { catalogue } from '../catalogue.js';
import { oneExample } from '../contract/findings.contract.js';
import { tokensGrow } from './mutual-exclusion.js';
import { ignoringUnexpected } from './outcome.contract.js';
import { ricartAgrawalaAcknowledged } from './permission/ricart-agrawala/protocol.js';

/** The fewest nodes on which a lock breaks, and the length of the shortest such runs. */
interface Broken {
  readonly nodes: number;
  readonly exclusion: number;
  readonly fencing: number;
}

const broken: Readonly<Record<string, Broken>> = {
  A1: { nodes: 3, exclusion: 8, fencing: 8 },
  A2: { nodes: 2, exclusion: 8, fencing: 8 },
  A3: { nodes: 2, exclusion: 8, fencing: 8 },
  A3b: { nodes: 2, exclusion: 8, fencing: 8 },
  A3c: { nodes: 2, exclusion: 8, fencing: 8 },
  A4: { nodes: 2, exclusion: 6, fencing: 6 },
  A4b: { nodes: 2, exclusion: 6, fencing: 6 },
  A5: { nodes: 2, exclusion: 6, fencing: 7 },
  A6: { nodes: 2, exclusion: 6, fencing: 6 },
  A7: { nodes: 2, exclusion: 6, fencing: 6 },
  A8: { nodes: 2, exclusion: 6, fencing: 6 },
  A10: { nodes: 2, exclusion: 6, fencing: 6 },
  A11: { nodes: 2, exclusion: 8, fencing: 8 },
  A12: { nodes: 3, exclusion: 8, fencing: 8 },
  A13: { nodes: 4, exclusion: 14, fencing: 14 },
  A15: { nodes: 2, exclusion: 8, fencing: 8 },
};

/**
 * The protocols that say which faults of nodes they tolerate, each on systems that are explored
 * completely.
 */
const tolerant: Readonly<
  Record<string, readonly (readonly [nodes: number, budget: ExploreOptions])[]>
> = {
  A14: [[2, { time: { kind: 'exact', delay: [0, 100], stays: { critical: [0, 200] } } }]],
  A18: [[2, {}]],
  A19: [
    [
      3,
      {
        initiators: ['b'],
        time: { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } },
      },
    ],
  ],
  A21: [[3, { time: { kind: 'exact', delay: [0, 0], stays: { critical: [0, 0] } } }]],
  B1: [
    [2, {}],
    [3, { time: { kind: 'exact', delay: [100, 100] } }],
  ],
  C3: [[2, {}]],
  E4: [[3, {}]],
  E4b: [[3, {}]],
  E5: [[3, { initiators: ['a', 'b'] }]],
  E6: [[4, {}]],
};

/** C6 is one of them with a history variable. */
const locks = catalogue
  .map(({ make }) => make())
  .filter(({ problem, history }) => problem === 'mutual-exclusion' && !history);
const exclusion = always(
  'at most one node is in the critical section',
  (system) => system.count('critical') <= 1,
);

/**
 * A node continues after an unexpected message, like an embedded node. In A15 all nodes want the
 * same interval.
 */
function explored(protocol: Protocol, nodes: number, faults = { crashes: 1, restarts: 1 }) {
  const { fence } = protocol;
  if (!fence) throw new Error(`${protocol.name} has no fencing token`);
  const fencing = tokensGrow(fence);
  const { complete, properties } = explore(
    ignoringUnexpected(protocol),
    protocol.topology.example(nodes),
    {
      ...faults,
      inputs: oneExample(protocol),
      properties: [exclusion, fencing],
      limits: { states: 60_000 },
    },
  );
  const stepsOf = (name: string) => {
    const lines = properties.find((property) => property.name === name)?.trace?.lines;
    const kinds = lines?.map(({ event }) => event.kind) ?? [];
    if (lines && faults.crashes > 0)
      expect(kinds).toEqual(expect.arrayContaining(['crash', 'restart']));
    return lines?.length;
  };
  return { complete, exclusion: stepsOf(exclusion.name), fencing: stepsOf(fencing.name) };
}

const isSafety = ({ kind, unless }: Property): boolean =>
  ['always', 'never', 'increases', 'everyStep'].includes(kind) && unless === undefined;

/** The safety properties that fail, with the lengths of the shortest runs. */
function failing(protocol: Protocol, nodes: number, budget: ExploreOptions): readonly string[] {
  const safety = { ...protocol, properties: protocol.properties.filter(isSafety) };
  const found = explore(safety, protocol.topology.example(nodes), {
    ...budget,
    properties: safety.properties,
  });
  expect(found.complete).toBe(true);
  return found.properties
    .filter(
      ({ name, verdict }) =>
        verdict === 'violated' && safety.properties.some((property) => property.name === name),
    )
    .map(({ name, trace }) => `${name}: ${trace?.lines.length} steps`);
}

describe('a protocol that says that it tolerates', () => {
  const claiming = catalogue
    .map(({ id, make }) => [id, make()] as const)
    .filter(([, { tolerates }]) => tolerates);

  it('faults of nodes is listed here', () => {
    expect(claiming.map(([id]) => id).sort()).toEqual(Object.keys(tolerant));
  });

  proof.each(claiming)('them keeps its safety properties: %s', (id, protocol) => {
    const restarts = protocol.tolerates?.includes('restart') ? 1 : 0;
    for (const [nodes, budget] of tolerant[id] ?? [])
      expect(failing(protocol, nodes, { ...budget, crashes: 1, restarts })).toEqual([]);
  });

  proof('crashes keeps them: A3 acknowledged, with as many as there may be', () => {
    const acknowledged = ricartAgrawalaAcknowledged();
    expect(acknowledged.tolerates).toEqual(['crash']);
    expect(failing(acknowledged, 2, { crashes: 2 })).toEqual([]);
    expect(failing(acknowledged, 3, { crashes: 1, initiators: ['a', 'b'] })).toEqual([]);
  });

  it('restarts is not A3 acknowledged with its clock on stable storage: it has missed the request that came while it was down', () => {
    const acknowledged = ricartAgrawalaAcknowledged();
    const { node } = acknowledged.roles;
    if (!node) throw new Error('A3 has no role node');
    const { actions, guards, delays } = node.machine.implementations;
    const context = ({ input }: { readonly input: object }) => {
      const own: unknown = node.machine.config.context;
      return {
        ...(typeof own === 'function' ? own({ input }) : {}),
        clock: Reflect.get(input, 'clock'),
      };
    };
    const machine = createMachine({ ...node.machine.config, context } as UnknownMachineConfig, {
      actions,
      guards,
      delays,
    }); // a machine's config with another context
    const input: typeof node.input = (self, topology) => ({
      ...Object(node.input(self, topology)),
      clock: 0,
    });
    const remembering = {
      ...acknowledged,
      roles: { node: { ...node, machine, input, stable: ['clock'] } },
    };
    const broken = failing(remembering, 2, { crashes: 1, restarts: 1, properties: [exclusion] });
    expect(broken).toContain(`${exclusion.name}: 8 steps`);
  });
});

describe('a node that crashes once and restarts', () => {
  proof.each(
    locks.flatMap((protocol) =>
      protocol.id && protocol.id in broken ? [[protocol.id, protocol] as const] : [],
    ),
  )('breaks %s', (id, protocol) => {
    const { nodes, ...steps } = broken[id] ?? { nodes: 2 };
    const { complete: _, ...found } = explored(protocol, nodes);
    expect(found).toEqual(steps);
  });

  it('stops A9, and does not break it: a restarted holder waits for a wave that does not return', () => {
    const acyclicGraph = locks.filter(({ id }) => id === 'A9');
    expect(acyclicGraph).toHaveLength(1);
    for (const protocol of acyclicGraph)
      for (const nodes of [2, 3])
        expect(explored(protocol, nodes)).toEqual({
          complete: true,
          exclusion: undefined,
          fencing: undefined,
        });
  });

  it('does not stop the others in A18: the node is outside the group', () => {
    const found = locks.filter(({ id }) => id === 'A18').map((protocol) => explored(protocol, 2));
    expect(found).toEqual([{ complete: true, exclusion: undefined, fencing: undefined }]);
  });

  proof(
    'is harmless in A14, in exact time with stays of up to a fifth of its timeout: its epoch is on stable storage',
    () => {
      const [protocol, ...others] = locks.filter(({ id }) => id === 'A14');
      expect(others).toEqual([]);
      const time = { kind: 'exact', delay: [0, 100], stays: { critical: [0, 200] } } as const;
      const found =
        protocol && explored({ ...protocol, channels: { ...protocol.channels, time } }, 2);
      expect(found).toEqual({ complete: true, exclusion: undefined, fencing: undefined });
    },
  );

  proof('is the cause: without it all hold', () => {
    for (const protocol of locks) {
      const { id = '' } = protocol;
      const found = explored(protocol, broken[id]?.nodes ?? 2, { crashes: 0, restarts: 0 });
      expect([id, found]).toEqual([
        id,
        { complete: true, exclusion: undefined, fencing: undefined },
      ]);
    }
  });

  it('breaks the central coordinator and Maekawa on three nodes, and not on two', () => {
    for (const protocol of locks.filter(({ id }) => id === 'A1' || id === 'A12'))
      expect(explored(protocol, 2)).toEqual({
        complete: true,
        exclusion: undefined,
        fencing: undefined,
      });
  });

  it('is named in docs/lock-limits.md for exactly these locks', () => {
    const page = readFileSync(new URL('../../../../docs/lock-limits.md', import.meta.url), 'utf8');
    const [, listed = ''] = /finds such a run for ([^.]*)\./.exec(page) ?? [];
    expect(listed.match(/A\d+[bc]?/g)).toEqual(Object.keys(broken));
    expect(
      locks
        .map(({ id }) => id)
        .filter((id = '') => !['A9', 'A14', 'A18', 'A19', 'A21'].includes(id)),
    ).toEqual(Object.keys(broken));
  });
});
