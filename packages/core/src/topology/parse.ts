import { badInput, ConclaveError, nearest } from '../base/error.js';
import type { NodeId } from '../base/node-id.js';
import { abilene, geant, nsfnet } from './backbones.js';
import {
  chain,
  complete,
  grid,
  hypercube,
  type Nodes,
  randomGraph,
  randomTree,
  ring,
  shuffledRing,
  star,
  torus,
  tree,
} from './generators.js';
import { plain, readEdgeList, readEdges } from './literal.js';
import { completeOver, gridOver, hypercubeOver, ringOver, starOver, treeOver } from './overlay.js';
import { shown, type Topology } from './topology.js';

/** Gives the text of a file, or throws. */
type ReadFile = (path: string) => string;

/**
 * One kind of network: how its specs look, and what builds it from what follows the colon
 * (undefined: it cannot be read).
 */
interface Kind {
  readonly form: string;
  readonly build: (rest: string, readFile: ReadFile) => Topology | undefined;
}

/**
 * One kind of logical network over a physical one; at most `most` node ids may follow an `@`: its
 * order or root.
 */
interface Overlay {
  readonly most: number;
  readonly build: (physical: Topology, ids?: readonly NodeId[]) => Topology;
}

const kinds: ReadonlyMap<string, Kind> = new Map([
  ['ring', ringKind('ring', true)],
  ['two-way-ring', ringKind('two-way-ring', false)],
  ['complete', listKind('complete', complete)],
  ['chain', listKind('chain', chain)],
  ['star', listKind('star', star)],
  ['tree', numbersKind('tree:CHILDREN:NODES, such as tree:2:15', ':', [2, 2], tree)],
  [
    'random-tree',
    numbersKind('random-tree:12 or random-tree:12:SEED', ':', [1, 2], (n, seed = 1) =>
      randomTree(n, seed),
    ),
  ],
  ['grid', numbersKind('grid:ROWSxCOLUMNS, such as grid:3x4', 'x', [2, 2], grid)],
  ['torus', numbersKind('torus:ROWSxCOLUMNS, such as torus:3x4', 'x', [2, 2], torus)],
  ['hypercube', numbersKind('hypercube:DIMENSIONS, such as hypercube:3', ':', [1, 1], hypercube)],
  [
    'random',
    numbersKind('random:20:0.2 or random:20:0.2:SEED', ':', [2, 3], (n, p, seed = 1) =>
      randomGraph(n, p, seed),
    ),
  ],
  ['abilene', namedKind('abilene', abilene)],
  ['nsfnet', namedKind('nsfnet', nsfnet)],
  ['geant', namedKind('geant', geant)],
  [
    'edges',
    { form: 'edges:a-b,b-c', build: (rest) => (rest ? readEdges(`edges:${rest}`) : undefined) },
  ],
  [
    'file',
    {
      form: 'file:PATH',
      build: (path, readFile) => (path ? readEdgeList(textOf(path, readFile), path) : undefined),
    },
  ],
]);

const overlays: ReadonlyMap<string, Overlay> = new Map([
  ['ring-over', { most: Infinity, build: (physical, order) => ringOver(physical, order) }],
  [
    'two-way-ring-over',
    { most: Infinity, build: (physical, order) => ringOver(physical, order, { oneWay: false }) },
  ],
  ['tree-over', { most: 1, build: (physical, ids) => treeOver(physical, ids?.[0]) }],
  ['star-over', { most: 0, build: (physical) => starOver(physical) }],
  ['complete-over', { most: 0, build: (physical) => completeOver(physical) }],
  ['grid-over', { most: 0, build: (physical) => gridOver(physical) }],
  ['hypercube-over', { most: 0, build: (physical) => hypercubeOver(physical) }],
]);

/**
 * The network that `spec` names: `ring:8`, `grid:3x4`, `random:20:0.2:7`, `abilene`,
 * `edges:a-b,b-c`, `ring-over:abilene`, ….
 *
 * @param readFile Needed for `file:PATH` only, an edge list; such as
 * `(path) => readFileSync(path, 'utf8')`.
 * @throws {ConclaveError} `bad-topology`: an unknown kind, a spec that cannot be read, a network
 * that cannot be; `bad-input`: a file that cannot be read, or a line of it.
 * @example topology('ring:8').nodes // a, b, c, …, h
 */
export function topology(spec: string, readFile: (path: string) => string = noFiles): Topology {
  const [head, rest] = cut(spec, ':');
  const [word, at] = cut(head, '@');
  const kind = kinds.get(head);
  const overlay = overlays.get(word);
  if (!kind && !overlay) throw unknown(spec, word);
  const ids = at?.split(',').map(plain);
  if (overlay && rest && (ids?.length ?? 0) <= overlay.most)
    return overlay.build(topology(rest, readFile), ids);
  const built = kind?.build(rest ?? '', readFile);
  if (built) return built;
  const form = kind?.form ?? `${word}:SPEC, such as ${word}:abilene`;
  throw new ConclaveError(
    'bad-topology',
    `Topology '${shown(spec)}' cannot be read`,
    `Write ${form}.`,
  );
}

function unknown(spec: string, word: string): ConclaveError {
  const known = [...kinds.keys(), ...overlays.keys()];
  const guess = nearest(word, known);
  const meant = guess ? `Did you mean ${guess}? ` : '';
  return new ConclaveError(
    'bad-topology',
    `Topology '${shown(spec)}' is of no known kind`,
    `${meant}The kinds: ${known.join(', ')}.`,
  );
}

function namedKind(name: string, build: () => Topology): Kind {
  return { form: name, build: (rest) => (rest ? undefined : build()) };
}

/** Whole or decimal numbers, between `least` and `most` of them; `build` checks their values. */
function numbersKind(
  form: string,
  separator: string,
  [least, most]: [number, number],
  build: (...numbers: number[]) => Topology,
): Kind {
  return {
    form,
    build: (rest) => {
      const parts = rest.split(separator);
      const readable =
        parts.length >= least &&
        parts.length <= most &&
        parts.every((part) => /^-?\d+(\.\d+)?(e-?\d+)?$/.test(part));
      return readable ? build(...parts.map(Number)) : undefined;
    },
  };
}

/** How many nodes, or their ids. */
function listKind(name: string, build: (nodes: Nodes) => Topology): Kind {
  const counted = numbersKind('', ':', [1, 1], build);
  return {
    form: `${name}:8 or ${name}:c,a,b`,
    build: (rest, readFile) =>
      rest.includes(',') ? build(rest.replace(/,$/, '').split(',')) : counted.build(rest, readFile),
  };
}

function ringKind(name: string, oneWay: boolean): Kind {
  const listed = listKind(name, (nodes) => ring(nodes, { oneWay }));
  const drawn = numbersKind('', ':shuffled:', [2, 2], (n, seed) =>
    shuffledRing(n, seed, { oneWay }),
  );
  return {
    form: `${listed.form} or ${name}:8:shuffled:SEED`,
    build: (rest, readFile) => drawn.build(rest, readFile) ?? listed.build(rest, readFile),
  };
}

function textOf(path: string, readFile: ReadFile): string {
  try {
    return readFile(path);
  } catch (error) {
    if (error instanceof ConclaveError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw badInput(`The edge list '${path}' cannot be read: ${why}`, '', { cause: error });
  }
}

function noFiles(path: string): never {
  throw badInput(
    `The file '${path}' cannot be read: topology() was given no reader`,
    "Pass one as the second argument: (path) => readFileSync(path, 'utf8').",
  );
}

function cut(text: string, separator: string): [before: string, after?: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
