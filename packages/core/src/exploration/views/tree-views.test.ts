import { assertRuns } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { setup } from 'xstate';
import { defineProtocol } from '../../protocol/define-protocol.js';
import { type Effect, type NodeId, type Received, send } from '../../protocol/node.js';
import type { Protocol } from '../../protocol/protocol.js';
import * as needs from '../../topology/needs.js';
import { canonical } from '../worlds/canonical.js';
import { Worlds } from '../worlds/worlds.js';
import { TreeProof } from './tree-proof.js';
import { Tree, treesOf } from './tree-world.js';
import { Unprovable } from './unprovable.js';

/** What a node does with a message: it may point to the sender, and send on. */
interface Reaction {
  readonly phase: string;
  readonly points: boolean;
  readonly sends: 'nowhere' | 'back' | 'where it points' | 'to the others';
  readonly type: Kind;
}

type Kind = 'one' | 'two';

interface Input {
  readonly self: NodeId;
  /** A record, since a list would have an order. */
  readonly neighbours: Readonly<Record<NodeId, true>>;
  readonly phase: string;
}

type Command = { type: 'go' } | { type: 'rest' };
type Message = { type: Kind };
type Context = Input & { readonly to: NodeId | null };

const node = setup({
  types: {} as {
    input: Input;
    context: Context;
    events: Command | Received<Message>;
    emitted: Effect<Message>;
  },
});

/** Any machine that reacts to a message by its phase, and whether it points to the sender. */
const anyProtocol = (order: 'fifo' | 'any', reactions: ReadonlyMap<string, Reaction>): Protocol => {
  const react = node.enqueueActions(({ context, event, enqueue }) => {
    if (event.type === 'go' || event.type === 'rest') return;
    const { phase, to, neighbours } = context;
    const { from, type } = event;
    const found = reactions.get(`${phase} ${type} ${to === from ? 'to it' : 'elsewhere'}`);
    if (!found) return;
    const receivers = {
      nowhere: [],
      back: [from],
      'where it points': to === null ? [] : [to],
      'to the others': Object.keys(neighbours).filter((id) => id !== from),
    }[found.sends];
    for (const id of receivers) enqueue.emit(send(id, { type: found.type }));
    enqueue.assign({ phase: found.phase, to: found.points ? from : to });
  });
  const machine = node.createMachine({
    context: ({ input }) => ({ ...input, to: null }),
    on: {
      go: {
        actions: node.enqueueActions(({ context, enqueue }) => {
          for (const id of Object.keys(context.neighbours)) enqueue.emit(send(id, { type: 'one' }));
          enqueue.assign({ phase: 'awake' });
        }),
      },
      rest: { actions: node.assign({ phase: 'done' }) },
      one: { actions: react },
      two: { actions: react },
    },
  });
  return defineProtocol({
    name: 'any',
    title: 'Any protocol on a tree',
    problem: 'election',
    citation: 'none',
    channels: { order, loss: false, duplication: false },
    commands: {
      go: { kind: 'optional', meaning: 'go', when: ({ context }) => context.phase === 'first' },
      rest: { kind: 'optional', meaning: 'rest', when: ({ context }) => context.phase === 'awake' },
    },
    topology: needs.tree,
    roles: {
      node: {
        machine,
        input: (self, tree) => ({
          self,
          neighbours: Object.fromEntries(tree.successors(self).map((id) => [id, true as const])),
          phase: self === tree.nodes[0] ? 'first' : 'asleep',
        }),
      },
    },
    messages: { one: { meaning: 'one' }, two: { meaning: 'two' } },
    properties: [],
  });
};

const reaction: fc.Arbitrary<Reaction> = fc.record({
  phase: fc.constantFrom('asleep', 'awake', 'done'),
  points: fc.boolean(),
  sends: fc.constantFrom<Reaction['sends'][]>(
    ...(['nowhere', 'nowhere', 'back', 'where it points', 'to the others'] as const),
  ),
  type: fc.constantFrom('one', 'two'),
});

const kinds = ['first', 'asleep', 'awake', 'done'].flatMap((phase) =>
  ['one', 'two'].flatMap((type) =>
    ['to it', 'elsewhere'].map((where) => `${phase} ${type} ${where}`),
  ),
);

const reactions = fc
  .tuple(...kinds.map((kind) => reaction.map((made) => [kind, made] as const)))
  .map((all) => new Map(all));

const names = ['a', 'b', 'c', 'd', 'e'];
const mostWorlds = 100;
/** So many steps and views are looked at. */
const mostSteps = 1000;

/** The views of a protocol; undefined where they do not close. */
function proofOf(protocol: Protocol): TreeProof | undefined {
  let left = mostSteps;
  const none = new Set<never>();
  const { order } = protocol.channels;
  const kept = { kept: none, guessed: none, ordered: none, constants: none, piling: none };
  const found = new TreeProof(protocol, protocol.topology.example, 3, {
    order,
    ...kept,
    stop: () => --left < 0,
  });
  try {
    found.close();
  } catch (error) {
    if (error instanceof Unprovable) return undefined;
    throw error;
  }
  return found;
}

it.each(['fifo', 'any'] as const)(
  'all that trees of any machine reach is in views: %s',
  (order) => {
    let shown = 0;
    assertRuns(
      fc.property(reactions, (chosen) => {
        const protocol = anyProtocol(order, chosen);
        const found = proofOf(protocol);
        fc.pre(found !== undefined);
        for (const topology of [4, 5].flatMap((n) => treesOf(names.slice(0, n), 3, protocol))) {
          const tree = new Tree(topology);
          const exploration = new Worlds(protocol, topology, { commands: 1 });
          const seen = new Map([[canonical(exploration.initial), exploration.initial]]);
          for (const world of seen.values()) {
            for (const view of tree.views(found.world(tree, world))) {
              shown++;
              expect(found.views.has(...view)).toBe(true);
            }
            if (seen.size > mostWorlds) break;
            for (const action of exploration.actions(world)) {
              const next = exploration.next(world, action);
              seen.set(canonical(next), next);
            }
          }
        }
      }),
      1,
      8,
    );
    expect(shown).toBeGreaterThan(0);
  },
);
