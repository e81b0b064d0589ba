import type { EventObject } from 'xstate';
import { ConclaveError } from '../base/error.js';
import { type LiveNode, local, type StateBefore } from '../protocol/compiled/compiled-node.js';
import { stateText } from '../protocol/handles.js';
import type { NodeId, Stimulus } from '../protocol/node.js';
import { copyOf, differenceOf, notPlain } from '../protocol/plain-data.js';
import { type Protocol, type Role, roleOf } from '../protocol/protocol.js';
import {
  fire,
  type HostEffect,
  type LocalState,
  type Step,
  start,
  step,
  type Timer,
} from '../protocol/step.js';
import { historyIds } from '../protocol/transition.js';
import type { Topology } from '../topology/topology.js';
import type { EmbedOptions } from './embedded.js';
import { usualConfirm } from './usual-confirm.js';

/**
 * One step in so many is repeated: a prime number, so that in a node which always does the same
 * each of its steps has its turn.
 */
const sampledEvery = 997;

/**
 * Repeats steps of an embedded node by XState, as pure functions, and compares state and effects.
 * With `all`, a step starts from the last repeated one, so that a state which was changed between
 * two steps shows, too. With `sample`, from the node's own state before it. What is no plain data
 * is left alone.
 */
export class StepCheck {
  readonly #role: Role;
  #state: LocalState | undefined;
  /** Armed, in the order they were armed. */
  #timers: readonly Timer[] = [];
  #steps = 0;

  constructor(
    protocol: Protocol,
    private readonly topology: Topology,
    private readonly id: NodeId,
    private readonly confirm: EmbedOptions['confirm'] = usualConfirm,
  ) {
    this.#role = roleOf(protocol, id, topology);
  }

  /** @throws {ConclaveError} `diverged` */
  stepped(
    node: LiveNode,
    stimulus: Stimulus,
    before: StateBefore | undefined,
    effects: readonly HostEffect[],
  ): void {
    const armed = this.#timers;
    this.#timers = timersAfter(armed, stimulus, effects);
    if (this.confirm === 'sample' && ++this.#steps % sampledEvery !== 0) return;
    const { value, context } = node;
    if (notPlain([before?.context ?? {}, context, effects, eventOf(stimulus)]) !== undefined) {
      this.#state = undefined;
      return;
    }
    const expected = this.#again(stimulus, before, armed);
    this.#state = expected.state;
    const { state } = expected;
    const difference = differenceOf(
      asJson({
        state: state.value,
        tags: state.tags,
        context: state.context,
        timers: state.timers.map(({ id }) => id),
        effects: expected.effects,
      }),
      asJson({
        state: value,
        tags: [...node.tags].sort(),
        context,
        timers: node.timers,
        effects,
      }),
    );
    if (difference === undefined) return;
    throw new ConclaveError(
      'diverged',
      `Node ${this.id} in '${stateText(value)}' is off its machine: by the machine, ${difference.replace(' and became ', ', in the node ')}`,
      'Is its context changed from outside, or does its machine ask a clock or chance? The node has stopped.',
    );
  }

  #again(stimulus: Stimulus, before: StateBefore | undefined, armed: readonly Timer[]): Step {
    const { machine, input } = this.#role;
    if (!before) return start(machine, this.id, copyOf(input(this.id, this.topology)));
    const from = this.confirm === 'all' && this.#state ? this.#state : localOf(before, armed);
    if (stimulus.kind === 'timeout') return fire(machine, this.id, from, stimulus.timer);
    return step(machine, this.id, from, copyOf(eventOf(stimulus)));
  }
}

/** As JSON has it, where −0 is 0. */
const asJson = (value: object): unknown => JSON.parse(JSON.stringify(value));

const eventOf = (stimulus: Stimulus): EventObject =>
  stimulus.kind === 'event' ? stimulus.event : { type: stimulus.kind };

function timersAfter(
  armed: readonly Timer[],
  stimulus: Stimulus,
  effects: readonly HostEffect[],
): readonly Timer[] {
  let timers = stimulus.kind === 'start' ? none : armed;
  if (stimulus.kind === 'timeout') timers = timers.filter(({ id }) => id !== stimulus.timer);
  for (const effect of effects) {
    if (effect.type === 'start') timers = [...timers, effect.timer];
    else if (effect.type === 'cancel') timers = timers.filter(({ id }) => id !== effect.timer);
  }
  return timers;
}

const none: readonly Timer[] = [];

/** A copy of the state before a step. */
function localOf(before: StateBefore, timers: readonly Timer[]): LocalState {
  if ('configuration' in before)
    return { ...local(before, timers), context: copyOf(contextOf(before)) };
  const { value, tags, status } = before;
  return {
    value,
    context: copyOf(contextOf(before)),
    tags: [...tags].sort(),
    history: historyIds(before),
    timers,
    status,
  };
}

/** Known to be plain data. */
const contextOf = ({ context }: StateBefore): LocalState['context'] =>
  context as LocalState['context'];
