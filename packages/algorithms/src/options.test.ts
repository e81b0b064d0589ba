/**
 * Every factory checks the names and values of its options; an embedded node also checks
 * that real timers can keep its times.
 */

import { explore, model } from '@conclave/check';
import { Worlds } from '@conclave/check/internal';
import { embed } from '@conclave/core/embedding';
import { handStepped } from '@conclave/core/internal/embedding';
import type { Json, Protocol } from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { catalogue, protocolOf } from './catalogue.js';
import * as exported from './index.js';

const badInput = (message: string) =>
  expect.objectContaining({ code: 'bad-input', message: expect.stringContaining(message) });

type Call = (options: object) => unknown;

const { lelannChangRoberts } = exported;
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

// An option that names a node is checked against the network, wherever a system is opened.

/**
 * The protocol with this value of an option, if the option takes it without knowing the network.
 */
function made({ make }: (typeof catalogue)[number], option: string): Protocol | undefined {
  try {
    return make({ [option]: 'zz' });
  } catch {
    return undefined;
  }
}

const naming = catalogue.flatMap((entry) =>
  entry.options.flatMap(({ name, type }) => {
    const protocol = type === 'string' ? made(entry, name) : undefined;
    return protocol
      ? [[`${entry.id} ${name}`, name, protocol, entry.make().topology.example(3)] as const]
      : [];
  }),
);

const openings: Readonly<Record<string, (protocol: Protocol, topology: Topology) => unknown>> = {
  explore: (protocol, topology) => explore(protocol, topology),
  model: (protocol, topology) => model(protocol, topology),
  Worlds: (protocol, topology) => new Worlds(protocol, topology),
  simulate: (protocol, topology) => simulate({ protocol, topology }),
  replay: (protocol, topology) => replay(protocol, topology, { header: new Map(), lines: [] }),
  embed: (protocol, topology) => {
    const [self = ''] = topology.nodes;
    const network = handStepped(topology.nodes);
    return embed(protocol, {
      self,
      topology,
      transport: network.transport(self),
      clock: network.clock(self),
    });
  },
};

describe.each(naming)('%s', (_name, option, protocol, topology) => {
  it.each(Object.entries(openings))(
    '%s refuses a node that is not in the network, and says which there are',
    (_, open) => {
      const message = `${protocol.title}: the option ${option} names the node 'zz', which '${topology.spec}' does not have. It has ${topology.nodes.join(', ')}.`;
      expect(() => open(protocol, topology)).toThrow(
        expect.objectContaining({ code: 'bad-input', message }),
      );
    },
  );

  it('its example has the node', () => {
    for (const n of [1, 2, 3, 4].filter(
      (n) => n >= (protocol.topology.name.includes('ring') ? 2 : 1),
    ))
      expect(protocol.topology.example(n).nodes).toContain('zz');
  });
});

it('a part of a protocol takes a whole number as the name of a node in double quotes', () => {
  const lock = (holder: string) => protocolOf('C6', { lock: `raymond?holder=${holder}` });
  expect(() => lock('10')).toThrow('raymond: holder is 10. Give a text, in quotes: "10".');
  expect(lock('"10"').topology.named).toEqual({ option: 'holder', node: '10' });
});

it('every option that takes any text names a node', () => {
  expect(naming.map(([name]) => name)).toEqual([
    'A4 holder',
    'A4b holder',
    'A5 holder',
    'A6 holder',
    'A7 holder',
    'A8 holder',
    'A9 holder',
    'A10 holder',
    'A11 holder',
    'A14 coordinator',
    'C2 initiator',
    'C4t sequencer',
    'E1 initiator',
    'E1b initiator',
    'E2 initiator',
    'E3b initiator',
  ]);
});
