/**
 * How nodes admit each other before a protocol starts. Each start of a node is an incarnation; a
 * node starts its protocol when all nodes have told it that they know the same incarnations as it
 * does. Then every two nodes that have started are of one generation: neither has ever met another
 * incarnation of the other. Channels may lose, duplicate and reorder. About 4n(n−1) messages where
 * all start together.
 *
 * - AD1 A node that starts says hello to all others: its incarnation, the incarnations that it
 *   knows, and its terms.
 * - AD2 A node that has not started learns the latest incarnation of each other node, from the node
 *   itself.
 * - AD3 When it knows all of them, and each time that one of them changes, it says hello again: the
 *   others need its knowledge.
 * - AD4 A hello is answered by a welcome: the incarnations that the node knows.
 * - AD5 A node that has heard its own knowledge from all others starts, and learns nothing more.
 * - AD6 A node that has started refuses another incarnation of a node, and a node that knows
 *   another incarnation than it does.
 * - AD7 An incarnation that is not the latest known is told that it was replaced, whether it has
 *   started or not.
 * - AD8 A node with other terms is refused, and not learned.
 * - AD9 Until it starts, a node repeats its hello to those that have not agreed, where channels may
 *   lose it.
 */
import { assertEvent, setup } from 'xstate';
import { defineProtocol } from '../protocol/define-protocol.js';
import {
  type Command,
  type Effect,
  type NodeId,
  notify,
  ofNode,
  type Received,
  send,
} from '../protocol/node.js';
import { always, type NodeView, sometimes } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import * as needs from '../topology/needs.js';
import { sameTerms, type Terms } from './terms.js';

/** The incarnation of each node that is known. */
type Incarnations = Readonly<Record<NodeId, number>>;

/**
 * `restarted`: another incarnation has started with the others; `replaced`: there is a later one;
 * `different`: the terms differ.
 */
type SessionRefusal = 'restarted' | 'replaced' | 'different';

export type Greeting =
  | {
      readonly type: 'hello';
      readonly incarnation: number;
      readonly known: Incarnations;
      readonly terms: Terms;
    }
  | { readonly type: 'welcome'; readonly incarnation: number; readonly known: Incarnations }
  | {
      readonly type: 'refusal';
      readonly incarnation: number;
      /** The incarnation that is refused. */
      readonly addressed: number;
      readonly reason: SessionRefusal;
      /** What the refusing node knows, and its terms. */
      readonly known: Incarnations;
      readonly terms: Terms;
    };

/** What the application learns. */
export type Admission =
  | { readonly type: 'admitted' }
  | {
      readonly type: 'refused';
      readonly by: NodeId;
      readonly reason: SessionRefusal;
      readonly known: Incarnations;
      readonly terms: Terms;
    }
  | {
      readonly type: 'refuses';
      readonly node: NodeId;
      readonly incarnation: number;
      readonly reason: SessionRefusal;
      readonly terms: Terms;
    };

interface SessionInput {
  readonly self: NodeId;
  readonly peers: readonly NodeId[];
  /** How often, or when, this node was started before; it is on stable storage, or the time. */
  readonly incarnation: number;
  readonly terms: Terms;
  /** Milliseconds until a hello is repeated. */
  readonly helloAfter: number;
  /** How often; null: until all agree. 0 is enough where channels lose nothing. */
  readonly repeats: number | null;
}

export interface SessionContext extends SessionInput {
  /** Its own incarnation, too. */
  readonly known: Incarnations;
  /** The nodes whose knowledge is the same. */
  readonly agreed: readonly NodeId[];
  /** The last incarnation of each node that was refused. */
  readonly refused: Incarnations;
}

/** Whether two nodes know the same incarnations of the same nodes. */
const sameIncarnations = (one: Incarnations, other: Incarnations): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.keys(one).every((id) => one[id] === ofNode(other, id));

const hello = ({ incarnation, known, terms }: SessionContext): Greeting => ({
  type: 'hello',
  incarnation,
  known,
  terms,
});

const node = setup({
  types: {} as {
    input: SessionInput;
    context: SessionContext;
    events: Received<Greeting>;
    emitted: Effect<Greeting, Admission>;
  },
  delays: { helloAfter: ({ context }) => context.helloAfter },
});

const sayHello = node.enqueueActions(({ context, enqueue }) => {
  for (const peer of context.peers)
    if (!context.agreed.includes(peer)) enqueue.emit(send(peer, hello(context)));
});

const learn = node.enqueueActions(({ context, event, enqueue }) => {
  assertEvent(event, ['hello', 'welcome']);
  const { from, incarnation } = event;
  const isNews = ofNode(context.known, from) !== incarnation;
  const known = isNews ? { ...context.known, [from]: incarnation } : context.known;
  const agreed = (isNews ? [] : context.agreed).filter((id) => id !== from);
  const next = {
    known,
    agreed: sameIncarnations(known, event.known) ? [...agreed, from].sort() : agreed,
  };
  enqueue.assign(next);
  const isComplete = context.peers.every((id) => Object.hasOwn(known, id));
  if (!isNews || !isComplete) return;
  for (const peer of context.peers)
    if (!next.agreed.includes(peer)) enqueue.emit(send(peer, hello({ ...context, ...next })));
});

const welcome = node.emit(({ context, event }) => {
  const { incarnation, known } = context;
  return send(event.from, { type: 'welcome', incarnation, known });
});

const refuse = (reason: SessionRefusal) =>
  node.enqueueActions(({ context, event, enqueue }) => {
    const { known, terms } = context;
    const { from, incarnation: addressed } = event;
    enqueue.emit(
      send<Greeting>(from, {
        type: 'refusal',
        incarnation: context.incarnation,
        addressed,
        reason,
        known,
        terms,
      }),
    );
    if (ofNode(context.refused, from) === addressed) return;
    enqueue.assign({ refused: { ...context.refused, [from]: addressed } });
    const theirs = event.type === 'welcome' ? {} : event.terms;
    enqueue.emit(
      notify<Admission>({
        type: 'refuses',
        node: from,
        incarnation: addressed,
        reason,
        terms: theirs,
      }),
    );
  });

const countRepeat = node.assign(({ context }) => ({
  repeats: context.repeats === null ? null : context.repeats - 1,
}));

const tellAdmitted = node.emit(notify<Admission>({ type: 'admitted' }));

const tellRefused = node.emit(({ event }) => {
  assertEvent(event, 'refusal');
  const { from: by, reason, known, terms } = event;
  return notify<Admission>({ type: 'refused', by, reason, known, terms });
});

const tellReplaced = node.emit(({ event }) => {
  const { from: by, known } = event;
  return notify<Admission>({ type: 'refused', by, reason: 'replaced', known, terms: {} });
});

/** The latest incarnation of the sender that is known. */
const knownOf = (context: SessionContext, { from }: Received<Greeting>): number =>
  ofNode(context.known, from) ?? 0;

export const machine = node
  .extend({
    actions: {
      sayHello,
      learn,
      welcome,
      countRepeat,
      refuseRestarted: refuse('restarted'),
      refuseReplaced: refuse('replaced'),
      refuseDifferent: refuse('different'),
      tellAdmitted,
      tellRefused,
      tellReplaced,
    },
    guards: {
      mayRepeat: ({ context }) => context.repeats !== 0,
      allAgree: ({ context }) => context.agreed.length === context.peers.length,
      isStale: ({ context, event }) => event.incarnation < knownOf(context, event),
      isAnother: ({ context, event }) => event.incarnation > knownOf(context, event),
      knowsLater: ({ context, event }) =>
        (ofNode(event.known, context.self) ?? 0) > context.incarnation,
      knowsAnother: ({ context, event }) =>
        context.peers.some(
          (id) => (ofNode(event.known, id) ?? 0) > (ofNode(context.known, id) ?? 0),
        ),
      differs: ({ context, event }) =>
        event.type === 'hello' && !sameTerms(context.terms, event.terms),
      refusesUs: ({ context, event }) =>
        event.type === 'refusal' &&
        event.addressed === context.incarnation &&
        event.incarnation >= knownOf(context, event),
      refusesReplaced: ({ context, event }) =>
        event.type === 'refusal' &&
        event.reason === 'replaced' &&
        event.addressed === context.incarnation &&
        event.incarnation >= knownOf(context, event),
    },
  })
  .createMachine({
    id: 'session',
    context: ({ input }) => {
      const incarnation = input.incarnation + 1;
      return {
        ...input,
        incarnation,
        known: { [input.self]: incarnation },
        agreed: [],
        refused: {},
      };
    },
    initial: 'joining',
    states: {
      joining: {
        entry: 'sayHello', // AD1
        always: { guard: 'allAgree', target: 'admitted' }, // AD5
        after: {
          helloAfter: {
            guard: 'mayRepeat',
            target: 'joining',
            reenter: true,
            actions: 'countRepeat',
          },
        }, // AD9
        on: {
          hello: [
            { guard: 'knowsLater', target: 'refused', actions: 'tellReplaced' }, // AD7
            { guard: 'isStale', actions: 'refuseReplaced' }, // AD7
            { guard: 'differs', actions: 'refuseDifferent' }, // AD8
            { actions: ['learn', 'welcome'] }, // AD2, AD3, AD4
          ],
          welcome: [
            { guard: 'knowsLater', target: 'refused', actions: 'tellReplaced' }, // AD7
            { guard: 'isStale' },
            { actions: 'learn' }, // AD2, AD3
          ],
          // AD6, AD7, AD8
          refusal: [{ guard: 'refusesUs', target: 'refused', actions: 'tellRefused' }, {}],
        },
      },
      admitted: {
        entry: 'tellAdmitted',
        on: {
          hello: [
            { guard: 'knowsLater', target: 'refused', actions: 'tellReplaced' }, // AD7
            { guard: 'isStale', actions: 'refuseReplaced' }, // AD7
            { guard: 'isAnother', actions: 'refuseRestarted' }, // AD6
            { guard: 'knowsAnother', actions: 'refuseRestarted' }, // AD6
            { actions: 'welcome' }, // AD4
          ],
          welcome: {},
          // AD7
          refusal: [{ guard: 'refusesReplaced', target: 'refused', actions: 'tellRefused' }, {}],
        },
      },
      refused: { on: { hello: {}, welcome: {}, refusal: {} } },
    },
  });

interface ProtocolOptions {
  /** Of the start before this one. Default 0. */
  readonly incarnation?: number;
  readonly terms?: Terms;
  /** In milliseconds. Default 200. */
  readonly helloAfter?: number;
  /** Default null: until all agree. */
  readonly repeats?: number | null;
}

// the one machine of this protocol
const contextOf = (node: NodeView): SessionContext => node.context as unknown as SessionContext;

/** Whether `one` has met this incarnation of the other: it takes its messages. */
const knows = (one: SessionContext, other: SessionContext): boolean =>
  one.known[other.self] === other.incarnation;

const isAdmitted = ({ crashed, value }: NodeView): boolean => !crashed && value === 'admitted';

/** The admission of nodes to a session, as a protocol of its own. Its rules: session-machine.ts. */
export function sessionProtocol({
  incarnation = 0,
  terms = {},
  helloAfter = 200,
  repeats = null,
}: ProtocolOptions = {}): Protocol<Command> {
  return defineProtocol<Greeting, Command>({
    name: 'session',
    title: 'Session',
    problem: 'session',
    citation: 'incarnation numbers and a handshake of all; with an agreement on the incarnations',
    options: { incarnation, terms, helloAfter, repeats },
    topology: needs.complete,
    channels: { order: 'any', loss: true, duplication: true },
    roles: {
      node: {
        machine,
        input: (self, { nodes }) => ({
          self,
          peers: nodes.filter((id) => id !== self),
          incarnation,
          terms,
          helloAfter,
          repeats,
        }),
        stable: ['incarnation'],
      },
    },
    messages: {
      hello: {
        fields: ['incarnation', 'known', 'terms'],
        meaning: 'this incarnation wants to start, and knows these',
      },
      welcome: { fields: ['incarnation', 'known'], meaning: 'this incarnation knows these' },
      refusal: {
        fields: ['incarnation', 'addressed', 'reason', 'known', 'terms'],
        meaning: 'that incarnation may not start, or go on',
      },
    },
    commands: {},
    properties: [
      always('all nodes that have started know the same incarnations', ({ nodes }) => {
        const [first, ...others] = nodes.filter(isAdmitted).map(contextOf);
        return !first || others.every(({ known }) => sameIncarnations(known, first.known));
      }),
      always('no incarnation starts that the others have not met', ({ nodes }) =>
        nodes
          .filter(isAdmitted)
          .every((node) => nodes.every((other) => (contextOf(node).known[other.id] ?? 0) > 0)),
      ),
      always(
        'two nodes that have started and know each other know the same incarnations, also after a crash',
        ({ nodes }) => {
          const started = nodes.filter(({ value }) => value === 'admitted').map(contextOf);
          return started.every((one) =>
            started.every(
              (other) =>
                !knows(one, other) ||
                !knows(other, one) ||
                sameIncarnations(one.known, other.known),
            ),
          );
        },
      ),
      sometimes('all nodes have started', ({ nodes }) => nodes.every(isAdmitted)),
    ],
    waiting: false,
  });
}
