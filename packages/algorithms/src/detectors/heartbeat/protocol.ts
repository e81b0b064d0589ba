import {
  always,
  ConclaveError,
  defineProtocol,
  everyStep,
  type NodeView,
  type Property,
  type Protocol,
  sometimes,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { validOptions } from '../../options.js';
import {
  longestSilence,
  strongAccuracy,
  strongCompleteness,
  suspectedBy,
  tellsSuspicions,
} from '../failure-detection.js';
import { heartbeatOptions, type Message, machine, type Options, watchTimes } from './heartbeat.js';

export type { Options };

/** How long messages take, in milliseconds. */
const delay = [50, 100] as const;

/** The time-out of a node for another one. */
const timeoutFor = ({ context }: NodeView, id: string): number =>
  Number(Object(context.timeouts)[id]);

const watches = (node: NodeView): readonly string[] => Object.keys(Object(node.context.timeouts));

/**
 * Eventual strong accuracy: each false suspicion makes the time-out longer, so there are finitely
 * many.
 */
const eventualAccuracy = (bound: number): Property =>
  always(
    `before it crashes, a node is suspected only while the time-out for it is at most ${bound} ms`,
    (system) =>
      system.nodes.every(
        (node) =>
          node.crashed ||
          suspectedBy(node).every((id) => system.node(id).crashed || timeoutFor(node, id) <= bound),
      ),
    { unless: 'restart' },
  );

/** Otherwise a check of eventual accuracy has seen no false suspicion. */
const hasGrown = (bound: number): Property =>
  sometimes(`a time-out has grown beyond ${bound} ms`, (system) =>
    system.nodes.some((node) => watches(node).some((id) => timeoutFor(node, id) > bound)),
  );

/** The rules, step by step. */
const rules: readonly Property[] = [
  everyStep(
    'a node sends heartbeats exactly when its period ends, one to each other node',
    ({ before, cause, sent }) => {
      const isDue = cause.kind === 'timeout' && !cause.timer.startsWith('silence of ');
      const receivers = sent.flatMap(({ to, message }) =>
        message.type === 'heartbeat' ? [to] : [],
      );
      return receivers.sort().join() === (isDue ? watches(before).toSorted().join() : '');
    },
  ),
  everyStep('a node is suspected when its time-out ends', ({ after, cause }) => {
    if (cause.kind !== 'timeout' || !cause.timer.startsWith('silence of ')) return true;
    return suspectedBy(after).includes(cause.timer.slice('silence of '.length));
  }),
  everyStep(
    'a node does not suspect the sender of a heartbeat that has just come',
    ({ after, cause }) => cause.kind !== 'message' || !suspectedBy(after).includes(cause.from),
  ),
  everyStep(
    'a time-out grows exactly when a suspicion turns out to be false, up to the longest',
    ({ before, after, cause }) =>
      watches(before).every((id) => {
        const wasFalse =
          cause.kind === 'message' && cause.from === id && suspectedBy(before).includes(id);
        const { growth, longest } = before.context;
        const longer = Math.min(timeoutFor(before, id) + Number(growth), Number(longest));
        return timeoutFor(after, id) === (wasFalse ? longer : timeoutFor(before, id));
      }),
  ),
];

/**
 * C3: failure detection by heartbeat and time-out.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, a value that it does not take, or a
 * `longest` below `timeout`.
 * @example heartbeat({ period: 1000, timeout: 3000 })
 */
export function heartbeat(given: Options = {}): Protocol<never> {
  const {
    period = 100,
    timeout = 200,
    growth = 0,
    longest = 10 * timeout,
  } = validOptions('heartbeat', heartbeatOptions, given);
  if (longest < timeout)
    throw new ConclaveError(
      'bad-input',
      `heartbeat: longest is ${longest}`,
      `Give a number of milliseconds, at least ${timeout}, the timeout.`,
    );
  const options = { period, timeout, growth, longest };
  const bound = longestSilence(period, delay);
  return defineProtocol<Message, never>({
    id: 'C3',
    name: 'heartbeat',
    title: 'Failure detection by heartbeat',
    problem: 'failure-detection',
    citation:
      'T. D. Chandra, S. Toueg: Unreliable Failure Detectors for Reliable Distributed Systems. Journal of the ACM 43:2, 1996',
    topology: needs.complete,
    channels: { order: 'any', loss: false, duplication: true, time: { kind: 'exact', delay } },
    tolerates: ['crash', 'restart'],
    roles: {
      node: {
        machine,
        input: (self, { nodes }) => {
          const others = nodes.filter((id) => id !== self);
          return { watchers: others, watched: others, ...options };
        },
      },
    },
    options,
    times: watchTimes('timeout', { period, timeout, growth }),
    messages: { heartbeat: { meaning: 'the sender lives' } },
    commands: {},
    properties: [
      growth > 0 ? eventualAccuracy(bound) : strongAccuracy,
      tellsSuspicions,
      ...rules,
      strongCompleteness,
      ...(growth > 0 && longest > bound ? [hasGrown(bound)] : []),
      sometimes('a heartbeat is on its way', (system) => system.inFlight('heartbeat').length > 0),
    ],
    cost: {
      per: 'period',
      formula: 'n(n−1)',
      messages: (n) => ({ least: n * (n - 1), most: n * (n - 1) }),
    },
    waiting: false,
    perpetual: true,
  });
}
