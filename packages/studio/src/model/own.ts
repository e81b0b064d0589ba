import type { Protocol } from '@conclave/core/protocol';
import { signal } from '@preact/signals';
import { badInput } from '../base/bad-input.js';
import type { Layouts } from '../chart/chart-layout.js';
import { addLayouts } from '../chart/known-layouts.js';
import { say } from '../texts/say.js';
import { requireBundle } from './bundle-form.js';

/** A protocol that is not of the catalogue: bundled into the page, dropped or pasted. */
export interface OwnProtocol {
  readonly protocol: Protocol;
  /** The bundled module: a worker evaluates it again. One module may hold several protocols. */
  readonly source: string;
}

/** What a bundled module gives to the page. */
export interface Registered {
  readonly protocols: readonly Protocol[];
  /** Of their statecharts. */
  readonly layouts?: Layouts;
}

const own = signal<ReadonlyMap<string, OwnProtocol>>(new Map());
/** What the module that is being evaluated has given. */
let given: Registered[] | undefined;

/** Bundled modules call it. */
export function register(registered: Registered): void {
  if (given) given.push(registered);
  else add(registered, ''); // in a worker, where nothing asks for the source
}

/** Makes the protocols known; those of the same name are replaced. */
function add({ protocols, layouts = {} }: Registered, source: string): void {
  addLayouts(layouts);
  own.value = new Map([
    ...own.value,
    ...protocols.map((protocol) => [protocol.name, { protocol, source }] as const),
  ]);
}

/**
 * Evaluates a bundled module and makes its protocols known. Where it fails, nothing has changed.
 *
 * @param name what errors call the module, such as its file's name
 * @returns its protocols
 * @throws {ConclaveError} `bad-input` for a text that is no bundled module of this form, or fails,
 * or has no protocol.
 */
export function addModule(
  source: string,
  name: string,
  evaluate: (source: string) => void,
): readonly Protocol[] {
  requireBundle(source, name);
  const collected: Registered[] = [];
  given = collected;
  try {
    evaluate(source);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badInput(
      say('{name} fails: {why}', { name, why: why.replace(/\.$/, '') }),
      say('It runs in a page: there are no files, and no process.'),
      error,
    );
  } finally {
    given = undefined;
  }
  const protocols = collected.flatMap((registered) => registered.protocols);
  if (protocols.length === 0)
    throw badInput(say('{name} has no protocol', { name }), say('Bundle it again.'));
  for (const registered of collected) add(registered, source);
  return protocols;
}

export const ownProtocol = (name: string): OwnProtocol | undefined => own.value.get(name);

/** In the order in which they were given. */
export const ownProtocols = (): readonly OwnProtocol[] => [...own.value.values()];
