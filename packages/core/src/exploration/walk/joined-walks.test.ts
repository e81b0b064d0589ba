import { describe, expect, it } from 'vitest';
import { centralLock } from '../../protocol/examples.contract.js';
import { never, sometimes } from '../../protocol/property.js';
import { star } from '../../topology/generators.js';
import { joinedWalks, type SeedWalks, walk, walksOfSeed } from './walk.js';

const options = { walks: 6, steps: 4, commands: 2, coverage: true };
const topology = star(4);
const properties = [
  sometimes('some node is inside', (system) => system.count('critical') > 0),
  never('two messages of one kind', (system) => system.nodes.length > 4),
];
const of = (seed: number): SeedWalks =>
  walksOfSeed(centralLock, topology, { ...options, properties, seed });

describe('the walks of several seeds', () => {
  it('are those of one seed where there is one, as plain data', () => {
    const part = of(3);
    expect(JSON.parse(JSON.stringify(part))).toEqual(part);
    const {
      seed,
      tick: _,
      ...alone
    } = walk(centralLock, topology, {
      ...options,
      properties,
      seed: 3,
    });
    const { seeds, properties: found, ...joined } = joinedWalks([part]);
    const { properties: expected, ...others } = alone;
    expect([joined, seeds, seed]).toEqual([others, 1, 3]);
    expect(found.map(({ seed: _, tick: __, ...finding }) => finding)).toEqual(expected);
  });

  it('have used what any has used, and take evidence from the first seed that has some', () => {
    const parts = [of(1), of(2), of(3), of(4)] as const;
    const joined = joinedWalks(parts);
    expect(joined.walks).toBe(24);
    expect(joined.steps).toBe(parts.reduce((sum, { steps }) => sum + steps, 0));
    expect(joined.states).toBe(Math.max(...parts.map(({ states }) => states)));
    const taken = (index: number) =>
      parts.some(({ usage }) => usage[0]?.transitions[index]?.taken === true);
    const transitions = parts[0].usage[0]?.transitions ?? [];
    const [first] = joined.coverage ?? [];
    expect(first?.missed).toEqual(
      transitions.filter((_, index) => !taken(index)).map(({ text }) => text),
    );
    const [inside] = joined.properties;
    const decides = parts.find((part) => part.properties[0]?.verdict === 'reached');
    expect([inside?.verdict, inside?.seed]).toEqual(['reached', decides?.seed]);
    expect(inside?.trace?.header.get('protocol')).toBe('central-lock');
  });
});
