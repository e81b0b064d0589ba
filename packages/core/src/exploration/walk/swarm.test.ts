import { expect, it } from 'vitest';
import { Random } from '../../base/random.js';
import { centralLock } from '../../protocol/examples.contract.js';
import { star } from '../../topology/generators.js';
import { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { Worlds } from '../worlds/worlds.js';
import { Swarm } from './walker.js';

const compiled = new CompiledWorlds(new Worlds(centralLock, star(3), { losses: 1 }));
const deliver = { type: 'deliver', from: 'b', to: 'a', message: { type: 'request' } } as const;
const delivered = compiled.actionNumber(deliver);
const dropped = compiled.actionNumber({ ...deliver, type: 'drop' });
const commanded = compiled.actionNumber({
  ...{ type: 'command', node: 'b', command: { type: 'acquire' } },
});

it('a walk leaves some faults or commands out, delays others, and one of four is uniform', () => {
  const swarm = new Swarm(compiled, new Random(1));
  const walks = Array.from({ length: 400 }, () => {
    swarm.begin();
    return [delivered, dropped, commanded].map((action) => swarm.weight(action));
  });
  const count = (holds: (weights: readonly number[]) => boolean) => walks.filter(holds).length;
  expect(count(([, drop = 1]) => drop < 1e-9)).toBeGreaterThan(40);
  expect(count(([, drop = 1]) => drop < 1e-9)).toBeLessThan(160);
  expect(count(([, , command = 1]) => command < 1e-9)).toBeGreaterThan(30);
  expect(count(([delivery = 0]) => delivery > 1e-9 && delivery < 1)).toBeGreaterThan(30);
  expect(count((weights) => weights.every((weight) => weight === 1))).toBeGreaterThan(80);
});
