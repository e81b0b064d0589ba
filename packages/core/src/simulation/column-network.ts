import type { EventObject } from 'xstate';
import type { Random } from '../base/random.js';
import type { Conditions } from '../channel/conditions.js';
import type { PlainState } from '../protocol/compiled/compile.js';
import { crashNotices } from '../protocol/crash-notices.js';
import { duringStep } from '../protocol/effects.js';
import { labelOf, unlabelled } from '../protocol/history.js';
import type { Command, Json, Message, NodeId, Stimulus } from '../protocol/node.js';
import { causeOf } from '../protocol/node-step.js';
import type { InFlight, NodeView } from '../protocol/property.js';
import { requireSend } from '../protocol/sends.js';
import type { HostEffect, Timer } from '../protocol/step.js';
import type { NumberedReceiver } from './clock.js';
import { ColumnLinks } from './column-links.js';
import { ColumnStates } from './column-states.js';
import { ColumnEffects, type ColumnStep, ColumnSteps, ColumnTimers } from './column-steps.js';
import { type Confirm, Confirmation } from './confirmation.js';
import {
  historyAfter,
  type Loads,
  type Network,
  type NetworkListener,
  type NetworkOptions,
  type NodeState,
  type TakenStep,
} from './network.js';

export interface ColumnOptions extends NetworkOptions {
  readonly confirm: Confirm;
  /** Draws which steps are confirmed. */
  readonly sampling: Random;
}

const plain = (message: Message): Message =>
  labelOf(message) === undefined ? message : unlabelled(message);
const stateOf = ({ configuration: { value, tagSet }, context }: PlainState): NodeState => ({
  value,
  context,
  tags: tagSet,
});

/** As `{ ...message, from }`, which takes V8 ten times as long. */
function receivedFrom(message: Message, from: NodeId): EventObject {
  const received: Message & { from?: NodeId } = Object.assign({}, message);
  received.from = from;
  return received;
}

/**
 * The nodes of a topology on compiled machines, their states and channels in columns: the same run
 * as that of actors over channels.
 */
export class ColumnNetwork implements Network, NumberedReceiver<Message> {
  readonly #states: ColumnStates;
  readonly #links: ColumnLinks;
  readonly #timers: ColumnTimers;
  readonly #steps: ColumnSteps;
  readonly #effects: ColumnEffects;
  readonly #confirmation: Confirmation;
  #views: readonly NodeView[] | undefined;

  constructor(
    private readonly options: ColumnOptions,
    private readonly listener: NetworkListener,
  ) {
    const { protocol, topology, clock, durationOf, confirm, sampling, freezes } = options;
    const states = new ColumnStates(protocol, topology);
    this.#states = states;
    this.#links = new ColumnLinks(
      {
        ...options,
        places: states.places,
        sameProcess: options.protocol.channels.sameProcess,
      },
      this,
      listener,
      plain,
    );
    this.#timers = new ColumnTimers(clock, durationOf, (node, timer) => {
      this.#fire(node, timer);
    });
    this.#effects = new ColumnEffects(states, this.#timers, freezes);
    this.#confirmation = new Confirmation(confirm, sampling);
    this.#steps = new ColumnSteps(states, this.#timers, this.#confirmation);
  }

  get views(): readonly NodeView[] {
    this.#views ??= this.#states.views;
    return this.#views;
  }

  get confirmed(): number {
    return this.#confirmation.count;
  }

  view(node: number): NodeView {
    return this.#states.view(node);
  }

  placeOf(id: NodeId): number | undefined {
    return this.#states.places.get(id);
  }

  isCrashed(node: number): boolean {
    return this.#states.isCrashed(node);
  }

  tagsOf(node: number): ReadonlySet<string> {
    return this.#states.tagsOf(node);
  }

  get loads(): Loads {
    return this.#states.loads;
  }

  start(): void {
    for (let node = 0; node < this.#states.size; node++) this.#begin(node, 'start');
  }

  tell(node: number, command: Command): void {
    if (!this.#states.isCrashed(node)) this.#receive(node, command, undefined);
  }

  crash(node: number): void {
    const { protocol, topology } = this.options;
    this.#states.crash(node);
    this.#timers.cancelAll(node);
    for (const { to, message } of crashNotices(protocol, topology, this.#states.idOf(node))) {
      const link = this.#links.find(node, to);
      if (link >= 0) this.#links.send(link, message);
    }
  }

  restart(node: number): void {
    this.#begin(node, 'restart');
  }

  change(conditions: Conditions): void {
    this.#links.change(conditions);
  }

  partition(groups: readonly (readonly NodeId[])[], cut: boolean): void {
    this.#links.partition(groups, cut);
  }

  *inFlight(): Generator<InFlight> {
    for (const [, message, link] of this.options.clock.awaiting<Message>(ColumnNetwork))
      yield { ...this.#links.ends(link), message: plain(message) };
  }

  stop(): void {
    this.#timers.stop();
  }

  /** Called by the clock: a message comes out of a channel. */
  arrive(carried: Message, link: number): void {
    const node = this.#links.to[link] as number;
    if (this.#links.isCut(link) || this.#states.isCrashed(node))
      return this.#links.lose(link, carried);
    const from = this.#links.from[link] as number;
    const label = labelOf(carried);
    const message = label === undefined ? carried : unlabelled(carried);
    this.#states.countReceived(node);
    this.listener.delivered(from, node, message);
    this.#receive(node, receivedFrom(message, this.#states.idOf(from)), label);
  }

  #begin(node: number, kind: 'start' | 'restart'): void {
    this.#taken(node, () => this.#steps.start(node, kind), { kind });
  }

  #fire(node: number, timer: Timer): void {
    this.#taken(node, () => this.#steps.fire(node, timer), { kind: 'timeout', timer: timer.id });
  }

  /** A start, or the step of a timer. */
  #taken(node: number, take: () => ColumnStep, stimulus: Stimulus): void {
    const before =
      stimulus.kind === 'timeout' ? this.#states.at(node).configuration.value : undefined;
    let effects: readonly HostEffect[];
    try {
      effects = this.#settle(node, take(), stimulus, undefined);
    } catch (error) {
      throw duringStep(error, before, causeOf(stimulus));
    }
    this.#choose(node, effects);
  }

  #receive(node: number, event: EventObject, label: Json | undefined): void {
    const { value } = this.#states.at(node).configuration;
    let effects: readonly HostEffect[];
    try {
      // without a function, which would take time
      effects = this.#settle(node, this.#steps.take(node, event), event, label);
    } catch (error) {
      throw duringStep(error, value, causeOf({ kind: 'event', event }));
    }
    this.#choose(node, effects);
  }

  #choose(node: number, effects: readonly HostEffect[]): void {
    for (const effect of effects)
      if (effect.type === 'choose' && !this.#states.isCrashed(node)) {
        const chosen: EventObject & { readonly value: Json } = {
          type: 'chosen',
          value: this.options.choices.draw(effect.options, effect.weights),
        };
        this.#receive(node, chosen, undefined);
      }
  }

  /**
   * What follows a step: effects, the listener, messages; returns the effects. `cause`: the event,
   * or what else the node reacts to.
   */
  #settle(
    node: number,
    { before, taken, again }: ColumnStep,
    cause: EventObject | Stimulus,
    label: Json | undefined,
  ): readonly HostEffect[] {
    const { listener } = this;
    const { state } = taken;
    this.#states.set(node, state);
    const effects = this.#effects.perform(node, before, taken);
    if (again) this.#confirmation.check(this.#states.idOf(node), taken, effects, again);
    const past = this.#states.historyOf(node);
    const isTold = past !== undefined || listener.wantsSteps;
    const step = isTold ? this.#stepOf(cause, before, state, past, effects) : undefined;
    if (step && past !== undefined) this.#record(node, step, label);
    listener.stepped('type' in cause ? cause : undefined);
    if (step && listener.wantsSteps) listener.took(node, step);
    const interruption = listener.crashIn(node, effects);
    for (const { to, message } of interruption?.unsent ?? []) this.#linkFor(node, to, message);
    for (const effect of interruption?.sent ?? effects)
      if (effect.type === 'send') this.#send(node, effect.to, effect.message);
    if (interruption) listener.interrupted(node, interruption);
    listener.settled(node, before?.configuration.tagSet, this.#states.tagsOf(node));
    return effects;
  }

  #stepOf(
    cause: EventObject | Stimulus,
    before: PlainState | undefined,
    after: PlainState,
    past: Json | undefined,
    effects: readonly HostEffect[],
  ): TakenStep {
    const stimulus: Stimulus = 'type' in cause ? { kind: 'event', event: cause } : cause;
    return { stimulus, before: before && stateOf(before), after: stateOf(after), past, effects };
  }

  #record(node: number, step: TakenStep, label: Json | undefined): void {
    const history = this.#states.historian(node);
    const recorded =
      history && historyAfter(history, this.options.protocol, this.view(node), step, label);
    if (recorded !== undefined) this.#states.record(node, recorded);
  }

  /** @throws {ConclaveError} `bad-protocol` for a message that the node must not send. */
  #linkFor(node: number, to: NodeId, message: Message): number {
    const id = this.#states.idOf(node);
    const link = this.#links.find(node, to);
    requireSend(this.options, id, { to, message }, link >= 0);
    return link;
  }

  #send(node: number, to: NodeId, message: Message): void {
    const link = this.#linkFor(node, to, message);
    this.#states.countSent(node);
    this.listener.sent(message);
    const history = this.#states.historian(node);
    const recorded = this.#states.historyOf(node);
    this.#links.send(
      link,
      history && recorded !== undefined ? history.labelled(message, recorded) : message,
    );
  }
}
