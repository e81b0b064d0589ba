/**
 * What each protocol of the catalogue costs in a run without faults: as many messages as it says at
 * most, per what it says.
 */

import { measuredCost, usualWorkload } from '@conclave/core/internal/simulation';
import { simulate } from '@conclave/core/simulation';
import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue.js';

const withCost = catalogue.flatMap(({ id, make }) => {
  const protocol = make();
  return protocol.cost && protocol.cost.per !== 'period'
    ? [[id, protocol, protocol.cost] as const]
    : [];
});

describe.each(withCost)('%s costs what it says', (_id, protocol, cost) => {
  it.each([4, 8])('on its network of about %i nodes', (n) => {
    const topology = protocol.topology.example(n);
    const workload = usualWorkload(protocol, 'acquire' in protocol.commands ? { entries: 3 } : {});
    const measured = measuredCost(
      protocol,
      simulate({ protocol, topology, workload, properties: [] }),
    );
    const { least, most } = cost.messages(topology.nodes.length, topology);
    expect(measured).toBeLessThanOrEqual(most);
    expect(measured).toBeGreaterThanOrEqual(least);
    const average = cost.average?.(topology.nodes.length) ?? least;
    expect(average).toBeGreaterThanOrEqual(least);
    expect(average).toBeLessThanOrEqual(most);
  });
});

it('knows a command for each cost of one', () => {
  const counted = withCost.map(([, { commands }, { per, command }]) => ({
    per,
    isKnown: command === undefined || command in commands,
  }));
  expect(counted.filter(({ isKnown }) => !isKnown)).toEqual([]);
  const named = withCost.filter(([, , { command }]) => command !== undefined).map(([id]) => id);
  expect(named).toEqual([
    'B2',
    'C2',
    'C4',
    'C4b',
    'C4c',
    'C4t',
    'C5',
    'E1',
    'E1b',
    'E4',
    'E4b',
    'E5',
    'E6',
  ]);
});
