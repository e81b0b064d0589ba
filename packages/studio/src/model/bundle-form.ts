import { badInput } from '../base/input.js';
import { say } from '../texts/say.js';

/** The modules of which page and bundled modules share one copy. */
export const sharedModules = [
  'xstate',
  'rxjs',
  '@conclave/algorithms',
  '@conclave/check',
  '@conclave/core/chart',
  '@conclave/core/protocol',
  '@conclave/core/simulation',
  '@conclave/core/topology',
  '@conclave/core/trace',
  '@conclave/core/internal',
  '@conclave/core/internal/chart',
  '@conclave/core/internal/simulation',
  '@conclave/core/internal/trace',
] as const;

/** The form of bundled modules that this Conclave writes and reads. */
const bundleForm = 1;

const bundleKey = '// conclave-bundle:';

/** The first line of a bundled module. `version` is that of Conclave. */
export const bundleHeader = (version: string, protocols: readonly string[]): string =>
  `${bundleKey} ${bundleForm}; Conclave ${version}; ${protocols.join(', ')}`;

/** Whether a text is meant as a bundled module. */
export const looksBundled = (text: string): boolean => text.startsWith(bundleKey);

/** @throws {ConclaveError} `bad-input` for a text that is no bundled module of this form. */
export function requireBundle(text: string, name: string): void {
  const cure = say('Make it by: npx conclave studio ./module.ts --bundle FILE');
  if (!looksBundled(text))
    throw badInput(
      say("{name} is not a bundled module: its first line has no '{bundleKey}'", {
        name,
        bundleKey,
      }),
      cure,
    );
  const [, found = '', maker = 'Conclave'] =
    /^\/\/ conclave-bundle: *([^;\n]*)(?:; *(Conclave [^;\n]*))?/.exec(text) ?? [];
  if (found.trim() === String(bundleForm)) return;
  throw badInput(
    say("{name} has form '{found}' (made by {maker}), and this page reads form {bundleForm}", {
      name,
      found: found.trim(),
      maker,
      bundleForm,
    }),
    say('{cure}, with the Conclave that wrote this page.', { cure }),
  );
}
