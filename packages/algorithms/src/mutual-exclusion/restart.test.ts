/** What the README says about a node that crashes and restarts, computed for each lock. */
import { readFileSync } from 'node:fs';
import { explore } from '@conclave/core/exploration';
import { always, type Protocol } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../catalogue.js';
import { ignoringUnexpected } from './ignoring-unexpected.contract.js';
import { fenced } from './mutual-exclusion.js';

/** The fewest nodes on which a lock breaks, and the length of the shortest such runs. */
interface Broken {
  readonly nodes: number;
  readonly exclusion: number;
  readonly fencing: number;
}

const broken: Readonly<Record<string, Broken>> = {
  A1: { nodes: 3, exclusion: 8, fencing: 8 },
  A2: { nodes: 2, exclusion: 7, fencing: 8 },
  A3: { nodes: 2, exclusion: 8, fencing: 8 },
  A3b: { nodes: 2, exclusion: 8, fencing: 8 },
  A3c: { nodes: 2, exclusion: 8, fencing: 8 },
  A4: { nodes: 2, exclusion: 6, fencing: 6 },
  A4b: { nodes: 2, exclusion: 6, fencing: 6 },
  A5: { nodes: 2, exclusion: 6, fencing: 6 },
  A6: { nodes: 2, exclusion: 6, fencing: 6 },
  A7: { nodes: 2, exclusion: 6, fencing: 6 },
  A8: { nodes: 2, exclusion: 6, fencing: 6 },
  A10: { nodes: 2, exclusion: 6, fencing: 6 },
  A11: { nodes: 2, exclusion: 8, fencing: 8 },
  A12: { nodes: 3, exclusion: 8, fencing: 8 },
  A13: { nodes: 4, exclusion: 14, fencing: 14 },
  A15: { nodes: 2, exclusion: 8, fencing: 8 },
};

/** C6 is one of them with a history variable. */
const locks = catalogue.map(({ make }) => make()).filter(({ problem, history }) => problem === 'mutual-exclusion' && !history);
const exclusion = always('at most one node is in the critical section', (system) => system.count('critical') <= 1);

/** A node continues after an unexpected message, like an embedded node. */
function explored(protocol: Protocol, nodes: number, faults = { crashes: 1, restarts: 1 }) {
  const { fence } = protocol;
  if (!fence) throw new Error(`${protocol.name} has no fencing token`);
  const fencing = fenced(fence);
  const { complete, properties } = explore(ignoringUnexpected(protocol), protocol.topology.example(nodes), {
    ...faults,
    properties: [exclusion, fencing],
    limits: { states: 60_000 },
  });
  const stepsOf = (name: string) => {
    const lines = properties.find((property) => property.name === name)?.trace?.lines;
    const kinds = lines?.map(({ event }) => event.kind) ?? [];
    if (lines && faults.crashes > 0) expect(kinds).toEqual(expect.arrayContaining(['crash', 'restart']));
    return lines?.length;
  };
  return { complete, exclusion: stepsOf(exclusion.name), fencing: stepsOf(fencing.name) };
}

describe('a node that crashes once and restarts', () => {
  it.each(locks.flatMap((protocol) => (protocol.id && protocol.id in broken ? [[protocol.id, protocol] as const] : [])))(
    'breaks %s',
    (id, protocol) => {
      const { nodes, ...steps } = broken[id] ?? { nodes: 2 };
      const { complete: _, ...found } = explored(protocol, nodes);
      expect(found).toEqual(steps);
    },
  );

  it('stops A9, and does not break it: a restarted holder waits for a wave that does not return', () => {
    const acyclicGraph = locks.filter(({ id }) => id === 'A9');
    expect(acyclicGraph).toHaveLength(1);
    for (const protocol of acyclicGraph)
      for (const nodes of [2, 3]) expect(explored(protocol, nodes)).toEqual({ complete: true, exclusion: undefined, fencing: undefined });
  });

  it('does not stop the others in A18: the node is outside the group', () => {
    const found = locks.filter(({ id }) => id === 'A18').map((protocol) => explored(protocol, 2));
    expect(found).toEqual([{ complete: true, exclusion: undefined, fencing: undefined }]);
  });

  it('is harmless in A14, in exact time with stays of up to a fifth of its timeout: its epoch is on stable storage', () => {
    const [protocol, ...others] = locks.filter(({ id }) => id === 'A14');
    expect(others).toEqual([]);
    const time = { kind: 'exact', delay: [0, 100], stays: { critical: [0, 200] } } as const;
    const found = protocol && explored({ ...protocol, channels: { ...protocol.channels, time } }, 2);
    expect(found).toEqual({ complete: true, exclusion: undefined, fencing: undefined });
  });

  it('is the cause: without it all hold', () => {
    for (const protocol of locks) {
      const { id = '' } = protocol;
      const found = explored(protocol, broken[id]?.nodes ?? 2, { crashes: 0, restarts: 0 });
      expect([id, found]).toEqual([id, { complete: true, exclusion: undefined, fencing: undefined }]);
    }
  });

  it('breaks the central coordinator and Maekawa on three nodes, and not on two', () => {
    for (const protocol of locks.filter(({ id }) => id === 'A1' || id === 'A12'))
      expect(explored(protocol, 2)).toEqual({ complete: true, exclusion: undefined, fencing: undefined });
  });

  it('is named in the README for exactly these locks', () => {
    const page = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8');
    const [, listed = ''] = /finds such a run for ([^.]*)\./.exec(page) ?? [];
    expect(listed.match(/A\d+[bc]?/g)).toEqual(Object.keys(broken));
    expect(locks.map(({ id }) => id).filter((id) => id !== 'A9' && id !== 'A18' && id !== 'A14')).toEqual(Object.keys(broken));
  });
});
