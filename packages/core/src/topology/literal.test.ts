import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { abilene } from './backbones.js';
import { chain, ring } from './generators.js';
import { readEdgeList, writeEdges } from './literal.js';
import { topology } from './parse.js';
import { isNodeId, type Place, Topology } from './topology.js';

const shape = ({ nodes, links, places }: Topology) => ({ nodes, links, places });

const id = fc
  .oneof(fc.string({ minLength: 1, maxLength: 4 }), fc.stringMatching(/^[a%:>@/-]{1,3}$/))
  .filter(isNodeId);
const delay = fc.option(fc.double({ min: 0, max: 1e12, noNaN: true }), { nil: undefined });
const coordinate = fc.double({ min: -180, max: 180, noNaN: true }).map((degrees) => degrees + 0);
const place: fc.Arbitrary<Place> = fc.record({
  name: fc.string(),
  latitude: coordinate,
  longitude: coordinate,
});

/** Arbitrary networks: odd names, one-way links, delays, ports, places, nodes without links. */
const anything = fc.uniqueArray(id, { minLength: 1, maxLength: 5 }).chain((nodes) => {
  const pairs = nodes.flatMap((from) =>
    nodes.filter((to) => to !== from).map((to) => ({ from, to })),
  );
  return fc
    .record({
      picked: fc.shuffledSubarray(pairs),
      delays: fc.array(delay),
      ports: fc.boolean(),
      places: fc.dictionary(fc.constantFrom(...nodes), place),
    })
    .map(({ picked, delays, ports, places }) => {
      const links = picked.map((pair, i) => ({
        ...pair,
        ...(delays[i] === undefined ? {} : { delay: delays[i] }),
        ...(ports && i % 2 ? { port: `${i}-%,>` } : {}),
      }));
      return new Topology('made by the test', nodes, links, new Map(Object.entries(places)));
    });
});

describe('a literal', () => {
  it('writes any network in one line without blanks', () => {
    fc.assert(
      fc.property(anything, (made) => {
        expect(writeEdges(made)).not.toMatch(/\s/);
        expect(shape(topology(writeEdges(made)))).toEqual(shape(made));
      }),
      { numRuns: 500 },
    );
    expect(shape(topology(writeEdges(abilene())))).toEqual(shape(abilene()));
  });

  it('is short where possible', () => {
    expect(writeEdges(chain(3))).toBe('edges:a-b,b-c');
    expect(writeEdges(chain(1))).toBe('edges:a');
    expect(writeEdges(ring(2))).toBe('edges:a>b@next,b>a@next');
    expect(writeEdges(chain(['b', 'a']))).toBe('edges:b-a');
  });

  it('parses the examples of the manual', () => {
    expect(shape(topology('edges:z,a-b:5,b>c,c>a:0.5@next,z@47.61/-122.33/Port%20Z'))).toEqual({
      nodes: ['z', 'a', 'b', 'c'],
      links: [
        { from: 'a', to: 'b', delay: 5 },
        { from: 'b', to: 'a', delay: 5 },
        { from: 'b', to: 'c' },
        { from: 'c', to: 'a', delay: 0.5, port: 'next' },
      ],
      places: new Map([['z', { name: 'Port Z', latitude: 47.61, longitude: -122.33 }]]),
    });
    expect(topology('edges:new%2Dyork-chicago').nodes).toEqual(['new-york', 'chicago']);
    expect(topology('edges:%E0-%25').nodes).toEqual(['%E0', '%']);
  });

  it.each([
    [
      'edges:a-b,new-york-chicago',
      "cannot read 'new-york-chicago'. Write a-b, a-b:5 (ms), a>b, a>b:5@port, or a alone; a '-' inside a name is %2D.",
    ],
    ['edges:a-b,', "cannot read ''"],
    ['edges:a-b:fast', "cannot read 'a-b:fast'"],
    ['edges:a-b:-5', 'link a→b has the delay -5'],
    ['edges:a-b@next', "cannot read 'a-b@next'"],
    ['edges:a b', "cannot read 'a b'"],
    ['edges:a-b,b>a', 'link b→a is listed twice'],
    ['edges:a-a', 'link a→a joins a node to itself'],
    ['edges:a%20b', "'a b' cannot be a node id"],
  ])('%s is refused', (spec, message) => {
    expect(() => topology(spec)).toThrow(message);
  });
});

describe('an edge list', () => {
  it('has one edge per line, with or without a delay, and comments', () => {
    const read = readEdgeList(
      '\uFEFF# cities\r\n\r\nbern  zurich\t0.5\r\n  zurich chur # no delay\n#\nchur st#gallen 2',
      'cities.txt',
    );
    expect(read.nodes).toEqual(['bern', 'zurich', 'chur', 'st#gallen']);
    expect(read.links).toEqual([
      { from: 'bern', to: 'zurich', delay: 0.5 },
      { from: 'zurich', to: 'bern', delay: 0.5 },
      { from: 'zurich', to: 'chur' },
      { from: 'chur', to: 'zurich' },
      { from: 'chur', to: 'st#gallen', delay: 2 },
      { from: 'st#gallen', to: 'chur', delay: 2 },
    ]);
  });

  it('can be rebuilt without its file', () => {
    const read = readEdgeList('new-york chicago 5', 'cities.txt');
    expect(read.spec).toBe('edges:new%2Dyork-chicago:5');
    expect(topology(read.spec)).toEqual(read);
  });

  it.each([
    ['a b\n\na', "cities.txt:3: cannot read 'a'. A line is 'a b' or 'a b delayMs'."],
    ['a b 5 ms', "cities.txt:1: cannot read 'a b 5 ms'. A line is 'a b' or 'a b delayMs'."],
    [
      'a b\nb c fast',
      "cities.txt:2: the delay 'fast' is not a number of milliseconds from 0 to 1e12",
    ],
    ['a b -1', "cities.txt:1: the delay '-1' is not a number of milliseconds from 0 to 1e12"],
    [
      'a b Infinity',
      "cities.txt:1: the delay 'Infinity' is not a number of milliseconds from 0 to 1e12",
    ],
    ['a b 1e308', "cities.txt:1: the delay '1e308' is not a number of milliseconds from 0 to 1e12"],
    [
      `a b\n${'x '.repeat(50_001)}`,
      "cities.txt:2: a line of 100002 characters. A line is 'a b' or 'a b delayMs'.",
    ],
    ['# x\na a', 'cities.txt:2: the edge joins a to itself'],
    [
      'a b\nb c\nb a',
      'cities.txt:3: the edge b a is already in line 1. An edge goes both ways; list it once.',
    ],
    [
      'a, b',
      "cities.txt:1: 'a,' cannot be a node id. A node id has no blank, control character, comma, bracket, double quote or arrow, no # in front, and is no time such as 1.5ms.",
    ],
    ['# nothing\n', "cities.txt: there is no edge in it. A line is 'a b' or 'a b delayMs'."],
  ])('%j is refused', (text, message) => {
    expect(() => readEdgeList(text, 'cities.txt')).toThrow(
      expect.objectContaining({ code: 'bad-input', message }),
    );
  });
});
