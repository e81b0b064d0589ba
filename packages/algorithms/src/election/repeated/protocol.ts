import { schemas } from '@conclave/core/internal/options';
import {
  type Command,
  ConclaveError,
  defineProtocol,
  type Message,
  type NodeView,
  type Protocol,
} from '@conclave/core/protocol';
import { requireNoHistory } from '../../composition/part.js';
import { validOptions } from '../../options.js';
import { hasTerms, inTerms, termOf, terms } from '../election.js';
import { type Beginnings, inLatestTerm, nodeInTerm } from './in-latest-term.js';
import { Beginning, machineOf } from './repeated.js';

export type Options = {
  /**
   * Whether a node that waits takes the command `abandon`: it gives up the present election and
   * starts the next one. Default false.
   */
  readonly abandon?: boolean;
};

const repeatedOptions = { abandon: { schema: schemas.flag } };

/**
 * An election that can be held again: `elect` at a node that knows the leader starts the election
 * of the next term.
 *
 * Each message carries its term. The term of a leader is a fencing token: it is larger than that of
 * every leader before. The rules are on the page of `repeated`.
 *
 * @throws {ConclaveError} `bad-input` for a protocol of another problem, one whose elections have
 * terms already, or one whose nodes never know that the election is over; for another option;
 * `bad-protocol` for a machine that cannot be a region of another one.
 * @example explore(repeated(lelannChangRoberts), ring(3), { commands: 2, initiators: ['a'] })
 */
export function repeated(protocol: Protocol, options: Options = {}): Protocol {
  const { abandon = false } = validOptions('repeated', repeatedOptions, options);
  requireElection(protocol);
  const {
    id: _,
    name,
    title,
    roles,
    messages,
    commands,
    properties,
    waiting,
    waitsFor,
    ...rest
  } = protocol;
  const made = new Map(
    Object.entries(roles).map(([role, { machine }]) => [role, new Beginning(machine)]),
  );
  const beginnings: Beginnings = (role) => {
    const beginning = made.get(role);
    if (!beginning) throw new ConclaveError('bad-protocol', `'${name}' has no role '${role}'`);
    return beginning;
  };
  const plain = (node: NodeView) => nodeInTerm(termOf(node), node, beginnings);
  return defineProtocol<Message, Command>({
    ...rest,
    name: `repeated-${name}`,
    title: `${title}, held again`,
    roles: Object.fromEntries(
      Object.entries(roles).map(([role, { machine, stable = [], counters = [], ...others }]) => [
        role,
        {
          ...others,
          machine: machineOf(machine, { messages: Object.keys(messages), abandon }),
          stable: [...stable, 'term'],
          counters: [...counters, 'term'],
        },
      ]),
    ),
    messages: Object.fromEntries(
      Object.entries(messages).map(([type, { fields = [], counters = [], ...shape }]) => [
        type,
        { ...shape, fields: [...fields, 'term'], counters: [...counters, 'term'] },
      ]),
    ),
    commands: {
      ...commands,
      elect: {
        ...elect,
        meaning: 'the application asks this node to start an election, also after one that is over',
        when: () => true,
      },
      ...(abandon && { abandon: giveUp }),
    },
    properties: [
      ...properties.flatMap(
        (property) => inTerms(property) ?? inLatestTerm(property, beginnings) ?? [],
      ),
      ...terms,
    ],
    ...(typeof waiting === 'function'
      ? { waiting: (node) => waiting(plain(node)) }
      : waiting === undefined
        ? {}
        : { waiting }),
    ...(waitsFor && { waitsFor: (node, topology) => waitsFor(plain(node), topology) }),
    fence: termOf,
  });
}

const elect = { kind: 'optional' } as const;

const giveUp: Protocol['commands'][string] = {
  kind: 'optional',
  meaning:
    'the application asks this node to give up the present election, which has stopped, and to start the next one',
  when: ({ tags }) => tags.has('waiting'),
};

function requireElection(protocol: Protocol): void {
  requireNoHistory('repeated', protocol);
  const { title, problem, commands } = protocol;
  const refuse = (what: string, cure: string) =>
    new ConclaveError('bad-input', `repeated: ${title} ${what}`, cure);
  if (problem !== 'election')
    throw refuse(
      `solves '${problem}'`,
      "Give a protocol for 'election', such as lelannChangRoberts.",
    );
  if (hasTerms(protocol)) throw refuse('holds elections again by itself', 'Use it as it is.');
  if (!commands.elect)
    throw refuse("has no command 'elect'", 'Give it one, which starts the election.');
}
