import type { PageExercise } from '../course/judge.js';
import type { Table } from '../texts/say.js';

/** What the script of the editor gives to the page. */
export interface EditorPart {
  /** What `conclave init` writes. */
  readonly template: string;
  readonly exercises: readonly PageExercise[];
  /** What is said of exercises in code, in German. */
  readonly texts: Table;
  /** The script of a module, with the same lines; or what is wrong with it. */
  strip(source: string): { readonly script: string } | Mark;
  create(options: {
    readonly parent: HTMLElement;
    readonly text: string;
    readonly label: string;
    readonly onChange: (text: string) => void;
  }): Editor;
}

/** What is wrong in a line, from 1. */
export interface Mark {
  readonly line: number | undefined;
  readonly what: string;
}

export interface Editor {
  replace(text: string): void;
  mark(problem: Mark | undefined): void;
  /** The first line that is no TypeScript. */
  unreadable(): number | undefined;
  remove(): void;
}

declare global {
  /** The script of the editor sets it. */
  var conclaveEditor: EditorPart | undefined;
}
