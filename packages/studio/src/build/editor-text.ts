import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Completion } from '@codemirror/autocomplete';
import { build } from 'esbuild';
import { grading } from '../texts/german/grading.js';
import { pageExercises } from './course.js';

// the package publishes src, too
const source = fileURLToPath(new URL('../../src/editor/editor.ts', import.meta.url));
/** What `conclave init` writes. */
const template = new URL('../../../cli/src/template/ticket-office.ts', import.meta.url);

/** The public names of core, each with its declaration as far as it has place in a line. */
const names = new URL('../../../core/API.md', import.meta.url);

/** What is offered while one writes. */
function completions(): readonly Completion[] {
  const [, protocol = '', topology = ''] = readFileSync(names, 'utf8').split(/^## /m);
  return [protocol, topology].flatMap((part) =>
    [...part.matchAll(/^(\w+) ([\w.]+)(.*?)(?: \/\/ \w+)?$/gm)].map(
      ([, type = '', label = '', detail = '']) => ({ type, label, detail }),
    ),
  );
}

/** Before the last element of the page: most of its readers never ask for the editor. */
export const editorStart = '<script type="text/plain" id="editor">';

/** The last element of the page: the script of the editor, compressed. */
export async function editorElement(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    define: {
      template: JSON.stringify(readFileSync(template, 'utf8')),
      completions: JSON.stringify(completions()),
      exercises: JSON.stringify(await pageExercises()),
      texts: JSON.stringify(grading),
    },
  });
  const zipped = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 });
  return `${editorStart}${zipped.toString('base64')}</script>\n`;
}
