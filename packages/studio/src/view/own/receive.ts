import { ConclaveError } from '@conclave/core/protocol';
import { signal } from '@preact/signals';
import { addModule, received } from '../../model/own.js';
import type { Given } from '../../model/page-data.js';
import { traceLink } from '../../model/trace-link.js';
import { say } from '../../texts/say.js';
import { setPublicAddress } from '../address.js';
import { pageData } from '../catalogue/data.js';
import { readLink } from '../script.js';
import { attempt, begin, open, problem } from '../studio.js';

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

/**
 * Takes the modules that this page was written with. Its link is what the address says, unless that
 * says something else already.
 *
 * @returns what opens its trace, or shows why a module cannot be used; to be called when the page
 * follows its address.
 */
export function takeGiven(): () => void {
  const { modules = [], link, trace, address } = pageData<Given>('given') ?? {};
  setPublicAddress(address);
  const [failure] = modules.flatMap(failureOf);
  const isFresh = location.hash.length < 2 && !failure;
  if (isFresh && link !== undefined) history.replaceState(undefined, '', `#${link}`);
  return () => {
    if (failure) problem.value = failure;
    else if (isFresh && trace) void attempt(() => receive(trace.text, trace.name));
  };
}

function failureOf(module: string): readonly ConclaveError[] {
  try {
    addModule(module, say('The module of this page'), evaluate);
    return [];
  } catch (error) {
    if (error instanceof ConclaveError) return [error];
    throw error;
  }
}

/** Whether something is dragged over the page that it could take. */
export const dragged = signal(false);

/** Takes files and texts that are dropped anywhere on the page. */
export function acceptDrops(): void {
  const canTake = ({ dataTransfer }: DragEvent) =>
    dataTransfer?.types.some((type) => type === 'Files' || type === 'text/plain') === true;
  addEventListener('dragover', (event) => {
    if (!canTake(event) || isField(event.target)) return;
    event.preventDefault();
    dragged.value = true;
  });
  addEventListener('dragleave', ({ relatedTarget }) => {
    if (relatedTarget === null) dragged.value = false;
  });
  addEventListener('drop', (event) => {
    dragged.value = false;
    const { dataTransfer } = event;
    if (!dataTransfer || !canTake(event) || isField(event.target)) return;
    event.preventDefault();
    const [file] = dataTransfer.files;
    const text = dataTransfer.getData('text/plain');
    void attempt(async () =>
      file ? receive(await file.text(), file.name) : receive(text, say('What was dropped')),
    );
  });
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea') !== null;

/**
 * Evaluates a classic script at once. An inline element does that also where the page is a file,
 * and tells its errors in full.
 *
 * @throws what the script throws, and its syntax errors.
 */
export function evaluate(source: string): void {
  let failure: unknown;
  const failed = (event: ErrorEvent) => {
    failure = event.error ?? event.message;
    event.preventDefault(); // it is shown to the user
  };
  addEventListener('error', failed);
  const script = document.createElement('script');
  script.textContent = source;
  document.head.append(script);
  script.remove();
  removeEventListener('error', failed);
  if (failure !== undefined) throw failure;
}
