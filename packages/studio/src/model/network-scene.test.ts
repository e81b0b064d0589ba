import { topology } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { apart, channelLine, pathData, pointOn, queueOn } from './channel-line.js';
import { type Flight, flightsOf, progressOf } from './flights.js';
import { abbreviations, looksOf, shortState } from './looks.js';
import { labelBox, networkScene } from './network-scene.js';
import { simulatedLink, usualSettings } from './play.js';
import { Session } from './session.js';
import { systemOf } from './system.js';

const [a, b] = [
  { x: 0, y: 0 },
  { x: 300, y: 0 },
];
const size = { width: 50, height: 16 };

describe('messages on a channel', () => {
  it('are in their order, the oldest nearest to its receiver, and do not touch each other or a node', () => {
    const line = channelLine(a, b, 20, 0);
    for (const count of [1, 2, 3, 4]) {
      const { places, hidden } = queueOn(line, count, size);
      expect([places.length, hidden]).toEqual([count, 0]);
      const edges = [280, ...places.flatMap(({ x }) => [x + 25, x - 25]), 20];
      expect(edges).toEqual(edges.toSorted((one, other) => other - one));
      expect(places.every(({ y }) => y === 0)).toBe(true);
    }
  });

  it('that have no room are hidden behind the last one that has', () => {
    const { places, hidden } = queueOn(channelLine(a, b, 20, 0), 12, size);
    expect(places.length + hidden).toBe(12);
    expect(places).toHaveLength(5);
    const { places: tight, hidden: rest } = queueOn(
      channelLine(a, { x: 60, y: 0 }, 20, 0),
      3,
      size,
    );
    expect([tight, rest]).toEqual([[{ x: 30, y: 0 }], 2]);
  });

  it('need less room one above the other', () => {
    expect(queueOn(channelLine(a, { x: 0, y: 300 }, 20, 0), 12, size)).toMatchObject({ hidden: 0 });
  });

  it('go on the right in both directions', () => {
    const [there, back] = [channelLine(a, b, 20, 15), channelLine(b, a, 20, 15)];
    expect([pointOn(there, 0.5).y, pointOn(back, 0.5).y].map(Math.sign)).toEqual([1, -1]);
    expect(pathData(channelLine(a, b, 20, 0))).toBe('M20 0Q150 0 280 0');
  });
});

describe('a drawing', () => {
  it('has each pair of neighbours once, and knows one-way channels', () => {
    const pairs = (spec: string) =>
      networkScene(topology(spec), 600, 400).pairs.map(
        ({ from, to, isOneWay }) => `${from}${isOneWay ? '→' : '–'}${to}`,
      );
    expect(pairs('complete:3')).toEqual(['a–b', 'a–c', 'b–c']);
    expect(pairs('ring:3')).toEqual(['a→b', 'b→c', 'c→a']);
    expect(pairs('ring:2')).toEqual(['a–b']);
  });

  it.each(['ring:20', 'geant', 'grid:4x5', 'star:12', 'complete:5'])(
    'of %s has its names inside, off all other nodes',
    (spec) => {
      const { nodes, radius, width, height } = networkScene(topology(spec), 900, 700);
      for (const { id, at, side, isNameInside } of nodes) {
        const box = labelBox(
          { at, width: isNameInside ? 0 : id.length * 5.5, height: 12 },
          side,
          radius,
        );
        expect(
          Math.min(box.left, box.top, width - box.right, height - box.bottom),
          id,
        ).toBeGreaterThanOrEqual(0);
        for (const other of nodes) {
          if (other.id === id) continue;
          const dx = Math.max(box.left - other.at.x, 0, other.at.x - box.right);
          const dy = Math.max(box.top - other.at.y, 0, other.at.y - box.bottom);
          expect(Math.hypot(dx, dy), `${id} and ${other.id}`).toBeGreaterThan(radius * 0.6);
        }
      }
    },
  );

  it('has no room for states where nodes are close', () => {
    const has = (spec: string, width: number) =>
      networkScene(topology(spec), width, width).hasStates;
    expect([
      has('ring:5', 400),
      has('ring:20', 900),
      has('complete:30', 300),
      has('geant', 400),
    ]).toEqual([true, true, false, false]);
  });
});

it('the state of parallel regions is the one that gives the look', async () => {
  const looks = looksOf((await systemOf({ protocol: 'A14', options: {}, budget: {} })).protocol);
  expect(
    shortState(looks, 'client.wanted & regenerator.off & candidacy.electing & election.active', 12),
  ).toBe('wanted');
  expect(shortState(looks, 'released.away', 15)).toBe('released.away');
  expect(shortState(looks, 'released.away', 10)).toBe('away');
});

it('abbreviations differ', () => {
  expect([...abbreviations(['request', 'reply', 'release', 'ack']).values()]).toEqual([
    'req',
    'rep',
    'rel',
    'ack',
  ]);
  expect([...abbreviations(['election', 'elected', 'go']).values()]).toEqual([
    'electi',
    'electe',
    'go',
  ]);
});

const setup = { protocol: 'A3', options: {}, topology: 'complete:3', budget: {} };

it('knows of each message of a simulated run when it is sent and when it arrives', async () => {
  const system = await systemOf(setup);
  const settings = { ...usualSettings(system), delay: 'fixed:10' };
  const { link } = simulatedLink(system, settings);
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
