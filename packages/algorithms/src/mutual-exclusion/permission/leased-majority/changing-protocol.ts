/** The option `voters`, as a change of the protocol without it. */
import {
  always,
  ConclaveError,
  everyStep,
  type NodeId,
  type NodeView,
  type Property,
  type ProtocolDefinition,
  type SystemView,
} from '@conclave/core/protocol';
import { stepsOf } from '../../../steps.js';
import { type Command, inCriticalSection, waits } from '../../mutual-exclusion.js';
import {
  type Configuration,
  electorateOf,
  isDecided,
  isKnown,
  mayPropose,
  newVotersCount,
  type Stamp,
  stampIn,
  stampOf,
} from './configuration.js';
import type { Context, LeaseCommand, PlainMessage } from './node.js';
import { shapeWith } from './shapes.js';
import { uses } from './step-properties.js';

type Messages = ProtocolDefinition<PlainMessage, Command>['messages'];

const { contextOf, receivedIn, sentIn } = stepsOf<PlainMessage, Context>();

const configurationOf = (node: NodeView): Configuration =>
  contextOf(node).configuration ?? { number: -1, voters: [] };
const numberOf = (node: NodeView): number => configurationOf(node).number;

const phaseOf = (node: NodeView) => contextOf(node).change?.phase;

const stampedNumber = (message: object): number => stampIn(message).configuration?.number ?? -1;

const agree = (system: SystemView): boolean =>
  system.nodes.every((one) =>
    system.nodes.every(
      (other) =>
        numberOf(one) !== numberOf(other) ||
        configurationOf(one).voters.join() === configurationOf(other).voters.join(),
    ),
  );

export const changeRules: readonly Property[] = [
  always('no two nodes know different voters of one configuration', agree),
  everyStep(
    'a node never goes back to an earlier configuration',
    ({ before, after }) => numberOf(after) >= numberOf(before),
  ),
  everyStep(
    'only a node that waits or has the lock decides a change',
    (step) =>
      numberOf(step.after) <= numberOf(step.before) ||
      stampedNumber(receivedIn(step, 'request', 'vote', 'refused') ?? {}) >= numberOf(step.after) ||
      waits(step.before) ||
      inCriticalSection(step.before) ||
      inCriticalSection(step.after), // the only voter enters at once
  ),
  everyStep('a voter does not vote for a request of an earlier configuration', (step) => {
    const request = receivedIn(step, 'request');
    if (!request || stampedNumber(request) >= numberOf(step.before)) return true;
    return sentIn(step, 'vote').every(({ to }) => to !== request.from);
  }),
  everyStep('a node that gets a message of a later configuration knows it from then on', (step) => {
    const message = receivedIn(step, 'request', 'vote', 'refused');
    return !message || numberOf(step.after) >= stampedNumber(message);
  }),
  everyStep(
    'a node tells its application of a change when a majority of the new voters knows it',
    ({ before, after, notified }) =>
      notified.filter(({ type }) => type === 'changed').length ===
      (phaseOf(after) === 'known' && phaseOf(before) !== 'known' ? 1 : 0),
  ),
  always(
    'no client keeps back a change that it may propose or decide, or that is known',
    ({ nodes }) =>
      nodes.every((node) => {
        const context = contextOf(node);
        const decides = isDecided(context) && (waits(node) || newVotersCount(context));
        return node.crashed || !(mayPropose(context) || decides || isKnown(context));
      }),
  ),
  everyStep('a client that proposes or decides a change asks with it at once', (step) => {
    const { before, after } = step;
    const phase = phaseOf(after);
    if (phase === undefined || phase === 'asked' || phase === phaseOf(before)) return true;
    if (phase === 'known' && phaseOf(before) === 'decided') return true;
    const stamp = stampOf(contextOf(after), 'request');
    const says = ({ configuration, next }: Stamp = {}) => JSON.stringify({ configuration, next });
    return electorateOf(contextOf(after)).every(
      (id) =>
        id === after.id ||
        sentIn(step, 'request').some(
          ({ to, message }) => to === id && says(stampIn(message)) === says(stamp),
        ),
    );
  }),
  everyStep('a client that hears of an accepted proposal is asked to make it', (step) => {
    const { before, after } = step;
    const vote = receivedIn(step, 'vote');
    const { configuration, next } = stampIn(vote ?? {});
    if (!vote || !configuration || !next) return true;
    const { number } = configuration;
    if (!uses(before, vote.ballot) || number < numberOf(before)) return true;
    if (!uses(after, vote.ballot) || number < numberOf(after)) return true;
    const { change } = contextOf(after);
    return !!change && (change.phase !== 'asked' || change.ballot >= next.ballot);
  }),
  everyStep('a step decides one change at most', (step) => {
    const heard = stampedNumber(receivedIn(step, 'request', 'vote', 'refused') ?? {});
    return numberOf(step.after) <= Math.max(numberOf(step.before), heard) + 1;
  }),
];

const counted = ['configuration.number', 'next.ballot'] as const;

/** What these messages say beside what they say without the option. */
const stamped = ({ request, vote, refused }: Messages) => ({
  request: shapeWith(
    request,
    ['configuration', 'next'],
    'I know `configuration`, and propose `next`',
    counted,
  ),
  vote: shapeWith(
    vote,
    ['configuration', 'next'],
    'I know `configuration`, and have accepted `next` last',
    counted,
  ),
  refused: shapeWith(refused, ['configuration'], 'or its client does not know `configuration`', [
    'configuration.number',
  ]),
});

/** @throws {ConclaveError} `bad-input` for voters that are no nodes. */
function requireNodes(voters: readonly NodeId[], nodes: readonly NodeId[]): void {
  const stranger = voters.find((id) => !nodes.includes(id));
  if (stranger !== undefined)
    throw new ConclaveError(
      'bad-input',
      `leasedMajority: the voter ${stranger} is none of the nodes ${nodes.join(', ')}`,
      'Name nodes as voters.',
    );
}

type Changing = Pick<ProtocolDefinition<PlainMessage, LeaseCommand>['commands'], 'change'>;

/** A19 with these voters at first. */
export function withVoters(
  definition: ProtocolDefinition<PlainMessage, Command>,
  voters: readonly NodeId[],
): ProtocolDefinition<PlainMessage, Command> {
  const { node } = definition.roles;
  const first = { number: 0, voters: [...voters] };
  if (!node) return definition;
  const input: typeof node.input = (self, topology) => {
    requireNodes(voters, topology.nodes);
    return { ...Object(node.input(self, topology)), configuration: first, accepted: null };
  };
  const stable = [...(node.stable ?? []), 'configuration', 'accepted'];
  const counters = [...(node.counters ?? []), 'configuration.number', 'accepted.ballot'];
  const commands: ProtocolDefinition<PlainMessage, Command>['commands'] & Changing = {
    ...definition.commands,
    change: {
      kind: 'optional',
      fields: ['voters'],
      meaning: 'the application of the holder changes the voters',
      when: (view) => inCriticalSection(view) && !contextOf(view).change,
      examples: [{ voters: first.voters.slice(1) }],
    },
  };
  return {
    ...definition,
    options: { ...definition.options, voters: first.voters },
    roles: { node: { ...node, input, stable, counters } },
    messages: { ...definition.messages, ...stamped(definition.messages) },
    commands,
    properties: [...definition.properties, ...changeRules],
  };
}
