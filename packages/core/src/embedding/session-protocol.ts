import { defineProtocol } from '../protocol/define-protocol.js';
import type { Command } from '../protocol/node.js';
import { always, type NodeView, sometimes } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import * as needs from '../topology/needs.js';
import {
  type Greeting,
  machine,
  type SessionContext,
  sameIncarnations,
} from './session-machine.js';
import type { Terms } from './terms.js';

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
