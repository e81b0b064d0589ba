/** What an election costs on average, exactly: by a recursion over rounds, and by `expected`. */
import { expected } from '@conclave/check';
import { ring } from '@conclave/core/topology';
import { proof, quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import {
  extremesOf,
  type Fraction,
  over,
  plus,
  sum,
  text,
  whole,
} from '../../contract/fraction.contract.js';
import { withMachine, withState } from '../../contract/mutant.js';
import { machine } from './itai-rodeh.js';
import { itaiRodeh } from './protocol.js';

/** One draw of the active nodes: where they are on the ring, and their ids. */
type Drawn = readonly { readonly place: number; readonly id: number }[];

function drawsOf(active: readonly number[], ids: number): readonly Drawn[] {
  return active.reduce<readonly Drawn[]>(
    (found, place) =>
      found.flatMap((drawn) => Array.from({ length: ids }, (_, id) => [...drawn, { place, id }])),
    [[]],
  );
}

/** What one round costs. */
type Round = (drawn: Drawn, size: number) => number;

/** Each id goes on until a node has a larger one, or until it is back. */
const messages: Round = (drawn, size) =>
  drawn.reduce((total, { place, id }) => {
    const hops = drawn
      .filter((other) => other.id > id)
      .map((other) => (other.place - place + size) % size);
    return total + Math.min(size, ...hops);
  }, 0);
const draws: Round = (drawn) => drawn.length;

/** What all rounds cost on average: several nodes with the largest id draw again. */
function byRecursion(size: number, active: readonly number[], cost: Round): Fraction {
  const all = drawsOf(active, size);
  let again = 0;
  const costs = all.map((drawn): Fraction => {
    const largest = Math.max(...drawn.map(({ id }) => id));
    const next = drawn.filter(({ id }) => id === largest).map(({ place }) => place);
    const own = whole(cost(drawn, size));
    if (next.length === 1) return own;
    if (next.length < active.length) return plus(own, byRecursion(size, next, cost));
    again++;
    return own;
  });
  return over(sum(costs), whole(all.length - again));
}

const ringOf = (size: number) => Array.from({ length: size }, (_, place) => place);

/** All nodes have drawn before the first message arrives. */
const { drawing } = machine.config.states ?? {};
const together = withMachine(
  itaiRodeh(),
  withState(machine, [], {
    initial: 'starting',
    states: { ...machine.config.states, starting: { ...drawing, entry: 'draw' } },
  }),
);

it.each(
  quickOf(
    [
      [2, '9', '7', '4'],
      [3, '211/16', '163/16', '9/2'],
      [4, '5696/315', '4436/315', '16/3'],
    ],
    ([size]) => size === 2,
  ),
)(
  'itai-rodeh, where all nodes start at once ring of %i: %s messages, %s of them with ids, and %s draws, in any order of steps',
  (...row) => {
    const [size, total, election, drawn] = row;
    const nodes = ringOf(size);
    const elect = byRecursion(size, nodes, messages);
    expect(text(elect)).toBe(election);
    expect(text(plus(elect, whole(size)))).toBe(total);
    expect(text(byRecursion(size, nodes, draws))).toBe(drawn);
    const found = (cost: string) =>
      extremesOf(expected(together, ring(size), { cost, commands: 0 }).expectation);
    expect(['messages', 'election', 'draws'].map(found)).toEqual(
      [total, election, drawn].map((fraction) => [fraction, fraction]),
    );
  },
);

describe('itai-rodeh, where a scheduler decides who starts when', () => {
  const costs = ['messages', 'election', 'draws'];
  const found = (size: number) =>
    costs.map((cost) => extremesOf(expected(itaiRodeh(), ring(size), { cost }).expectation));

  it('costs least if one node starts, and on a ring of 2 most if both do', () => {
    expect(found(2)).toEqual([
      ['4', '9'],
      ['2', '7'],
      ['1', '4'],
    ]);
  });

  proof('costs more on a ring of 3 than if all start: a late node need not start', () => {
    expect(found(3)).toEqual([
      ['6', '217/16'],
      ['3', '169/16'],
      ['1', '41/9'],
    ]);
  });

  /**
   * Two nodes have drawn. The third one draws as well, or passes their ids on: what costs more
   * draws. If both have drawn the smallest id, it would probably draw a larger one and win.
   */
  it('draws 41/9 times on a ring of 3, since a scheduler sees what was drawn', () => {
    const [two, three] = [byRecursion(3, [0, 1], draws), byRecursion(3, [0, 1, 2], draws)];
    expect([two, three].map(text)).toEqual(['3', '9/2']);
    const ids = [0, 1, 2];
    const rest = (drawn: readonly number[]): Fraction => {
      const largest = Math.max(...drawn);
      const again = drawn.filter((id) => id === largest).length;
      return again === 1 ? whole(0) : again === 2 ? two : three;
    };
    const larger = (a: Fraction, b: Fraction) => (a[0] * b[1] > b[0] * a[1] ? a : b);
    const mean = (list: readonly Fraction[]) => over(sum(list), whole(list.length));
    const greatest = ids.flatMap((a) =>
      ids.map((b) => {
        const starts = plus(whole(1), mean(ids.map((c) => rest([a, b, c]))));
        const passes = rest([a, b]);
        expect(larger(starts, passes)).toBe(a === 0 && b === 0 ? passes : starts);
        return larger(starts, passes);
      }),
    );
    expect(text(plus(whole(2), mean(greatest)))).toBe('41/9');
  });
});
