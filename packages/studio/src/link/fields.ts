import type { ConclaveError } from '@conclave/core/protocol';
import { badInput } from '../base/bad-input.js';
import { say } from '../texts/say.js';

/** The fields of a link, by name. Where there is none of a name, its value is undefined. */
export class Fields {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #asked = new Set<string>();

  /** @throws {ConclaveError} `bad-input` for a name that is given twice. */
  constructor(query: string) {
    const pairs = [...new URLSearchParams(query.replaceAll('+', '%2B'))];
    const twice = pairs.find(([name], index) => pairs.findIndex(([one]) => one === name) < index);
    if (twice) throw refused(say("'{name}' is given twice", { name: twice[0] }));
    this.#texts = new Map(pairs);
  }

  text(name: string): string | undefined {
    this.#asked.add(name);
    return this.#texts.get(name);
  }

  whole(name: string): number | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : count(name, value);
  }

  json(name: string): unknown {
    const value = this.text(name);
    return value === undefined
      ? undefined
      : attempt(() => JSON.parse(value), say("'{name}={value}' is no JSON", { name, value }));
  }

  oneOf<T extends string>(name: string, known: readonly T[]): T | undefined {
    return oneOf(name, this.text(name), known);
  }

  /** An empty text is no word. */
  list(name: string, separator: string): readonly string[] | undefined {
    const text = this.text(name);
    return text === '' ? [] : text?.split(separator);
  }

  actions(name: string): readonly number[] | undefined {
    return this.list(name, '.')?.map((step) => count(name, step));
  }

  /** @throws {ConclaveError} `bad-input` for a field that nobody has asked for. */
  requireAsked(): void {
    for (const name of this.#texts.keys())
      if (!this.#asked.has(name)) throw refused(say("'{name}' means nothing there", { name }));
  }
}

export function oneOf<T extends string>(
  name: string,
  text: string | undefined,
  known: readonly T[],
): T | undefined {
  const found = known.find((one) => one === text);
  if (text !== undefined && found === undefined)
    throw refused(
      say("'{name}={text}' is none of {known}", { name, text, known: known.join(', ') }),
    );
  return found;
}

export function attempt<T>(read: () => T, complaint: string): T {
  try {
    return read();
  } catch {
    throw refused(complaint);
  }
}

export function count(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw refused(say("'{name}={text}' is no whole number", { name, text }));
}

export const refused = (what: string): ConclaveError =>
  badInput(say('The link cannot be read: {what}', { what }), say('Was it cut off? Copy it again.'));
