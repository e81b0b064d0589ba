/** The cost bounds of elections, for all sets of initiators on all rings of up to five nodes. */
import type { Protocol } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { ring } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect } from 'vitest';
import { conditionsFor } from '../contract/sweep.js';
import { dolevKlaweRodeh } from './dolev-klawe-rodeh/protocol.js';
import { lelannChangRoberts } from './lelann-chang-roberts/protocol.js';

type Order = readonly string[];

/** All orders of `names` around a ring, up to rotation. */
function orders([first = '', ...others]: Order): readonly Order[] {
  const permuted = (names: Order): readonly Order[] =>
    names.length === 0
      ? [[]]
      : names.flatMap((name) =>
          permuted(names.filter((other) => other !== name)).map((rest) => [name, ...rest]),
        );
  return permuted(others).map((rest) => [first, ...rest]);
}

/**
 * The least and the most messages of an election on `n` nodes, over all rings, the given
 * initiators, and several channel conditions.
 */
function measured(protocol: Protocol, n: number, starters: (nodes: Order) => readonly Order[]) {
  const totals = orders(ring(n).nodes).flatMap((order) =>
    starters(order).flatMap((nodes) =>
      conditionsFor(protocol).map((conditions) =>
        totalMessages(
          simulate({
            protocol,
            topology: ring(order),
            workload: oneShot({ type: 'elect' }, { nodes }),
            conditions,
          }),
        ),
      ),
    ),
  );
  return { least: Math.min(...totals), most: Math.max(...totals) };
}

const allNodes = (nodes: Order): readonly Order[] => [nodes];
/** Every non-empty set of nodes. */
const anySet = (nodes: Order): readonly Order[] =>
  Array.from({ length: 2 ** nodes.length - 1 }, (_, index) =>
    nodes.filter((_, node) => ((index + 1) >> node) & 1),
  );

describe.each([2, 3, 4, 5])('on all rings of %i nodes', (n) => {
  proof(
    'LeLann–Chang–Roberts costs at least 2n, when only the largest starts, and 3n − 1 when all do; its maximum is reached',
    () => {
      const bounds = lelannChangRoberts.cost?.messages(n);
      expect(measured(lelannChangRoberts, n, anySet)).toEqual(bounds);
      expect(bounds?.least).toBe(2 * n);
      expect(measured(lelannChangRoberts, n, allNodes)).toEqual({
        least: 3 * n - 1,
        most: bounds?.most,
      });
      expect(
        measured(lelannChangRoberts, n, (nodes) => [
          [ring(n).nodes.at(-1) ?? ''].filter((id) => nodes.includes(id)),
        ]),
      ).toEqual({ least: 2 * n, most: 2 * n });
    },
  );

  proof('Dolev–Klawe–Rodeh reaches both bounds, for all initiators', () => {
    const bounds = dolevKlaweRodeh.cost?.messages(n);
    expect(measured(dolevKlaweRodeh, n, anySet)).toEqual(bounds);
    expect(measured(dolevKlaweRodeh, n, allNodes)).toEqual(bounds);
  });
});
