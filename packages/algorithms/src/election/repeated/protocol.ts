import { schemas } from '@conclave/core/internal';
import {
  type Command,
  ConclaveError,
  defineProtocol,
  type Message,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
  type SystemView,
} from '@conclave/core/protocol';
import { requireNoHistory } from '../../composition/part.js';
import { validOptions } from '../../options.js';
import { hasTerms, inTerms, termOf, terms } from '../election.js';
import { Beginning, electionState, machineOf } from './repeated.js';

// What a property of one election sees of elections that are held again: the latest of them.

type InFlight = ReturnType<SystemView['inFlight']>[number];
type Beginnings = (role: string) => Beginning;

/**
 * A property of the single election, for the latest term: there a node of an earlier term has not
 * taken part yet. Undefined for a property of runs, which a later term may cut short.
 */
function inLatestTerm(property: Property, beginnings: Beginnings): Property | undefined {
  switch (property.kind) {
    case 'atMost':
      return property; // a message belongs to the election that a command started
    case 'leadsTo':
    case 'increases':
    case 'overtaken':
      return undefined;
    case 'everyStep':
      return {
        ...property,
        allows: (step) => isIgnored(step) || property.allows(stepInTerm(step, beginnings)),
      };
    default:
      return {
        ...property,
        holds: (system: SystemView) => property.holds(new LatestTerm(system, beginnings)),
      };
  }
}

/** TM4 */
const isIgnored = ({ after, cause }: NodeStep): boolean =>
  cause.kind === 'message' && 'term' in cause.message && Number(cause.message.term) < termOf(after);

function stepInTerm(step: NodeStep, beginnings: Beginnings): NodeStep {
  const { before, after, cause, sent, notified } = step;
  const term = termOf(after);
  return {
    before: nodeInTerm(term, before, beginnings),
    after: nodeInTerm(term, after, beginnings),
    cause,
    sent,
    notified,
  };
}

/** The node as one of the election of this term. */
function nodeInTerm(term: number, node: NodeView, beginnings: Beginnings): NodeView {
  const { id, role, crashed, tags, context } = node; // not spread: hosts have views with getters
  if (termOf(node) === term)
    return { id, role, crashed, tags, context, value: electionState(node.value) };
  const first = beginnings(role).state(Object(context.input));
  return {
    id,
    role,
    crashed,
    value: first.value,
    context: first.context,
    tags: new Set(crashed ? [] : first.tags),
  };
}

class LatestTerm implements SystemView {
  readonly nodes: readonly NodeView[];
  readonly #term: number;

  constructor(
    private readonly system: SystemView,
    beginnings: Beginnings,
  ) {
    const all = system.nodes;
    this.#term = Math.max(...all.map(termOf));
    this.nodes = all.map((node) => nodeInTerm(this.#term, node, beginnings));
  }

  get live(): number {
    return this.system.live;
  }

  node(id: NodeId): NodeView {
    const node = this.nodes.find((one) => one.id === id);
    if (!node) throw new ConclaveError('bad-input', `The system has no node '${id}'`);
    return node;
  }

  count(tag: string): number {
    return this.tagged(tag).length;
  }

  tagged(tag: string): readonly NodeView[] {
    return this.nodes.filter(({ tags }) => tags.has(tag));
  }

  distinct(tag: string, field: string): readonly unknown[] {
    return [...new Set(this.tagged(tag).map(({ context }) => context[field]))];
  }

  inFlight(type?: string): readonly InFlight[] {
    return this.system
      .inFlight(type)
      .filter(({ message }) => 'term' in message && message.term === this.#term);
  }
}

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
