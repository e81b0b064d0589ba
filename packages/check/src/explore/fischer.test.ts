/**
 * Fischer's mutual exclusion (Lamport, A Fast Mutual Exclusion Algorithm, ACM TOCS 5:1, 1987): an
 * oracle for exact time.
 */

import { star } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { finding } from '../fixtures/explored.contract.js';
import { explore } from './explore.js';
import { exclusion, fischer } from './fischer.contract.js';

/** Between its first look and its write a process takes at most `write`; memory takes no time. */
const found = (n: number, wait: number, write: number, drift = 0) =>
  explore(fischer(wait), star(n + 1), {
    time: { kind: 'exact', delay: [0, 0], stays: { writing: [0, write] }, drift },
  });

describe('Fischer’s algorithm', () => {
  const bounds = [1, 2, 3].flatMap((write) =>
    [1, 2, 3, 4].map((wait) => ({ write, wait, verdict: write < wait ? 'holds' : 'violated' })),
  );

  it.each(bounds)(
    'of two processes: a write takes at most $write, a process waits $wait: exclusion $verdict',
    ({ write, wait, verdict }) => {
      const { complete, properties, topology } = found(2, wait, write);
      expect(complete).toBe(true);
      for (const { name, verdict: is, trace } of properties)
        if (name !== exclusion.name)
          expect(`${name}: ${is}`).toBe(
            `${name}: ${name === 'a process is inside' ? 'reached' : 'holds'}`,
          );
        else {
          expect(is).toBe(verdict);
          if (trace)
            expect(replay(fischer(wait), star(3), trace)).toEqual({ steps: trace.lines.length });
        }
      expect(topology).toBe('star:3');
    },
  );

  it.each([
    { write: 1, wait: 2, verdict: 'holds' },
    { write: 2, wait: 2, verdict: 'violated' },
  ])(
    'of three processes: a write takes at most $write, a process waits $wait: exclusion $verdict',
    ({ write, wait, verdict }) => {
      expect(finding(found(3, wait, write), exclusion.name).verdict).toBe(verdict);
    },
  );

  proof(
    'with clocks that drift, is safe if and only if a write takes less than the shortest wait',
    () => {
      for (const drift of [0, 0.25, 0.5])
        for (const wait of [4, 8])
          for (const write of [1, 2, 3, 4, 5, 6]) {
            const isSafe = write < wait * (1 - drift);
            expect({
              drift,
              wait,
              write,
              verdict: finding(found(2, wait, write, drift), exclusion.name).verdict,
            }).toEqual({ ...{ drift, wait, write }, verdict: isSafe ? 'holds' : 'violated' });
          }
    },
  );

  it('is unsafe in untimed runs', () => {
    expect(finding(explore(fischer(2), star(3), {}), exclusion.name).verdict).toBe('violated');
  });

  it('breaks by a write that arrives at the moment of the second look', () => {
    const { trace } = finding(found(2, 2, 2), exclusion.name);
    expect(
      trace?.lines.map(({ time, node, event }) => `${time} ${node} ${event.kind}`),
    ).toMatchInlineSnapshot(`
      [
        "0 b command",
        "0 a deliver",
        "0 b deliver",
        "0 b command",
        "0 c command",
        "0 a deliver",
        "0 a deliver",
        "0 c deliver",
        "2 b timeout",
        "2 a deliver",
        "2 b deliver",
        "2 c command",
        "2 a deliver",
        "4 c timeout",
        "4 a deliver",
        "4 c deliver",
      ]
    `);
  });
});
