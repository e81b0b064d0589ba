import type { Message, NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { canonical } from '../worlds/canonical.js';
import type { Renaming } from './data.js';
import { arranged, asSet, messageIn } from './part.js';
import { memoized } from './parts.js';
import { type Known, type Relay, RingOutside } from './ring-outside.js';
import type { Outcome, RingSteps } from './ring-steps.js';
import {
  isAboutOutside,
  nextOf,
  type Place,
  type RingWorld,
  type RingWorlds,
  ringKey,
} from './ring-world.js';
import { textOf } from './text.js';
import { Unprovable } from './unprovable.js';

/** What has led to a view. */
export interface RingOrigin {
  readonly world: RingWorld;
  readonly step: string;
}

/** A step that fails. */
export interface Failure {
  readonly error: Error;
  readonly origin: RingOrigin;
}

const mostViews = 20_000;
const mostMessages = 6;

/** The views of `k` nodes of rings, closed under all steps of nodes inside and outside. */
export class RingViews implements Known {
  readonly views = new Map<string, RingWorld>();
  readonly origins = new Map<string, RingOrigin>();
  readonly states = new Map<string, LocalState>();
  readonly messages = new Map<string, Message>();
  /** What nodes send: the nodes that it is about are all outside. */
  readonly sent = new Map<string, Message>();
  /** By the property that they violate. */
  readonly failures = new Map<string, Failure>();
  steps = 0;
  readonly #relays = new Map<string, readonly Relay[]>();

  constructor(
    private readonly worlds: RingWorlds,
    private readonly taking: RingSteps,
    readonly k: number,
    /** Whether there are nodes outside. */
    private readonly isPart: boolean,
  ) {}

  /** Adds all views that rings lead to which start so. */
  close(starts: readonly RingWorld[]): void {
    for (const start of starts) {
      for (const { sent } of start) this.#note(sent);
      for (const view of this.worlds.views(start, this.k)) this.#learn(view);
    }
    for (let known = -1; known < this.#size; ) {
      known = this.#size;
      this.#relays.clear();
      for (const view of this.views.values()) this.#expand(view);
    }
  }

  get about(): readonly Message[] {
    return [...this.sent.values()].filter(isAboutOutside);
  }

  get #size(): number {
    return this.views.size + this.states.size + this.sent.size + this.messages.size;
  }

  #learn(view: RingWorld, origin?: RingOrigin): void {
    const key = ringKey(view);
    if (this.views.has(key)) return;
    this.views.set(key, view);
    if (origin) this.origins.set(key, origin);
    if (this.views.size > mostViews)
      throw new Unprovable(`there are more than ${mostViews} views of ${this.k} nodes`);
    for (const { id, sent } of view) {
      for (const { state } of this.worlds.seen(view, [id])) this.states.set(textOf(state), state);
      for (const message of sent) this.messages.set(textOf(message), message);
    }
  }

  /** Messages about nodes may be about those outside, and arrive anywhere, at any moment. */
  #note(sent: readonly Message[]): void {
    const nobody: Renaming = { all: new Set(this.worlds.family.free), names: new Map() };
    for (const message of sent) {
      const seen = messageIn(message, nobody, this.worlds.detail);
      this.sent.set(textOf(seen), seen);
    }
  }

  #fail(origin: RingOrigin, failures: ReadonlyMap<string, Error>): void {
    for (const [property, error] of failures)
      if (!this.failures.has(property)) this.failures.set(property, { error, origin });
  }

  #expand(view: RingWorld): void {
    const { order } = this.worlds.detail;
    for (const [index, { id, state }] of view.entries()) {
      const before = view.at(index - 1) as Place; // it is a ring
      const ends = { from: before.id, next: nextOf(view, index).id };
      const arriving = order === 'fifo' ? before.sent.slice(0, 1) : asSet(before.sent);
      const others = this.isPart ? this.about : [];
      for (const message of [undefined, ...arriving, ...others]) {
        const cause = { size: view.length, self: id, ...ends, state, message };
        const { outcomes, failures } = this.taking.take(cause);
        const step = `${id}: ${message ? canonical(message) : 'by itself'}`;
        this.#fail({ world: view, step }, failures);
        for (const outcome of outcomes.values())
          this.#learn(this.#after(view, { before, id, message, outcome }), { world: view, step });
      }
      if (this.isPart) this.#expandOutside(view, index);
    }
  }

  #after(
    view: RingWorld,
    step: {
      readonly before: Place;
      readonly id: NodeId;
      readonly message: Message | undefined;
      readonly outcome: Outcome;
    },
  ): RingWorld {
    this.steps++;
    const { before, id, message, outcome } = step;
    this.#note(outcome.sent);
    const sent = outcome.sent.filter((each) => !isAboutOutside(each));
    const key = message && textOf(message);
    const taken = before.sent.findIndex((each) => textOf(each) === key);
    return view.map((place): Place => {
      if (place.id === id)
        return { id, state: outcome.state, sent: this.#channel([...place.sent, ...sent]) };
      return place === before && taken >= 0
        ? { ...place, sent: place.sent.toSpliced(taken, 1) }
        : place;
    });
  }

  #channel(messages: readonly Message[]): readonly Message[] {
    if (messages.length > mostMessages)
      throw new Unprovable(`more than ${mostMessages} messages are on their way between two nodes`);
    return arranged(messages, this.worlds.detail);
  }

  /** What nodes outside do that stand behind the one at `index`. */
  #expandOutside(view: RingWorld, index: number): void {
    const place = view[index] as Place; // it is there
    for (const { taken, sent } of this.#relaysOf(place.id, nextOf(view, index).id)) {
      const key = taken && textOf(taken);
      const step = `a node behind ${place.id}: ${taken ? canonical(taken) : 'sends'}`;
      for (let at = 0; at <= place.sent.length; at++) {
        const message = place.sent[at];
        if (key !== undefined && !(message && textOf(message) === key)) continue;
        this.steps++;
        const changed = this.#channel(place.sent.toSpliced(at, taken ? 1 : 0, ...sent));
        const next = view.map((each) => (each === place ? { ...place, sent: changed } : each));
        this.#learn(next, { world: view, step });
      }
    }
  }

  #relaysOf(from: NodeId, next: NodeId): readonly Relay[] {
    return memoized(this.#relays, `${from} ${next}`, () =>
      new RingOutside(this.worlds, this.taking, this.k, (step, failures) =>
        this.#fail({ world: [], step }, failures),
      ).relays(this, from, next),
    );
  }
}
