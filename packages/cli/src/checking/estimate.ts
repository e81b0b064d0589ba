/** `check --estimate`: how large a search would be, from its first layers and from random walks. */
import { explore, walk } from '@conclave/check';
import { badInput } from '../errors.js';
import { again, repeatable } from '../output/files.js';
import { blocks, counted, decimal, heading, number, titleOf } from '../output/text.js';
import { answer, complain, stopOf, withProgress } from '../session.js';
import type { NetworkCheck } from './options.js';
import { networkRows } from './outcome.js';

const usualSample = 200_000;
/** So many random walks say how long runs are; one that has not ended by then may be endless. */
const walks = 20;
const longestWalk = 2000;
/** The fewest layers that show how growth changes. */
const fewestLayers = 5;
/** What a world takes in a search, in bytes: docs/verified-systems.md. */
const bytesOfState = [60, 230] as const;
/** The size of a system, as a multiple of what {@link fitted} says: the test has the systems. */
export const spread = [0.5, 14] as const;

interface Sample {
  /** Distinct worlds by their distance from the initial one; incomplete but for the last ones. */
  readonly widths: readonly number[];
  /** Of the longest run. */
  readonly steps: number;
  readonly statesPerSecond: number;
  /** Whether there are no other worlds. */
  readonly complete: boolean;
}

/** Says how many states a search would find, in how much memory and time; it checks nothing. */
export function estimateSearch(check: NetworkCheck): void {
  const { session, protocol, options } = check;
  const sample = sampleOf(check);
  if (!sample) {
    session.exitCode = 130;
    return complain(session, 'interrupted; there is no estimate yet.');
  }
  const { widths, steps, statesPerSecond, complete } = sample;
  const found = widths.reduce((sum, width) => sum + width, 0);
  const middle = complete ? found : fitted(widths, steps);
  const steep = complete ? found : fading(widths, steps);
  // crashes can make most worlds early: then the end of the sample says more than the longest run
  const low = steep < middle / 5 ? steep : middle;
  const [least, most] = complete
    ? [found, found]
    : [Math.max(found, spread[0] * low), Math.max(found, spread[1] * middle)];
  const range = (scale: readonly [number, number]) => ({
    least: rounded(least * scale[0], Math.floor),
    most: rounded(most * scale[1], Math.ceil),
  });
  const states = complete ? { least: found, most: found } : range([1, 1]);
  const bytes = range(bytesOfState);
  const seconds = range([1 / statesPerSecond, 1 / statesPerSecond]);
  const report = {
    ...{ protocol: protocol.name, topology: check.topology.spec, complete },
    sample: { states: found, layers: widths.length, steps },
    ...{ states, bytes, seconds },
  };
  answer(session, options.json, report, () =>
    blocks(
      heading(
        titleOf(protocol, session.colours),
        [
          ...networkRows(check),
          [
            'sample',
            `${counted(found, 'state')} in ${counted(widths.length, 'layer')}; runs of about ${counted(steps, 'step')}`,
          ],
          ['states', rangeText(states, number)],
          ['memory', rangeText(bytes, (value) => `${decimal(value / 2 ** 20)} MB`)],
          ['time', rangeText(seconds, (value) => `${decimal(value)} s`)],
        ],
        session,
      ),
      complete
        ? 'The sample is the whole system: check it.\n'
        : 'An estimate, from how the first layers grow; nothing was checked.\n',
    ),
  );
}

const rangeText = (
  { least, most }: { readonly least: number; readonly most: number },
  text: (value: number) => string,
): string => (least === most ? text(least) : `${text(least)} to ${text(most)}`);

/** An estimate has two digits. */
function rounded(value: number, round: (value: number) => number): number {
  const power = Math.floor(Math.log10(value)) - 1;
  return Number(`${round(value / 10 ** power)}e${power}`);
}

/**
 * Undefined: interrupted.
 * @throws {ConclaveError} `bad-input` where runs do not end, or too few layers fit into a sample.
 */
function sampleOf(check: NetworkCheck): Sample | undefined {
  const { session, protocol, options } = check;
  const { maxStates = usualSample } = options;
  const steps = longRun(check);
  if (steps === undefined) return undefined;
  const layers = layersOf(check, maxStates);
  if (layers && !layers.complete && layers.widths.length < fewestLayers)
    throw badInput(
      `${number(maxStates)} states of ${protocol.title} are only ${counted(layers.widths.length, 'layer')}`,
      'Give a larger sample, as in --max-states 1000000.',
    );
  return session.interrupted?.() || !layers ? undefined : { ...layers, steps };
}

/** The steps of a long one of some random runs: a fourth of them, with rare faults, are longer. */
function longRun({ session, protocol, topology, budget }: NetworkCheck): number | undefined {
  const lengths: number[] = [];
  let taken = 0;
  const { limit } = withProgress(session, (show) =>
    walk(protocol, topology, {
      ...{ ...budget, properties: [], seed: 1, walks, steps: longestWalk },
      onProgress: (made, steps) => {
        lengths.push(steps - taken);
        taken = steps;
        show(() => `walking: ${counted(made, 'walk')}`);
      },
      stop: () => session.interrupted?.() === true || lengths.includes(longestWalk),
    }),
  );
  if (lengths.includes(longestWalk))
    throw badInput(
      `A run of ${protocol.title} takes more than ${number(longestWalk)} steps here, or never ends, so that its size cannot be estimated`,
      'Try --max-states 1000000 to see how far a search gets.',
    );
  return limit === undefined ? lengths.toSorted((a, b) => a - b)[(walks * 3) / 4] : undefined;
}

/** Searches one layer deeper each time, until the sample is full. */
function layersOf(
  { session, protocol, topology, budget }: NetworkCheck,
  sample: number,
): Omit<Sample, 'steps'> | undefined {
  return withProgress(session, (show) => {
    const found: number[] = [];
    let statesPerSecond = 1;
    for (let depth = 0; (found.at(-1) ?? 0) < sample; depth++) {
      const limits = { states: 2 * sample, depth, ...stopOf(session) };
      const settings = { ...budget, properties: [], limits };
      const result = repeatable(again(session.argv), () => explore(protocol, topology, settings));
      const { states, seconds, complete, limit } = result;
      if (limit === 'interrupted') return undefined;
      if (!complete && limit !== 'depth') break; // this layer is not whole
      found.push(states);
      statesPerSecond = Math.max(1, states / Math.max(seconds, 0.001));
      show(() => `sampling: ${counted(states, 'state')}, depth ${depth}`);
      if (complete) break;
      if (depth === 0 && states > sample) break;
    }
    const widths = found.map((states, layer) => states - (found[layer - 1] ?? 0));
    const complete = widths.at(-1) === 0;
    return { widths: complete ? widths.slice(0, -1) : widths, statesPerSecond, complete };
  });
}

/**
 * How many worlds there are, if the logarithm of the growth from layer to layer falls by the same
 * each time, from what it is at the end of the sample, so that one world is left where the longest
 * run ends.
 */
export function fitted(widths: readonly number[], steps: number): number {
  const last = widths.length - 1;
  const back = Math.min(3, last);
  const width = widths[last] ?? 1;
  const growth = Math.log(width / (widths[last - back] ?? 1)) / back;
  const middle = last - back / 2 - 0.5; // the place of this growth
  const left = Math.max(0, steps - last);
  const places = Array.from({ length: left }, (_, place) => last + place - middle);
  const sum = places.reduce((total, place) => total + place, 0);
  const slope = left === 0 ? 0 : (-Math.log(width) - left * growth) / sum;
  let total = widths.reduce((all, one) => all + one, 0);
  let next = width;
  for (const place of places) {
    next *= Math.exp(growth + slope * place);
    total += next;
  }
  return total;
}

/**
 * How many worlds there are, if the logarithm of the growth from layer to layer goes on to fall as
 * at the end of the sample. Infinity where it does not fall there.
 */
export function fading(widths: readonly number[], steps: number): number {
  const growth = widths.slice(1).map((width, layer) => Math.log(width / (widths[layer] ?? 1)));
  const back = Math.min(4, growth.length - 1);
  const now = growth.at(-1) ?? 0;
  const slope = (now - (growth.at(-1 - back) ?? 0)) / back;
  if (!(slope < 0)) return Number.POSITIVE_INFINITY;
  let total = widths.reduce((all, one) => all + one, 0);
  let next = widths.at(-1) ?? 1;
  for (let place = 1; place <= steps - widths.length + 1 && next > 1; place++) {
    next *= Math.exp(now + slope * place);
    total += next;
  }
  return total;
}
