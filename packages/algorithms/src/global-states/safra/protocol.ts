import {
  always,
  defineProtocol,
  everyStep,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { timers, validOptions } from '../../options.js';
import { receivedIn, receiversIn, sentIn, stepsOf } from '../../steps.js';
import { type Command, commands, properties, withReceivers } from '../termination.js';
import {
  type Context,
  initiator,
  type Message,
  machine,
  type Options,
  safraOptions,
  type Token,
} from './safra.js';

export type { Command, Options };

const { contextOf } = stepsOf<Message, Context>();
const isPassive = ({ tags }: NodeView): boolean => !tags.has('active');

/** The token that a node has in a step: it comes, or was there before. */
function tokenIn(step: NodeStep): Token | undefined {
  const received = receivedIn(step, 'token');
  if (received) return { count: Number(received.count), black: received.black === true };
  const first = { count: 0, black: true }; // the initiator has not probed yet
  const { detection } = Object(step.before.value);
  return detection === 'holding' ? (contextOf(step.before).token ?? first) : undefined;
}

/** SF3 to SF6: the token that the step sends; undefined for none. */
function due(step: NodeStep): Token | undefined {
  const token = tokenIn(step);
  if (!token || !isPassive(step.after)) return undefined;
  const { count, black } = contextOf(step.before);
  const whole = { count: token.count + count, black: token.black || black };
  if (step.before.role === 'node') return whole;
  return whole.count === 0 && !whole.black ? undefined : { count: 0, black: false };
}

const steps: readonly Property[] = [
  everyStep(
    'a node with the token sends it on as soon as it is passive, as the rules say',
    (step) => {
      const token = due(step);
      const sent = sentIn(step, 'token').map(({ to, message }) => [
        to,
        message.count,
        message.black,
      ]);
      const { next } = contextOf(step.before);
      return sent.join() === (token ? [next, token.count, token.black].join() : '');
    },
  ),
  everyStep(
    'a node counts its work; it is black after it gets work, until the token leaves',
    (step) => {
      const [before, after] = [contextOf(step.before), contextOf(step.after)];
      const gets = receivedIn(step, 'work') !== undefined;
      const leaves = receiversIn(step, 'token').length > 0;
      const sends = receiversIn(step, 'work').length;
      return (
        after.count === before.count + sends - (gets ? 1 : 0) &&
        after.black === (gets || (before.black && !leaves))
      );
    },
  ),
  everyStep(
    'the initiator tells its application once that the computation has terminated',
    ({ before, after, notified }) =>
      notified.length === (after.tags.has('announced') && !before.tags.has('announced') ? 1 : 0),
  ),
  always('there is one token until termination is announced', (system) => {
    const holding = system.nodes.filter(({ value }) => Object(value).detection === 'holding');
    return holding.length + system.inFlight('token').length === 1 - system.count('announced');
  }),
];

/**
 * E3: Safra's termination detection.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example safra({ work: 50 })
 */
export function safra(options: Options = {}): Protocol<Command> {
  const { work = 20 } = validOptions('safra', safraOptions, options);
  return defineProtocol<Message, Command>({
    id: 'E3',
    name: 'safra',
    title: 'Termination detection of Safra',
    problem: 'termination-detection',
    citation: 'E. W. Dijkstra: Shmuel Safra’s Version of Termination Detection. EWD 998, 1987',
    options: { work },
    times: timers({ work }),
    topology: withReceivers(needs.complete),
    channels: { order: 'any', loss: false, duplication: false },
    roles: Object.fromEntries(
      Object.entries({ initiator, node: machine }).map(([name, of]) => [
        name,
        {
          machine: of,
          input: (self, { nodes }) => ({
            peers: nodes.filter((id) => id !== self),
            next: nodes[(nodes.indexOf(self) + 1) % nodes.length] ?? self,
            work,
          }),
        } satisfies Protocol['roles'][string],
      ]),
    ),
    roleOf: (id, { nodes }) => (id === nodes[0] ? 'initiator' : 'node'),
    messages: {
      work: { meaning: 'work of the computation' },
      token: {
        fields: ['count', 'black'],
        meaning:
          'the nodes behind have sent so much more work than they received; `black`: some of them got work meanwhile',
      },
    },
    commands,
    waiting: false,
    properties: [...properties, ...steps],
    cost: {
      per: 'run',
      of: ['token'],
      formula: 'n … ∞',
      messages: (n) => ({ least: n, most: Infinity }),
    },
  });
}
