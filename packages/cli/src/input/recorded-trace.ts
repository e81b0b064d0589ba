import { readFileSync } from 'node:fs';
import { ConclaveError, type Json } from '@conclave/core/protocol';
import { parseTrace, type Trace } from '@conclave/core/trace';
import { attempt } from '../errors.js';
import type { Recorded } from './recorded-protocol.js';

/** A trace file, and what its header says. */
interface TraceFile {
  readonly text: string;
  readonly trace: Trace;
  readonly recorded: Recorded;
  /** Of the network. */
  readonly spec: string;
}

/**
 * Reads a trace as `conclave simulate --trace FILE` writes it.
 * @throws {ConclaveError} `bad-input`, `bad-trace`.
 */
export function readTrace(file: string): TraceFile {
  const text = attempt(`The trace '${file}' cannot be read`, () => readFileSync(file, 'utf8'));
  const trace = parseTrace(text, file);
  const name = headerOf(trace, file, 'protocol');
  const recorded = { what: `${file} is a trace`, name, options: optionsIn(trace, file) };
  return { text, trace, recorded, spec: headerOf(trace, file, 'topology') };
}

const examples = { protocol: 'ricart-agrawala', topology: 'complete:5' };

function headerOf({ header }: Trace, file: string, key: keyof typeof examples): string {
  const value = header.get(key);
  if (value !== undefined) return value;
  const cure = `A trace begins with lines such as '# ${key}: ${examples[key]}'.`;
  throw new ConclaveError('bad-trace', `${file}: its header has no ${key}`, cure);
}

function optionsIn({ header }: Trace, file: string): Readonly<Record<string, Json>> {
  const text = header.get('options') ?? '{}';
  try {
    const options: Json = JSON.parse(text);
    if (typeof options === 'object' && options !== null && !isList(options)) return options;
  } catch {
    // reported below
  }
  throw new ConclaveError(
    'bad-trace',
    `${file}: its options '${text}' are not a JSON object`,
    'They read like {"greedy":2}.',
  );
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
