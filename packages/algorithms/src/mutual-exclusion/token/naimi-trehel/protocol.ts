import { defineProtocol, everyStep, type FencedProtocol } from '@conclave/core/protocol';
import { completeWith, validOptions } from '../../../options.js';
import { receivedIn } from '../../../steps.js';
import {
  type Command,
  commands,
  properties,
  tokensGrow,
  waitingIn,
} from '../../mutual-exclusion.js';
import { bunchesPerVisit, greedyOptions, type Options } from '../building-blocks/greedy.js';
import { countsEntries, entriesSoFar, nothingTwice, oneToken } from '../building-blocks/token.js';
import { greedyMachine, type Message, machine } from './naimi-trehel.js';

export type { Command, Options };

/** This shortens paths: a later request goes straight to the last known requester. */
const pathReversal = everyStep(
  'a node that receives a request takes the requester for the probable owner',
  (step) => {
    const request = receivedIn(step, 'request');
    return !request || step.after.context.last === request.requester;
  },
);

/**
 * A8: Naimi and Trehel's path reversal.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example naimiTrehel({ greedy: 10 })
 */
export function naimiTrehel(options: Options = {}): FencedProtocol<Command> {
  const { greedy = 0, holder } = validOptions('naimiTrehel', greedyOptions, options);
  return defineProtocol<Message, Command>({
    id: 'A8',
    name: 'naimi-trehel',
    title: 'Naimi–Trehel',
    problem: 'mutual-exclusion',
    citation:
      'M. Naimi, M. Trehel: An Improvement of the log(n) Distributed Algorithm for Mutual Exclusion. ICDCS 1987; M. Naimi, M. Trehel, A. Arnold: A log(N) Distributed Mutual Exclusion Algorithm Based on Path Reversal. J. Parallel Distrib. Comput. 34, 1996',
    options: { ...(greedy > 0 && { greedy }), ...(holder === undefined ? {} : { holder }) },
    topology: completeWith('holder', holder),
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine: greedy > 0 ? greedyMachine : machine,
        input: (self, { nodes: [first = self] }) => ({
          self,
          last: holder ?? first,
          ...(greedy > 0 && { greedy }),
        }),
      },
    },
    messages: {
      request: {
        fields: ['requester'],
        meaning: '`requester` wants the token; forwarded to the last known requester',
      },
      token: {
        fields: ['entries'],
        counters: ['entries'],
        meaning: 'the receiver may enter; `entries`: the number of entries so far',
      },
    },
    commands,
    properties: [
      ...properties,
      oneToken,
      tokensGrow(entriesSoFar),
      countsEntries(entriesSoFar),
      pathReversal,
      nothingTwice,
      ...(greedy > 0 ? bunchesPerVisit(greedy, ({ context }) => context.next !== null) : []),
    ],
    fence: entriesSoFar,
    waitsFor: ({ context: { last, next } }, { nodes }) =>
      nodes.filter((id) => id !== last && id !== next), // these two wait behind it
    contenders: waitingIn('next'),
    cost: {
      per: 'entry',
      formula: 'O(log n)',
      remark: 'on average; at most n',
      messages: (n) => ({ least: 0, most: n }),
    },
  });
}
