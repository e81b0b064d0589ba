import { assertRuns } from '@conclave/tools/sample';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { setup } from 'xstate';
import { defineProtocol } from '../../protocol/define-protocol.js';
import { type Effect, type NodeId, type Received, send } from '../../protocol/node.js';
import type { Protocol } from '../../protocol/protocol.js';
import { ring } from '../../topology/generators.js';
import * as needs from '../../topology/needs.js';
import { canonical } from '../worlds/canonical.js';
import { Worlds } from '../worlds/worlds.js';
import { Family } from './family.js';
import { LocalSteps } from './local-steps.js';
import { ordersOf } from './ring-proof.js';
import { RingSteps } from './ring-steps.js';
import { RingViews } from './ring-views.js';
import { RingWorlds, ringKey } from './ring-world.js';
import { Unprovable } from './unprovable.js';

/** What a node does with an id: it may remember it, and send some on. */
interface Reaction {
  readonly phase: string;
  readonly keeps: boolean;
  readonly sends: readonly ('own' | 'it' | 'best')[];
}

interface Context {
  readonly self: NodeId;
  readonly next: NodeId;
  readonly phase: string;
  readonly best: NodeId;
}

type Command = { type: 'go' };
type Id = { type: 'id'; id: NodeId };

const node = setup({
  types: {} as {
    input: Pick<Context, 'self' | 'next'>;
    context: Context;
    events: Command | Received<Id>;
    emitted: Effect<Id>;
  },
});

const compared = (one: NodeId, other: NodeId): string =>
  one === other ? 'same' : one < other ? 'smaller' : 'larger';

/** Any machine that reacts to an id by its phase, and how the id compares with two others. */
const anyProtocol = (order: 'fifo' | 'any', reactions: ReadonlyMap<string, Reaction>): Protocol => {
  const react = node.enqueueActions(({ context, event, enqueue }) => {
    if (event.type !== 'id') return;
    const { self, next, phase, best } = context;
    const { id } = event;
    const found = reactions.get(`${phase} ${compared(id, self)} ${compared(id, best)}`);
    if (!found) return;
    for (const what of found.sends)
      enqueue.emit(send(next, { type: 'id', id: { own: self, it: id, best }[what] }));
    enqueue.assign({ phase: found.phase, best: found.keeps ? id : best });
  });
  const machine = node.createMachine({
    context: ({ input }) => ({ ...input, phase: 'asleep', best: input.self }),
    on: {
      go: {
        actions: [
          node.assign({ phase: 'awake' }),
          node.emit(({ context }) => send(context.next, { type: 'id', id: context.self })),
        ],
      },
      id: { actions: react },
    },
  });
  return defineProtocol({
    name: 'any',
    title: 'Any protocol on a ring',
    problem: 'election',
    citation: 'none',
    channels: { order, loss: false, duplication: false },
    commands: {
      go: { kind: 'optional', meaning: 'go', when: ({ context }) => context.phase === 'asleep' },
    },
    topology: needs.oneWayRing,
    roles: {
      node: { machine, input: (self, r) => ({ self, next: r.at(self, 'next') ?? self }) },
    },
    messages: { id: { fields: ['id'], meaning: 'an id' } },
    properties: [],
  });
};

/** A node that has woken sends no id of its own again: else any number of it would be on its way. */
const reaction = (phase: string): fc.Arbitrary<Reaction> =>
  fc.record({
    phase: fc.constantFrom('awake', 'done'),
    keeps: fc.boolean(),
    sends:
      phase === 'asleep'
        ? fc.subarray<Reaction['sends'][number]>(['own', 'it'])
        : fc.oneof(
            { weight: 30, arbitrary: fc.constantFrom<Reaction['sends']>([], ['it']) },
            { weight: 1, arbitrary: fc.constant<Reaction['sends']>(['best']) },
          ),
  });

const kinds = ['asleep', 'awake', 'done'].flatMap((phase) =>
  ['smaller', 'same', 'larger'].flatMap((own) =>
    ['smaller', 'same', 'larger'].map((best) => [phase, `${phase} ${own} ${best}`] as const),
  ),
);

const reactions = fc
  .tuple(...kinds.map(([phase, kind]) => reaction(phase).map((made) => [kind, made] as const)))
  .map((all) => new Map(all));

const k = 2;
const mostWorlds = 200;

/** The views of a protocol; undefined where they do not close. */
function viewsOf(protocol: Protocol) {
  const none = new Set<never>();
  const { order } = protocol.channels;
  const kept = { kept: none, guessed: none, ordered: none, constants: none, piling: none };
  const detail = { order, ...kept, stop: () => false };
  const local = new LocalSteps(new Family(protocol, protocol.topology.example), detail);
  const worlds = new RingWorlds(new Family(protocol, protocol.topology.example), detail, local);
  const views = new RingViews(worlds, new RingSteps(worlds, local), k, true);
  try {
    views.close([3, 4].map((n) => worlds.initial(ring(n).nodes)));
  } catch (error) {
    if (error instanceof Unprovable) return undefined;
    throw error;
  }
  return { worlds, views };
}

it.each(['fifo', 'any'] as const)(
  'all that rings of any machine reach is in views: %s',
  (order) => {
    let shown = 0;
    assertRuns(
      fc.property(reactions, (chosen) => {
        const protocol = anyProtocol(order, chosen);
        const found = viewsOf(protocol);
        fc.pre(found !== undefined);
        const { worlds, views } = found;
        for (const nodes of [3, 4].flatMap((n) => ordersOf(ring(n).nodes))) {
          const exploration = new Worlds(protocol, ring(nodes), { commands: 1 });
          const seen = new Map([[canonical(exploration.initial), exploration.initial]]);
          for (const world of seen.values()) {
            for (const view of worlds.views(worlds.of(world, nodes), k)) {
              shown++;
              expect(views.views.has(ringKey(view))).toBe(true);
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
      20,
    );
    expect(shown).toBeGreaterThan(0);
  },
);
