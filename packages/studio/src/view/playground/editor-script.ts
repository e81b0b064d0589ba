import { badInput } from '../../base/bad-input.js';
import type { EditorPart } from '../../playground/editor-part.js';
import { say } from '../../texts/say.js';
import { addTexts } from '../language.js';
import { evaluate } from '../own/evaluate.js';

let part: Promise<EditorPart> | undefined;

/**
 * The editor, which the page brings along as its last element and unpacks when it is asked for.
 *
 * @throws {ConclaveError} `bad-input` in a page that has none.
 */
export const editorPart = (): Promise<EditorPart> => {
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
