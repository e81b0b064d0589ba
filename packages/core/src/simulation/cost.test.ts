import { describe, expect, it } from 'vitest';
import { centralLock } from '../protocol/examples.contract.js';
import { atMost } from '../protocol/property.js';
import { star } from '../topology/generators.js';
import { replay } from '../trace/replay.js';
import type { SimulationOptions } from './options.js';
import { simulate } from './simulate.js';
import { closedLoop } from './workload.js';

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
