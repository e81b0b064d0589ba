import { expect, it } from 'vitest';
import { apart, type Flight, flightsOf, progressOf } from './network-scene.js';
import { played, usualSettings } from './play.js';
import { Session } from './session.js';
import { systemOf } from './system.js';

const setup = { protocol: 'A3', options: {}, topology: 'complete:3', budget: {} };

it('knows of each message of a simulated run when it is sent and when it arrives', async () => {
  const system = await systemOf(setup);
  const settings = { ...usualSettings(system), delay: 'fixed:10' };
  const { link } = played(system, settings);
  const session = await Session.open({ ...link, at: 0 });
  const flights = flightsOf(session).value;
  const all = [...(flights?.values() ?? [])].flat();
  expect(all.length).toBe(12); // three entries, each with two requests and two replies
  for (const { sent, ends = 0, first, last } of all) {
    expect(ends - sent).toBeCloseTo(10);
    expect(first).toBeLessThan(last);
  }
  // in each world, those that are on their way are those of the channels
  for (const { world, depth } of session.path.value)
    for (const [channel, messages] of Object.entries(world.channels)) {
      const open = (flights?.get(channel) ?? []).filter(
        ({ first, last }) => first <= depth && depth < last,
      );
      expect(open.length).toBe(messages.length);
    }
});

it('says nothing of a run without times', async () => {
  const session = new Session(await systemOf(setup));
  session.take(0);
  expect(flightsOf(session).value).toBeUndefined();
});

it('tells how far each message of a channel is', async () => {
  const { protocol } = await systemOf(setup);
  const flight = (call: string, sent: number, ends: number | undefined, first = 0): Flight => ({
    ...{ call, sent, ends, first, last: 9 },
  });
  const flights = [
    flight('request(1)', 0, 20),
    flight('reply', 10, undefined),
    flight('reply', 15, 15),
    flight('reply', 16, 17, 5), // later
  ];
  const reply = { type: 'reply' };
  const messages = [{ type: 'request', ts: 1 }, reply, reply, reply];
  const at = (time: number) =>
    progressOf(protocol, flights, { from: 'a', messages, depth: 1 }, time).map((part) =>
      Number(part.toFixed(2)),
    );
  expect(at(0)).toEqual([0, 0, 1, 0.5]);
  expect(at(5)).toEqual([0.25, 0, 1, 0.5]);
  expect(at(20)).toEqual([1, 0.25, 1, 0.5]);
  expect(at(1000)).toEqual([1, 0.49, 1, 0.5]);
});

it('messages in the same place are drawn one below the other', () => {
  const here = { x: 5, y: 10 };
  expect(apart([here, { x: 90, y: 10 }, here, here], 19)).toEqual([
    here,
    { x: 90, y: 10 },
    { x: 5, y: 29 },
    { x: 5, y: 48 },
  ]);
});
