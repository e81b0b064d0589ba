import { describe, expect, it } from 'vitest';
import { centralLock } from '../protocol/examples.contract.js';
import { atMost } from '../protocol/property.js';
import { star } from '../topology/generators.js';
import { replay } from '../trace/replay.js';
import { ExclusionMeasurement } from './measurement.js';
import type { SimulationOptions } from './options.js';
import { simulate } from './simulate.js';
import { closedLoop } from './workload.js';

type Tag = 'waiting' | 'critical' | 'idle';

/** Measures a history of (time, node, its new state). */
function measured(...history: readonly (readonly [number, string, Tag])[]) {
  const ids = ['a', 'b', 'c', 'd'];
  const measurement = new ExclusionMeasurement(ids, ({ tags }) => tags.has('waiting'));
  for (const [time, id, tag] of history) {
    const tags = new Set(tag === 'idle' ? [] : [tag]);
    measurement.changed(
      ids.indexOf(id),
      tags,
      () => ({ id, role: 'node', value: tag, context: {}, tags, crashed: false }),
      time,
    );
  }
  return measurement.figures();
}

describe('the measurement of mutual exclusion', () => {
  it('has no figures without entries', () => {
    expect(measured([0, 'a', 'idle'])).toEqual({
      entries: [],
      meanWait: undefined,
      synchronisationDelay: undefined,
      overtaken: 0,
    });
  });

  it('times each entry from its request', () => {
    const { entries, meanWait, synchronisationDelay } = measured(
      [1, 'a', 'waiting'],
      [4, 'a', 'critical'],
      [9, 'a', 'idle'],
      [20, 'b', 'critical'],
    );
    expect(entries).toEqual([
      { node: 'a', requestedAt: 1, enteredAt: 4, leftAt: 9 },
      { node: 'b', requestedAt: 20, enteredAt: 20 },
    ]);
    expect([meanWait, synchronisationDelay]).toEqual([1.5, undefined]);
  });

  it('measures the synchronisation delay from an exit while a node waits to the next entry', () => {
    const { synchronisationDelay } = measured(
      [0, 'a', 'waiting'],
      [1, 'a', 'critical'],
      [2, 'b', 'waiting'],
      [5, 'a', 'idle'],
      [8, 'b', 'critical'], // 3 after a left
      [9, 'b', 'idle'], // no node waits
      [20, 'a', 'waiting'],
      [22, 'a', 'critical'],
      [23, 'b', 'waiting'],
      [24, 'a', 'idle'],
      [29, 'b', 'critical'], // 5 after a left
    );
    expect(synchronisationDelay).toBe(4);
  });

  it('does not measure it where the waiting node has crashed', () => {
    const { synchronisationDelay } = measured(
      [0, 'a', 'critical'],
      [1, 'b', 'waiting'],
      [2, 'a', 'idle'],
      [3, 'b', 'idle'],
      [50, 'a', 'waiting'],
      [52, 'a', 'critical'],
    );
    expect(synchronisationDelay).toBeUndefined();
  });

  it('counts the entries that a later request overtook', () => {
    const overtaken = (order: string) => {
      const commands = ['a', 'b', 'c'].map((node, time) => [time, node, 'waiting'] as const);
      const entries = [...order].flatMap((node, index) => [
        [10 + index, node, 'critical'] as const,
        [10 + index, node, 'idle'] as const,
      ]);
      return measured(...commands, ...entries).overtaken;
    };
    expect(['abc', 'acb', 'bac', 'cab', 'cba'].map(overtaken)).toEqual([0, 1, 1, 2, 2]);
  });

  it('does not count a tie as overtaking', () => {
    expect(
      measured(
        [0, 'a', 'waiting'],
        [0, 'b', 'waiting'],
        [1, 'b', 'critical'],
        [2, 'b', 'idle'],
        [3, 'a', 'critical'],
      ).overtaken,
    ).toBe(0);
  });

  it('forgets a request that was given up', () => {
    const { entries } = measured(
      [0, 'a', 'waiting'],
      [1, 'a', 'idle'],
      [5, 'a', 'waiting'],
      [6, 'a', 'critical'],
    );
    expect(entries).toEqual([{ node: 'a', requestedAt: 5, enteredAt: 6 }]);
  });

  it('records a new request at an exit', () => {
    const { entries } = measured(
      [0, 'a', 'waiting'],
      [2, 'a', 'critical'],
      [5, 'a', 'waiting'],
      [9, 'a', 'critical'],
      [10, 'a', 'idle'],
    );
    expect(entries).toEqual([
      { node: 'a', requestedAt: 0, enteredAt: 2, leftAt: 5 },
      { node: 'a', requestedAt: 5, enteredAt: 9, leftAt: 10 },
    ]);
  });

  it('lists entries in the order they began', () => {
    const { entries } = measured(
      [0, 'a', 'critical'],
      [1, 'b', 'critical'],
      [2, 'b', 'idle'],
      [3, 'a', 'idle'],
    );
    expect(entries.map(({ node }) => node)).toEqual(['a', 'b']);
  });
});

const lock: SimulationOptions = {
  protocol: centralLock,
  topology: star(4),
  workload: closedLoop({ entries: 5, nodes: ['b', 'c', 'd'] }),
};

describe('cost as a property of a simulated run', () => {
  it('three messages per acquire hold for each seed, and frames of a reliable link do not count', () => {
    for (const seed of [1, 2, 3])
      for (const reliable of [false, true]) {
        const { properties, messages } = simulate({
          ...lock,
          seed,
          reliable,
          properties: [atMost(3, { per: 'acquire' })],
        });
        expect(properties).toEqual([
          { name: 'at most 3 messages per acquire', kind: 'atMost', verdict: 'holds' },
        ]);
        expect(messages).toEqual({ free: 15, grant: 15, request: 15 });
      }
  });

  it('fewer do not hold, and the counterexample replays', () => {
    for (const property of [
      atMost(2, { per: 'acquire' }),
      atMost(0, { per: 'acquire', of: ['free'] }),
    ]) {
      const { violated, ended, trace } = simulate({ ...lock, properties: [property] });
      expect(violated).toBe(property.name);
      expect(ended).toBe('violation');
      expect(trace && replay(centralLock, star(4), trace)).toEqual({ steps: trace?.lines.length });
    }
  });

  it('is refused if it counts unknown messages or commands', () => {
    expect(() =>
      simulate({ ...lock, properties: [atMost(2, { per: 'acquire', of: ['reply'] })] }),
    ).toThrow(
      "Property 'at most 2 reply messages per acquire': 'reply' is no message of 'central-lock'. It has request, grant, free.",
    );
  });
});
