import { describe, expect, it } from 'vitest';
import { abridged, isNodeId, type Link, Topology } from './topology.js';

const build = (nodes: string[], links: Link[] = []) => new Topology('test', nodes, links);

describe('a topology', () => {
  const triangle = build(
    ['a', 'b', 'c'],
    [
      { from: 'a', to: 'c', delay: 3, port: 'x' },
      { from: 'a', to: 'b', port: 'y' },
      { from: 'c', to: 'a' },
    ],
  );

  it('lists the neighbours of a node, in the order of the links', () => {
    expect(triangle.successors('a')).toEqual(['c', 'b']);
    expect(triangle.successors('b')).toEqual([]);
    expect(triangle.linksFrom('c')).toEqual([{ from: 'c', to: 'a' }]);
  });

  it('finds links by their ends and by their port', () => {
    expect(triangle.link('a', 'c')).toEqual({ from: 'a', to: 'c', delay: 3, port: 'x' });
    expect(triangle.link('b', 'a')).toBeUndefined();
    expect(triangle.at('a', 'y')).toBe('b');
    expect(triangle.at('c', 'y')).toBeUndefined();
    expect([triangle.has('a'), triangle.has('d')]).toEqual([true, false]);
  });

  it('lists its nodes in the error for an unknown one', () => {
    expect(() => triangle.successors('d')).toThrow(
      "Topology 'test' has no node 'd'. Its nodes: a, b, c.",
    );
  });

  it.each<[string, string[], Link[], string]>([
    ['no node', [], [], 'it has no node'],
    [
      'a blank id',
      [''],
      [],
      "'' cannot be a node id. A node id has no blank, control character, comma, bracket, double quote or arrow",
    ],
    ['an id with a space', ['a b'], [], "'a b' cannot be a node id"],
    ['a node twice', ['a', 'a'], [], "node 'a' is listed twice"],
    [
      'a link from an unknown node',
      ['a'],
      [{ from: 'b', to: 'a' }],
      'link b→a starts at an unknown node',
    ],
    [
      'a link to an unknown node',
      ['a'],
      [{ from: 'a', to: 'b' }],
      'link a→b ends at an unknown node',
    ],
    ['a loop', ['a'], [{ from: 'a', to: 'a' }], 'link a→a joins a node to itself'],
    [
      'a negative delay',
      ['a', 'b'],
      [{ from: 'a', to: 'b', delay: -1 }],
      'link a→b has the delay -1; a delay is a number of milliseconds from 0 to 1e12',
    ],
    [
      'a delay that is not a number',
      ['a', 'b'],
      [{ from: 'a', to: 'b', delay: Number.NaN }],
      'link a→b has the delay NaN',
    ],
  ])('refuses %s', (_, nodes, links, message) => {
    expect(() => build(nodes, links)).toThrow(`Topology 'test': ${message}`);
  });

  it.each([
    '',
    'a b',
    'a\tb',
    'a\nb',
    '\0',
    '\u001b[31m',
    '\ud800',
    'a,b',
    'a(',
    'a[',
    ']',
    '{',
    'a"',
    '→',
    '⇒',
    '#a',
    '1.5ms',
  ])('refuses the id %j, on one line', (id) => {
    const what = `Topology 'test': '${JSON.stringify(id).slice(1, -1)}' cannot be a node id. A node id has no blank, control character, comma, bracket`;
    expect(() => build([id], [])).toThrow(what);
    expect(isNodeId(id)).toBe(false);
  });

  it.each([
    '10',
    '__proto__',
    'constructor',
    'é',
    'e\u0301',
    '😀',
    '👩‍💻',
    '-',
    'a:b',
    '%2C',
    "'",
    '1ms',
    'a#',
    'long'.repeat(5000),
  ])('accepts the id %j', (id) => {
    const link = { from: id, to: 'other' };
    const network = build([id, 'other'], [link]);
    expect([network.has(id), network.successors(id), network.link(id, 'other')]).toEqual([
      true,
      ['other'],
      link,
    ]);
    expect(network.has('toString')).toBe(false);
  });

  it('refuses a link or a port twice', () => {
    const link = { from: 'a', to: 'b', port: 'next' };
    expect(() => build(['a', 'b'], [link, link])).toThrow('link a→b is listed twice');
    expect(() => build(['a', 'b', 'c'], [link, { ...link, to: 'c' }])).toThrow(
      "link a→c has the port 'next', and so has a→b",
    );
  });

  it('refuses a place for an unknown node', () => {
    const places = new Map([['b', { name: 'B', latitude: 0, longitude: 0 }]]);
    expect(() => new Topology('test', ['a'], [], places)).toThrow(
      "it has a place for the unknown node 'b'",
    );
  });

  it('shortens a long spec and a long list of names in its errors', () => {
    expect(() => new Topology(`edges:${'a-b,'.repeat(100)}`, [], [])).toThrow(
      /^Topology 'edges:(a-b,){18}a…': it has no node$/,
    );
    expect(abridged(['a', 'b', 'c', 'd'], 2)).toBe('a, b … (4 in all)');
  });
});
