import { ConclaveError } from '@conclave/core/protocol';

/** The form of bundled modules that this Conclave writes and reads. */
const form = 1;

const key = '// conclave-bundle:';

/** The first line of a bundled module. `version` is that of Conclave. */
export const bundleHeader = (version: string, protocols: readonly string[]): string =>
  `${key} ${form}; Conclave ${version}; ${protocols.join(', ')}`;

/** Whether a text is meant as a bundled module. */
export const looksBundled = (text: string): boolean => text.startsWith(key);

/** @throws {ConclaveError} `bad-input` for a text that is no bundled module, or one of another form. */
export function requireBundle(text: string, name: string): void {
  const cure = 'Make it by: conclave studio ./module.ts --bundle FILE';
  if (!looksBundled(text)) throw new ConclaveError('bad-input', `${name} is not a bundled module: its first line has no '${key}'`, cure);
  const [, found = '', maker = 'Conclave'] = /^\/\/ conclave-bundle: *([^;\n]*)(?:; *(Conclave [^;\n]*))?/.exec(text) ?? [];
  if (found.trim() === String(form)) return;
  throw new ConclaveError(
    'bad-input',
    `${name} has form '${found.trim()}' (made by ${maker}), and this page reads form ${form}`,
    `${cure}, with the Conclave that wrote this page.`,
  );
}
