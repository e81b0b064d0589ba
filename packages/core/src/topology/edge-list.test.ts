import { describe, expect, it } from 'vitest';
import { readEdgeList } from './literal.js';
import { topology } from './parse.js';

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
