import {
  atMost,
  defineProtocol,
  everyStep,
  type FencedProtocol,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import { matchesState } from 'xstate';
import { ringWith, validOptions } from '../../../options.js';
import { receivedIn, sentIn } from '../../../steps.js';
import {
  type Command,
  commands,
  previousNode,
  properties,
  tokensGrow,
} from '../../mutual-exclusion.js';
import { bunchesPerVisit, greedyOptions, type Options } from '../building-blocks/greedy.js';
import {
  countsEntries,
  entriesSoFar,
  nothingTwice,
  oneToken,
  onlyToNext,
} from '../building-blocks/token.js';
import { greedyMachine, type Message, machine } from './hunted-token.js';

export type { Command, Options };

// Invariants of the steps of a hunt, rules HT1–HT6, and the token's quiescence.

/**
 * A node that since the last visit of the token has sent a hunt, or received one that has overtaken
 * the token.
 */
const expects = ({ value }: NodeView): boolean =>
  matchesState('wanted', value) || matchesState({ released: 'expecting' }, value);

const endOf = ({ context }: NodeView): unknown => context.end;

const oneHunt = everyStep(
  'between two visits of the token a node sends at most one hunt, and then expects the token',
  (step) => {
    const hunted = sentIn(step, 'hunt').length;
    return hunted === 0 || (hunted === 1 && !expects(step.before) && expects(step.after));
  },
);

const untilItComes = everyStep('a node stops expecting the token only when it comes', (step) => {
  return !expects(step.before) || expects(step.after) || receivedIn(step, 'token') !== undefined;
});

const grants = everyStep(
  'a hunt that reaches the token, or has overtaken it, grants it a round, up to the last sender of the hunt',
  (step) => {
    const { before, after } = step;
    const hunt = receivedIn(step, 'hunt');
    if (!hunt) return true;
    const [passed] = sentIn(step, 'token');
    const end = passed ? passed.message.end : endOf(after);
    const comes = before.tags.has('token') || Number(hunt.hop) > Number(before.context.hop);
    return comes
      ? end === hunt.from && (after.tags.has('token') || passed !== undefined || expects(after))
      : end === endOf(before);
  },
);

const stops = everyStep('the token stops at the node where its round ends', (step) =>
  sentIn(step, 'token').every(({ message }) => message.end !== step.before.id),
);

/**
 * A token that never rests makes hops without end and without further commands. Then no bound
 * holds, however large it is.
 */
const quiescence = atMost(Number.MAX_SAFE_INTEGER, {
  per: 'acquire',
  name: 'the token comes to rest: each request causes a bounded number of messages',
});

const huntRules: readonly Property[] = [oneHunt, untilItComes, grants, stops, quiescence];

/**
 * A10: a token that rests where it is, and is hunted round a one-way ring by the nodes that request
 * it.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example huntedToken({ greedy: 10 })
 */
export function huntedToken(options: Options = {}): FencedProtocol<Command> {
  const { greedy = 0, holder } = validOptions('huntedToken', greedyOptions, options);
  return defineProtocol<Message, Command>({
    id: 'A10',
    name: 'hunted-token',
    title: 'Hunted token on a one-way ring',
    problem: 'mutual-exclusion',
    citation:
      'F. Mattern: Verteilte Algorithmen (lecture notes), 1999/2000, on the ring as a special case of token algorithms: a sketch',
    options: { ...(greedy > 0 && { greedy }), ...(holder === undefined ? {} : { holder }) },
    topology: ringWith('holder', holder),
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine: greedy > 0 ? greedyMachine : machine,
        input: (self, topology) => ({
          self,
          next: topology.at(self, 'next') ?? self,
          first: self === (holder ?? topology.nodes[0]),
          ...(greedy > 0 && { greedy }),
        }),
      },
    },
    messages: {
      hunt: {
        fields: ['hop'],
        counters: ['hop'],
        meaning:
          'the sender, or a node behind it, requests the token; `hop` was its hop count at its last visit to the sender',
      },
      token: {
        fields: ['hop', 'end', 'entries'],
        counters: ['hop', 'entries'],
        meaning:
          'the receiver may enter; its hop count, the node where it stops, and the number of entries so far',
      },
    },
    commands,
    properties: [
      ...properties,
      oneToken,
      tokensGrow(entriesSoFar),
      countsEntries(entriesSoFar),
      nothingTwice,
      onlyToNext,
      ...huntRules,
      ...(greedy > 0 ? bunchesPerVisit(greedy, ({ id, context: { end } }) => end !== id) : []),
    ],
    fence: entriesSoFar,
    waitsFor: previousNode,
    cost: {
      per: 'entry',
      formula: 'at most 2(n−1)',
      messages: (n) => ({ least: 0, most: 2 * (n - 1) }),
    },
  });
}
