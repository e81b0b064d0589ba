import { describe, expect, it } from 'vitest';
import { complete } from '../topology/generators.js';
import { checkFaults, type Fault, parseCrash, separates } from './faults.js';

const network = complete(4);

describe('checkFaults', () => {
  it.each<[Fault, string]>([
    [
      { kind: 'crash', node: 'z', at: 1 },
      "Fault 1 (crash): 'z' is no node of 'complete:4'. Name nodes of the network.",
    ],
    [
      { kind: 'partition', groups: [['a'], ['y']], at: 1 },
      "Fault 1 (partition): 'y' is no node of 'complete:4'. Name nodes of the network.",
    ],
    [
      { kind: 'partition', groups: [['a', 'b'], ['b']], at: 1 },
      'Fault 1 (partition): a node stands in two groups. Name each node once.',
    ],
    [
      { kind: 'partition', groups: [['a'], ['b']], at: 5, until: 5 },
      'Fault 1 (partition): it ends at 5 ms, not after it begins. Give a later time, or leave out until: the cut then lasts.',
    ],
  ])('refuses %j', (fault, message) => {
    expect(() => checkFaults([fault], network)).toThrow(
      expect.objectContaining({ code: 'bad-input', message }),
    );
  });

  it('counts the faults from 1', () => {
    const fine: Fault = { kind: 'crash', node: 'a', at: 0 };
    expect(() => checkFaults([fine, { ...fine, node: 'z' }], network)).toThrow(
      /^Fault 2 \(crash\)/,
    );
  });

  it('accepts possible faults', () => {
    const faults: readonly Fault[] = [
      { kind: 'crash', node: 'a', at: 0, restartAfter: 0, probability: 0 },
      { kind: 'partition', groups: [['a', 'b'], ['c']], at: 5, until: 5.1, probability: 1 },
      { kind: 'partition', groups: [], at: 5 },
      { kind: 'conditions', change: { order: 'any' }, at: 5 },
    ];
    expect(() => checkFaults(faults, network)).not.toThrow();
  });
});

describe('a crash as text', () => {
  it.each([
    ['c@100', { at: 100 }],
    ['c@.5+50', { at: 0.5, restartAfter: 50 }],
    ['c@100:inside', { at: 100, inside: true }],
    ['c@100+2.5:between', { at: 100, restartAfter: 2.5, inside: false }],
  ])('%s', (text, crash) => {
    expect(parseCrash(text)).toEqual({ kind: 'crash', node: 'c', ...crash });
  });

  it('may name a node with any text', () => {
    expect(parseCrash('x@y:inside@7')).toEqual({ kind: 'crash', node: 'x@y:inside', at: 7 });
  });

  it.each(['c', 'c@', '@5', 'c@5+', 'c@100:within', 'c@100:inside+5', 'c@100:'])(
    'is not %s',
    (text) => {
      expect(() => parseCrash(text)).toThrow(
        `'${text}' is no crash. Write c@100, or c@100+50 for a restart 50 ms later; after it :inside`,
      );
    },
  );
});

it('a partition separates different groups only; a node in no group stays connected to all', () => {
  const groups = [['a', 'b'], ['c']];
  const cut = network.links
    .filter(({ from, to }) => separates(groups, from, to))
    .map(({ from, to }) => `${from}${to}`);
  expect(cut.sort()).toEqual(['ac', 'bc', 'ca', 'cb']);
});
