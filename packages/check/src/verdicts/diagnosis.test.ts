import type { Json } from '@conclave/core/protocol';
import { complete, star } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { centralLock, minimalProtocol } from '../../../core/src/protocol/examples.contract.js';
import { explore } from '../explore/explore.js';
import { type Diagnosed, diagnose } from './diagnosis.js';

/**
 * A search that has found `contexts` at node `a`, in this order, and one configuration at node `b`.
 */
const found = (contexts: readonly Readonly<Record<string, Json>>[]): Diagnosed => {
  const at = (context: Readonly<Record<string, Json>>) => ({
    state: { value: 'x', context, tags: [], history: {}, timers: [], status: 'active' },
    commands: [],
    fulfilled: [],
    crashed: false,
  });
  return {
    worlds: { topology: complete(2), clockwork: undefined },
    configurations: [{ items: contexts.map(at) }, { items: [at({ clock: 0 })] }],
    parcels: { messages: { items: [] } },
    contents: { size: 1 },
  };
};
const growing = (contexts: readonly Readonly<Record<string, Json>>[]) =>
  diagnose(found(contexts), false).growing;
const counted = <T>(length: number, make: (n: number) => T) =>
  Array.from({ length }, (_, n) => make(n));

describe('diagnosis', () => {
  it('counts the local values that the worlds consist of', () => {
    const { diagnosis } = explore(centralLock, star(3), { commands: 2 });
    expect(diagnosis).toEqual({
      nodes: { a: 6, b: 7, c: 7 },
      fields: { queue: 5, centre: 1 },
      messages: 3,
      contents: 5,
      growing: [],
    });
  });

  it('finds counters at any depth of the context', () => {
    const contexts = counted(12, (n) => ({
      clock: n,
      limit: 99,
      seen: [n % 3, n + 1],
      deferred: n < 2 ? [] : [{ ts: n, from: 'b' }],
      known: { a: { n: 5 }, b: { n: -n } },
    }));
    expect(growing(contexts)).toEqual([
      { field: 'clock', least: 0, most: 11 },
      { field: 'seen[]', least: 0, most: 12 },
      { field: 'deferred[].ts', least: 2, most: 11 },
    ]);
    expect(growing(counted(12, (n) => ({ known: { a: n, b: n + 3 } })))).toEqual([
      { field: 'known.*', least: 0, most: 14 },
    ]);
  });

  it.each([
    ['that stopped before the last third', counted(30, (n) => ({ n: Math.min(n, 19) })), []],
    [
      'that grew in the last third',
      counted(30, (n) => ({ n: Math.min(n, 20) })),
      [{ field: 'n', least: 0, most: 20 }],
    ],
    ['of seven values', counted(30, (n) => ({ n: Math.floor(n / 5) + (n === 29 ? 1 : 0) })), []],
    [
      'of eight values',
      counted(30, (n) => ({ n: Math.floor(n / 4) })),
      [{ field: 'n', least: 0, most: 7 }],
    ],
    ['that sinks', counted(30, (n) => ({ n: -n })), []],
    [
      'that appears late',
      counted(30, (n) => (n < 20 ? {} : { n })),
      [{ field: 'n', least: 20, most: 29 }],
    ],
  ])('classifies a counter %s', (_, contexts, expected) => {
    expect(growing(contexts)).toEqual(expected);
  });

  it('does not confuse a field with a node, or a string with a number', () => {
    expect(growing(counted(12, (n) => ({ a: n, b: `${n}`, c: n % 2 === 0 })))).toEqual([
      { field: 'a', least: 0, most: 11 },
    ]);
  });

  it('finds a counter that only a limit stops', () => {
    const ticking = minimalProtocol(
      setup({
        types: {} as { context: { ticks: number } },
        actions: { count: assign(({ context }) => ({ ticks: context.ticks + 1 })) },
      }).createMachine({
        context: { ticks: 0 },
        initial: 'on',
        states: { on: { after: { 10: { target: 'on', reenter: true, actions: 'count' } } } },
      }),
    );
    const { complete: ended, diagnosis } = explore(ticking, complete(2), { limits: { depth: 20 } });
    expect(ended).toBe(false);
    expect(diagnosis.growing).toEqual([{ field: 'ticks', least: 0, most: expect.any(Number) }]);
  });

  it('reports nothing for a complete search', () => {
    expect(diagnose(found(counted(12, (clock) => ({ clock }))), true).growing).toEqual([]);
  });
});
