/** The page on which a protocol is written: what is on the desk, where it starts, its system, its editor. */
import { loadProtocol } from '@conclave/algorithms/load';
import { signal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { groupBy } from '../../base/collections.js';
import { badInput } from '../../base/input.js';
import type { PageExercise } from '../../course/judge.js';
import type { Editor, EditorPart } from '../../editor/editor.js';
import { parseLink, type Setup } from '../../link/link.js';
import { addModule } from '../../model/own.js';
import { lineOf, pack, rowText, unpack } from '../../playground/source.js';
import { Judging, Trial } from '../../playground/trial.js';
import type { TrialFinding } from '../../playground/trial-tasks.js';
import { moduleBundle } from '../../playground/user-module.js';
import { language, say } from '../../texts/say.js';
import { shareable } from '../address.js';
import { catalogueRows, pageData } from '../catalogue/data.js';
import { openRun } from '../check/verdicts.js';
import { evaluate } from '../own.js';
import { Button, Copy, InputField, PickFile } from '../parts/controls.js';
import { download } from '../parts/dom.js';
import { Popover } from '../parts/floating.js';
import { addTexts } from '../preferences.js';
import { Apply, Budget, Time, useTexts } from '../setup.js';
import { setupOf, textsOf, words } from '../setup-texts.js';
import { attempt, type Draft, draft, open, openSystem, problem, session } from '../studio.js';
import { CodeExercise, Findings } from './findings.js';

/** In milliseconds, after the last key. */
const pause = 400;

/** The module that is being written: in the editor, in the address, and under trial. */
export class Desk {
  readonly trial = new Trial();
  readonly judging: Judging;
  /** What is worked on. */
  readonly exercise = signal<PageExercise | undefined>(undefined);
  readonly line = signal<number | undefined>(undefined);
  source = '';
  #script = '';
  #editor: Editor | undefined;
  /** As the address has it. */
  #draft: Draft | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly part: EditorPart) {
    this.judging = new Judging(part.texts);
    this.trial.problem.subscribe(() => this.#mark());
  }

  /** Shows the editor; its answer removes it. */
  mount(parent: HTMLElement): () => void {
    const onChange = (text: string) => {
      this.source = text;
      this.judging.clear();
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#try(), pause);
    };
    const label = say('Source of the protocol');
    const editor = this.part.create({ parent, text: this.source, label, onChange });
    this.#editor = editor;
    this.#mark();
    return () => {
      clearTimeout(this.#timer);
      this.trial.end();
      this.judging.clear();
      this.#editor = undefined;
      editor.remove();
    };
  }

  /** Takes what a link says, unless that is what is shown. */
  async open(asked: Draft): Promise<void> {
    if (asked === this.#draft) return;
    this.#draft = asked;
    const { exercise: name } = asked;
    const { exercises } = this.part;
    this.exercise.value = exercises.find((one) => one.name === name);
    if (name !== undefined && !this.exercise.peek())
      throw badInput(
        say("This page has no exercise '{name}'", { name }),
        say('It has {names}.', { names: exercises.map((one) => one.name).join(', ') }),
      );
    const { text, isCut } =
      asked.code === '' ? { text: this.beginning(), isCut: false } : await unpack(asked.code);
    if (this.#draft !== asked) return;
    this.replace(text);
    await this.#try();
    if (isCut)
      problem.value = badInput(
        say('The end of the source is missing in the link'),
        say('Was it cut off? Copy it again. What came before is shown.'),
      );
  }

  /** What an exercise starts from, or a new protocol. */
  beginning(): string {
    return this.exercise.peek()?.start[language()] ?? this.part.template;
  }

  replace(text: string): void {
    this.source = text;
    this.#editor?.replace(text);
  }

  setSystem(setup: Setup): void {
    if (this.#draft) this.#draft = { ...this.#draft, setup };
    void this.#try();
  }

  async #try(): Promise<void> {
    clearTimeout(this.#timer);
    const { source, part } = this;
    const { setup, exercise } = this.#draft ?? {};
    if (!setup) return;
    const stripped = part.strip(source);
    if ('what' in stripped) this.trial.fail({ ...stripped, cure: '' });
    else {
      this.#script = stripped.script;
      this.trial.start(stripped.script, setup, pageData('charts'));
    }
    const code = source === this.beginning() ? '' : await pack(source);
    if (source !== this.source || !draft.peek()) return;
    this.#draft = { setup, code, ...(exercise !== undefined && { exercise }) };
    draft.value = this.#draft;
  }

  #mark(): void {
    const { value: found } = this.trial.problem;
    // of a script that no engine reads, the engine does not say where
    const isUnreadable = found?.what.startsWith('SyntaxError');
    this.line.value = isUnreadable
      ? (found?.line ?? this.#editor?.unreadable())
      : found && lineOf(this.source, found);
    this.#editor?.mark(found && { line: this.line.value, what: found.what });
  }

  /** Judges what stands in the editor, unless it is no TypeScript: then the trial has said so. */
  judge(): void {
    const { value: asked } = this.exercise;
    const stripped = this.part.strip(this.source);
    if (!asked) return;
    if ('what' in stripped) this.judging.fail({ ...stripped, cure: '' });
    else this.judging.start(stripped.script, asked);
  }

  /** Runs the module in the page, and opens a run of its protocol. */
  async showLink(text: string): Promise<void> {
    const { value: loaded } = this.trial.loaded;
    const link = parseLink(text);
    if (!loaded || !link) return;
    this.#addModule(loaded.name);
    await open({ ...link, at: 0 });
  }

  #addModule(name: string): void {
    addModule(moduleBundle(this.#script, name), say('What you wrote'), evaluate);
  }

  /** Runs the module in the page, and opens its protocol, or a run of it. */
  async show(finding?: TrialFinding): Promise<void> {
    const { value: loaded } = this.trial.loaded;
    const setup = this.#draft?.setup;
    if (!loaded || !setup) return;
    this.#addModule(loaded.name);
    const opened = { ...setup, protocol: loaded.name, topology: loaded.topology };
    await openSystem(opened);
    const { value: shown } = session;
    if (shown && finding?.run) await openRun(shown.system.setup, { ...finding, ...finding.run });
  }
}

/** What its parts are given. */
export interface DeskProps {
  readonly desk: Desk;
}

/** It stays while a protocol is shown that was written here. */
let desk: Desk | undefined;

/** An editor, and what the explorer says of what is in it. */
export function Playground() {
  const [shown, show] = useState(desk);
  useEffect(() => {
    if (!shown)
      void attempt(async () => {
        desk ??= new Desk(await editorPart());
        show(desk);
      });
  }, []);
  return (
    <main class="playground">
      <h1 class="unseen">{say('Playground')}</h1>
      {shown ? (
        <Workspace desk={shown} />
      ) : (
        <p class="check-hint pad">{say('Opening the editor …')}</p>
      )}
    </main>
  );
}

function Workspace({ desk }: DeskProps) {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => (parent.current ? desk.mount(parent.current) : undefined), []);
  useSignalEffect(() => {
    if (draft.value) void attempt(() => draft.value && desk.open(draft.value));
  });
  const name = () => desk.exercise.peek()?.name ?? desk.trial.loaded.peek()?.name ?? 'protocol';
  const save = () => download(`${name()}.ts`, desk.source);
  return (
    <>
      <div class="playground-tools flow wraps">
        <Start desk={desk} />
        <System desk={desk} />
        <Button
          title={say('Save the module, for conclave check FILE and your own editor')}
          onClick={save}
        >
          {say('Save file')}
        </Button>
        <Copy
          icon="link"
          title={say('Copy link: it holds the whole source')}
          text={() => shareable()}
        >
          {say('Copy link')}
        </Copy>
      </div>
      <CodeExercise desk={desk} />
      <div class="playground-source card" ref={parent} />
      <Findings desk={desk} />
    </>
  );
}

/** What to begin with: a new protocol, one of the catalogue, or a file. */
function Start({ desk }: DeskProps) {
  const startFrom = (name: string) =>
    attempt(async () =>
      desk.replace(name === '' ? desk.part.template : rowText(await loadProtocol(name))),
    );
  return (
    <>
      {desk.exercise.value ? (
        <Button onClick={() => desk.replace(desk.beginning())}>{say('Start again')}</Button>
      ) : (
        <select
          aria-label={say('Start from …')}
          value="none"
          onChange={({ currentTarget }) => {
            void startFrom(currentTarget.value);
            currentTarget.value = 'none';
          }}
        >
          <option value="none" disabled>
            {say('Start from …')}
          </option>
          <option value="">{say('a new protocol, as conclave init writes it')}</option>
          {[...groupBy(catalogueRows(), ({ group }) => group)].map(([group, rows]) => (
            <optgroup key={group} label={group}>
              {rows.map(({ id, name, title }) => (
                <option key={id} value={name}>
                  {id} {title}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      )}
      <PickFile label={say('Open file …')} onPick={(text) => desk.replace(text)} />
    </>
  );
}

/** Network and budget of the trials. */
function System({ desk }: DeskProps) {
  const said = draft.value ? words(draft.value.setup) : '';
  return (
    <>
      <Popover label={say('System')} title={say('Network and budget')}>
        {(close) => <Form desk={desk} onDone={close} />}
      </Popover>
      <span class="faint ellipsis">{said || desk.trial.loaded.value?.topology}</span>
    </>
  );
}

function Form({ desk, onDone }: DeskProps & { readonly onDone: () => void }) {
  const setup = draft.peek()?.setup ?? { protocol: '', options: {}, budget: {} };
  const { texts, error, set, field, onSubmit } = useTexts(
    () => textsOf(setup),
    (said) => {
      desk.setSystem(setupOf(said, [], setup));
      onDone();
    },
  );
  const { network, topology } = desk.trial.loaded.value ?? {};
  return (
    <form class="setup-form stack" onSubmit={onSubmit}>
      <InputField
        label={say('Network')}
        hint={network && say('It needs: {name}.', { name: network })}
        placeholder={topology ?? ''}
        {...field('topology')}
      />
      <Time texts={texts} field={field} set={set} isAssumed={false} />
      <Budget texts={texts} field={field} set={set} />
      <Apply error={error} />
    </form>
  );
}

let part: Promise<EditorPart> | undefined;

/**
 * The editor, which the page brings along as its last element and unpacks when it is asked for.
 *
 * @throws {ConclaveError} `bad-input` in a page that has none.
 */
const editorPart = (): Promise<EditorPart> => {
  part ??= load();
  return part;
};

async function load(): Promise<EditorPart> {
  if (document.readyState === 'loading')
    await new Promise((resolve) => addEventListener('DOMContentLoaded', resolve, { once: true }));
  const zipped = atob(document.getElementById('editor')?.textContent ?? '');
  const bytes = Uint8Array.from(zipped, (character) => character.charCodeAt(0));
  if (bytes.length > 0) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    evaluate(await new Response(stream).text());
  }
  if (!globalThis.conclaveEditor)
    throw badInput(
      say('This page has no editor'),
      say('Write it again: conclave studio --out studio.html'),
    );
  addTexts(globalThis.conclaveEditor.texts);
  return globalThis.conclaveEditor;
}
