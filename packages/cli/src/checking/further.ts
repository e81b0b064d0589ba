/** Walks through larger systems, with the time that a check without sizes leaves. */
import { type RoleCoverage, type Walks, walk } from '@conclave/core/exploration';
import { counted } from '../output/text.js';
import { again, repeatable } from '../output/trace.js';
import { stopwatch, withProgress } from '../session.js';
import type { NetworkCheck, ProtocolCheck } from './check.js';
import { isViolated } from './outcome.js';
import { type Levels, type Size, walkedSizes } from './schedule.js';
import { checkOfSize, promisedIn, raisedOptions, sizeText } from './sizes.js';
import type { ExploredSystem } from './systems.js';

/** One system that is not exhausted, and what walks have found in it. */
export interface WalkedSystem {
  readonly text: string;
  readonly size: Size;
  readonly check: NetworkCheck;
  readonly walked: Walks;
}

/** How long each walk is at most, and how many there are if the time does not end them. */
const [mostSteps, mostWalks] = [300, 1_000_000];
const seed = 1;

/** Walks through systems that are larger than those that were explored, until one is refuted. */
export function walkFurther(
  check: ProtocolCheck,
  levels: Levels,
  systems: readonly ExploredSystem[],
  seconds: number,
): readonly WalkedSystem[] {
  const sizes = walkedSizes(levels, systems);
  const elapsed = stopwatch(check.session);
  const walks: WalkedSystem[] = [];
  for (const [index, size] of sizes.entries()) {
    const end = (seconds * (index + 1)) / sizes.length;
    const isOver = () => elapsed() >= end || check.session.interrupted?.() === true;
    if (isOver()) continue;
    const one = walkOne(check, levels, size, isOver);
    walks.push(one);
    if (isRefutedByWalks(one)) break;
  }
  return walks;
}

function walkOne(
  check: ProtocolCheck,
  levels: Levels,
  size: Size,
  stop: () => boolean,
): WalkedSystem {
  const one = checkOfSize(check, levels, size);
  const { session, protocol, topology, budget, properties } = one;
  const { limit: _, ...found } = withProgress(session, (show) => {
    const onProgress = (made: number, taken: number) =>
      show(() => `walking: ${counted(made, 'walk')}, ${counted(taken, 'step')}`);
    const settings = { ...budget, properties, seed, walks: mostWalks, steps: mostSteps };
    return repeatable(again(session.argv), () =>
      walk(protocol, topology, { ...settings, coverage: true, stop, onProgress }),
    );
  });
  const walked = { ...found, properties: promisedIn(levels, size, found.properties) };
  return { text: sizeText(levels, topology, size), size, check: one, walked };
}

export const isRefutedByWalks = ({ walked }: WalkedSystem): boolean =>
  walked.properties.some(isViolated);

/** The options that repeat the walks. */
export const walkArguments = (
  levels: Levels,
  { check, size, walked }: WalkedSystem,
): readonly string[] => {
  const options = {
    topology: check.topology.spec,
    ...raisedOptions(levels, size),
    walks: walked.walks,
    'max-depth': mostSteps,
    seed,
  };
  return Object.entries(options).flatMap(([option, value]) => [`--${option}`, String(value)]);
};

/** `complete:4 with up to 3 commands each: 1,200 walks, 31,000 steps` */
export const walkRows = (walks: readonly WalkedSystem[]): string[][] =>
  walks.map(({ text, walked }, index) => [
    index === 0 ? 'walks' : '',
    `${text}: ${counted(walked.walks, 'walk')}, ${counted(walked.steps, 'step')}, not exhausted`,
  ]);

/** What `--json` prints of them. */
export const walksReport = ({ check, size, walked }: WalkedSystem) => {
  const { nodes: _, ...raised } = size;
  const { walks, steps, states, properties } = walked;
  return {
    ...{ topology: check.topology.spec, ...raised, seed, walks, steps, states },
    properties: properties.map(({ name, verdict }) => ({ name, verdict })),
  };
};

/** By role: the transitions that walks have reached and the search has not. */
export const reachedByWalks = (
  coverage: readonly RoleCoverage[],
  walks: readonly WalkedSystem[],
): readonly { readonly role: string; readonly transitions: readonly string[] }[] =>
  coverage.map(({ role, missed }) => {
    const roles = walks.flatMap(({ walked }) =>
      (walked.coverage ?? []).filter((other) => other.role === role),
    );
    const transitions = missed.filter((one) => roles.some((other) => !other.missed.includes(one)));
    return { role, transitions };
  });
