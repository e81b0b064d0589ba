import type { ConclaveError } from '../../base/error.js';
import type { Message, NodeId } from '../../protocol/node.js';
import { canonical } from '../worlds/canonical.js';
import { orders } from './data.js';
import type { LocalEvent, Taken } from './local-event.js';
import type { LocalSteps } from './local-steps.js';
import type { Cause } from './numbers.js';
import { arranged, asSet } from './part.js';
import { memoized } from './parts.js';
import { renamed, renamingOf } from './ring-names.js';
import { textOf } from './text.js';
import { type Numbered, requireNoNames, type TreePart, type TreeParts } from './tree-parts.js';
import { Unprovable } from './unprovable.js';

/** What may come of an event of a part. */
interface Outcomes {
  /** Where each port of the part before is afterwards. */
  readonly moves: readonly Numbered[];
  readonly failures: readonly ConclaveError[];
}

/** A step that a part takes by itself. */
interface OwnStep extends Outcomes {
  readonly event: LocalEvent;
}

const mostMessages = 6;
/** A prime, so that steps of any width lead through all of them. */
export const namesTried = 23;

/** The steps of the nodes of a tree, by XState. A step is the same whatever the nodes are called. */
export class TreeSteps {
  readonly #own = new Map<string, readonly OwnStep[]>();
  readonly #received = new Map<string, Outcomes>();

  constructor(
    readonly parts: TreeParts,
    readonly local: LocalSteps,
    readonly role: string,
    private readonly names: readonly NodeId[],
  ) {}

  /** What a node may do without a message. */
  own(number: number): readonly OwnStep[] {
    return memoized(this.#own, `${number}`, () => {
      const part = this.parts.at(number);
      const events = this.local.ownEvents(this.role, this.names[0] ?? '', part.state);
      this.#requireAlike(part, undefined);
      return events.map((event) => ({ event, ...this.#take(part, event) }));
    });
  }

  receive(number: number, port: number, message: Message): Outcomes {
    return memoized(this.#received, `${number} ${port} ${textOf(message)}`, () =>
      this.#take(this.parts.at(number), {
        kind: 'message',
        from: this.names[1 + port] ?? '',
        message,
      }),
    );
  }

  /** The messages that may arrive next at a port. */
  arriving(number: number, port: number): readonly Message[] {
    const sent = this.parts.at(number).out[port] ?? [];
    return this.local.detail.order === 'fifo' ? sent.slice(0, 1) : asSet(sent);
  }

  /** The sender of a message after it has arrived. */
  without(number: number, port: number, message: Message): Numbered {
    const { state, out } = this.parts.at(number);
    const sent = out[port] ?? [];
    const left = sent.toSpliced(
      sent.findIndex((each) => textOf(each) === textOf(message)),
      1,
    );
    return this.parts.numbered({ state, out: out.with(port, left) });
  }

  #take(part: TreePart, event: LocalEvent): Outcomes {
    const outcomes = this.local.take(this.role, part.state, event);
    this.#requireAlike(part, event);
    return {
      moves: outcomes.flatMap((taken) =>
        taken.failure ? [] : [this.parts.numbered(this.#after(part, taken))],
      ),
      failures: outcomes.flatMap(({ failure }) => (failure ? [failure] : [])),
    };
  }

  /**
   * @throws {Unprovable} unless the same comes of an event where the nodes are called in other ways;
   * without event, unless the node may be told the same.
   */
  #requireAlike({ state, out }: TreePart, event: LocalEvent | undefined): void {
    const names = this.names.slice(0, 1 + out.length);
    const guesses = this.local.guessesOf(this.role, [state, event]);
    for (const [index, others] of this.#called(names.length).entries()) {
      const guess = guesses[index % guesses.length] as Cause; // there is one
      const cause = this.local.numbers.drawn(this.role, guess);
      const result = this.#resultOf(calledBy(cause, names, others), others);
      if (result !== this.#resultOf(cause, names))
        throw new Unprovable(
          `what a node does depends on how its neighbours are called: ${canonical(state.context)}`,
        );
    }
  }

  /** What comes of a cause of nodes with these names, with the first names instead. */
  #resultOf(cause: Cause, names: readonly NodeId[]): string {
    const taken = this.local.takeOnce(this.role, names[0] ?? '', cause);
    if (!('sends' in taken)) return 'failure' in taken ? taken.failure.code : canonical(taken);
    const back = new Map(names.map((name, index) => [name, this.names[index] ?? '']));
    const [state] = renamed(taken.state, undefined, renamingOf(back));
    const called = taken.sends.map(({ to, message }) => ({ to: back.get(to) ?? to, message }));
    const receivers = [...new Set(called.map(({ to }) => to))].sort();
    return canonical([state, receivers.map((to) => [to, called.filter((sent) => sent.to === to)])]);
  }

  readonly #calledBy = new Map<string, readonly (readonly NodeId[])[]>();

  /** Names for so many nodes: the first ones in all orders, and each two of them get all pairs. */
  #called(count: number): readonly (readonly NodeId[])[] {
    return memoized(this.#calledBy, `${count}`, () => {
      const names = this.names.slice(0, namesTried);
      const at = (index: number) => names[index % names.length] ?? '';
      const apart = names.flatMap((_, first) =>
        names
          .slice(1)
          .map((_, step) =>
            Array.from({ length: count }, (_, node) => at(first + node * (step + 1))),
          ),
      );
      return [...orders(names.slice(0, count)), ...apart];
    });
  }

  #after({ out }: TreePart, { state, sends }: Exclude<Taken, { failure: object }>): TreePart {
    const next = out.map((messages) => [...messages]);
    for (const { to, message } of sends) {
      const channel = next[this.names.indexOf(to) - 1];
      requireNeighbour(to, this.names.slice(1, 1 + next.length));
      requireNoNames(message, this.names);
      channel?.push(message);
      if ((channel?.length ?? 0) > mostMessages)
        throw new Unprovable(`a channel has more than ${mostMessages} messages`);
    }
    return { state, out: next.map((messages) => arranged(messages, this.local.detail)) };
  }
}

export function requireNeighbour(to: NodeId, neighbours: readonly NodeId[]): void {
  if (!neighbours.includes(to))
    throw new Unprovable(`a node sends to '${to}', which is no neighbour`);
}

/** A cause in which the nodes have other names. */
function calledBy(
  [state, event]: Cause,
  names: readonly NodeId[],
  others: readonly NodeId[],
): Cause {
  const renaming = renamingOf(new Map(names.map((name, index) => [name, others[index] ?? ''])));
  const [called] = renamed(state, undefined, renaming);
  if (event?.kind !== 'message') return [called, event];
  return [called, { ...event, from: renaming.names.get(event.from) ?? event.from }];
}
