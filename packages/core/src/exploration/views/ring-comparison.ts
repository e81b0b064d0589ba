import { Random } from '../../base/random.js';
import type { Message, NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { violatedBy } from '../../protocol/unhandled-messages.js';
import { ring } from '../../topology/generators.js';
import { canonical } from '../worlds/canonical.js';
import { Worlds } from '../worlds/worlds.js';
import { mentioned } from './data.js';
import type { LocalEvent, Taken } from './local-event.js';
import { messageIn } from './part.js';
import { chooserOf, stepOf } from './random-runs.js';
import { outcomeKey, type RingSteps } from './ring-steps.js';
import type { RingViews } from './ring-views.js';
import {
  choices,
  nextOf,
  type Place,
  type RingWorld,
  type RingWorlds,
  ringKey,
  stranger,
} from './ring-world.js';
import { textOf } from './text.js';
import { Unprovable } from './unprovable.js';

type Success = Exclude<Taken, { readonly failure: object }>;

/** What nodes of a ring do, each compared with what views of `k` nodes show. */
export class RingComparison {
  steps = 0;

  constructor(
    readonly worlds: RingWorlds,
    readonly taking: RingSteps,
    readonly k: number,
  ) {}

  /**
   * The steps of the nodes of one ring, in all states that messages and commands may lead to; of
   * the messages that the node before it may send, each may come at any moment.
   */
  ofRing(order: readonly NodeId[]): void {
    const states = order.map(() => new Map<string, LocalState>());
    const sent = order.map(() => new Map<string, Message>());
    const queue: (() => void)[] = [];
    const before = (at: number) => (at + order.length - 1) % order.length;
    const take = (at: number, state: LocalState, event: LocalEvent): void => {
      for (const taken of this.compare(order, at, [state, event])) {
        reach(at, taken.state);
        for (const { message } of taken.sends) send(at, message);
      }
    };
    const reach = (at: number, state: LocalState): void => {
      const known = states[at];
      if (!known || known.has(textOf(state))) return;
      known.set(textOf(state), state);
      this.#requirePlain(state.context);
      queue.push(() => {
        for (const event of this.taking.local.ownEvents(this.worlds.role, order[at] ?? '', state))
          take(at, state, event);
        for (const message of sent[before(at)]?.values() ?? [])
          take(at, state, { kind: 'message', from: order[before(at)] ?? '', message });
      });
    };
    const send = (from: number, message: Message): void => {
      const known = sent[from];
      if (!known || known.has(textOf(message))) return;
      known.set(textOf(message), message);
      this.#requirePlain(message);
      const at = (from + 1) % order.length;
      for (const state of states[at]?.values() ?? [])
        queue.push(() => take(at, state, { kind: 'message', from: order[from] ?? '', message }));
    };
    for (const [at, place] of this.worlds.initial(order).entries()) {
      reach(at, place.state);
      for (const message of place.sent) send(at, message);
    }
    for (let next = queue.pop(); next; next = queue.pop()) next();
  }

  /** Views must not lose anything but names. */
  #requirePlain(fields: object): void {
    const names = new Set(this.worlds.family.free);
    for (const [key, value] of Object.entries(fields))
      if (names.has(key) || (typeof value === 'object' && mentioned(value, names).size > 0))
        throw new Unprovable(
          `views of rings cannot show a list or record of nodes: ${canonical({ [key]: value })}`,
        );
  }

  /**
   * The outcomes of a step, each of which is one in the ring of few nodes that are left.
   * @throws {Unprovable} if one is not, or the node sends to another than the next one.
   */
  compare(
    order: readonly NodeId[],
    at: number,
    [state, event]: readonly [LocalState, LocalEvent],
    groups = this.#groupsOf(order, at),
  ): readonly Success[] {
    const { role, links } = this.worlds;
    const next = nextOf(order, at);
    const outcomes = this.taking.local.take(role, state, event);
    const successes = outcomes.filter((taken): taken is Success => !taken.failure);
    for (const taken of successes) {
      if (taken.sends.some(({ to }) => to !== next)) throw stranger;
      if (links.some((field) => taken.state.context[field] !== next))
        throw new Unprovable('a node changes the name of the next one');
    }
    for (const group of groups) {
      this.steps++;
      const bad = outcomes.find((taken) => !this.#isShown(order, at, [state, event], taken, group));
      if (bad)
        throw new Unprovable(
          `node ${order[at]} of ${ring(order).spec} takes a step that no view shows: ${canonical(event)} with ${canonical(state.context)}`,
        );
    }
    return successes;
  }

  /** The node, and so many others as a view has, or one less. */
  #groupsOf(order: readonly NodeId[], at: number): readonly (readonly NodeId[])[] {
    const others = order.filter((_, index) => index !== at);
    return [this.k - 1, this.k]
      .filter((size) => size <= others.length)
      .flatMap((size) => choices(others, size).map((chosen) => [order[at] ?? '', ...chosen]));
  }

  #isShown(
    order: readonly NodeId[],
    at: number,
    [state, event]: readonly [LocalState, LocalEvent],
    taken: Taken,
    group: readonly NodeId[],
  ): boolean {
    const { detail } = this.worlds;
    const id = order[at] ?? '';
    const few = this.worlds.group(order, group);
    const place = few.order.indexOf(id);
    const nameOf = (name: NodeId | undefined) => few.renaming.names.get(name ?? '') ?? '';
    const { outcomes, failures } = this.taking.take({
      size: group.length,
      self: nameOf(id),
      from: nameOf(few.order.at(place - 1)),
      next: nameOf(nextOf(few.order, place)),
      state: this.worlds.stateInGroup(id, state, few),
      message:
        event.kind === 'message' ? messageIn(event.message, few.renaming, detail) : undefined,
    });
    if (taken.failure) return failures.has(violatedBy(taken.failure));
    return outcomes.has(
      outcomeKey({
        state: this.worlds.stateInGroup(id, taken.state, few),
        sent: taken.sends.map(({ message }) => messageIn(message, few.renaming, detail)),
      }),
    );
  }

  /**
   * Takes random steps of a whole ring, by the definition of exploration, until one fails. Each world
   * must show known views only, and each step is compared. Returns the worlds.
   * @throws {Unprovable} where one does not: then views were left out.
   */
  ofRun(
    order: readonly NodeId[],
    { views }: RingViews,
    { steps, seed }: { readonly steps: number; readonly seed: number },
  ): readonly RingWorld[] {
    const topology = ring(order);
    const worlds = new Worlds(this.worlds.family.protocol, topology, { commands });
    const random = new Random(seed);
    const choose = chooserOf(random);
    const some = (size: number) => random.shuffled(order).slice(0, size);
    const seen: RingWorld[] = [];
    let world = worlds.initial;
    for (let taken = 0; ; taken++) {
      const now = this.worlds.of(world, order);
      seen.push(now);
      for (let sample = 0; sample < samples; sample++)
        if (!views.has(ringKey(this.worlds.seen(now, some(this.k)))))
          throw new Unprovable(
            `a run of ${topology.spec} shows something after ${taken} steps that no view has`,
          );
      const actions = worlds.actions(world);
      if (actions.length === 0 || taken === steps) return seen;
      const chosen = choose(actions, taken);
      const [id, event] = stepOf(this.taking.local, chosen);
      const at = order.indexOf(id);
      const { state } = now.find((place) => place.id === id) as Place; // it has all nodes
      const groups = Array.from({ length: samples }, (_, sample) => [
        id,
        ...some(order.length)
          .filter((other) => other !== id)
          .slice(0, this.k - (sample % 2)),
      ]);
      const outcomes = this.compare(order, at, [state, event], groups);
      if (outcomes.length === 0) return seen;
      world = worlds.next(world, chosen);
      const after = this.worlds.of(world, order).find((place) => place.id === id) as Place;
      if (!outcomes.some((outcome) => textOf(outcome.state) === textOf(after.state)))
        throw new Unprovable(
          `a run of ${topology.spec} has a step that no guess of its numbers shows`,
        );
    }
  }
}

const commands = 1000;
/** Of each world of a random run, so many views are looked at, and so many of each step. */
const samples = 12;
