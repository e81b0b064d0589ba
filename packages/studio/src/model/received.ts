import { badInput } from '../base/bad-input.js';
import { say } from '../texts/say.js';
import { looksBundled } from './bundle-form.js';

/** What a page takes when it is dropped or pasted. */
export type Received =
  | { readonly kind: 'module' | 'trace'; readonly text: string }
  /** What stands behind `#`; of several links, that of their script. */
  | { readonly kind: 'link'; readonly text: string };

/**
 * What a text is.
 *
 * @param name what errors call it, such as its file's name
 * @throws {ConclaveError} `bad-input` for any other text.
 */
export function received(given: string, name: string): Received {
  const text = given.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const whole = text.trim();
  if (looksBundled(whole)) return { kind: 'module', text: whole };
  if (/^#\s*(conclave-trace|protocol):/m.test(text)) return { kind: 'trace', text };
  const lines = whole.split(/\s+/).map((line) => /^\S*?#\/?(\S+)$/.exec(line)?.[1]);
  const [link, ...others] = lines;
  if (link !== undefined && !lines.includes(undefined))
    return { kind: 'link', text: others.length > 0 ? [link, 0, ...lines].join(';') : link };
  if (/^[a-z][\w.-]*(\?\S*)?$/i.test(whole)) return { kind: 'link', text: whole };
  throw badInput(complaint(name, whole), cureOf(whole));
}

const looksLikeSource = (text: string): boolean => /^\s*(import|export)\b/m.test(text);

function complaint(name: string, text: string): string {
  if (text === '') return say('{name} is empty', { name });
  if (looksLikeSource(text))
    return say('{name} is the source of a module, and a page cannot load what it imports', {
      name,
    });
  return say('{name} is neither a bundled module, nor a trace, nor a link', { name });
}

const cureOf = (text: string): string =>
  looksLikeSource(text)
    ? say('Bundle it first: conclave studio ./module.ts --bundle FILE')
    : say(
        'The first line of a module is a comment with conclave-bundle; a trace begins with lines such as # protocol: raymond; a link has a #.',
      );
