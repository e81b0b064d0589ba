/**
 * The option `greedy` of the locks by token: hand-over in bunches. A node that leaves while others
 * wait keeps the token for one turn of its host, so that its application may enter again before
 * them; a bound makes it fair (as in lock cohorting: D. Dice, V. J. Marathe, N. Shavit, PPoPP 2012).
 * Rules GR1–GR3, on the page of each lock.
 */
import {
  always,
  everyStep,
  type NodeId,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import {
  type AnyStateMachine,
  and,
  assign,
  createMachine,
  type UnknownMachineConfig,
} from 'xstate';
import { type OptionSchemas, text, whole } from '../../../options.js';
import { isCommanded } from '../../../steps.js';
import { enters } from './token.js';

/** Of the protocols with a token that rests. */
export type Options = {
  /**
   * The number of times in a row that a node may enter before its turn, while others wait. Default
   * 0.
   */
  readonly greedy?: number;
  /** The node that has the token at first. Default: the network's first node. */
  readonly holder?: NodeId;
};

export const greedyOptions: OptionSchemas<Options> = {
  greedy: whole(0, 'how often in a row a node may enter before its turn'),
  holder: text('where the token is at first'),
};

/** Of a node that may enter before its turn. */
interface Favours {
  readonly greedy: number;
  /** The number of times that it has entered before its turn, in a row. */
  readonly favours: number;
}

interface Transition {
  readonly target?: string;
  readonly actions?: string | readonly string[];
}

interface Bunches {
  /** Whether another node waits for the token that is here: a guard. */
  readonly othersWait: Parameters<typeof and>[0][number];
  /** What a node that keeps the token does about messages. Default: what one in `held` does. */
  readonly keeping?: Readonly<Record<string, unknown>>;
  /**
   * What ends a row of entries before its turn: the node `leaves` the token (default), or keeps it
   * since no other node `waits`, or has a turn, which the machine notes itself.
   */
  readonly rowEnds?: 'leaves' | 'waits';
}

/**
 * The machine with `greedy`. Its state `held` has transitions on `release`: one to `released.here`,
 * if any, where no other node waits, and those that pass the token on.
 */
export function inBunches(
  machine: AnyStateMachine,
  { othersWait, keeping, rowEnds = 'leaves' }: Bunches,
): AnyStateMachine {
  const { actions, guards, delays } = machine.implementations;
  const { context, states = {}, ...config } = machine.config;
  const on = (state: unknown): Readonly<Record<string, unknown>> => Object(Object(state).on);
  const { release, ...whileHeld } = on(states.held);
  const entry: Transition = Object([on(Object(states.released).states?.here).acquire].flat()[0]);
  const ending = (transition: Transition): Transition =>
    (transition.target === 'released.here') === (rowEnds === 'waits')
      ? withAction(transition, 'endRow')
      : transition;
  // as XState's config has them
  const leaving = ([release].flat() as Transition[]).map(ending);
  const passing = leaving.filter(({ target }) => target !== 'released.here');
  const inBunch = {
    ...config,
    context: (args: { readonly input: Favours }) => ({
      ...(typeof context === 'function' ? Object(context)(args) : context),
      greedy: args.input.greedy,
      favours: 0,
    }),
    states: {
      ...states,
      held: {
        ...states.held,
        on: {
          ...whileHeld,
          release: [
            { guard: and([othersWait, 'hasFavour']), target: 'keeping', description: 'GR1' },
            ...leaving,
          ],
        },
      },
      keeping: {
        tags: 'token',
        on: {
          ...(keeping ?? whileHeld),
          acquire: { ...withAction(entry, 'countFavour'), target: 'held', description: 'GR2' },
        },
        after: { turn: passing.map((transition) => ({ ...transition, description: 'GR3' })) },
      },
    },
  };
  return createMachine(
    { ...inBunch, id: `greedy-${machine.id}` } as UnknownMachineConfig, // of the same form
    {
      actions: {
        ...actions,
        countFavour: assign(({ context }) => ({ favours: Number(context.favours) + 1 })),
        endRow: assign({ favours: 0 }),
      },
      guards: {
        ...guards,
        hasFavour: ({ context }) => Number(context.favours) < Number(context.greedy),
      },
      delays: { ...delays, turn: 0 },
    },
  );
}

const withAction = (transition: Transition, action: string): Transition => ({
  ...transition,
  actions: [transition.actions ?? [], action].flat(),
});

const favoursOf = ({ context }: NodeView): number => Number(context.favours);
export const keeps = ({ value }: NodeView): boolean => value === 'keeping';

/** Where a node queues the nodes that wait. */
export const queuesOthers = ({ context }: NodeView): boolean =>
  Array.isArray(context.queue) && context.queue.length > 0;

export const favoursIn = (greedy: number): Property =>
  always(
    `no node enters before its turn ${greedy === 0 ? 'at all' : `more than ${greedy === 1 ? 'once' : `${greedy} times`} in a row`}`,
    (system) => system.nodes.every(({ context }) => Number(context.favours) <= greedy),
    greedy === 0 ? { vacuous: 'without greedy no node enters before its turn' } : {},
  );

/**
 * What holds of a lock with `greedy`.
 *
 * @param othersWait whether another node waits for the token of this node, as far as it knows.
 */
export const bunchRules = (
  greedy: number,
  othersWait: (node: NodeView) => boolean,
): readonly Property[] => [
  everyStep(
    'a node that leaves keeps the token for a turn if others wait and it may enter before them, and only then',
    (step) =>
      isCommanded('release', step)
        ? keeps(step.after) === (othersWait(step.before) && favoursOf(step.before) < greedy)
        : keeps(step.before) || !keeps(step.after),
  ),
  everyStep('a node counts each entry before its turn', (step) => {
    const { before, after } = step;
    return !enters(step) || !keeps(before) || favoursOf(after) === favoursOf(before) + 1;
  }),
];

/** The same where the token's next visit starts a new row. */
export const bunchesPerVisit = (
  greedy: number,
  othersWait: (node: NodeView) => boolean,
): readonly Property[] => [
  favoursIn(greedy),
  ...bunchRules(greedy, othersWait),
  everyStep(
    'a node without the token has entered no more often than in its turn',
    ({ after }) => after.tags.has('token') || favoursOf(after) === 0,
  ),
];
