/** The editor of the playground, a script of its own: the page evaluates it when it is asked for. */
import {
  autocompletion,
  type Completion,
  completeFromList,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript, javascriptLanguage } from '@codemirror/lang-javascript';
import {
  bracketMatching,
  indentOnInput,
  syntaxHighlighting,
  syntaxTree,
} from '@codemirror/language';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { transform } from 'sucrase';
import type { PageExercise } from '../course/judge.js';

/** What this script gives to the page. */
export interface EditorPart {
  /** What `conclave init` writes. */
  readonly template: string;
  readonly exercises: readonly PageExercise[];
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
interface Mark {
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
  /** This script sets it. */
  var conclaveEditor: EditorPart | undefined;
}

/** The build writes it: what `conclave init` does. */
declare const template: string;
/** The build writes them: the public names of core. */
declare const completions: readonly Completion[];
/** The build writes them: of the exercises in code. */
declare const exercises: EditorPart['exercises'];

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--paper)', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '13px', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 6%, transparent)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground':
    { backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent)' },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
  },
});

const part: EditorPart = {
  template,
  exercises,
  strip(source) {
    try {
      const { code } = transform(source, { transforms: ['typescript', 'imports'] });
      return { script: code };
    } catch (error) {
      const { loc, message }: { loc?: { line?: number }; message?: string } = Object(error);
      const what = String(message)
        .replace(/^Error transforming .*?: /, '')
        .replace(/ \(\d+:\d+\)$/, '');
      return { line: loc?.line, what };
    }
  },
  create({ parent, text, label, onChange }) {
    const view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          autocompletion(),
          lintGutter(),
          javascript({ typescript: true }),
          javascriptLanguage.data.of({ autocomplete: completeFromList(completions) }),
          syntaxHighlighting(classHighlighter),
          keymap.of([
            ...completionKeymap,
            ...defaultKeymap,
            ...searchKeymap,
            ...historyKeymap,
            indentWithTab,
          ]),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) onChange(update.state.doc.toString());
          }),
          look,
        ],
      }),
    });
    return {
      replace: (next) =>
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
      mark: (problem) => {
        const { doc } = view.state;
        const line = doc.line(Math.min(Math.max(problem?.line ?? 1, 1), doc.lines));
        const [from, to] = [line.from + (/^\s*/.exec(line.text)?.[0].length ?? 0), line.to];
        const marks = problem
          ? [{ from, to, severity: 'error' as const, message: problem.what }]
          : [];
        view.dispatch(setDiagnostics(view.state, marks));
      },
      unreadable: () => {
        let line: number | undefined;
        syntaxTree(view.state).iterate({
          enter: ({ type, from }) => {
            if (type.isError) line ??= view.state.doc.lineAt(from).number;
          },
        });
        return line;
      },
      remove: () => view.destroy(),
    };
  },
};

globalThis.conclaveEditor = part;
