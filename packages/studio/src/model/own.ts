import type { ConclaveError, Protocol } from '@conclave/core/protocol';
import { signal } from '@preact/signals';
import { badInput } from '../base/input.js';
import type { Layouts } from '../chart/graph.js';
import { addLayouts } from '../chart/svg.js';
import { say } from '../texts/say.js';
import { looksBundled, requireBundle } from './bundle-form.js';

/** A protocol that is not of the catalogue: bundled into the page, dropped or pasted. */
interface OwnProtocol {
  readonly protocol: Protocol;
  /** The bundled module: a worker evaluates it again. One module may hold several protocols. */
  readonly source: string;
}

/** What a bundled module gives to the page. */
interface Registered {
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

/** What a page takes when it is dropped or pasted. */
type UserInput =
  | { readonly kind: 'module' | 'trace'; readonly text: string }
  /** What stands behind `#`; of several links, that of their script. */
  | { readonly kind: 'link'; readonly text: string };

/**
 * What a text is.
 *
 * @param name what errors call it, such as its file's name
 * @throws {ConclaveError} `bad-input` for any other text.
 */
export function readInput(given: string, name: string): UserInput {
  const text = given.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const whole = text.trim();
  if (looksBundled(whole)) return { kind: 'module', text: whole };
  if (/^#\s*(conclave-trace|protocol):/m.test(text)) return { kind: 'trace', text };
  const lines = whole.split(/\s+/).map((line) => /^\S*?#\/?(\S+)$/.exec(line)?.[1]);
  const [link, ...others] = lines;
  if (link !== undefined && !lines.includes(undefined))
    return { kind: 'link', text: others.length > 0 ? [link, 0, ...lines].join(';') : link };
  if (/^[a-z][\w.-]*(\?\S*)?$/i.test(whole)) return { kind: 'link', text: whole };
  throw unreadable(name, whole);
}

const looksLikeSource = (text: string): boolean => /^\s*(import|export)\b/m.test(text);

function unreadable(name: string, text: string): ConclaveError {
  if (looksLikeSource(text))
    return badInput(
      say('{name} is the source of a module, and a page cannot load what it imports', { name }),
      say('Bundle it first: npx conclave studio ./module.ts --bundle FILE'),
    );
  return badInput(
    text === ''
      ? say('{name} is empty', { name })
      : say('{name} is neither a bundled module, nor a trace, nor a link', { name }),
    say(
      'The first line of a module is a comment with conclave-bundle; a trace begins with lines such as # protocol: raymond; a link has a #.',
    ),
  );
}
