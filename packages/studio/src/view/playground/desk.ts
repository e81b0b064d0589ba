import { signal } from '@preact/signals';
import { badInput } from '../../base/input.js';
import type { PageExercise } from '../../course/judge.js';
import type { Editor, EditorPart } from '../../editor/editor.js';
import { parseLink, type Setup } from '../../link/link.js';
import { addModule } from '../../model/own.js';
import { lineOf, pack, unpack } from '../../playground/source.js';
import { Judging, Trial } from '../../playground/trial.js';
import type { TrialFinding } from '../../playground/trial-tasks.js';
import { moduleBundle } from '../../playground/user-module.js';
import { language, say } from '../../texts/say.js';
import { pageData } from '../catalogue/data.js';
import { openRun } from '../check/verdicts.js';
import { evaluate } from '../own.js';
import { keepText } from '../preferences.js';
import { type Draft, draft, open, openSystem, problem, session } from '../studio.js';

/** In milliseconds, after the last key. */
const pause = 400;

/** The module that is being written: in the editor, in the address, and under trial. */
export class Desk {
  readonly trial = new Trial();
  readonly judging = new Judging();
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

  /** Whether what is written may be replaced: where it is no beginning, its author is asked. */
  mayReplace(): boolean {
    const question = say('Replace what is written? It stays in the list of former texts.');
    return this.source === this.beginning() || confirm(question);
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
    const isChanged = source !== this.beginning();
    const code = isChanged ? await pack(source) : '';
    if (source !== this.source || !draft.peek()) return;
    this.#draft = { setup, code, ...(exercise !== undefined && { exercise }) };
    draft.value = this.#draft;
    const [, name = 'protocol'] = /\bname: *['"]([\w-]+)['"]/.exec(source) ?? [];
    if (isChanged) keepText(exercise ?? name, source);
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
