import type { Protocol } from '@conclave/core/protocol';
import {
  always,
  alwaysEventually,
  atMost,
  eventually,
  everyStep,
  increases,
  leadsTo,
  type NodeView,
  never,
  overtaken,
  type Property,
  type SystemView,
  sometimes,
} from '@conclave/core/protocol';
import { askable } from '../fixtures/systems.contract.js';

const waits = ({ tags }: NodeView) => tags.has('waiting');
const values = (system: SystemView) =>
  new Set(system.nodes.map(({ value }) => JSON.stringify(value))).size;

/** Of every kind; each is violated in some of the systems. */
const questions: readonly Property[] = [
  always('at most one waits', (system) => system.count('waiting') <= 1),
  always('at most two messages are in flight', (system) => system.inFlight().length <= 2),
  never('all wait', (system) => system.count('waiting') === system.nodes.length),
  sometimes('all are in one state', (system) => values(system) === 1),
  sometimes('all have crashed', (system) => system.live === 0),
  eventually('a node waits', (system) => system.count('waiting') > 0),
  alwaysEventually('nobody waits', (system) => system.count('waiting') === 0),
  alwaysEventually('no message is in flight', (system) => system.inFlight().length === 0),
  leadsTo('a node that waits goes on', waits, (node) => !waits(node)),
  leadsTo('a node that does not wait waits later', (node) => !waits(node), waits),
  increases('calls grow', ({ context, tags }) =>
    tags.has('waiting') ? Number(context.calls) : undefined,
  ),
  everyStep(
    'no node stops waiting by a timeout',
    ({ before, after, cause }) => cause.kind !== 'timeout' || waits(after) || !waits(before),
  ),
  everyStep('at most one message is sent in a step', ({ sent }) => sent.length <= 1),
  overtaken(0, { inside: waits, waits, name: 'a node that waits is the last one to' }),
  overtaken(1, {
    inside: (node) => !waits(node),
    waits,
    name: 'while one waits, each other one stops at most once',
  }),
];

const commandOf = (protocol: Protocol) =>
  Object.entries(protocol.commands).flatMap(([type, { kind }]) =>
    kind === 'optional' ? type : [],
  );

/** The questions that a protocol can be asked, and its own properties. */
export const asked = (protocol: Protocol): readonly Property[] =>
  askable(protocol, [
    ...protocol.properties,
    ...questions,
    ...commandOf(protocol).flatMap((per) => [1, 2, 3].map((most) => atMost(most, { per }))),
  ]);
