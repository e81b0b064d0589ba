import type { Message, NodeId } from '../../protocol/node.js';
import { start } from '../../protocol/step.js';
import { canonical } from '../worlds/canonical.js';
import { outside } from './data.js';
import type { Family } from './family.js';
import type { LocalEvent, Sent, Taken } from './local-event.js';
import type { LocalSteps } from './local-steps.js';
import { arranged, asSet, type Detail, type Part } from './part.js';
import { type PartialWorld, PartialWorlds } from './partial-worlds.js';
import type { Parts } from './parts.js';
import { textOf } from './text.js';
import { NeedsRefinement, Unprovable } from './unprovable.js';

/** The step that has shown something first. */
export interface Origin {
  readonly world: PartialWorld;
  readonly actor: NodeId;
  readonly event: LocalEvent;
}

/** The steps of whole worlds, and the views that they lead to. */
export class Stepping {
  readonly worlds: PartialWorlds;
  /** By the roles of sender and receiver. */
  readonly #piled = new Map<string, Map<string, Message>>();

  constructor(
    readonly family: Family,
    readonly detail: Detail,
    readonly parts: Parts,
    readonly local: LocalSteps,
  ) {
    this.worlds = new PartialWorlds(family, parts, local.ordered);
  }

  /** The world in which a network with `free` free nodes starts. */
  initial(free: number): PartialWorld {
    const { protocol } = this.family;
    const topology = this.family.topology(free);
    return this.family.names(free).map((id) => {
      const role = this.family.roleOf(id, free);
      const made = protocol.roles[role];
      if (!made) throw new Unprovable(`there is no role '${role}'`);
      const taken = this.local.settled(role, start(made.machine, id, made.input(id, topology)));
      if (taken.failure) throw taken.failure;
      if (taken.sends.some(({ message }) => this.detail.piling.has(message.type)))
        throw new Unprovable('a node that starts sends a message of which there may be any number');
      return this.parts.numberOf({ role, state: taken.state, out: this.#after({}, taken.sends) });
    });
  }

  /** What can happen in a world: an event of the node at a position. */
  events(world: PartialWorld): readonly (readonly [number, LocalEvent])[] {
    const names = this.family.names(this.worlds.freeIn(world));
    const inChannel = (other: number, id: NodeId, role: string): readonly Message[] => {
      const part = this.parts.at(other);
      return [...this.deliverable(part, id), ...this.piled(part.role, role)];
    };
    return world.flatMap((number, position) => {
      const { role, state } = this.parts.at(number);
      const id = names[position] ?? '';
      const events: LocalEvent[] = [
        ...this.local.ownEvents(role, id, state),
        ...world.flatMap((other, index) =>
          (index === position ? [] : inChannel(other, id, role)).map(
            (message): LocalEvent => ({ kind: 'message', from: names[index] ?? '', message }),
          ),
        ),
      ];
      return events.map((event) => [position, event] as const);
    });
  }

  /** The messages of a sender that may arrive next at node `to`. */
  deliverable({ out }: Part, to: NodeId): readonly Message[] {
    const messages = out[to] ?? [];
    return this.detail.order === 'fifo' ? messages.slice(0, 1) : asSet(messages);
  }

  /** The messages between nodes of two roles of which any number may be on its way. */
  piled(from: string, to: string): readonly Message[] {
    return [...(this.#piled.get(`${from} ${to}`)?.values() ?? [])];
  }

  /** How many of them there are. */
  get piledMessages(): number {
    return [...this.#piled.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #pile(from: string, to: string, message: Message): void {
    if (!isPlain(message)) throw tooMany; // it would be about one network only
    const key = `${from} ${to}`;
    this.#piled.set(key, (this.#piled.get(key) ?? new Map()).set(textOf(message), message));
  }

  take(world: PartialWorld, position: number, event: LocalEvent): readonly Taken[] {
    const { role, state } = this.parts.at(world[position] ?? 0);
    return this.local.take(role, state, event);
  }

  /** The world after a step that does not fail. */
  after(
    world: PartialWorld,
    position: number,
    event: LocalEvent,
    taken: Exclude<Taken, { readonly failure: object }>,
  ): PartialWorld {
    const names = this.family.names(this.worlds.freeIn(world));
    const id = names[position] ?? '';
    const { role } = this.parts.at(world[position] ?? 0);
    for (const { to, message } of taken.sends)
      if (this.detail.piling.has(message.type) && to !== outside)
        this.#pile(role, this.family.roleOf(to, names.length - this.family.fixed.length), message);
    return world.map((number, index) => {
      let part = this.parts.at(number);
      if (
        event.kind === 'message' &&
        names[index] === event.from &&
        !this.detail.piling.has(event.message.type)
      )
        part = { ...part, out: this.#without(part.out, id, event.message) };
      if (index === position)
        part = { ...part, state: taken.state, out: this.#after(part.out, taken.sends) };
      return part === this.parts.at(number) ? number : this.parts.numberOf(part);
    });
  }

  #without(out: Part['out'], to: NodeId, message: Message): Part['out'] {
    const { [to]: messages = [], ...others } = out;
    const key = canonical(message);
    const left = messages.toSpliced(
      messages.findIndex((other) => canonical(other) === key),
      1,
    );
    return left.length > 0 ? { ...others, [to]: left } : others;
  }

  #after(out: Part['out'], sends: readonly Sent[]): Part['out'] {
    const next: Record<NodeId, readonly Message[]> = { ...out };
    for (const { to, message } of sends) {
      if (this.detail.piling.has(message.type)) continue;
      if (to === outside && this.detail.ordered.size > 0) continue;
      const messages = [...(next[to] ?? []), message];
      if (messages.length > mostMessages && to !== outside) throw pilingUp(messages);
      next[to] = to === outside ? asSet(messages) : arranged(messages, this.detail);
    }
    return next;
  }
}

const mostMessages = 6;

const tooMany = new Unprovable(`a channel has more than ${mostMessages} messages`);

/** The most frequent message of a channel is the one that piles up. */
function pilingUp(messages: readonly Message[]): Error {
  const texts = messages.map((message) => textOf(message));
  const timesOf = (text: string) => texts.filter((other) => other === text).length;
  const [most] = messages.toSorted((one, other) => timesOf(textOf(other)) - timesOf(textOf(one)));
  return most && isPlain(most) ? new NeedsRefinement({ piling: [most.type] }) : tooMany;
}

/** Whether a message mentions no node. */
const isPlain = (message: Message): boolean =>
  Object.values(message).every(
    (field) => field === message.type || field === null || /number|boolean/.test(typeof field),
  );
