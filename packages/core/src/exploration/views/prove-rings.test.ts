import { proof } from '@conclave/tools/sample';
import { describe, expect } from 'vitest';
import { ring } from '../../topology/generators.js';
import { explore } from '../explore/explore.js';
import { prove } from './prove.js';
import { ordersOf } from './ring-proof.js';
import {
  failsLater,
  keepingLists,
  largest,
  longNames,
  one,
  rightRing,
  wideOnRings,
  wrongFarRings,
  wrongRings,
} from './wrong-rings.contract.js';

describe('rings in any order of the names', () => {
  proof('without a mistake, an election is proved for every n', () => {
    const { networks, properties, assumptions } = prove(rightRing);
    expect(networks).toBe('ring:n');
    expect(properties.slice(0, 2)).toEqual(
      [one, largest].map((name) => ({ name, verdict: 'holds for every n' })),
    );
    expect(assumptions).toContainEqual(expect.stringContaining('in any order around the ring'));
  });

  proof.each(Object.entries(wrongRings))('%s: not proved', (_, [protocol]) => {
    const { properties } = prove(protocol);
    const verdicts = properties.slice(0, 2).map(({ verdict }) => verdict);
    expect(verdicts).not.toContain('holds for every n');
  });

  proof.each(Object.entries(wrongFarRings))('%s: not proved', (_, protocol) => {
    const { properties } = prove(protocol);
    const verdicts = properties.slice(0, 2).map(({ verdict }) => verdict);
    expect(verdicts).toEqual(['not proved', 'not proved']);
  });

  proof('proves no property that speaks of more nodes than views have', () => {
    const { properties } = prove(rightRing, { properties: wideOnRings });
    expect(properties.slice(0, wideOnRings.length)).toEqual(
      wideOnRings.map(({ name }) => expect.objectContaining({ name, verdict: 'not proved' })),
    );
  });

  proof('does not prove that no step fails, where one does on larger rings', () => {
    const { properties } = prove(failsLater);
    expect(properties.at(-1)).toMatchObject({ name: 'no step fails', verdict: 'not proved' });
  });

  proof('refuses lists of nodes', () => {
    const [found] = prove(keepingLists).properties;
    expect(found?.reason).toContain('cannot show a list or record of nodes: {"heard"');
  });

  proof('does not prove what has a large number in its source', () => {
    const [found] = prove(longNames).properties;
    expect(found).toMatchObject({
      verdict: 'not proved',
      reason: expect.stringContaining("of role 'node' has 40"),
    });
  });

  proof.each(Object.entries(wrongRings))('%s: right on smaller rings', (_, [protocol, order]) => {
    const leads = (nodes: readonly string[]) =>
      explore(protocol, ring(nodes), {
        initiators: nodes.slice(0, 2),
        limits: { states: 200_000 },
      }).properties.find(({ name }) => name === largest)?.verdict;
    expect(leads(order)).toBe('violated');
    const small = ordersOf(ring(order.length - 1).nodes);
    expect(new Set(small.map(leads))).toEqual(new Set(['holds']));
  });
});
