import type { Message, NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { canonical, sameData } from '../worlds/canonical.js';
import { mentioned, outside, type Renaming } from './data.js';
import { type Family, subsets } from './family.js';
import type { LocalEvent, Sent, Taken } from './local-event.js';
import { arranged, asSet, type Detail, messageIn, stateIn } from './part.js';
import type { Stepping } from './stepping.js';
import { textOf } from './text.js';
import { DependsOnMore, Unprovable } from './unprovable.js';

type Success = Exclude<Taken, { readonly failure: object }>;

/** What a comparison needs. */
export interface Comparison {
  readonly family: Family;
  readonly detail: Detail;
  readonly stepping: Stepping;
  readonly k: number;
  /** The most free nodes of a world that the fixpoint has looked at. */
  readonly most: number;
}

export const stateKey = (id: NodeId, state: LocalState): string => `${id} ${textOf(state)}`;

/** The nodes of one network, and how some of them see it; which ones, a mask says. */
export class Sight {
  readonly names: readonly NodeId[];
  /** The masks of all views. */
  readonly views: readonly number[];
  readonly freeNames: ReadonlySet<NodeId>;
  readonly #states = new Map<LocalState, Map<number, LocalState>>();
  readonly #messages = new Map<Message, Map<number, Message>>();

  constructor(
    private readonly comparison: Comparison,
    readonly free: number,
  ) {
    this.names = comparison.family.names(free);
    this.views = subsets(free, comparison.k);
    this.freeNames = new Set(comparison.family.free.slice(0, free));
  }

  isIn(id: NodeId, mask: number): boolean {
    const bit = this.comparison.family.bit(id);
    return bit === 0 || (mask & bit) !== 0;
  }

  renaming(mask: number): Renaming {
    return this.comparison.family.renaming(this.free, mask);
  }

  role(id: NodeId): string {
    return this.comparison.family.roleOf(id, this.free);
  }

  named(id: NodeId, mask: number): NodeId {
    return this.renaming(mask).names.get(id) ?? outside;
  }

  stateIn(id: NodeId, state: LocalState, mask: number): LocalState {
    return once(this.#states, state, mask, () =>
      stateIn(this.role(id), state, this.renaming(mask), this.comparison.detail),
    );
  }

  messageIn(message: Message, mask: number): Message {
    return once(this.#messages, message, mask, () =>
      messageIn(message, this.renaming(mask), this.comparison.detail),
    );
  }

  /**
   * The outcomes of a step, each of which is one in a world of a few nodes for each view that it may
   * change.
   * @throws {Unprovable} if it fails, sends to a stranger, or is not the same.
   */
  compare(
    id: NodeId,
    state: LocalState,
    event: LocalEvent,
    views = this.views,
  ): readonly Success[] {
    const { local } = this.comparison.stepping;
    return local
      .take(this.role(id), state, event)
      .map((taken) => this.#compare([id, state, event], taken, views));
  }

  #compare(
    [id, state, event]: readonly [NodeId, LocalState, LocalEvent],
    taken: Taken,
    views: readonly number[],
  ): Success {
    const { family } = this.comparison;
    const where = `node ${id} of ${family.topology(this.free).spec}`;
    if (taken.failure) throw new Unprovable(`${where} may fail: ${taken.failure.message}`);
    for (const { to } of taken.sends)
      if (to === outside || !family.topology(this.free).link(id, to))
        throw new Unprovable(`${where} sends to '${to}', to which it has no link`);
    const from = event.kind === 'message' ? event.from : id;
    const core = family.bit(id) | family.bit(from);
    const helpers = [
      ...mentioned(
        { ...state.context, [outside]: taken.sends.map(({ to }) => to) },
        this.freeNames,
      ),
    ];
    const others = [...new Set([...helpers, ...this.freeNames])].map((name) => family.bit(name));
    const shown: number[] = [];
    const { ordered } = this.comparison.detail;
    for (const mask of views) {
      const needed = mask | core;
      // where views lack what goes to nodes outside, only a step of one of their nodes changes them
      const isChanged = this.isIn(id, mask) || (ordered.size === 0 && this.isIn(from, mask));
      if (!isChanged) continue;
      const most = ordered.size === 0 ? this.comparison.most : bits(needed) + 1;
      if (shown.some((few) => (needed & ~few) === 0 && bits(few) <= most)) continue;
      const worlds = [
        ...(ordered.size === 0 ? [this.#filled(needed | (others[0] ?? 0))] : []),
        ...[0, ...others].map((other) => needed | other),
      ];
      const few = worlds.find(
        (chosen) => bits(chosen) <= most && this.#isSame(id, state, event, taken, chosen),
      );
      if (few === undefined)
        throw new DependsOnMore(
          `${where} takes a step that no world of ${this.comparison.most} nodes shows: ${eventText(event)} with ${canonical(state.context)}. It depends on more nodes than itself, the sender and one other`,
        );
      shown.push(few);
    }
    return taken;
  }

  /** As many nodes as a world of a few may have: it shows several views at once. */
  #filled(mask: number): number {
    const first = 31 - Math.clz32(mask);
    let filled = mask;
    for (let next = 1; next < this.free && bits(filled) < this.comparison.most; next++)
      filled |= 1 << ((first + next) % this.free);
    return filled;
  }

  /** Whether the nodes in `mask` see the step as it is when there are no others. */
  #isSame(id: NodeId, state: LocalState, event: LocalEvent, taken: Success, mask: number): boolean {
    const { stepping, detail } = this.comparison;
    const role = this.role(id);
    const renaming = this.renaming(mask);
    const before = this.stateIn(id, state, mask);
    const self = this.named(id, mask);
    const seen: LocalEvent =
      event.kind === 'message'
        ? {
            kind: 'message',
            from: this.named(event.from, mask),
            message: this.messageIn(event.message, mask),
          }
        : event;
    if (event.kind === 'command') {
      const key = canonical(event.command);
      const possible = stepping.local.possible(role, self, before);
      if (!possible.some((command) => canonical(command) === key)) return false;
    }
    const after = textOf(this.stateIn(id, taken.state, mask));
    const sends = taken.sends.map(({ to, message }) => ({
      to: renaming.names.get(to) ?? outside,
      message: this.messageIn(message, mask),
    }));
    const sent = byTarget(sends, detail);
    return stepping.local
      .take(role, before, seen)
      .some(
        (small) =>
          !small.failure &&
          textOf(small.state) === after &&
          sameData(byTarget(small.sends, detail), sent),
      );
  }
}

/** What a view of these nodes has of a state, or a message, which is the same object each time. */
function once<T extends object>(
  known: Map<T, Map<number, T>>,
  data: T,
  mask: number,
  make: () => T,
): T {
  const ofData = known.get(data) ?? new Map<number, T>();
  known.set(data, ofData);
  const seen = ofData.get(mask) ?? make();
  ofData.set(mask, seen);
  return seen;
}

function byTarget(sends: readonly Sent[], detail: Detail): Readonly<Record<NodeId, unknown>> {
  const lists: Record<NodeId, readonly Message[]> = {};
  for (const { to, message } of sends)
    if (to !== outside || detail.ordered.size === 0) lists[to] = [...(lists[to] ?? []), message];
  return Object.fromEntries(
    Object.entries(lists).map(([to, messages]) => [
      to,
      to === outside ? asSet(messages) : arranged(messages, detail),
    ]),
  );
}

const bits = (mask: number): number => {
  let count = 0;
  for (let left = mask; left !== 0; left &= left - 1) count++;
  return count;
};

export const eventText = (event: LocalEvent): string =>
  event.kind === 'command'
    ? canonical(event.command)
    : event.kind === 'timeout'
      ? `timer ${event.timer}`
      : `${canonical(event.message)} from ${event.from}`;
