/** What the reader brings: modules, traces and links that are dropped, pasted or given to the page. */
import { isInCatalogue } from '@conclave/algorithms/internal/load';
import { ConclaveError } from '@conclave/core/protocol';
import { signal, useSignal } from '@preact/signals';
import { addModule, ownProtocols, readInput } from '../model/own.js';
import type { PageInput } from '../model/page-data.js';
import { traceLink } from '../model/trace-link.js';
import { say } from '../texts/say.js';
import { setPublicAddress } from './address.js';
import { pageData } from './catalogue/data.js';
import { Button, Field, PickFile } from './parts/controls.js';
import { readLink } from './presentation.js';
import { attempt, open, openSystem, problem } from './studio.js';

/** Protocols, runs and links that the user brings. */
export const Own = () => (
  <section class="own stack" aria-labelledby="own-title">
    <h2 id="own-title" class="large">
      {say('Your own')}
    </h2>
    <Protocols />
    <div class="own-columns">
      <Kinds />
      <Entry />
    </div>
  </section>
);

function Protocols() {
  const protocols = ownProtocols();
  if (protocols.length === 0) return null;
  return (
    <ul class="card">
      {protocols.map(({ protocol: { name, title, problem } }) => (
        <li key={name} class="flow">
          <div>
            <a href={`#${encodeURIComponent(name)}?view=specification`}>{title}</a>
            <p class="note">
              {problem}
              {isInCatalogue(name) && say('; it hides {name} of the catalogue', { name })}
            </p>
          </div>
          <Button
            title={say('Run {title}', { title })}
            onClick={() =>
              void attempt(() => openSystem({ protocol: name, options: {}, budget: {} }))
            }
          >
            {say('Run')}
          </Button>
        </li>
      ))}
    </ul>
  );
}

const kinds = [
  {
    name: 'A protocol',
    how: 'npx conclave studio ./module.ts --bundle module.js',
    note: 'Your module as one script. It runs in this page, so drop only what you trust.',
  },
  {
    name: 'A run',
    how: 'conclave simulate raymond --trace run.trace',
    note: 'A trace: of a simulation, or a counterexample of conclave check.',
  },
  {
    name: 'A link',
    how: 'studio.html#raymond?topology=chain:3&steps=0.1',
    note: 'From the address of a page, or printed by conclave check.',
  },
] as const;

const Kinds = () => (
  <dl class="stack">
    {kinds.map(({ name, how, note }) => (
      <div key={name}>
        <dt>{say(name)}</dt>
        <dd>
          <code>{how}</code>
          <p class="note">{say(note)}</p>
        </dd>
      </div>
    ))}
  </dl>
);

function Entry() {
  const text = useSignal('');
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(() => receive(text.value, say('The text')));
      }}
    >
      <Field label={say('Paste one of them here, or drop its file anywhere on the page')}>
        {(control) => (
          <textarea
            {...control}
            rows={5}
            spellcheck={false}
            value={text.value}
            onInput={({ currentTarget }) => {
              text.value = currentTarget.value;
            }}
          />
        )}
      </Field>
      <div class="flow wraps">
        <button type="submit" class="button primary" disabled={text.value.trim() === ''}>
          {say('Open')}
        </button>
        <PickFile label={say('Choose a file …')} onPick={receive} />
      </div>
    </form>
  );
}

/** Shown over the page while a file is dragged over it. */
export const Dropping = () =>
  isDragging.value && (
    <div class="dropping">
      <p class="large">{say('Drop a bundled module, a trace or a link')}</p>
    </div>
  );

/**
 * Takes what was dropped or pasted, and shows it. Where that fails, the page stays as it is.
 *
 * @throws {ConclaveError} `bad-input`, `bad-trace`, `bad-topology`, `diverged`.
 */
export async function receive(given: string, name: string): Promise<void> {
  const { kind, text } = readInput(given, name);
  if (kind === 'link') {
    const link = readLink(text);
    return open(link?.script ? { ...link, at: 0 } : link);
  }
  if (kind === 'trace') return open(await traceLink(text, name));
  const [only, ...others] = addModule(text, name, evaluate);
  if (only && others.length === 0)
    await openSystem({ protocol: only.name, options: {}, budget: {} });
  else await open(undefined);
}

/**
 * Takes the modules that this page was written with. Its link is what the address says, unless that
 * says something else already.
 *
 * @returns what opens its trace, or shows why a module cannot be used; to be called when the page
 * follows its address.
 */
export function readPageInput(): () => void {
  const { modules = [], link, trace, address } = pageData<PageInput>('given') ?? {};
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
export const isDragging = signal(false);

/** Takes files and texts that are dropped anywhere on the page. */
export function acceptDrops(): void {
  const canTake = ({ dataTransfer }: DragEvent) =>
    dataTransfer?.types.some((type) => type === 'Files' || type === 'text/plain') === true;
  addEventListener('dragover', (event) => {
    if (!canTake(event) || isField(event.target)) return;
    event.preventDefault();
    isDragging.value = true;
  });
  addEventListener('dragleave', ({ relatedTarget }) => {
    if (relatedTarget === null) isDragging.value = false;
  });
  addEventListener('drop', (event) => {
    isDragging.value = false;
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
