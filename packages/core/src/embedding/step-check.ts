import type { AnyMachineSnapshot } from 'xstate';
import { ConclaveError } from '../base/error.js';
import type { NodeActor } from '../protocol/actor.js';
import { stateText } from '../protocol/handles.js';
import type { NodeId } from '../protocol/node.js';
import { copyOf, differenceOf } from '../protocol/plain-data.js';
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
import type { Stimulus } from '../protocol/stimulus.js';
import type { Topology } from '../topology/topology.js';

/**
 * Repeats steps of an embedded node by pure functions, and compares state and effects. With `each`,
 * a step starts from the last repeated one, so that a state which was changed between two steps
 * shows, too. With a number, one step in so many is repeated, from the node's own state before it.
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
    private readonly every: 'each' | number,
  ) {
    this.#role = roleOf(protocol, id, topology);
  }

  /** @throws {ConclaveError} `diverged` */
  stepped(
    node: NodeActor,
    stimulus: Stimulus,
    before: AnyMachineSnapshot | undefined,
    effects: readonly HostEffect[],
    input?: unknown,
  ): void {
    const armed = this.#timers;
    this.#timers = timersAfter(armed, stimulus, effects);
    if (this.every !== 'each' && ++this.#steps % this.every !== 0) return;
    const expected = this.#again(stimulus, before, armed, input);
    this.#state = expected.state;
    const { value, context } = node.snapshot;
    const found = { state: value, context, timers: node.timers, effects: effects.map(plain) };
    const { state } = expected;
    const wanted = {
      state: state.value,
      context: state.context,
      timers: state.timers.map(({ id }) => id),
      effects: expected.effects.map(plain),
    };
    const difference = differenceOf(wanted, found);
    if (difference === undefined) return;
    throw new ConclaveError(
      'diverged',
      `Node ${this.id} in '${stateText(value)}' is off its machine: by the machine, ${difference.replace(' and became ', ', in the node ')}`,
      'Is its context changed from outside, or does its machine ask a clock or chance? The node has stopped.',
    );
  }

  #again(
    stimulus: Stimulus,
    before: AnyMachineSnapshot | undefined,
    armed: readonly Timer[],
    input: unknown,
  ): Step {
    const { machine } = this.#role;
    if (!before)
      return start(
        machine,
        this.id,
        copyOf((input ?? this.#role.input(this.id, this.topology)) as Parameters<typeof start>[2]),
      ); // the node's own input
    const from = this.every === 'each' && this.#state ? this.#state : localOf(before, armed);
    if (stimulus.kind === 'timeout') return fire(machine, this.id, from, stimulus.timer);
    return step(
      machine,
      this.id,
      from,
      stimulus.kind === 'event' ? copyOf(stimulus.event) : { type: stimulus.kind },
    );
  }
}

/** The effects of a timer hold its event, which the machine makes anew. */
const plain = (effect: HostEffect): unknown =>
  effect.type === 'start' ? { ...effect, timer: { ...effect.timer } } : effect;

function timersAfter(
  armed: readonly Timer[],
  stimulus: Stimulus,
  effects: readonly HostEffect[],
): readonly Timer[] {
  let timers = stimulus.kind === 'start' || stimulus.kind === 'restart' ? [] : armed;
  if (stimulus.kind === 'timeout') timers = timers.filter(({ id }) => id !== stimulus.timer);
  for (const effect of effects) {
    if (effect.type === 'start') timers = [...timers, effect.timer];
    else if (effect.type === 'cancel') timers = timers.filter(({ id }) => id !== effect.timer);
  }
  return timers;
}

function localOf(
  { value, context, tags, historyValue, status }: AnyMachineSnapshot,
  timers: readonly Timer[],
): LocalState {
  const history = Object.entries(historyValue).map(
    ([key, nodes = []]) => [key, nodes.map(({ id }) => id).sort()] as const,
  );
  return {
    value,
    context: copyOf(context),
    tags: [...tags].sort(),
    history: Object.fromEntries(history),
    timers,
    status,
  };
}
