/** The paths that model tests take, as a list and as a test. */
import { type Paths, paths } from '@conclave/check';
import { readable, stateNodes } from '@conclave/core/internal';
import { reactions } from '@conclave/core/internal/chart';
import type { AnyStateMachine } from 'xstate';
import { memo } from '../base/collections.js';
import { numeral } from '../base/numbers.js';
import { say } from '../texts/say.js';
import { ownProtocol } from './own.js';
import type { System } from './system.js';

export interface PathsInput {
  /** Default `shortest`. */
  readonly kind?: Paths['kind'];
}

/** From time to time. */
export interface PathsProgress {
  readonly worlds: number;
  /** 0 until all worlds are found. */
  readonly paths: number;
}

/**
 * The paths that model tests of a system generate. A task of the worker: plain data.
 *
 * @throws {ConclaveError} as `paths` of core does.
 */
export const pathsOf = (
  { protocol, topology, setup, worlds }: System,
  { kind = 'shortest' }: PathsInput,
  onProgress: (progress: PathsProgress) => void,
): Paths =>
  paths(protocol, topology, {
    ...setup.budget,
    time: worlds.budget.time ?? 'untimed',
    kind,
    onProgress: (worlds, paths) => onProgress({ worlds, paths }),
  });

/** A transition of a statechart, and how paths use it. */
export interface Use extends Pick<Paths['transitions'][number], 'role' | 'paths' | 'isPossible'> {
  /** Names it in the chart of its role, see `transitionsOf`. */
  readonly key: string;
  /** Such as `wanted: request [else]`: what a state does about one event differs by its guards. */
  readonly text: string;
}

/** The transitions of all roles, in the order in which `paths` has them. */
export const usesOf = memo(({ transitions }: Paths, { protocol }: System): readonly Use[] => {
  const { shown } = readable(protocol);
  const known = Object.values(protocol.roles).flatMap(({ machine }) => transitionsIn(machine));
  return transitions.map(({ role, text, paths, isPossible }, position) => {
    const { key = '', trigger = '' } = known[position] ?? {};
    const told = text.replace(/: .*?(?= → |$)/s, () => `: ${shown(trigger)}`);
    return { role, key, text: told, paths, isPossible };
  });
});

/** State by state; what is taken without an event is the last of its state. */
const transitionsIn = (machine: AnyStateMachine) =>
  stateNodes(machine).flatMap((node) => {
    const all = node.type === 'history' ? [] : reactions(node);
    const always = all.slice(0, node.always?.length ?? 0);
    return [...all.slice(always.length), ...always];
  });

/** One row of a list of paths. */
export interface ListedPath {
  readonly path: Paths['paths'][number];
  /** The positions of the transitions that no path above it takes. */
  readonly takesFirst: readonly number[];
}

/** The paths that take one transition, or all; the longest or the shortest first. */
export function listPaths(
  { paths }: Paths,
  transition: number | undefined,
  order: 'longest' | 'shortest',
): readonly ListedPath[] {
  const chosen =
    transition === undefined ? paths : paths.filter(({ takes }) => takes.includes(transition));
  const sorted =
    order === 'longest'
      ? chosen
      : chosen.toSorted((one, other) => one.steps.length - other.steps.length);
  const taken = new Set<number>();
  return sorted.map((path) => {
    const takesFirst = path.takes.filter((position) => !taken.has(position));
    for (const position of takesFirst) taken.add(position);
    return { path, takesFirst };
  });
}

/** Why these are not all paths, in two sentences; undefined where they are. */
export function incompleteText({ limit, worlds, paths }: Paths): string | undefined {
  if (!limit) return undefined;
  const more = limit === 'worlds' ? say('the system has more worlds') : say('there are more paths');
  return say(
    'Incomplete: {more} than fit here; these are {paths} paths through {worlds} worlds. What they do not take, others may.',
    { more, paths: numeral(paths.length), worlds: numeral(worlds) },
  );
}

/** A test for vitest: real nodes take the shortest paths of a system, and must do what its model does. */
export function testText({ protocol: { name, title }, setup, topology }: System): string {
  const isOwn = ownProtocol(name) !== undefined;
  const options = Object.keys(setup.options).length > 0 ? `, ${JSON.stringify(setup.options)}` : '';
  const [from, made] = isOwn
    ? [`./${name}.js`, 'protocol']
    : ['@conclave/algorithms', `protocolOf('${name}'${options})`];
  return `import { model, testModel } from '@conclave/check';
import { topology } from '@conclave/core/topology';
import { ${isOwn ? made : 'protocolOf'} } from '${from}';
import { expect, it } from 'vitest';
import { TestModel } from 'xstate/graph';

it(${JSON.stringify(`${title} on ${topology.spec} runs as its model`)}, async () => {
  const budget = ${JSON.stringify(setup.budget)} as const;
  const system = model(${made}, topology('${topology.spec}'), budget);
  const { comparisons } = await testModel(TestModel, system);
  expect(comparisons).toBeGreaterThan(0);
});
`;
}
