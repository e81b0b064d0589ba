/** How the worlds of a state graph look: by a property, or by the state of a node. */
import { groupBy } from '../base/collections.js';
import { say } from '../texts/say.js';
import { type Looks, leafPaths } from './looks.js';
import type { StateGraph } from './state-graph.js';

/** What colours worlds: a property, or the state of a node, in one parallel region or all. */
export type ColourBy =
  | { readonly kind: 'property'; readonly index: number }
  | { readonly kind: 'node'; readonly index: number; readonly region?: string };

const shapes = ['circle', 'square', 'diamond', 'triangle'] as const;
export type Shape = (typeof shapes)[number];

/** Worlds that look the same: by colour, and by shape for those who see no colours. */
export interface Category {
  readonly text: string;
  /** The name of a custom property. */
  readonly colour: string;
  readonly shape: Shape;
  /** In the order of the graph. */
  readonly worlds: readonly number[];
}

/** The worlds of a graph by how they look. */
export const categoriesOf = (
  graph: Pick<StateGraph, 'nodes' | 'properties' | 'worlds'>,
  by: ColourBy,
  looks: Looks,
): readonly Category[] =>
  by.kind === 'property' ? byProperty(graph, by.index) : byState(graph, by, looks);

function byProperty(
  { properties, worlds }: Pick<StateGraph, 'properties' | 'worlds'>,
  index: number,
): readonly Category[] {
  const kind = properties[index]?.kind;
  const worldsWith = (value: boolean) =>
    [...worlds.keys()].filter((id) => worlds[id]?.values[index] === value);
  const bad = { colour: 'alarm', shape: 'diamond' } as const;
  const good = { colour: 'strong-0', shape: 'circle' } as const;
  const neutral = { colour: 'lane', shape: 'circle' } as const;
  const [whereTrue, whereFalse] =
    kind === 'always' ? [neutral, bad] : kind === 'never' ? [bad, neutral] : [good, neutral];
  return [
    { text: say('true'), ...whereTrue, worlds: worldsWith(true) },
    { text: say('false'), ...whereFalse, worlds: worldsWith(false) },
  ].filter(({ worlds }) => worlds.length > 0);
}

function byState(
  { nodes, worlds }: Pick<StateGraph, 'nodes' | 'worlds'>,
  { index, region }: Extract<ColourBy, { readonly kind: 'node' }>,
  looks: Looks,
): readonly Category[] {
  const node = nodes[index] ?? '';
  const textOf = (id: number) =>
    worlds[id]?.crashed.includes(node)
      ? say('crashed')
      : partOf(worlds[id]?.states[index] ?? '', region);
  return [...groupBy(worlds.keys(), textOf)].map(([text, ids], place) => ({
    text,
    colour: text === say('crashed') ? 'ink' : looks.state(text),
    shape: shapes[place % shapes.length] ?? 'circle',
    worlds: ids,
  }));
}

/** The parallel regions of a node, in the order of its states; none if there is only one. */
export function regionsOf(
  { worlds }: Pick<StateGraph, 'worlds'>,
  index: number,
): readonly string[] {
  const paths = worlds.map(({ states }) => leafPaths(states[index] ?? ''));
  const regions = [...new Set(paths.flat().map(regionOf))];
  return regions.length > 1 && paths.some(({ length }) => length > 1) ? regions : [];
}

const regionOf = (path: string): string => path.split('.')[0] ?? '';

/** The state in a region; the whole text if no region is given. */
function partOf(text: string, region: string | undefined): string {
  if (region === undefined) return text;
  const parts = leafPaths(text).filter((path) => regionOf(path) === region);
  return parts.join(' & ') || say('not in {region}', { region });
}
