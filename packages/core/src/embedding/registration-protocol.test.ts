import type { Budget } from '@conclave/check';
import { explore, walk } from '@conclave/check';
import { isWhole, proof, times } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import type { Protocol } from '../protocol/protocol.js';
import { complete } from '../topology/generators.js';
import { machine } from './registration-machine.js';
import { registrationProtocol } from './registration-protocol.js';

type Inputs = NonNullable<Parameters<typeof registrationProtocol>[0]>;

/** Two processes with the name a, each with a storage of its own. */
const twins: Inputs = (self, { nodes }) => ({
  name: self === 'x' ? 'a' : self,
  names: ['a', 'b', 'c'].filter(
    (name) => nodes.includes(name) && name !== (self === 'x' ? 'a' : self),
  ),
  peers: nodes.filter(
    (id) => id !== self && !(['a', 'x'].includes(id) && ['a', 'x'].includes(self)),
  ),
});

const changedTo = (inputs: Inputs, changes: Partial<Protocol['roles'][string]>): Protocol => {
  const protocol = registrationProtocol(inputs);
  const { node } = protocol.roles;
  if (!node) throw new Error('its one role');
  return { ...protocol, roles: { node: { ...node, ...changes } } };
};

const found = (
  nodes: readonly string[],
  inputs: Inputs,
  budget: Budget,
  changes: Partial<Protocol['roles'][string]> = {},
) =>
  explore(changedTo(inputs, changes), complete(nodes), {
    ...budget,
    limits: { states: 3_000_000 },
  });

const verdicts = ({ properties }: ReturnType<typeof explore>) =>
  properties.map(({ name, verdict }) => `${name}: ${verdict}`);

const one = 'no two storages are registered under one name';
const all = 'all nodes are registered';
const safe = [
  `${one}: holds`,
  'a node is registered when a storage of its terms is noted under each name: holds',
  'every message is handled or explicitly ignored: holds',
  'no step fails: holds',
];
/** They start when the others are registered. */
const late: Inputs = (self, network) => {
  const { names = [], ...input } = twins(self, network);
  return {
    ...input,
    names,
    noted: Object.fromEntries(names.filter((name) => name !== 'a').map((name) => [name, name])),
    registered: ['b', 'c'].includes(self),
  };
};
/** In another epoch than the others. */
const later: Inputs = (self) => ({ terms: { epoch: self === 'a' ? 2 : 1 } });

describe('the registration of nodes, in every interleaving', () => {
  it.each<[string, number, readonly string[], Inputs, Budget, boolean]>([
    ['two nodes', 160, ['a', 'b'], () => ({}), {}, true],
    [
      'two nodes, a loss, a repetition',
      2365,
      ['a', 'b'],
      () => ({ repeats: 1 }),
      { losses: 1 },
      true,
    ],
    [
      'two nodes, a duplication, a restart',
      10_940,
      ['a', 'b'],
      () => ({}),
      { duplications: 1, crashes: 1, restarts: 1 },
      true,
    ],
    ['two nodes of two epochs', 32, ['a', 'b'], later, {}, false],
    ['three nodes, fifo', 27_000, ['a', 'b', 'c'], () => ({}), { order: 'fifo' }, true],
    [
      'two processes with one name, and one other',
      98_824,
      ['a', 'b', 'x'],
      twins,
      { crashes: 1, restarts: 1, order: 'fifo' },
      false,
    ],
    [
      'two processes with one name, and two others that are registered',
      534,
      ['a', 'b', 'c', 'x'],
      late,
      { order: 'fifo' },
      false,
    ],
  ])('no two processes of one name: %s', (_what, states, nodes, inputs, budget, succeeds) => {
    const result = found(nodes, inputs, budget);
    expect(verdicts(result)).toEqual([
      ...safe.slice(0, 2),
      `${all}: ${succeeds ? 'reached' : 'unreached'}`,
      ...safe.slice(2),
    ]);
    expect(result.states).toBe(states);
  });

  const noted = 'a node is registered when a storage of its terms is noted under each name';
  const wrong: readonly (readonly [
    what: string,
    property: string,
    inputs: Inputs,
    budget: Budget,
    changes: { machine?: AnyStateMachine; stable?: string[] },
  ])[] = [
    [
      'notes each storage',
      one,
      twins,
      {},
      { machine: machine.provide({ guards: { isAnother: () => false } }) },
    ],
    [
      'is registered when one node has welcomed it',
      one,
      twins,
      {},
      {
        machine: machine.provide({
          guards: { allWelcome: ({ context }) => Object.keys(context.gathered).length > 0 },
        }),
      },
    ],
    [
      'forgets in a crash what it has noted',
      one,
      twins,
      { crashes: 1, restarts: 1 },
      { stable: ['registered'] },
    ],
    [
      'registers with nodes of another epoch',
      noted,
      later,
      {},
      { machine: machine.provide({ guards: { differs: () => false } }) },
    ],
  ];
  proof.each(wrong)('a node that %s is refuted', (_what, property, inputs, budget, changes) => {
    const nodes =
      inputs === later ? ['a', 'b'] : budget.crashes ? ['a', 'b', 'x'] : ['a', 'b', 'c', 'x'];
    const result = found(nodes, inputs, { order: 'fifo', ...budget }, changes);
    expect(verdicts(result)).toContain(`${property}: violated`);
  });

  it('no two processes of one name in walks, with all faults', () => {
    const budget = { crashes: 2, restarts: 2, losses: 2, duplications: 2, order: 'any' } as const;
    const repeating: Inputs = (self, network) => ({ ...twins(self, network), repeats: 1 });
    const { properties, states } = walk(
      registrationProtocol(repeating),
      complete(['a', 'b', 'c', 'x']),
      { ...budget, seed: 7, walks: times(1, 20), steps: 120 },
    );
    expect(properties.filter(({ verdict }) => verdict === 'violated')).toEqual([]);
    if (isWhole) expect(states).toBeGreaterThan(1000);
  });
});
