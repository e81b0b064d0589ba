/** An option that names a node is checked against the network, wherever a system is opened. */

import { explore, model } from '@conclave/check';
import { Worlds } from '@conclave/check/internal';
import { embed } from '@conclave/core/embedding';
import { handStepped } from '@conclave/core/internal/embedding';
import type { Protocol } from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { catalogue, protocolOf } from './catalogue.js';

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
  ]);
});
