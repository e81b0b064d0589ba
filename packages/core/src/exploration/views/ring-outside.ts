import type { Message, NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { canonical } from '../worlds/canonical.js';
import { outside, type Renaming } from './data.js';
import { messageIn } from './part.js';
import { filled, instances, renamingOf, starsIn, tuplesOf } from './ring-names.js';
import type { RingSteps } from './ring-steps.js';
import type { RingWorlds } from './ring-world.js';

/** What a node outside of a view does to the messages between two nodes of the view. */
export interface Relay {
  /** What it receives; undefined if that is about nodes outside, or if it moves by itself. */
  readonly taken: Message | undefined;
  readonly sent: readonly Message[];
}

/** What is known of nodes and messages, apart from views. */
export interface Known {
  /** The states of nodes, for which each other node is outside. */
  readonly states: ReadonlyMap<string, LocalState>;
  /** What was sent about nodes, which are all outside. */
  readonly about: readonly Message[];
  /** What was on its way between nodes of a view, about them. */
  readonly messages: ReadonlyMap<string, Message>;
}

/**
 * What a node outside may do that stands between two nodes of a view of `k` nodes: it may have any
 * name, and be in any state that is known of nodes.
 */
export class RingOutside {
  constructor(
    private readonly worlds: RingWorlds,
    private readonly taking: RingSteps,
    private readonly k: number,
    private readonly failed: (step: string, failures: ReadonlyMap<string, Error>) => void,
  ) {}

  /** What it does between `from` and `next`. */
  relays(known: Known, from: NodeId, next: NodeId): readonly Relay[] {
    const found = new Map<string, Relay>();
    for (let rank = 0; rank <= this.k; rank++)
      for (const relay of this.#relaysOf(known, rank, from, next))
        found.set(canonical(relay), relay);
    const changes = ({ taken, sent }: Relay) => canonical(sent) !== canonical(taken ? [taken] : []);
    return [...found.values()].filter(changes);
  }

  /** If its name is behind `rank` names of the view. */
  *#relaysOf(known: Known, rank: number, from: NodeId, next: NodeId): Iterable<Relay> {
    const all = this.worlds.family.free.slice(0, this.k + 1);
    const self = all[rank] ?? '';
    const inView = all.filter((id) => id !== self);
    const wide = this.worlds.family.widening(this.k, rank);
    const { renaming } = this.worlds.group(all, inView);
    const ends = { from: wide.names.get(from) ?? from, next: wide.names.get(next) ?? next };
    const heard = [...visible(known, wide, this.worlds), ...aboutOthers(known, all, inView)];
    for (const state of this.#states(known, self, inView, ends.next))
      for (const { taken, message } of heard) {
        const cause = { size: this.k + 1, self, ...ends, state, message };
        const { outcomes, failures } = this.taking.take(cause);
        this.failed(`a node outside: ${message ? canonical(message) : 'by itself'}`, failures);
        for (const outcome of outcomes.values())
          yield { taken, sent: this.worlds.visible(outcome.sent, renaming) };
      }
  }

  /** All states of node `self`, which may name nodes of the view. */
  *#states(
    { states }: Known,
    self: NodeId,
    inView: readonly NodeId[],
    next: NodeId,
  ): Iterable<LocalState> {
    const [first = ''] = this.worlds.family.free;
    const own = renamingOf(new Map([[first, self]]));
    const same = renamingOf(new Map([self, ...inView].map((id) => [id, id])));
    for (const alone of states.values()) {
      const named = tuplesOf([...inView, outside], starsIn(alone.context));
      const seen = this.worlds.stateIn(alone, first, own);
      for (const [state] of instances(seen, undefined, named))
        yield this.worlds.stateIn(state, next, same);
    }
  }
}

interface Heard {
  readonly taken: Message | undefined;
  readonly message: Message | undefined;
}

/** No message, and each one that a view shows. */
const visible = ({ messages }: Known, wide: Renaming, { detail }: RingWorlds): readonly Heard[] =>
  [undefined, ...messages.values()].map((taken) => ({
    taken,
    message: taken && messageIn(taken, wide, detail),
  }));

/** The messages that are about at least one node that is not in the view, perhaps the receiver. */
const aboutOthers = (
  { about }: Known,
  all: readonly NodeId[],
  inView: readonly NodeId[],
): readonly Heard[] =>
  about.flatMap((message) =>
    tuplesOf([...all, outside], starsIn({ ...message }))
      .filter((names) => names.some((name) => !inView.includes(name)))
      .map((names) => ({
        taken: undefined,
        message: filled({ ...message }, names.values()) as unknown as Message, // it stays one
      })),
  );
