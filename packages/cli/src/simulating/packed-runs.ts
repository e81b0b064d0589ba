/** What the runs of one shard have shown, as plain data that takes little room. */
import type { SeedOutcome } from '@conclave/core/internal/simulation';

type Shape = Pick<
  SeedOutcome,
  'host' | 'hostReason' | 'ended' | 'complete' | 'properties' | 'violated' | 'fault'
>;

/** A run: its seed, the place of its shape, and its figures. */
type PackedRun = readonly [
  seed: number,
  shape: number,
  steps: number,
  confirmed: number | null,
  messages: number,
  virtualMs: number,
  synchronisationDelay: number | null,
  waits: readonly number[],
];

export interface PackedRuns {
  /** What many runs have in common, each once. */
  readonly shapes: readonly Shape[];
  readonly runs: readonly PackedRun[];
}

export function packed(outcomes: readonly SeedOutcome[]): PackedRuns {
  const shapes = new Map<string, { readonly shape: Shape; readonly place: number }>();
  const runs = outcomes
    .toSorted((a, b) => a.seed - b.seed)
    .map((outcome): PackedRun => {
      const { seed, steps, messages, virtualMs, waits, ...others } = outcome;
      const { confirmed = null, synchronisationDelay = null, ...shape } = others;
      const key = JSON.stringify(shape);
      const known = shapes.get(key) ?? { shape, place: shapes.size };
      shapes.set(key, known);
      return [
        ...([seed, known.place, steps, confirmed, messages, virtualMs] as const),
        synchronisationDelay,
        Array.from(waits),
      ];
    });
  return { shapes: [...shapes.values()].map(({ shape }) => shape), runs };
}

export const unpacked = ({ shapes, runs }: PackedRuns): readonly SeedOutcome[] =>
  runs.flatMap(
    ([seed, place, steps, confirmed, messages, virtualMs, synchronisationDelay, waits]) => {
      const shape = shapes[place];
      if (!shape) return []; // packed has written its place
      return {
        ...{ ...shape, seed, steps, messages, virtualMs, waits: Float64Array.from(waits) },
        ...(confirmed === null ? {} : { confirmed }),
        ...(synchronisationDelay === null ? {} : { synchronisationDelay }),
      };
    },
  );

/**
 * The outcomes of several shards as one process has them: with `failFast`, those up to the smallest
 * seed that violates a property.
 */
export function joined(
  parts: readonly PackedRuns[],
  failFast: boolean | undefined,
): readonly SeedOutcome[] {
  const outcomes = parts.flatMap(unpacked);
  const last = failFast ? outcomes.find(({ violated }) => violated !== undefined) : undefined;
  return last === undefined ? outcomes : outcomes.filter(({ seed }) => seed <= last.seed);
}
