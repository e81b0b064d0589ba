/**
 * Elections that are held again: an election as a region that each term enters afresh. Rules
 * TM1–TM6: README.md
 */
import { start, takes } from '@conclave/core/internal';
import type { Json, LocalState, Message, Received } from '@conclave/core/protocol';
import {
  type AnyStateMachine,
  createMachine,
  not,
  type StateValue,
  setup,
  type UnknownMachineConfig,
} from 'xstate';
import { type Region, region } from '../../composition/region.js';
import type { Command } from '../election.js';

type Fields = Readonly<Record<string, Json>>;

/** The input of the election; after a restart also the term before it. */
type Input = Fields & { readonly term?: number };

/** The election's own context, and its input, from which each term begins. */
type Context = Fields & { readonly term: number; readonly input: Fields };

/** TM1 */
type Dated = Message & { readonly term: number };
type Event = Command | { readonly type: 'abandon' } | Received<Dated>;

/** The state in the election of a node in this state. */
export const electionState = (value: StateValue): StateValue =>
  typeof value === 'string' ? {} : (value.election ?? {});

/** The term of a message; one that the election raises to its own node is of the present term. */
const termIn = ({
  context,
  event,
}: {
  readonly context: Context;
  readonly event: Event;
}): number => ('term' in event ? event.term : context.term);

/** An election before its first event. */
export class Beginning {
  readonly #known = new WeakMap<Fields, LocalState>();

  constructor(private readonly election: AnyStateMachine) {}

  /** The state of a node in a term in which it has not taken part yet. */
  state(input: Fields): LocalState {
    const known = this.#known.get(input) ?? start(this.election, this.election.id, input).state;
    this.#known.set(input, known);
    return known;
  }

  /** Whether a node that enters a term by this message handles it there. */
  takes(input: Fields, message: Event): boolean {
    return takes(this.election, this.state(input), message);
  }
}

interface Options {
  /** The types of the messages of the election. */
  readonly messages: readonly string[];
  /** Whether a node that waits may give up the election: TM6. */
  readonly abandon: boolean;
}

/** A node that enters the region of the election afresh in each term. */
function nodeOf(inTerm: Region, beginning: Beginning) {
  const node = setup({
    types: {} as { input: Input; context: Context; events: Event },
    guards: {
      isDecided: inTerm.has('decided'),
      isWaiting: inTerm.has('waiting'),
      isOfEarlierTerm: (given) => termIn(given) < given.context.term,
      isOfThisTerm: (given) => termIn(given) === given.context.term,
      isOfLaterTerm: (given) =>
        termIn(given) > given.context.term && beginning.takes(given.context.input, given.event),
    },
  });
  return node.extend({
    guards: { isUndecided: not('isDecided') },
    actions: {
      enterNextTerm: node.assign(({ context: { input, term } }) => ({
        ...inTerm.context(input),
        term: term + 1,
      })),
      enterItsTerm: node.assign((given) => ({
        ...inTerm.context(given.context.input),
        term: termIn(given),
      })),
      again: node.raise(({ event }) => event),
      begin: node.raise({ type: 'elect' }),
    },
  });
}

/**
 * The machine of a node whose machine in one term is `election`.
 *
 * @throws {ConclaveError} `bad-protocol` for an election that cannot be a region, see
 * {@link region}.
 */
export function machineOf(
  election: AnyStateMachine,
  { messages, abandon }: Options,
): AnyStateMachine {
  const beginning = new Beginning(election);
  const inTerm = region('election', election, {
    sole: true,
    again: true,
    stamp: ({ term }) => ({ term }), // TM1
    needs: {
      elect: 'isUndecided',
      ...Object.fromEntries(messages.map((type) => [type, 'isOfThisTerm'])),
    },
  });
  const onMessage = [
    { guard: 'isOfEarlierTerm', description: 'TM4: its election is over' },
    {
      guard: 'isOfLaterTerm',
      target: '.election',
      actions: ['enterItsTerm', 'again'],
      description: 'TM3',
    },
  ] as const;
  const whole = nodeOf(inTerm, beginning).createMachine({
    id: 'repeated',
    context: (start) => {
      // XState calls this once without input
      const { term = 0, ...input }: Input = Object(start.input);
      return { ...inTerm.context(input), term: term + 1, input }; // TM5
    },
    initial: 'election',
    states: { election: {} },
    on: {
      elect: {
        guard: 'isDecided',
        target: '.election',
        actions: ['enterNextTerm', 'begin'],
        description: 'TM2',
      },
      ...(abandon && {
        abandon: {
          guard: 'isWaiting',
          target: '.election',
          actions: ['enterNextTerm', 'begin'],
          description: 'TM6',
        },
      }),
      ...Object.fromEntries(messages.map((type) => [type, onMessage])),
    },
  });
  return withRegion(whole, inTerm);
}

/** `whole` with the state of this name replaced by the region. */
function withRegion(
  whole: AnyStateMachine,
  { name, state, implementations }: Region,
): AnyStateMachine {
  const { actions, guards, delays } = whole.implementations;
  const config: UnknownMachineConfig = { ...whole.config, states: { [name]: state } };
  return createMachine(config, {
    actions: { ...actions, ...implementations.actions },
    guards: { ...guards, ...implementations.guards },
    delays: { ...delays, ...implementations.delays },
  });
}
