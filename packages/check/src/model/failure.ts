/**
 * What a model test says where the real nodes differ from their model: which system, which path and
 * step, what was expected and what was found, then the run in the form that `conclave replay
 * --events` takes. The test packages append their own path to it, which is each world as JSON.
 */
import { readableLines } from '@conclave/core/internal/trace';
import type { Protocol } from '@conclave/core/protocol';
import { linesText, type TraceLine } from '@conclave/core/trace';
import { canonical } from '../worlds/canonical.js';

/** A step of a path, such as `two-phase-commit, path 3 of 12, step 2`. */
export interface PathPlace {
  readonly protocol: Protocol;
  /** Its spec; absent for a machine alone. */
  readonly topology?: string;
  /** From 0. */
  readonly path: number;
  readonly paths: number;
}

/** `what` is wrong after `steps` steps of a path, whose lines are these. */
export function pathFailure(
  { protocol, topology, path, paths }: PathPlace,
  steps: number,
  what: string,
  lines: readonly TraceLine[],
): Error {
  const step = steps === 0 ? 'at its start' : `step ${steps}`;
  const network = topology === undefined ? '' : ` --topology ${topology}`;
  const replay = `npx conclave replay run.txt --events --protocol ./your-module${network}`;
  const run =
    lines.length === 0
      ? ''
      : `\nafter\n${linesText(readableLines(protocol, lines))}Replay: save these steps as run.txt; ${replay}`;
  return new Error(`${protocol.name}, path ${path + 1} of ${paths}, ${step}: ${what}${run}`);
}

/** `what` is not as in the model: the parts that differ. Undefined where all is the same. */
export function differenceOf(what: string, expected: unknown, found: unknown): string | undefined {
  if (canonical(expected) === canonical(found)) return undefined;
  const [left, right] = differing(expected, found);
  return `${what} is not as in its model\nexpected  ${canonical(left)}\ngot       ${canonical(right)}`;
}

/** Both without the fields that are the same. */
function differing(one: unknown, other: unknown): readonly [unknown, unknown] {
  if (!isRecord(one) || !isRecord(other)) return [one, other];
  const parts = [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((key) => canonical(one[key]) !== canonical(other[key]))
    .map((key) => [key, differing(one[key], other[key])] as const);
  const side = (place: 0 | 1) =>
    Object.fromEntries(
      parts.flatMap(([key, both]) => (both[place] === undefined ? [] : [[key, both[place]]])),
    );
  return [side(0), side(1)];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
