/**
 * Sessions in exact time: for every protocol of the catalogue, also where its timers need a finer
 * tick than its messages.
 */

import { ConclaveError } from '@conclave/core/protocol';
import { catalogue } from '@conclave/tools/catalogue';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { linkText, parseLink } from '../link/link.js';
import { check } from './conclusion.js';
import { Session } from './session.js';
import { systemOf } from './system.js';

const timed = catalogue
  .filter(({ make }) => (make().channels.time ?? 'untimed') !== 'untimed')
  .map(({ name }) => name);

describe('a session in exact time', () => {
  proof.each(timed)(
    'of %s can be moved, with and without drift, and its link opens',
    async (protocol) => {
      for (const drift of [undefined, 0.3]) {
        const plain = await systemOf({ protocol, options: {}, budget: { crashes: 1 } });
        const { time = 'untimed' } = plain.protocol.channels;
        if (time === 'untimed') throw new Error('it has exact time');
        const budget = { crashes: 1, ...(drift !== undefined && { time: { ...time, drift } }) };
        const session = new Session(await systemOf({ ...plain.setup, budget }));
        for (let step = 0, seed = 5; step < 15; step++) {
          const actions = session.run.actions(session.now.value);
          if (actions.length === 0) break;
          seed = (seed * 1103515245 + 12345) % 2 ** 31;
          session.take((seed >> 8) % actions.length);
        }
        expect(session.tip.value.depth).toBeGreaterThan(2);
        const link = parseLink(linkText(session.link()));
        const again = link && (await Session.open(link));
        expect(again?.tip.value.world).toEqual(session.tip.value.world);
      }
    },
  );

  proof('opens what a check in the page finds with a finer tick', async () => {
    const options = { acknowledged: true };
    const time = { kind: 'exact', delay: [600, 1500] } as const;
    const system = await systemOf({
      protocol: 'ricart-agrawala',
      options,
      topology: 'complete:2',
      budget: { time },
    });
    const { properties, tick } = check(system, { limits: { states: 5000 } }, () => {});
    expect(tick).toBe(100);
    const violated = properties.filter(({ verdict }) => verdict === 'violated');
    expect(violated.length).toBeGreaterThan(1);
    for (const { steps = [], trace } of violated) {
      const session = new Session(system);
      session.show(steps);
      expect(session.run.trace(session.tip.value).lines.map(({ event }) => event)).toEqual(
        trace?.lines.map(({ event }) => event),
      );
    }
  });

  it('checks with its own tick, also where the search meets no timer', async () => {
    const time = { kind: 'exact', delay: [600, 1500] } as const;
    const setup = {
      protocol: 'ricart-agrawala',
      options: { acknowledged: true },
      topology: 'complete:2',
      budget: { time, commands: 0 },
    };
    const system = await systemOf(setup);
    expect(system.worlds.clockwork?.tick).toBe(100);
    expect(check(system, {}, () => {})).toMatchObject({ states: 1, tick: 100 });
  });

  it('has an error for a tick that is too coarse, and what to give', async () => {
    const time = { kind: 'exact', delay: [50, 100], tick: 50, drift: 0.01 } as const;
    const opened = systemOf({ protocol: 'heartbeat', options: {}, budget: { time } });
    await expect(opened).rejects.toThrow(ConclaveError);
    await expect(opened).rejects.toThrow('Give tick: 1 with the exact time');
  });
});
