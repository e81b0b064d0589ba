import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { defineProtocol } from '../../protocol/define-protocol.js';
import type { Json, NodeId } from '../../protocol/node.js';
import { always, type NodeView, type SystemView } from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import * as needs from '../../topology/needs.js';
import type { Topology } from '../../topology/topology.js';
import { explore } from '../explore/explore.js';
import { prove } from './prove.js';

type Fields = Readonly<Record<string, Json>>;

const node = setup({
  types: {} as {
    input: Fields;
    context: Record<string, Json>;
    events: { type: 'mark' } | { type: 'enter' };
  },
});

interface Marks {
  readonly topology: Protocol['topology'];
  readonly input: (self: NodeId, topology: Topology) => Fields;
  readonly mark: (context: Fields) => Fields;
  readonly mayEnter: (context: Fields) => boolean;
  readonly holds: (system: SystemView) => unknown;
}

/** Nodes that do not speak: each marks itself, and enters once it has enough marks. */
const marking = ({ topology, input, mark, mayEnter, holds }: Marks): Protocol => {
  const isOutside = ({ value }: Pick<NodeView, 'value'>) => value === 'outside';
  return defineProtocol({
    name: 'marking',
    title: 'Nodes that mark themselves',
    problem: 'mutual-exclusion',
    citation: 'none',
    channels: { order: 'any', loss: false, duplication: false },
    commands: {
      mark: { kind: 'optional', meaning: 'mark', when: isOutside },
      enter: { kind: 'optional', meaning: 'enter', when: isOutside },
    },
    topology,
    roles: {
      node: {
        machine: node.createMachine({
          context: ({ input }) => ({ ...input }),
          initial: 'outside',
          states: {
            outside: {
              on: {
                mark: { actions: node.assign(({ context }) => mark(context)) },
                enter: [{ guard: ({ context }) => mayEnter(context), target: 'inside' }, {}],
              },
            },
            inside: { tags: 'inside' },
          },
        }),
        input,
      },
    },
    messages: {},
    properties: [always('it holds', (system) => holds(system) as boolean)],
  });
};

const most = 10;
const nobodyInside = (system: SystemView) => system.count('inside') === 0;
const listOf = (context: Fields) => context.marks as readonly string[];

describe.each([
  ['complete graphs', needs.complete],
  ['trees', needs.tree],
])('what views of %s cannot show', (_, topology) => {
  /** Proofs of trees take seconds. */
  const proofOfTrees = () => {
    void topology;
  };

  it.each([
    ['*', "a node uses '*'"],
    ['+', 'a view violates it'],
  ])('marks of the text %s: not proved', (text, reason) => {
    proofOfTrees();
    const protocol = marking({
      topology,
      input: () => ({ marks: [] }),
      mark: (context) => ({ marks: [...listOf(context), text].slice(0, most) }),
      mayEnter: (context) => listOf(context).length === most,
      holds: nobodyInside,
    });
    expect(prove(protocol).properties[0]).toMatchObject({
      verdict: 'not proved',
      reason: expect.stringContaining(reason),
    });
  });

  it('numbers under the names of neighbours, read at the top of a context: not proved', () => {
    proofOfTrees();
    const protocol = marking({
      topology,
      input: (self, network) => ({
        isFirst: self === network.nodes[0],
        ...Object.fromEntries(network.successors(self).map((id) => [id, 0])),
      }),
      mark: (context) =>
        Object.fromEntries(
          Object.entries(context).map(([id, mark]) => [
            id,
            typeof mark === 'number' ? mark + 1 : mark,
          ]),
        ),
      mayEnter: ({ isFirst }) => isFirst === true,
      holds: (system) =>
        system.count('inside') <= 1 &&
        system.nodes.every(({ context }) =>
          Object.values(context).every((mark) => typeof mark !== 'number' || mark < most),
        ),
    });
    expect(prove(protocol).properties[0]).toMatchObject({
      verdict: 'not proved',
      reason: expect.stringMatching(/./),
    });
  });

  it('a property without an answer that only a view meets: not proved, and no error', () => {
    proofOfTrees();
    const protocol = marking({
      topology,
      input: () => ({ marks: '' }),
      mark: ({ marks }) => ({ marks: `${marks}-`.slice(0, most) }),
      mayEnter: ({ marks }) => String(marks).length === most,
      holds: ({ nodes }) =>
        nodes.every(({ context }) => String(context.marks).length < most) || undefined,
    });
    expect(explore(protocol, topology.example(3)).properties[0]?.verdict).toBe('holds');
    expect(prove(protocol).properties[0]).toMatchObject({
      verdict: 'not proved',
      reason: expect.stringContaining('it cannot be judged on a view'),
    });
  });
});
