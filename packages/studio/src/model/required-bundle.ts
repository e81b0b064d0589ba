import { badInput } from '../base/bad-input.js';
import { bundleForm, bundleKey } from './bundle-header.js';

/** Whether a text is meant as a bundled module. */
export const looksBundled = (text: string): boolean => text.startsWith(bundleKey);

/**
 * @throws {ConclaveError} `bad-input` for a text that is no bundled module, or one of another form.
 */
export function requireBundle(text: string, name: string): void {
  const cure = 'Make it by: conclave studio ./module.ts --bundle FILE';
  if (!looksBundled(text))
    throw badInput(`${name} is not a bundled module: its first line has no '${bundleKey}'`, cure);
  const [, found = '', maker = 'Conclave'] =
    /^\/\/ conclave-bundle: *([^;\n]*)(?:; *(Conclave [^;\n]*))?/.exec(text) ?? [];
  if (found.trim() === String(bundleForm)) return;
  throw badInput(
    `${name} has form '${found.trim()}' (made by ${maker}), and this page reads form ${bundleForm}`,
    `${cure}, with the Conclave that wrote this page.`,
  );
}
