import type { Message } from '../../../protocol/node.js';
import type { Due } from '../../worlds/clockwork.js';
import { DataInterner } from './interner.js';
import { PairTable } from './pair-table.js';

/**
 * Messages in flight as numbers: of the message alone or, in exact time, of the message and its
 * time of arrival.
 */
export class ParcelTable {
  readonly messages = new DataInterner<Message>();
  readonly #dues = new DataInterner<Due>();
  /** By message and time of arrival: the parcel. */
  readonly #ids = new PairTable();
  /** By parcel: its message, its time of arrival. */
  readonly #parts: (readonly [message: number, due: number])[] = [];

  id(message: Message, due?: Due): number {
    const content = this.messages.id(message);
    return due ? this.#with(content, due) : content;
  }

  message(parcel: number): Message {
    return this.messages.item(this.#parts[parcel]?.[0] ?? parcel);
  }

  /** Undefined in untimed runs. */
  due(parcel: number): Due | undefined {
    const part = this.#parts[parcel];
    return part && this.#dues.item(part[1]);
  }

  /** The parcel with another time of arrival. */
  at(parcel: number, due: Due): number {
    return this.#with(this.#parts[parcel]?.[0] ?? parcel, due);
  }

  #with(message: number, due: Due): number {
    const time = this.#dues.id(due);
    const known = this.#ids.get(message, time);
    if (known >= 0) return known;
    const id = this.#parts.length;
    this.#parts.push([message, time]);
    this.#ids.add(message, time, id);
    return id;
  }
}
