import { ConclaveError } from '@conclave/core/protocol';
import { problem } from '../studio.js';

/** Puts a text on the clipboard. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    problem.value = new ConclaveError(
      'bad-input',
      'The browser does not let this page write to the clipboard',
      'Save the trace as a file.',
    );
  }
}

/** Saves a text as a file. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000); // the browser reads it after the click
}
