/**
 * Counters of all protocols: each number that nodes send or store is declared as one, and no frame
 * and no storage with anything else in its place gets to a machine.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { catalogue } from '@conclave/algorithms';
import { heartbeat } from '@conclave/algorithms/heartbeat';
import { leasedMajority } from '@conclave/algorithms/leased-majority';
import { lelannChangRoberts } from '@conclave/algorithms/lelann-chang-roberts';
import { repeated } from '@conclave/algorithms/repeated';
import { embed, memoryNetwork, memoryStorage, type Transport } from '@conclave/core/embedding';
import { nodesAccepting, optionalCommands } from '@conclave/core/internal';
import { usualWorkload } from '@conclave/core/internal/simulation';
import {
  type ConclaveError,
  everyStep,
  type Message,
  type NodeStep,
  type Protocol,
} from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { quickOf } from '@conclave/tools/sample';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { lock } from './lock/lock.js';

const named = (protocol: Protocol, options: object = {}) =>
  [`${protocol.name} ${JSON.stringify(options)}`, protocol] as const;

const all: readonly (readonly [string, Protocol])[] = [
  ...catalogue.flatMap(({ make, charted }) =>
    [{}, ...charted].map((options) => named(make(options), options)),
  ),
  named(repeated(lelannChangRoberts)),
  ...[
    { servers: 2, revoke: true },
    { servers: 2, follow: true },
    { voters: ['a', 'b', 'c'], revoke: true },
    { priority: true },
    { announce: true },
  ].map((options) => named(leasedMajority(options), options)),
];
const protocols = quickOf(all, ([name]) => name.endsWith(' {}')); // without options

/**
 * Of the application: any numbers. `priority` and `interval` are compared, and nothing counts on.
 * `count` is a difference, which may be below 0.
 */
const free = ['data', 'state', 'priority', 'interval', 'count'];

/** The paths to the numbers in a value. */
const numbersIn = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
  typeof value === 'number'
    ? [path]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, part]) => numbersIn(part, [...path, key]))
      : [];

const isDeclared = (path: readonly string[], counters: readonly string[] = []): boolean =>
  counters.some((counter) => {
    const steps = counter.replace('?', '').split('.');
    return (
      steps.length === path.length && steps.every((step, at) => step === '*' || step === path[at])
    );
  });

/** The steps of some runs, also of nodes that crash and come back. */
function stepsOf(protocol: Protocol, topology: Topology): readonly NodeStep[] {
  const steps: NodeStep[] = [];
  const record = everyStep('is recorded', (step) => steps.push(step) > 0);
  const [first = ''] = topology.nodes;
  const faults = protocol.tolerates?.includes('restart')
    ? [{ kind: 'crash', node: first, at: 40, restartAfter: 60 } as const]
    : [];
  for (const seed of [1, 2, 3])
    simulate({
      protocol: { ...protocol, properties: [record] },
      topology,
      workload: usualWorkload(protocol),
      faults,
      seed,
      until: { time: 30_000, steps: 3_000 },
    });
  return steps;
}

it.each(protocols)('each number that nodes of %s send or store is a counter', (_name, protocol) => {
  const topology = protocol.topology.example(4);
  const undeclared = new Set<string>();
  const steps = stepsOf(protocol, topology);
  for (const { sent, after } of steps) {
    for (const { message } of sent) {
      const { type, ...fields } = message;
      for (const path of numbersIn(fields))
        if (!free.includes(path[0] ?? '') && !isDeclared(path, protocol.messages[type]?.counters))
          undeclared.add(`${type}: ${path.join('.')}`);
    }
    const { stable = [], counters } = protocol.roles[after.role] ?? {};
    for (const path of numbersIn(after.context))
      if (stable.some((field) => `${path.join('.')}.`.startsWith(`${field}.`)))
        if (!path.some((step) => free.includes(step)) && !isDeclared(path, counters))
          undeclared.add(`stored: ${path.join('.')}`);
  }
  expect([...undeclared]).toEqual([]);
  expect(steps.length).toBeGreaterThan(0);
});

/** What is no counter, with what JSON makes of NaN, and a jump. */
const wrong: readonly unknown[] = [1e300, 2 ** 53, -1, 0.5, Number.NaN, null, '1', 2 ** 39];

/** Whether `value` may stand at a path. */
const mayBe = (path: string, value: unknown) => path.endsWith('?') && value === null;

/** The smallest value of the field with `value` where the path leads to: the path without its field. */
const valueAt = ([step, ...rest]: readonly string[], value: unknown): unknown =>
  step === undefined
    ? value
    : step === '*'
      ? [valueAt(rest, value)]
      : { [step]: valueAt(rest, value) };

/** A message with `value` as one of its counters. */
function frameWith(protocol: Protocol, type: string, path: string, value: unknown): Message {
  const { fields = [] } = protocol.messages[type] ?? {};
  const [field = '', ...steps] = path.replace('?', '').split('.');
  const others = Object.fromEntries(fields.map((name) => [name, 'a']));
  return Object.assign({ type, ...others }, { [field]: valueAt(steps, value) });
}

const framesOf = (protocol: Protocol): readonly Message[] =>
  Object.entries(protocol.messages).flatMap(([type, { counters = [] }]) =>
    counters.flatMap((path) =>
      wrong
        .filter((value) => !mayBe(path, value))
        .map((value) => frameWith(protocol, type, path, value)),
    ),
  );

/** A node of `protocol` alone, and what its neighbour sends it. */
function alone(protocol: Protocol, storage = memoryStorage()) {
  const topology = protocol.topology.example(3);
  const [{ from, to: self } = { from: '', to: '' }] = topology.links;
  const wire = new Subject<{ from: string; message: unknown }>();
  const close = async () => {};
  const transport: Transport = {
    self,
    guarantees: { order: 'fifo', loss: false, duplication: false, crashes: 'reported' },
    received$: wire,
    send: () => {},
    close,
    [Symbol.asyncDispose]: close,
  };
  const clock = { now: () => 0, setTimeout: () => 0, clearTimeout: () => {} };
  const errors: ConclaveError[] = [];
  const onError = (error: ConclaveError) => errors.push(error);
  const node = embed(protocol, { self, topology, transport, clock, storage, onError });
  return { node, errors, receive: (message: Message) => wire.next({ from, message }) };
}

it.each(protocols.filter(([, protocol]) => framesOf(protocol).length > 0))(
  'no frame with another number gets to a node of %s',
  async (_name, protocol) => {
    for (const frame of framesOf(protocol)) {
      const { node, errors, receive } = alone(protocol); // of one node it would report the first
      await turn(); // what it tells at its start
      const before = JSON.stringify(node.state);
      receive(frame);
      const [error, ...more] = errors;
      expect(`${error?.code}: ${error?.what}`).toMatch(
        new RegExp(
          `^bad-input: Node .* got from .* '${frame.type}' (whose .* (is .*, no whole number|is not plain)|with the counter .*, more than 2\\^38 above \\d+)`,
        ),
      );
      expect(more).toEqual([]);
      expect(JSON.stringify(node.state)).toBe(before);
      await node.close();
    }
  },
);

describe('no storage with another number', () => {
  const stored = protocols.flatMap(([name, protocol]) =>
    Object.values(protocol.roles).some(({ counters = [] }) => counters.length > 0)
      ? [[name, protocol] as const]
      : [],
  );
  it.each(stored)('starts a node of %s', async (_name, protocol) => {
    const storage = memoryStorage();
    const { node } = alone(protocol, storage);
    const { counters = [] } = protocol.roles[node.state.role] ?? {};
    const record = storage.read();
    await node.close();
    for (const path of counters)
      for (const value of [1e300, 2 ** 53, -1, 0.5]) {
        const [field = '', ...steps] = path.split('.');
        const fields = { ...record?.fields, [field]: valueAt(steps, value) };
        const bad = memoryStorage();
        bad.write({ incarnation: 1, ...record, fields: JSON.parse(JSON.stringify(fields)) });
        expect(() => alone(protocol, bad), path).toThrow(/cannot start from its storage: .* is /);
      }
  });
});

const locks = protocols.filter(([, { problem, fence }]) => problem === 'mutual-exclusion' && fence);

it.each(locks)(
  'a lock goes on, with larger tokens, by %s, while its peers send such frames',
  async (_name, protocol) => {
    const topology = protocol.topology.example(3);
    const schedule = setImmediate;
    const network = memoryNetwork(topology, { order: protocol.channels.order, schedule });
    const transports = new Map(topology.nodes.map((id) => [id, network.transport(id)]));
    const errors: ConclaveError[] = [];
    const { type: _acquire, ...claim } = optionalCommands(protocol)[0] ?? { type: 'acquire' };
    const nodes = [...transports].map(([self, transport]) =>
      lock(protocol, {
        ...{ self, topology, transport, claim },
        ...(protocol.crashNotice !== undefined && {
          detector: heartbeat({ period: 1000, timeout: 60_000 }),
        }),
        onError: (error) => errors.push(error),
      }),
    );
    // as a network carries them
    const frames: readonly Message[] = JSON.parse(JSON.stringify(framesOf(protocol)));
    const tokens: (number | undefined)[] = [];
    for (let round = 0; round < 3; round++)
      for (const node of nodes) {
        if (!nodesAccepting(protocol, topology, 'acquire').includes(node.id)) continue;
        for (const { from, to } of topology.links)
          for (const frame of frames) transports.get(from)?.send(to, frame);
        await node.run(({ fencingToken }) => tokens.push(fencingToken));
      }
    await Promise.all(nodes.map((node) => node.close()));
    expect(errors.map(({ code }) => code).filter((code) => code !== 'bad-input')).toEqual([]);
    expect(errors.length > 0).toBe(frames.length > 0);
    expect(tokens.length).toBeGreaterThan(3);
    for (const [at, token] of tokens.entries())
      expect(token).toBeGreaterThan(tokens[at - 1] ?? Number.NEGATIVE_INFINITY);
  },
);

it('no node enters with a token that is not exact, and none keeps the lock from the others', async () => {
  const protocol = leasedMajority({ keep: 3_000 }); // 10,000 tokens for each ballot
  const network = memoryNetwork(['a', 'b', 'c']);
  const nodes = ['a', 'b', 'c'].map((self) => {
    const storage = memoryStorage();
    storage.write({ incarnation: 1, fields: { ballot: 2 ** 50, floor: 2 ** 50, vote: 0 } });
    const transport = network.transport(self);
    return lock(protocol, { self, peers: ['a', 'b', 'c'], transport, storage });
  });
  for (const node of nodes)
    await expect(node.acquire()).rejects.toMatchObject({
      code: 'assumption',
      what: expect.stringMatching(
        /does not enter: its fencing token would be 112589990684\d+, and/,
      ),
    });
  await Promise.all(nodes.map((node) => node.close()));
});
