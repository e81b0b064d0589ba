/** A run of representatives is reported as a real run, or not at all. */
import { describe, expect, it } from 'vitest';
import { complete } from '../../../topology/generators.js';
import { greetings } from '../../fixtures/explored.contract.js';
import { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import type { World } from '../../worlds/world.js';
import { Worlds } from '../../worlds/worlds.js';
import { Quotient } from './quotient.js';
import { RenamingSensitivity } from './renaming-sensitivity.js';

/**
 * A node that says hello, in a quotient by `normalise`, which is not checked; the first actions of
 * a run of representatives.
 */
function run(normalise: (world: World) => World, length: number) {
  const compiled = new CompiledWorlds(new Worlds(greetings, complete(2), { initiators: ['a'] }));
  const quotient = new Quotient(compiled, compiled, {
    symmetry: false,
    normalise,
    properties: [],
    sensitivity: new RenamingSensitivity(),
  });
  const next = new Int32Array(compiled.width);
  let at = new Int32Array(compiled.width);
  compiled.initial(at);
  compiled.encoding.encode(normalise(compiled.encoding.decode(at)), at);
  const actions: number[] = [];
  for (let step = 0; step < length; step++) {
    let found: Int32Array<ArrayBuffer> | undefined;
    compiled.expand(
      at,
      next,
      (action) => {
        if (!found) actions.push(action);
        found ??= next.slice();
        return false;
      },
      () => {},
    );
    at = found ?? at;
    compiled.encoding.encode(normalise(compiled.encoding.decode(at)), at);
  }
  return () => quotient.realRun(actions);
}

const refused =
  "Protocol 'greetings': a run of representatives has no real run. Leave out reduce and normalise";
const value = (world: World, id: string) => world.nodes[id]?.value;
const withValue = (world: World, id: string, its: string): World => {
  const node = world.nodes[id];
  return node ? { ...world, nodes: { ...world.nodes, [id]: { ...node, value: its } } } : world;
};
/** Changes a world once `a` is awake. */
const onceAwake = (change: (world: World) => World) => (world: World) =>
  value(world, 'a') === 'awake' ? change(world) : world;

describe('a run of representatives', () => {
  it('is reported as the real run', () => {
    expect(run((world) => world, 1)()).toHaveLength(1);
  });

  it('is refused where only one of its last world and the real one has a fault', () => {
    expect(
      run(
        onceAwake((world) => withValue(world, 'b', 'awake')),
        1,
      ),
    ).toThrow(refused);
    expect(
      run(
        onceAwake((world) => ({ ...world, channels: {} })),
        1,
      ),
    ).toThrow(refused);
  });

  it('is refused where a step of the real run leads to another class', () => {
    expect(
      run(
        onceAwake((world) => withValue(world, 'b', 'awake')),
        2,
      ),
    ).toThrow(refused);
  });
});
