import type { NodeId } from '../protocol/node.js';
import type { AtMost } from '../protocol/property.js';
import { isFalse, isTrue, type Outcome, Safety, type Tracker } from './tracker.js';

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
