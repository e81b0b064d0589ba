import { addModule } from '../../model/own.js';
import { received } from '../../model/received.js';
import { traceLink } from '../../model/trace-link.js';
import { readLink } from '../script.js';
import { begin, open } from '../studio.js';
import { evaluate } from './evaluate.js';

/**
 * Takes what was dropped or pasted, and shows it. Where that fails, the page stays as it is.
 *
 * @throws {ConclaveError} `bad-input`, `bad-trace`, `bad-topology`, `diverged`.
 */
export async function receive(given: string, name: string): Promise<void> {
  const { kind, text } = received(given, name);
  if (kind === 'link') {
    const link = readLink(text);
    return open(link?.script ? { ...link, at: 0 } : link);
  }
  if (kind === 'trace') return open(await traceLink(text, name));
  const [only, ...others] = addModule(text, name, evaluate);
  if (only && others.length === 0) await begin({ protocol: only.name, options: {}, budget: {} });
  else await open(undefined);
}
