import { schemas } from '@conclave/core/internal/options';
import {
  always,
  defineProtocol,
  everyStep,
  type NodeView,
  type Property,
  type Protocol,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { validOptions } from '../../../options.js';
import { receiversIn, stepsOf } from '../../../steps.js';
import { inCriticalSection, isIdle, nodesIn, propertiesWith } from '../../mutual-exclusion.js';
import { permissionRules } from '../building-blocks/permission-rules.js';
import { fenceOf } from '../building-blocks/requests.js';
import { type Interval, isInterval, overlap } from './interval.js';
import { type Command, compatibleUnder, type Message, machine } from './interval-reservation.js';

export type { Command, Interval };

export type Options = {
  /**
   * Which intervals must not be held at once. It must be symmetric: two nodes evaluate it with
   * their own interval first. Default: those that overlap.
   */
  readonly conflicts?: (one: Interval, other: Interval) => boolean;
};

/** Conflicting reservations are in the order of requests. */
const fence = (node: NodeView): number => fenceOf(node.context.requestedAt, node);

function propertiesUnder(conflicts: typeof overlap): readonly Property[] {
  const conflict = ({ context: one }: NodeView, { context: other }: NodeView) =>
    isInterval(one.interval) &&
    isInterval(other.interval) &&
    conflicts(one.interval, other.interval);
  const noConflict = always('no two conflicting intervals are held at once', (system) => {
    const held = system.tagged('critical');
    return held.every((one) => held.every((other) => one === other || !conflict(one, other)));
  });
  const inOrder = always(
    'of two conflicting reservations the waiting one has the larger fencing token',
    (system) => {
      const waiting = system.tagged('waiting');
      return system
        .tagged('critical')
        .every((one) =>
          waiting.every((other) => !conflict(one, other) || fence(one) < fence(other)),
        );
    },
  );
  const repliesAtOnce = everyStep(
    'a request without a conflict with the receiver’s own interval gets its reply at once',
    (step) => {
      const request = receivedIn(step, 'request');
      const { tags, context } = step.before;
      if (!request) return true;
      const wants = tags.has('waiting') || tags.has('critical');
      return (
        (wants && isInterval(context.interval) && conflicts(context.interval, request.interval)) ||
        receiversIn(step, 'reply').includes(request.from)
      );
    },
  );
  return [...propertiesWith(noConflict), inOrder, repliesAtOnce];
}

const { receivedIn } = stepsOf<Message>();

/**
 * A15: reservation of intervals, by Ricart–Agrawala with a conflict relation.
 *
 * @throws {ConclaveError} `bad-input` for another option.
 * @example intervalReservation({ conflicts: (one, other) => overlap(one, { from: other.from - 15,
 * to: other.to + 15 }) }) // a break between
 */
export function intervalReservation(options: Options = {}): Protocol<Command> {
  const { conflicts = overlap } = validOptions(
    'intervalReservation',
    { conflicts: { schema: schemas.callback } },
    options,
  );
  return defineProtocol<Message, Command>({
    id: 'A15',
    name: 'interval-reservation',
    title: 'Interval reservation',
    problem: 'mutual-exclusion',
    citation:
      'G. Ricart, A. K. Agrawala: An Optimal Algorithm for Mutual Exclusion in Computer Networks. CACM 24:1, 1981; here with a conflict relation',
    topology: needs.complete,
    channels: { order: 'any', loss: false, duplication: false },
    roles: {
      node: {
        machine: machine.provide({ guards: { compatible: compatibleUnder(conflicts) } }),
        input: (self, topology) => ({ self, peers: topology.successors(self) }),
      },
    },
    messages: {
      request: {
        fields: ['ts', 'interval'],
        meaning: 'I request `interval`; `ts` is the time stamp of the request',
      },
      reply: { meaning: 'I permit your reservation' },
    },
    commands: {
      acquire: {
        kind: 'optional',
        fields: ['interval'],
        meaning: 'the application requests an interval',
        when: isIdle,
        examples: [
          { interval: { from: 628, to: 737 } },
          { interval: { from: 737, to: 780 } },
          { interval: { from: 600, to: 660 } },
        ],
      },
      release: {
        kind: 'obligatory',
        meaning: 'the application gives the interval back',
        when: inCriticalSection,
      },
    },
    properties: [...propertiesUnder(conflicts), ...permissionRules()],
    fence,
    waitsFor: nodesIn('awaiting'),
    fenceCondition:
      'from one entry to the next among reservations that conflict; others may be held at the same time',
    cost: {
      per: 'entry',
      formula: '2(n−1)',
      messages: (n) => ({ least: 2 * (n - 1), most: 2 * (n - 1) }),
    },
  });
}
