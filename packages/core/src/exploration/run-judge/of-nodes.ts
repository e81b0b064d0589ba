import { ConclaveError } from '../../base/error.js';
import { answerOf, numberFrom } from '../../protocol/answer.js';
import { stateText } from '../../protocol/handles.js';
import type { NodeId } from '../../protocol/node.js';
import type {
  Increases,
  LeadsTo,
  NodeView,
  Overtaken,
  SystemView,
} from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import { waitingOf } from '../../protocol/waiting.js';
import { listed } from './blame.js';
import type { Position } from './position.js';
import {
  Decided,
  isFalse,
  isTrue,
  isUndecided,
  type Outcome,
  type Tracker,
  Unbroken,
} from './tracker.js';

/** `leadsTo`: the nodes whose trigger has no response yet. */
export class Response implements Tracker {
  private constructor(
    private readonly property: LeadsTo,
    private readonly position: Position,
    private readonly pending: ReadonlySet<NodeId>,
  ) {}

  static begin(property: LeadsTo, position: Position): Tracker {
    return new Response(property, position, pendingAfter(property, new Set(), position));
  }

  after(position: Position): Tracker {
    return new Response(
      this.property,
      position,
      pendingAfter(this.property, this.pending, position),
    );
  }

  now(): Outcome {
    const { nodes } = this;
    return nodes.length === 0
      ? isTrue('No node is waited for.')
      : isUndecided(`${this.#waits(nodes)}.`, nodes);
  }

  ended(): Outcome {
    const { nodes } = this;
    return nodes.length === 0
      ? isTrue('No node is waited for where the run ends.')
      : isFalse(`${this.#waits(nodes)} where the run ends.`, nodes);
  }

  repeated(_first: Tracker, loop: readonly Position[]): Outcome {
    const { property } = this;
    const starved = this.nodes.filter(
      (id) => !loop.some(({ view }) => responds(property, view.node(id))),
    );
    return starved.length === 0
      ? isTrue('Each is answered again and again.')
      : isFalse(`${this.#waits(starved)} forever.`, starved);
  }

  /** The pending ones, in the order of the topology. */
  get nodes(): readonly NodeId[] {
    return this.position.worlds.topology.nodes.filter((id) => this.pending.has(id));
  }

  #waits(nodes: readonly NodeId[]): string {
    return waitText(this.position.worlds.protocol, this.position.view, nodes);
  }
}

const responds = (property: LeadsTo, node: NodeView): boolean =>
  node.crashed || answerOf(property, property.then, node);

function pendingAfter(
  property: LeadsTo,
  before: ReadonlySet<NodeId>,
  position: Position,
): ReadonlySet<NodeId> {
  const pending = new Set(before);
  for (const node of position.changed)
    if (responds(property, node)) pending.delete(node.id);
    else if (answerOf(property, property.holds, node)) pending.add(node.id);
  return pending;
}

/**
 * `b waits`, `a and b wait`, or where they do not wait in the sense of the protocol:
 * `b in 'voted' is awaited`.
 */
function waitText(protocol: Protocol, view: SystemView, ids: readonly NodeId[]): string {
  if (ids.every((id) => isSaidToWait(protocol, view.node(id))))
    return `${listed(ids, 'and')} ${ids.length === 1 ? 'waits' : 'wait'}`;
  const named = ids.map((id) => `${id} in '${stateText(view.node(id).value)}'`);
  return `${listed(named, 'and')} ${ids.length === 1 ? 'is' : 'are'} awaited`;
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
export class Increase extends Unbroken {
  protected override readonly rounds = 1;

  private constructor(
    private readonly property: Increases,
    private readonly largest: number,
    private readonly last: ReadonlyMap<NodeId, number>,
  ) {
    super();
  }

  static begin(property: Increases, { view }: Position): Tracker {
    const last = new Map<NodeId, number>();
    for (const node of view.nodes) {
      const number = numberOf(property, node);
      if (number !== undefined) last.set(node.id, number);
    }
    const largest = Math.max(-Infinity, ...last.values()); // the first numbers have no order
    if (Number.isNaN(largest))
      return new Decided(isFalse('A number is NaN, and no number is larger than that.'));
    return new Increase(property, largest, last);
  }

  after(position: Position): Tracker {
    const last = new Map(this.last);
    let { largest } = this;
    for (const node of position.changed) {
      const number = numberOf(this.property, node);
      const before = this.last.get(node.id);
      if (number === undefined) last.delete(node.id);
      else last.set(node.id, number);
      if (
        number === undefined ||
        Object.is(number + 0, before === undefined ? undefined : before + 0)
      )
        continue;
      if (!(number > this.largest))
        return new Decided(
          isFalse(`${node.id} has ${number}; ${this.largest} was the largest number before.`, [
            node.id,
          ]),
        );
      largest = Math.max(largest, number);
    }
    return new Increase(this.property, largest, last);
  }

  now(): Outcome {
    return isTrue(
      this.largest === -Infinity
        ? 'There is no number so far.'
        : `The largest number so far is ${this.largest}.`,
    );
  }
}

const numberOf = (property: Increases, node: NodeView): number | undefined =>
  node.crashed ? undefined : numberFrom(property, node);

/** `overtaken`: who waits, who is inside, and how often others have entered since. */
export class Overtaking extends Unbroken {
  protected override readonly rounds: number;

  private constructor(
    private readonly property: Overtaken,
    private readonly waiting: ReadonlySet<NodeId>,
    private readonly inside: ReadonlySet<NodeId>,
    /** By the node that waits, and the one that enters. */
    private readonly entries: ReadonlyMap<NodeId, ReadonlyMap<NodeId, number>>,
  ) {
    super();
    this.rounds = property.most + 1;
  }

  static begin(property: Overtaken, position: Position): Tracker {
    const { waiting, inside } = marksAt(property, position, new Set(), new Set());
    return new Overtaking(property, waiting, inside, new Map());
  }

  after(position: Position): Tracker {
    if (position.changed.length === 0) return this;
    const { waiting, inside } = marksAt(this.property, position, this.waiting, this.inside);
    const entered = [...inside].filter((id) => !this.inside.has(id));
    const entries = new Map<NodeId, ReadonlyMap<NodeId, number>>();
    for (const waiter of this.waiting) {
      const counts = new Map(this.entries.get(waiter));
      for (const id of entered) {
        if (id === waiter) continue;
        const count = (counts.get(id) ?? 0) + 1;
        if (count > this.property.most)
          return new Decided(
            isFalse(`${id} enters for the ${ordinal(count)} time while ${waiter} waits.`, [
              id,
              waiter,
            ]),
          );
        counts.set(id, count);
      }
      if (waiting.has(waiter)) entries.set(waiter, counts);
    }
    return new Overtaking(this.property, waiting, inside, entries);
  }

  now(): Outcome {
    const counts = [...this.entries].flatMap(([waiter, by]) =>
      [...by].map(([id, count]) => ({ waiter, id, count })),
    );
    const most = counts.reduce((worst, one) => (one.count > worst.count ? one : worst), {
      waiter: '',
      id: '',
      count: 0,
    });
    if (most.count === 0) return isTrue('No node that waits was overtaken.');
    return isTrue(
      `While ${most.waiter} waits, ${most.id} has entered ${most.count === 1 ? 'once' : `${most.count} times`}.`,
    );
  }
}

function marksAt(
  { name, waits, inside }: Overtaken,
  position: Position,
  waited: ReadonlySet<NodeId>,
  was: ReadonlySet<NodeId>,
) {
  const marks = { waiting: new Set(waited), inside: new Set(was) };
  const mark = (set: Set<NodeId>, node: NodeView, holds: (node: NodeView) => boolean) => {
    if (!node.crashed && answerOf({ name }, holds, node)) set.add(node.id);
    else set.delete(node.id);
  };
  for (const node of position.changed) {
    mark(marks.waiting, node, waits);
    mark(marks.inside, node, inside);
  }
  return marks;
}

const ordinal = (count: number): string => {
  const ending =
    count % 100 > 10 && count % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${count}${ending}`;
};
