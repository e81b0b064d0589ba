/** A module of TLA+, read by its definitions alone, has the states, steps and verdicts of the explorer. */
import { proof, quickOf, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { cards, centralLock } from '../../protocol/examples.contract.js';
import { star } from '../../topology/generators.js';
import { explore } from '../explore/explore.js';
import { systems } from '../fixtures/systems.contract.js';
import { exportTla } from './tla-export.js';
import { TlaModule } from './tla-module.contract.js';

const large: readonly string[] = ['callers', 'callers that crash while they wait'];
/** Those that a module can say; nodes that send at their start crash between steps only. */
const sayable = systems
  .filter(
    ([name, , , { time, partitions }]) =>
      !time && partitions === undefined && !large.includes(name),
  )
  .map(([name, protocol, topology, options]) => ({
    ...{ name, protocol, topology },
    options: { ...options, ...(protocol === cards && { atomicSteps: true }) },
  }));

describe('exportTla', () => {
  it.each(quickOf(sampled(sayable, 1), ({ name }) => !name.startsWith('card players')))(
    '$name',
    ({ protocol, topology, options }) => {
      const { text } = exportTla(protocol, topology, { ...options, module: 'lock' });
      const module = new TlaModule(text);
      const found = explore(protocol, topology, options);
      const { states, transitions } = module.explore();
      expect([states.length, transitions]).toEqual([found.states, found.transitions]);
      expect(states.every((state) => module.holds('InTables', state))).toBe(true);
      for (const [index, { name, verdict }] of found.properties.entries()) {
        const always = states.every((state) => module.holds(`P${index + 1}`, state) ?? true);
        const isLast = module.holds(`P${index + 1}`, states[0] ?? new Map()) === undefined;
        if (!isLast) expect([name, always]).toEqual([name, !/violated|^reached/.test(verdict)]);
      }
    },
  );

  proof('a module with one changed entry of a table differs', () => {
    const { text, states } = exportTla(centralLock, star(3), { module: 'lock' });
    const sends = /sends \|-> <<<<[^>]*>>>>/;
    expect(text).toMatch(sends);
    expect(new TlaModule(text.replace(sends, 'sends |-> <<>>')).explore().states.length).not.toBe(
      states,
    );
  });

  it('is plain ASCII', () => {
    const { text } = exportTla({ ...centralLock, title: 'A lock – 鍵' }, star(3), {
      module: 'lock',
    });
    expect(text).toContain('\\* A lock - u9375 on star:3\n');
    expect(text).toMatch(/^[\n -~]*$/);
  });

  it('needs the name of a module', () => {
    expect(() => exportTla(centralLock, star(3), { module: '3 locks' })).toThrow(
      "'3 locks' is no name of a module",
    );
  });
});
