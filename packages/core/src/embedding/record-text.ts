import type { StableRecord } from './storage.js';

/**
 * Writes the records of one storage as JSON. The registration, which is most of a record, stays the
 * same from write to write: its text is kept.
 */
export class RecordText {
  #registration: StableRecord['registration'];
  #text = '';

  of({ registration, ...others }: StableRecord): string {
    const text = JSON.stringify(others);
    if (!registration) return text;
    if (registration !== this.#registration) {
      this.#registration = registration;
      this.#text = `,"registration":${JSON.stringify(registration)}}`;
    }
    return text.slice(0, -1) + this.#text;
  }
}
