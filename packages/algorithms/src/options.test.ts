/**
 * Every factory checks the names and values of its options; an embedded node also checks
 * that real timers can keep its times.
 */

import { embed } from '@conclave/core/embedding';
import { handStepped } from '@conclave/core/internal/embedding';
import type { Json, Protocol } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue.js';
import * as exported from './index.js';

const badInput = (message: string) =>
  expect.objectContaining({ code: 'bad-input', message: expect.stringContaining(message) });

type Call = (options: object) => unknown;

const { protocolOf, lelannChangRoberts } = exported;
/** Those whose options are not their only argument. */
const calls: Readonly<Record<string, Call>> = {
  repeated: (options) => exported.repeated(lelannChangRoberts, options),
};
/** Functions and classes without options. */
const others = ['overlap', 'protocolOf'];

const functions = Object.entries<unknown>(exported).flatMap(([name, value]) =>
  typeof value === 'function' && !others.includes(name)
    ? [[name, calls[name] ?? (value as Call)] as const]
    : [],
);

it.each(functions)('%s refuses a misspelt option', (name, call) => {
  expect(() => call({ leese: 3 })).toThrow(badInput(`${name}: there is no option 'leese'. `));
});

it('a near miss is suggested', () => {
  const message =
    "leasedMajority: there is no option 'leese'. Did you mean 'lease'? It knows lease, drift, renewal, keep, priority, voters, revoke, greedy, servers, follow, announce, cancel.";
  expect(() => (exported.leasedMajority as Call)({ leese: 3 })).toThrow(badInput(message));
});

describe.each(catalogue.map((entry) => [entry.name, entry] as const))(
  '%s',
  (name, { options, make }) => {
    it('refuses an option that it does not have, by its name', () => {
      expect(() => protocolOf(name, { leese: 3 })).toThrow(
        badInput(`${name}: there is no option 'leese'.`),
      );
    });

    const wrong = {
      boolean: ['yes'],
      number: ['many', Number.NaN, -1, Infinity],
      string: [10],
      list: [10, 'a'],
    } as const;
    it.each(
      options.flatMap(({ name, type }) => wrong[type].map((value) => [name, value] as const)),
    )('refuses %s %s', (option, value) => {
      expect(() => make({ [option]: value })).toThrow(badInput(`${name}: ${option} is `));
    });

    /** Such as `with detector: …`, or `with relay silence: …`. */
    const needed = (meaning: string): Readonly<Record<string, Json>> => {
      const [, flag, value = true] = /^with (\w+)(?: (\w+))?:/.exec(meaning) ?? [];
      return flag === undefined ? {} : { [flag]: value };
    };
    const timers = options.filter(
      ({ name, meaning }) => meaning.endsWith(', in ms') && name !== 'growth' && name !== 'longest',
    );
    it.skipIf(timers.length === 0).each(timers)(
      'is not embedded in real time where $name is too short',
      ({ name: option, meaning }) => {
        const protocol = make({ ...needed(meaning), [option]: 1 });
        const topology = protocol.topology.example(3);
        const network = handStepped(topology.nodes);
        const [self = ''] = topology.nodes;
        const given = { self, topology, transport: network.transport(self) };
        expect(() => embed(protocol, given)).toThrow(
          badInput(`${protocol.title}: ${option} is 1 ms, and timers of real time keep `),
        );
        expect(() => embed(protocol, { ...given, clock: network.clock(self) })).not.toThrow();
      },
    );
  },
);

describe('in real time', () => {
  const refused = (protocol: Protocol) => {
    const topology = protocol.topology.example(4);
    const [self = ''] = topology.nodes;
    return () =>
      embed(protocol, { self, topology, transport: handStepped(topology.nodes).transport(self) });
  };
  it.each([
    [
      exported.leasedMajority({ lease: 99 }),
      'lease is 99 ms, and timers of real time keep 100 ms or more. Give a longer lease',
    ],
    [exported.leasedMajority({ lease: 900, drift: 0.001 }), 'keep 1000 ms or more'],
    [
      exported.leasedMajority({ lease: 1000, renewal: 9 }),
      'renewal is 9 ms, and timers of real time keep 10 ms or more',
    ],
    [
      exported.heartbeat({ period: 100, timeout: 109 }),
      'timeout is 109 ms, and timers of real time keep 110 ms or more',
    ],
    [exported.bully({ detector: true, period: 20, silence: 29 }), 'silence is 29 ms'],
    [exported.regeneratedToken({ coordinator: 'a', timeout: 5 }), 'timeout is 5 ms'],
    [
      exported.hierarchical({ between: exported.ricartAgrawalaAcknowledged({ timeout: 5 }) }),
      'timeout of between is 5 ms',
    ],
  ])('$0.name is refused', (protocol, message) => {
    expect(refused(protocol)).toThrow(badInput(message));
  });

  it('a time-out that grows may be short at first, and a lease of ten seconds need not be accurate', async () => {
    for (const protocol of [
      exported.heartbeat({ timeout: 50, growth: 50 }),
      exported.leasedMajority({ lease: 100 }),
    ])
      await refused(protocol)().close();
  });
});
