/** The graph of all worlds of a small system, and runs in it. */
import type { World } from '@conclave/check';
import { nextOrFault, type Worlds, worldKey } from '@conclave/check/internal';
import { isOfStates, stateText } from '@conclave/core/internal';
import { ConclaveError, type NodeId, type Property } from '@conclave/core/protocol';
import type { Finding } from './conclusion.js';
import type { System } from './system.js';
import { messageWords, wordsOf } from './words.js';

export interface GraphInput {
  /** A larger system gets no graph. Default {@link usualWorlds}. */
  readonly most?: number;
}

/** More worlds than this are no picture any more. */
export const usualWorlds = 2000;

export interface GraphProgress {
  readonly states: number;
}

/** All worlds of a system and the actions between them; plain data. */
export interface StateGraph {
  /** Whether these are all worlds. If not, there are more than {@link most}, and none is given. */
  readonly complete: boolean;
  readonly most: number;
  readonly nodes: readonly NodeId[];
  /** The properties that single worlds decide. */
  readonly properties: readonly { readonly name: string; readonly kind: Property['kind'] }[];
  /** In breadth-first order: the first is the initial one, and depths do not decrease. */
  readonly worlds: readonly GraphWorld[];
  /** In the order of their sources, and for each by number. */
  readonly edges: readonly GraphEdge[];
}

export interface GraphWorld {
  /** The length of a shortest path to it. */
  readonly depth: number;
  /** The world before it on such a path; −1 for the initial one. */
  readonly parent: number;
  /** Which of the actions that are possible in the parent leads here; −1 for the initial one. */
  readonly number: number;
  /** By node: the text of its state. */
  readonly states: readonly string[];
  readonly crashed: readonly NodeId[];
  /** The nodes that are cut off. */
  readonly cut: readonly NodeId[];
  /** Such as `request(1) from a to b`. */
  readonly inFlight: readonly string[];
  /** By property of the graph: what its predicate answers. */
  readonly values: readonly boolean[];
  /** How many actions are possible; 0: nothing more happens. */
  readonly actions: number;
  /** Actions that a machine cannot take, such as an unhandled message: they lead nowhere. */
  readonly faults: readonly {
    readonly number: number;
    readonly text: string;
    readonly reason: string;
  }[];
}

export interface GraphEdge {
  readonly from: number;
  readonly to: number;
  /** Which of the actions that are possible in `from`. */
  readonly number: number;
  readonly text: string;
}

/** A world that was found and not yet expanded. */
type Found = Omit<GraphWorld, 'actions' | 'faults'> & { readonly world: World };

/** Every world of a small system: breadth-first, by the definition of worlds. */
export function graph(
  { protocol, topology, worlds: system }: System,
  { most = usualWorlds }: GraphInput,
  onProgress: (progress: GraphProgress) => void,
): StateGraph {
  const properties = protocol.properties.filter(isOfStates);
  const shown = properties.map(({ name, kind }) => ({ name, kind }));
  const all = { most, nodes: topology.nodes, properties: shown };
  const found: Found[] = [];
  const ids = new Map<string, number>();
  /** The id of a world, which the action `number` of its parent has led to. */
  const idOf = (world: World, parent: number, number: number): number => {
    const key = worldKey(world, system.order);
    const known = ids.get(key);
    if (known !== undefined) return known;
    const view = system.view(world);
    const values = properties.map((property) => property.holds(view));
    const depth = parent < 0 ? 0 : (found[parent]?.depth ?? 0) + 1;
    const id =
      found.push({ world, depth, parent, number, ...detailsOf(system, world), values }) - 1;
    ids.set(key, id);
    return id;
  };
  idOf(system.initial, -1, -1);
  const words = { protocol, topology, worlds: system, clockwork: system.clockwork };
  const worlds: GraphWorld[] = [];
  const edges: GraphEdge[] = [];
  for (const [from, { world, ...described }] of found.entries()) {
    if (found.length > most) return { ...all, complete: false, worlds: [], edges: [] };
    if (from % 256 === 0) onProgress({ states: found.length });
    const actions = system.actions(world);
    const faults: GraphWorld['faults'][number][] = [];
    for (const [number, action] of actions.entries()) {
      const next = nextOrFault(system, world, action);
      const text = wordsOf(words, world, action);
      if (next instanceof ConclaveError) faults.push({ number, text, reason: next.message });
      else edges.push({ from, to: idOf(next, from, number), number, text });
    }
    worlds.push({ ...described, actions: actions.length, faults });
  }
  return { ...all, complete: true, worlds, edges };
}

function detailsOf(
  { protocol, topology }: Worlds,
  world: World,
): Pick<GraphWorld, 'states' | 'crashed' | 'cut' | 'inFlight'> {
  return {
    states: topology.nodes.map((id) => stateText(world.nodes[id]?.value ?? '')),
    crashed: world.crashed,
    cut: world.cut,
    inFlight: topology.links.flatMap(({ from, to }) =>
      (world.channels[`${from}→${to}`] ?? []).map((message) =>
        messageWords(protocol, { from, to, message }),
      ),
    ),
  };
}

/** Whether a world violates the property with this index; none violates a `sometimes`. */
export function isViolatedBy(
  { properties }: Pick<StateGraph, 'properties'>,
  { values }: Pick<GraphWorld, 'values'>,
  index: number,
): boolean {
  const kind = properties[index]?.kind;
  return kind !== 'sometimes' && values[index] !== (kind === 'always');
}

/** The numbers of the actions on a shortest path to a world. */
export function pathTo({ worlds }: Pick<StateGraph, 'worlds'>, world: number): readonly number[] {
  const path: number[] = [];
  for (let at = worlds[world]; at && at.parent >= 0; at = worlds[at.parent]) path.push(at.number);
  return path.reverse();
}

/** The worlds of a run by the numbers of its actions, up to one that leads nowhere. */
export function worldsOf(
  { worlds, edges }: Pick<StateGraph, 'worlds' | 'edges'>,
  steps: readonly number[],
): readonly number[] {
  const outgoing = outgoingOf({ worlds, edges });
  const path = [0];
  for (const number of steps) {
    const edge = outgoing[path.at(-1) ?? 0]?.find((one) => one.number === number);
    if (!edge) break;
    path.push(edge.to);
  }
  return path;
}

/** By world: the edges that leave it. */
export function outgoingOf({
  worlds,
  edges,
}: Pick<StateGraph, 'worlds' | 'edges'>): readonly (readonly GraphEdge[])[] {
  const outgoing: GraphEdge[][] = worlds.map(() => []);
  for (const edge of edges) outgoing[edge.from]?.push(edge);
  return outgoing;
}

/** A run in a graph: the worlds of its approach, and those of the loop that it repeats. */
export interface RunInGraph {
  readonly approach: readonly number[];
  /** From a world to the same one; empty if the run ends. One alone: nothing more happens. */
  readonly loop: readonly number[];
}

export interface MarkedRun extends RunInGraph {
  /** Whether it violates a property. */
  readonly isBad: boolean;
}

/** The run of a finding, or of a session: the numbers of its actions. */
export function runInGraph(
  graph: Pick<StateGraph, 'worlds' | 'edges'>,
  { steps = [], loopsFromStep }: Pick<Finding, 'steps' | 'loopsFromStep'>,
): RunInGraph {
  const worlds = worldsOf(graph, steps);
  if (loopsFromStep === undefined) return { approach: worlds, loop: [] };
  return { approach: worlds.slice(0, loopsFromStep + 1), loop: worlds.slice(loopsFromStep) };
}
