import { accessSync, constants, writeFileSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import { ConclaveError } from '@conclave/core/protocol';
import { sequenceDiagram, shivizLog, spaceTimeSvg, type Trace, traceText } from '@conclave/core/trace';

interface Format {
  readonly what: string;
  readonly write: (trace: Trace) => string;
}

const text: Format = { what: 'trace', write: traceText };

const byEnding: Readonly<Record<string, Format>> = {
  '.svg': { what: 'space-time diagram', write: (trace) => spaceTimeSvg(trace) },
  '.mmd': { what: 'Mermaid sequence diagram', write: sequenceDiagram },
  '.shiviz': { what: 'ShiViz log', write: shivizLog },
};

const formatOf = (path: string): Format => byEnding[extname(path)] ?? text;

/** Whether `replay` can read what {@link writeTrace} puts there. */
export const isReplayable = (path: string): boolean => formatOf(path) === text;

/** So that a long run does not end with a trace that cannot be written. @throws {ConclaveError} `bad-input`. */
export function requireWritable(path: string): void {
  attempt(path, () => accessSync(dirname(path), constants.W_OK));
}

/** Writes a trace in the form that the file's ending asks for, and says which. @throws {ConclaveError} `bad-input`. */
export function writeTrace(path: string, trace: Trace): string {
  const { what, write } = formatOf(path);
  attempt(path, () => writeFileSync(path, write(trace)));
  return what;
}

function attempt(path: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new ConclaveError('bad-input', `The trace cannot be written to '${path}': ${error.message}`, '', { cause: error });
  }
}
