import { describe, expect, it } from 'vitest';
import { ConclaveError } from '../base/error.js';
import { topology } from './parse.js';

const refusal = (spec: string): string => {
  try {
    return `no error, but ${topology(spec).spec}`;
  } catch (error) {
    return error instanceof ConclaveError
      ? `${error.code}: ${error.message}`
      : `another error: ${error}`;
  }
};

describe('a spec', () => {
  it('has the default seed 1', () => {
    expect(topology('random:20:0.2').spec).toBe('random:20:0.2:1');
    expect(topology('random-tree:12').spec).toBe('random-tree:12:1');
  });

  it.each([
    ['rnig:8', 'ring'],
    ['cmplete:3', 'complete'],
    ['grd:3x4', 'grid'],
    ['abeline', 'abilene'],
    ['ring-ofer:abilene', 'ring-over'],
    ['Ring:8', 'ring'],
  ])('of an unknown kind, %s, gets a suggestion and the list', (spec, guess) => {
    expect(refusal(spec)).toBe(
      `bad-topology: Topology '${spec}' is of no known kind. Did you mean ${guess}? The kinds: ring, two-way-ring, complete, chain, star, ` +
        'tree, random-tree, grid, torus, hypercube, random, abilene, nsfnet, geant, edges, file, ' +
        'ring-over, two-way-ring-over, tree-over, star-over, complete-over, grid-over, hypercube-over.',
    );
  });

  it('far from every kind gets no suggestion', () => {
    expect(refusal('constructor:8')).toMatch(
      /^bad-topology: Topology 'constructor:8' is of no known kind\. The kinds: /,
    );
    expect(refusal('')).toMatch(/^bad-topology: Topology '' is of no known kind\. The kinds: /);
  });

  it.each([
    ['ring', 'ring:8 or ring:c,a,b or ring:8:shuffled:SEED'],
    ['ring:eight', 'ring:8 or ring:c,a,b or ring:8:shuffled:SEED'],
    ['ring:8:shuffled', 'ring:8 or ring:c,a,b or ring:8:shuffled:SEED'],
    ['two-way-ring:', 'two-way-ring:8 or two-way-ring:c,a,b or two-way-ring:8:shuffled:SEED'],
    ['star:x', 'star:8 or star:c,a,b'],
    ['tree:2', 'tree:CHILDREN:NODES, such as tree:2:15'],
    ['grid:3', 'grid:ROWSxCOLUMNS, such as grid:3x4'],
    ['grid:3x4x5', 'grid:ROWSxCOLUMNS, such as grid:3x4'],
    ['torus:3*4', 'torus:ROWSxCOLUMNS, such as torus:3x4'],
    ['hypercube:', 'hypercube:DIMENSIONS, such as hypercube:3'],
    ['random:20', 'random:20:0.2 or random:20:0.2:SEED'],
    ['random-tree:a', 'random-tree:12 or random-tree:12:SEED'],
    ['abilene:5', 'abilene'],
    ['edges:', 'edges:a-b,b-c'],
    ['file:', 'file:PATH'],
    ['ring-over', 'ring-over:SPEC, such as ring-over:abilene'],
    ['star-over@denver:abilene', 'star-over:SPEC, such as star-over:abilene'],
    ['tree-over@denver,chicago:abilene', 'tree-over:SPEC, such as tree-over:abilene'],
  ])('that cannot be parsed, %s, gets its form', (spec, form) => {
    expect(refusal(spec)).toBe(`bad-topology: Topology '${spec}' cannot be read. Write ${form}.`);
  });

  it('of an impossible network is refused by its generator', () => {
    expect(refusal('ring:1')).toContain(
      "'ring:1': the number of nodes must be a whole number from 2",
    );
    expect(refusal('ring:-3')).toContain('not -3');
    expect(refusal('hypercube:40')).toContain('from 1 to 16, not 40');
    expect(refusal('random:9:2')).toContain('must be from 0 to 1, not 2');
    expect(refusal('ring-over:grid:0x3')).toContain("'grid:0x3': the number of rows");
  });
});

describe('a file', () => {
  const files = new Map([['cities.txt', 'bern zurich 0.5\nzurich chur\n']]);
  const readFile = (path: string) => {
    const text = files.get(path);
    if (text === undefined) throw new Error(`no such file: ${path}`);
    return text;
  };

  it('is read as an edge list, also under an overlay', () => {
    expect(topology('file:cities.txt', readFile).spec).toBe('edges:bern-zurich:0.5,zurich-chur');
    expect(topology('star-over:file:cities.txt', readFile).spec).toBe(
      'star-over:edges:bern-zurich:0.5,zurich-chur',
    );
  });

  it('needs a reader', () => {
    expect(refusal('file:cities.txt')).toBe(
      "bad-input: The file 'cities.txt' cannot be read: topology() was given no reader. Pass one as the second argument: (path) => readFileSync(path, 'utf8').",
    );
  });

  it('is named if it is missing', () => {
    expect(() => topology('file:towns.txt', readFile)).toThrow(
      "The edge list 'towns.txt' cannot be read: no such file: towns.txt",
    );
  });
});
