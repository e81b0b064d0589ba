import {
  always,
  defineProtocol,
  everyStep,
  type History,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
  sometimes,
} from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { validOptions } from '../../options.js';
import { isSame, stepsOf } from '../../steps.js';
import {
  type Acceptor,
  acceptorMachine,
  type Command,
  type Message,
  type Options,
  type Proposer,
  paxosOptions,
  proposerMachine,
} from './paxos.js';

/** What was proposed at a node, and what it has learned, also before a crash. */
type Past = { readonly proposed: readonly string[]; readonly learned: readonly string[] };

const withValue = (values: readonly string[], value: string): readonly string[] =>
  values.includes(value) ? values : [...values, value].sort();

const { contextOf: proposerIn, receivedIn } = stepsOf<Message, Proposer>();
const { contextOf: acceptorIn } = stepsOf<Message, Acceptor>();
const pastOf = (node: NodeView): Past => node.history as Past;

const history: History<Past> = {
  initial: () => ({ proposed: [], learned: [] }),
  after: ({ proposed, learned }, { after, cause }) => {
    const { value } = proposerIn(after);
    const command: object = cause.kind === 'command' ? cause.command : {};
    return {
      proposed: 'value' in command ? withValue(proposed, String(command.value)) : proposed,
      learned: after.tags.has('decided') ? withValue(learned, value ?? '') : learned,
    };
  },
};

/** PX2, PX3, PX5: what an acceptor knows after a step, and what it answers. */
function acceptorAfter(step: NodeStep): readonly unknown[] {
  const { promised, accepted } = acceptorIn(step.before);
  const prepare = receivedIn(step, 'prepare');
  const accept = receivedIn(step, 'accept');
  if (prepare && prepare.ballot >= promised) {
    const { ballot, from } = prepare;
    return [ballot, accepted, [{ to: from, message: { type: 'promise', ballot, accepted } }]];
  }
  if (accept && accept.ballot >= promised) {
    const { ballot, from, value } = accept;
    return [ballot, { ballot, value }, [{ to: from, message: { type: 'accepted', ballot } }]];
  }
  return [promised, accepted, []];
}

type Due = readonly [state: unknown, changes: Partial<Proposer>, sent: readonly unknown[]];

/** PX1, PX4, PX6, PX7: the state of a proposer after a step, what it knows, what it sends. */
function proposerAfter(step: NodeStep): Due {
  const { before, cause } = step;
  const { acceptors, others, ballot, step: distance, latest, value, answered } = proposerIn(before);
  const toAll = (message: Message) => acceptors.map((to) => ({ to, message }));
  const answer = receivedIn(step, before.value === 'preparing' ? 'promise' : 'accepted');
  const learned = receivedIn(step, 'learned');
  const fresh = { answered: [], latest: null };
  if (before.value === 'decided') return ['decided', {}, []];
  if (cause.kind === 'command' && 'value' in cause.command) {
    const next = ballot + distance;
    const changes = { ...fresh, ballot: next, value: String(cause.command.value) };
    return ['preparing', changes, toAll({ type: 'prepare', ballot: next })];
  }
  if (learned) return ['decided', { ...fresh, value: learned.value }, []];
  if (!answer || answer.ballot !== ballot || before.value === 'idle') return [before.value, {}, []];
  const all = [...new Set([...answered, answer.from])].sort();
  const isMajority = 2 * all.length > acceptors.length;
  if (answer.type === 'accepted') {
    const tell = others.map((to) => ({ to, message: { type: 'learned', value } }));
    return isMajority ? ['decided', { answered: all }, tell] : ['accepting', { answered: all }, []];
  }
  const { accepted } = answer;
  const best = accepted && accepted.ballot > (latest?.ballot ?? 0) ? accepted : latest;
  if (!isMajority) return ['preparing', { answered: all, latest: best }, []];
  const adopted = best?.value ?? value ?? '';
  const changes = { ...fresh, value: adopted };
  return ['accepting', changes, toAll({ type: 'accept', ballot, value: adopted })];
}

const agreement: Property = always(
  'nodes learn no two different values, not even one before and one after a crash',
  ({ nodes }) => new Set(nodes.flatMap((node) => pastOf(node).learned)).size <= 1,
);

const validity: Property = always('every learned value was proposed', ({ nodes }) => {
  const proposed = nodes.flatMap((node) => pastOf(node).proposed);
  return nodes.every((node) => pastOf(node).learned.every((value) => proposed.includes(value)));
});

const properties: readonly Property[] = [
  agreement,
  validity,
  everyStep('an acceptor promises and accepts as the rules say', (step) => {
    if (step.before.role !== 'acceptor') return true;
    const { promised, accepted } = acceptorIn(step.after);
    return isSame([promised, accepted, step.sent], acceptorAfter(step));
  }),
  everyStep('a proposer prepares, adopts and learns as the rules say', (step) => {
    if (step.before.role !== 'proposer') return true;
    const [state, changes, sent] = proposerAfter(step);
    const context = { ...proposerIn(step.before), ...changes };
    return (
      step.after.value === state && isSame(step.after.context, context) && isSame(step.sent, sent)
    );
  }),
  sometimes('a value is learned', (system) => system.count('decided') > 0),
];

export type { Command, Options };

/** A complete network with at least one acceptor. */
const withAcceptors = (proposers: number): Protocol['topology'] => ({
  ...needs.complete,
  refuses: (topology) =>
    needs.complete.refuses(topology) ??
    (topology.nodes.length > proposers
      ? undefined
      : `its ${topology.nodes.length} nodes are proposers, and none is an acceptor`),
  example: (n) => complete(Math.max(n, proposers + 1)),
});

/**
 * E6: Paxos, one decree.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example paxos({ proposers: 3 })
 */
export function paxos(options: Options = {}): Protocol<Command> {
  const { proposers = 2 } = validOptions('paxos', paxosOptions, options);
  return defineProtocol<Message, Command>({
    id: 'E6',
    name: 'paxos',
    title: 'Paxos of one decree',
    problem: 'consensus',
    citation:
      'L. Lamport: The Part-Time Parliament. ACM TOCS 16:2, 1998, 133–169; L. Lamport: Paxos Made Simple. ACM SIGACT News 32:4, 2001, 51–58',
    options: { proposers },
    topology: withAcceptors(proposers),
    channels: { order: 'any', loss: true, duplication: true },
    tolerates: ['crash', 'restart'],
    roles: {
      proposer: {
        machine: proposerMachine,
        input: (self, { nodes }) => ({
          acceptors: nodes.slice(proposers),
          others: nodes.slice(0, proposers).filter((id) => id !== self),
          ballot: nodes.indexOf(self),
          step: proposers,
        }),
        stable: ['ballot'],
        counters: ['ballot'],
      },
      acceptor: {
        machine: acceptorMachine,
        input: () => ({ promised: 0, accepted: null }),
        stable: ['promised', 'accepted'],
        counters: ['promised', 'accepted.ballot'],
      },
    },
    roleOf: (id, { nodes }) => (nodes.indexOf(id) < proposers ? 'proposer' : 'acceptor'),
    messages: {
      prepare: {
        fields: ['ballot'],
        counters: ['ballot'],
        meaning: 'promise to accept nothing of an earlier ballot',
      },
      promise: {
        fields: ['ballot', 'accepted'],
        counters: ['ballot', 'accepted.ballot'],
        meaning: 'I promise it; I accepted this value last',
      },
      accept: { fields: ['ballot', 'value'], counters: ['ballot'], meaning: 'accept this value' },
      accepted: { fields: ['ballot'], counters: ['ballot'], meaning: 'I have accepted it' },
      learned: { fields: ['value'], meaning: 'this value is chosen' },
    },
    commands: {
      propose: {
        kind: 'optional',
        fields: ['value'],
        examples: [{ value: 'x' }, { value: 'y' }],
        meaning: 'the application proposes a value, in a new ballot',
        when: ({ role }) => role === 'proposer',
      },
    },
    waiting: false,
    properties,
    history,
    cost: {
      per: 'ballot',
      command: 'propose',
      formula: 'at most 4a + p − 1',
      remark: 'for p proposers and a acceptors',
      messages: (n) => ({ least: 0, most: 4 * (n - proposers) + proposers - 1 }),
    },
  });
}
