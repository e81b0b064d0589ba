/**
 * A tracker for each kind of property: it is told what a run does, and says at any moment whether
 * the run so far decides the property. The explorer decides the same on the graph of all worlds; who
 * has one long run at a time keeps only what its property needs, and copies it where runs branch.
 */
import { ConclaveError } from '../base/error.js';
import { answerOf, numberOf } from '../protocol/answer.js';
import { stateText } from '../protocol/handles.js';
import { waitingOf } from '../protocol/names.js';
import type { NodeId } from '../protocol/node.js';
import {
  type AtMost,
  type EveryStep,
  type Increases,
  kindOfProperty,
  type LeadsTo,
  type NodeStep,
  type NodeView,
  type Overtaken,
  type Property,
  type PropertyOf,
  type SystemView,
} from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import {
  isFalse,
  isTrue,
  isUndecided,
  type Loop,
  listed,
  type Outcome,
  Safety,
  Tracker,
  withoutSome,
} from './tracker.js';

/** `always` and `never`. */
export class Invariant extends Safety {
  constructor(readonly property: PropertyOf<'always' | 'never'>) {
    super();
  }

  override system(system: SystemView): void {
    const { property } = this;
    const wanted = property.kind === 'always';
    if (answerOf(property, property.holds, system) === wanted) return;
    this.decided = {
      value: 'false',
      explain: (protocol) => withoutSome(property, protocol, system, wanted),
    };
  }

  copy(): Invariant {
    return new Invariant(this.property);
  }

  now(): Outcome {
    return isTrue(
      this.property.kind === 'always'
        ? 'It holds in each world so far.'
        : 'It is so in no world so far.',
    );
  }
}

/** `sometimes`, `eventually` and `almostSurely`. */
class Reached extends Tracker {
  constructor(readonly property: PropertyOf<'sometimes' | 'eventually' | 'almostSurely'>) {
    super();
  }

  override system(system: SystemView): void {
    const { property } = this;
    if (answerOf(property, property.holds, system)) this.decided = isTrue('It was reached.');
  }

  copy(): Reached {
    return new Reached(this.property);
  }

  now(): Outcome {
    return isUndecided(
      this.property.kind === 'sometimes'
        ? 'It was not reached on this path; some path must reach it.'
        : 'It is still to come.',
    );
  }

  ended(): Outcome {
    return this.property.kind === 'sometimes' ? this.now() : isFalse('The run ends without it.');
  }

  repeated(): Outcome {
    const { kind } = this.property;
    if (kind === 'sometimes') return this.now();
    return kind === 'eventually'
      ? isFalse('The run goes on forever without it.')
      : isUndecided('The run goes on forever without it, perhaps with probability 0.');
  }
}

/** `everyStep`. */
class StepInvariant extends Safety {
  constructor(readonly property: EveryStep) {
    super();
  }

  override step(step: NodeStep): void {
    const { id } = step.after;
    if (!answerOf(this.property, this.property.allows, step))
      this.decided = isFalse(`The step of ${id} is not allowed.`, [id]);
  }

  copy(): StepInvariant {
    return new StepInvariant(this.property);
  }

  now(): Outcome {
    return isTrue('Each step so far is allowed.');
  }
}

/** `alwaysEventually`: the present system decides, so nothing is kept. */
class Recurrence extends Tracker {
  constructor(readonly property: PropertyOf<'alwaysEventually'>) {
    super();
  }

  copy(): Recurrence {
    return this;
  }

  now(system: SystemView): Outcome {
    return this.#holds(system)
      ? isTrue('It is so now.')
      : isUndecided('It is not so now, and awaited.');
  }

  ended(system: SystemView): Outcome {
    return this.#holds(system)
      ? isTrue('It is so where the run ends.')
      : this.#missing('It is not so where the run ends.', system);
  }

  repeated(_first: Tracker, { system, systems }: Loop): Outcome {
    return [system, ...systems].some((one) => this.#holds(one))
      ? isTrue('It is so again and again.')
      : this.#missing('It is never so again.', system);
  }

  #holds(system: SystemView): boolean {
    return answerOf(this.property, this.property.holds, system);
  }

  #missing(what: string, system: SystemView): Outcome {
    return {
      value: 'false',
      explain: (protocol) => {
        const { reason, nodes } = withoutSome(this.property, protocol, system, true);
        return { reason: nodes.length === 0 ? what : `${what} ${reason}`, nodes };
      },
    };
  }
}

/** `leadsTo`: the nodes whose trigger has no response yet. */
class Response extends Tracker {
  constructor(
    readonly property: LeadsTo,
    private readonly pending = new Set<NodeId>(),
  ) {
    super();
  }

  override begin({ nodes }: SystemView): void {
    for (const node of nodes) this.node(node);
  }

  override node(node: NodeView): void {
    if (this.#responds(node)) this.pending.delete(node.id);
    else if (answerOf(this.property, this.property.holds, node)) this.pending.add(node.id);
  }

  copy(): Response {
    return new Response(this.property, new Set(this.pending));
  }

  now(system: SystemView): Outcome {
    return this.pending.size === 0
      ? isTrue('No node is waited for.')
      : awaiting('undecided', system, this.pending, '.');
  }

  ended(system: SystemView): Outcome {
    return this.pending.size === 0
      ? isTrue('No node is waited for where the run ends.')
      : awaiting('false', system, this.pending, ' where the run ends.');
  }

  repeated(_first: Tracker, { system, systems }: Loop): Outcome {
    const starved = [...this.pending].filter(
      (id) => !systems.some((one) => this.#responds(one.node(id))),
    );
    return starved.length === 0
      ? isTrue('Each is answered again and again.')
      : awaiting('false', system, new Set(starved), ' forever.');
  }

  #responds(node: NodeView): boolean {
    return node.crashed || answerOf(this.property, this.property.then, node);
  }
}

/** `nodes` are told in the order of the topology. */
const awaiting = (
  value: Outcome['value'],
  system: SystemView,
  nodes: ReadonlySet<NodeId>,
  end: string,
): Outcome => ({
  value,
  explain: (protocol) => {
    const waiting = system.nodes.filter(({ id }) => nodes.has(id));
    return {
      reason: waitText(protocol, waiting) + end,
      nodes: waiting.map(({ id }) => id),
    };
  },
});

/**
 * `b waits`, `a and b wait`, or where they do not wait in the sense of the protocol:
 * `b in 'voted' is awaited`.
 */
function waitText(protocol: Protocol, nodes: readonly NodeView[]): string {
  const isOne = nodes.length === 1;
  if (nodes.every((node) => isSaidToWait(protocol, node)))
    return `${listed(
      nodes.map(({ id }) => id),
      'and',
    )} ${isOne ? 'waits' : 'wait'}`;
  const named = nodes.map(({ id, value }) => `${id} in '${stateText(value)}'`);
  return `${listed(named, 'and')} ${isOne ? 'is' : 'are'} awaited`;
}

/**
 * Whether the protocol says that a node waits; not if what says it fails, which is an error of
 * another property.
 */
function isSaidToWait(protocol: Protocol, node: NodeView): boolean {
  const waiting = waitingOf(protocol);
  try {
    return waiting !== undefined && answerOf({ name: 'waiting' }, waiting, node);
  } catch (error) {
    if (error instanceof ConclaveError) return false;
    throw error;
  }
}

/** `increases`: the largest number so far, and the last one of each node. */
export class Increase extends Safety {
  protected override readonly rounds = 1;

  constructor(
    readonly property: Increases,
    private largest = -Infinity,
    private readonly last = new Map<NodeId, number | undefined>(),
  ) {
    super();
  }

  /** The first numbers have no order. */
  override begin({ nodes }: SystemView): void {
    for (const node of nodes) {
      const number = numberIn(this.property, node);
      this.last.set(node.id, number);
      this.record(node.id, number ?? -Infinity);
      if (Number.isNaN(number))
        this.decided = isFalse('A number is NaN, and no number is larger than that.');
    }
  }

  override node(node: NodeView): void {
    const { id } = node;
    const number = numberIn(this.property, node);
    if (number !== undefined && !isSame(number, this.last.get(id))) {
      const before = this.largestBefore(id);
      if (!(number > before))
        this.decided = isFalse(`${id} has ${number}; ${before} was the largest number before.`, [
          id,
        ]);
      this.record(id, number);
    }
    this.last.set(id, number);
  }

  copy(): Increase {
    return new Increase(this.property, this.largest, new Map(this.last));
  }

  now(): Outcome {
    return isTrue(
      this.largest === -Infinity
        ? 'There is no number so far.'
        : `The largest number so far is ${this.largest}.`,
    );
  }

  /** The largest number that is known to be earlier than what a node does now. */
  protected largestBefore(_node: NodeId): number {
    return this.largest;
  }

  protected record(_node: NodeId, number: number): void {
    this.largest = Math.max(this.largest, number);
  }
}

/** The number that `property` reads from a node that is up. */
const numberIn = (property: Increases, node: NodeView): number | undefined =>
  node.crashed ? undefined : numberOf(property, property.numberOf, node);

/** NaN is the same as itself, and 0 as −0. */
const isSame = (one: number, other: number | undefined): boolean =>
  one === other || Object.is(one, other);

/**
 * `overtaken`. Of all waiting nodes, the one that waits longest is overtaken most often: only that
 * one is compared. A node that starts inside does not enter.
 */
class Overtaking extends Safety {
  protected override readonly rounds: number;
  /**
   * The waiting nodes, the longest wait first, with the number of entries of all nodes before the
   * wait began.
   */
  readonly #waiting = new Map<NodeId, number>();
  /** Per node: the numbers of its last `most` + 1 entries. */
  readonly #entries = new Map<NodeId, number[]>();
  readonly #inside = new Set<NodeId>();
  #count = 0;

  constructor(readonly property: Overtaken) {
    super();
    this.rounds = property.most + 1;
  }

  override begin({ nodes }: SystemView): void {
    for (const node of nodes) this.#update(node, this.#satisfies(node, this.property.inside));
  }

  override node(node: NodeView): void {
    const isInside = this.#satisfies(node, this.property.inside);
    if (isInside && !this.#inside.has(node.id)) this.#enter(node.id);
    this.#update(node, isInside);
  }

  copy(): Overtaking {
    const copy = new Overtaking(this.property);
    for (const [id, since] of this.#waiting) copy.#waiting.set(id, since);
    for (const [id, entries] of this.#entries) copy.#entries.set(id, [...entries]);
    for (const id of this.#inside) copy.#inside.add(id);
    copy.#count = this.#count;
    return copy;
  }

  now(): Outcome {
    let worst = { waiter: '', id: '', count: 0, first: 0 };
    for (const [waiter, since] of this.#waiting)
      for (const [id, entries] of this.#entries) {
        const [first = 0, ...more] = id === waiter ? [] : entries.filter((entry) => entry > since);
        const count = first === 0 ? 0 : 1 + more.length;
        const isEarlier = worst.waiter === waiter && first < worst.first;
        if (count > worst.count || (count > 0 && count === worst.count && isEarlier))
          worst = { waiter, id, count, first };
      }
    const { waiter, id, count } = worst;
    if (count === 0) return isTrue('No node that waits was overtaken.');
    return isTrue(
      `While ${waiter} waits, ${id} has entered ${count === 1 ? 'once' : `${count} times`}.`,
    );
  }

  #satisfies(node: NodeView, holds: Overtaken['waits']): boolean {
    return !node.crashed && answerOf(this.property, holds, node);
  }

  #update(node: NodeView, isInside: boolean): void {
    const { id } = node;
    if (isInside) this.#inside.add(id);
    else this.#inside.delete(id);
    if (!this.#satisfies(node, this.property.waits)) this.#waiting.delete(id);
    else if (!this.#waiting.has(id)) this.#waiting.set(id, this.#count);
  }

  #enter(id: NodeId): void {
    const { most } = this.property;
    const last = this.#entries.get(id) ?? [];
    this.#entries.set(id, last);
    last.push(++this.#count);
    if (last.length > most + 1) last.shift();
    const [first = 0] = last;
    for (const [waiter, since] of this.#waiting) {
      if (waiter === id) continue;
      if (last.length > most && first > since)
        this.decided = isFalse(
          `${id} enters for the ${ordinal(most + 1)} time while ${waiter} waits.`,
          [id, waiter],
        );
      return;
    }
  }
}

const ordinal = (count: number): string => {
  const ending =
    count % 100 > 10 && count % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${count}${ending}`;
};

/** `atMost`: the commands and messages so far. */
export class MessageBound extends Safety {
  /** The last sender, where the host tells it. */
  #last: NodeId | undefined;

  constructor(
    readonly property: AtMost,
    /** The network sends crash notices, not the protocol: they count only where they are named. */
    private readonly crashNotice: string | undefined,
    private commands = 0,
    private messages = 0,
  ) {
    super();
  }

  override command(type: string): void {
    if (type === this.property.per) this.commands++;
  }

  override message(type: string, from?: NodeId): void {
    const { of } = this.property;
    if (of ? !of.includes(type) : type === this.crashNotice) return;
    this.messages++;
    this.#last = from;
  }

  override system(): void {
    if (this.messages <= this.property.most * this.commands) return;
    this.decided = isFalse(this.#text(), this.#last === undefined ? [] : [this.#last]);
  }

  copy(): MessageBound {
    return new MessageBound(this.property, this.crashNotice, this.commands, this.messages);
  }

  now(): Outcome {
    return isTrue(this.#text());
  }

  override repeated(first: Tracker): Outcome {
    const isMore =
      first instanceof MessageBound &&
      this.messages > first.messages &&
      this.commands === first.commands;
    return isMore
      ? isFalse(`Each round sends ${this.messages - first.messages} more, without a command.`)
      : this.now();
  }

  #text(): string {
    const { most, per } = this.property;
    return `${this.messages} of at most ${most * this.commands}, after ${this.commands} ${per}.`;
  }
}

/** The tracker of a property, for a run that has not begun. */
export function trackerOf(property: Property, { crashNotice }: Protocol): Tracker {
  kindOfProperty(property);
  switch (property.kind) {
    case 'always':
    case 'never':
      return new Invariant(property);
    case 'sometimes':
    case 'eventually':
    case 'almostSurely':
      return new Reached(property);
    case 'alwaysEventually':
      return new Recurrence(property);
    case 'leadsTo':
      return new Response(property);
    case 'atMost':
      return new MessageBound(property, crashNotice);
    case 'increases':
      return new Increase(property);
    case 'everyStep':
      return new StepInvariant(property);
    case 'overtaken':
      return new Overtaking(property);
  }
}
