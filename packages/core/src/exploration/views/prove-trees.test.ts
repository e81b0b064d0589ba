import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { chain, complete, ring, star, tree } from '../../topology/generators.js';
import { topology } from '../../topology/parse.js';
import { explore } from '../explore/explore.js';
import { prove } from './prove.js';
import { neighboursIn } from './tree-proof.js';
import {
  climbers,
  exclusion,
  falseOfClimbers,
  oneToken,
  ordered,
  rightTree,
  wideOnTrees,
  wrongTrees,
} from './wrong-trees.contract.js';

const inAnyTree = (neighbours: number) =>
  expect.stringContaining(`any tree whose nodes have at most ${neighbours} neighbours`);

describe('trees of any form', () => {
  proof('without a mistake, a lock is proved for every n', () => {
    const { networks, properties, assumptions } = prove(rightTree);
    expect(networks).toBe('tree:2:n');
    expect(properties.map(({ name, verdict }) => [name, verdict]).slice(0, 2)).toEqual(
      [exclusion, oneToken].map((name) => [name, 'holds for every n']),
    );
    expect(properties.map(({ verdict }) => verdict)).not.toContain('not proved');
    expect(assumptions).toContainEqual(inAnyTree(3));
  });

  proof('chains are trees whose nodes have two neighbours', () => {
    const { networks, properties, assumptions } = prove(rightTree, { networks: chain });
    expect(networks).toBe('chain:n');
    expect(new Set(properties.map(({ verdict }) => verdict))).toEqual(
      new Set(['holds for every n']),
    );
    expect(assumptions).toContainEqual(inAnyTree(2));
  });

  proof.each(Object.entries(wrongTrees))('%s: not proved', (_, [protocol, reason]) => {
    const { properties } = prove(protocol);
    const found = properties.slice(0, 2);
    expect(found.map(({ verdict }) => verdict)).toEqual(['not proved', 'not proved']);
    expect(found.map((each) => each.reason)).toContainEqual(expect.stringContaining(reason));
  });

  it.each(Object.entries(wrongTrees))('%s: right on smaller trees', (_, [protocol]) => {
    const small = [chain(3), tree(2, 4)].flatMap(
      (network) => explore(protocol, network, { limits: { states: 50_000 } }).properties,
    );
    expect(new Set(small.map(({ verdict }) => verdict))).not.toContain('violated');
  });

  proof('proves no property that speaks of more nodes than views have', () => {
    const { properties } = prove(rightTree, { properties: wideOnTrees });
    expect(properties.slice(0, wideOnTrees.length)).toEqual(
      wideOnTrees.map(({ name }) => expect.objectContaining({ name, verdict: 'not proved' })),
    );
  });

  proof.each(Object.entries(ordered))(
    '%s: refuted with nodes and links in other orders',
    (_, p) => {
      expect(prove(p).properties.slice(0, 2)).toEqual(
        [exclusion, oneToken].map((name) => expect.objectContaining({ name, verdict: 'refuted' })),
      );
    },
  );

  proof('proves no property that only long runs violate, and views do not decide', () => {
    const { properties } = prove(climbers, { properties: falseOfClimbers });
    expect(properties.slice(0, falseOfClimbers.length)).toEqual(
      falseOfClimbers.map(({ name }) => expect.objectContaining({ name, verdict: 'not proved' })),
    );
  });

  it('are not tried where nodes have more neighbours, or links close a cycle', () => {
    const anywhere = {
      ...rightTree,
      topology: { ...rightTree.topology, refuses: () => undefined },
    };
    const back = (n: number) => {
      const { nodes } = chain(n);
      const ways = nodes.map((id, at) => `${id}>${nodes[(at + 1) % n]}`);
      return topology(
        `edges:${[...ways, ...nodes.slice(2).map((id, at) => `${id}>${nodes[at + 1]}`)]}`,
      );
    };
    const sometimes = (n: number) => (n === 24 ? chain(n) : tree(2, n));
    const families = [chain, (n: number) => tree(2, n), sometimes, back, star, ring, complete];
    expect(families.map((networks) => neighboursIn(anywhere, (n) => networks(n)))).toEqual([
      ...[2, 3, 3],
      ...[undefined, undefined, undefined, undefined],
    ]);
  });
});
