import { mutate } from '@conclave/core/mutation';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { subjects } from './mutated.js';
import { because } from './mutation-notes.js';
import { complaints, mutationPage, recorded } from './mutation-table.js';
import { ricartAgrawala } from './mutual-exclusion/permission/ricart-agrawala/protocol.js';

/** Asked nothing about its steps and its price, so that some mutants pass. */
const askedLittle = {
  ...ricartAgrawala,
  properties: ricartAgrawala.properties.filter(({ kind }) => kind !== 'everyStep' && kind !== 'atMost' && kind !== 'overtaken'),
};
const report = mutate(askedLittle, { systems: [{ topology: complete(2) }], operators: ['duplicate-action', 'drop-always'] });
const passes = report.mutants.filter(({ fate }) => fate === 'survived').map(({ id }) => id);
const subject = { name: 'A3', protocol: askedLittle, systems: undefined };

describe('why a mutant may pass', () => {
  it('is to be said of each', () => {
    const [first = '', ...others] = passes;
    expect(others.length).toBeGreaterThan(0);
    const silent = { ...subject, reasons: {} };
    expect(complaints(silent, recorded(report, silent))).toHaveLength(passes.length);
    const partly = { ...subject, reasons: because('It costs nothing', ...others) };
    expect(complaints(partly, recorded(report, partly))).toEqual([
      expect.stringContaining(`A3: no reason why '${first}' (survived) passes: `),
    ]);
    const all = { ...subject, reasons: because('It costs nothing', ...passes) };
    expect(complaints(all, recorded(report, all))).toEqual([]);
  });

  it('is stale where the mutant does not pass, or is not made', () => {
    const killed = report.mutants.find(({ fate }) => fate === 'killed')?.id ?? '';
    const stale = { ...subject, reasons: because('It costs nothing', ...passes, killed, 'no such mutant') };
    expect(complaints(stale, recorded(report, stale))).toEqual([
      `A3: a stale reason: '${killed}' is not a mutant that passes`,
      "A3: a stale reason: 'no such mutant' is not a mutant that passes",
    ]);
  });

  it('stands on the page, once for all mutants that have it', () => {
    const all = { ...subject, reasons: because('It costs nothing', ...passes) };
    const page = mutationPage({ date: '2026-01-02', machine: 'an abacus', protocols: { A3: recorded(report, all) } });
    expect(page).toContain('`npm run mutate` on 2026-01-02 (an abacus)');
    expect(page).toContain('### A3\n\n- It costs nothing:\n  - `');
    expect(page.split('It costs nothing')).toHaveLength(2);
  });
});

describe('the subjects', () => {
  it('have names of their own, and those with options are made with them', () => {
    const names = subjects().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(subjects().find(({ name }) => name === 'A3 ricart-agrawala acknowledged=true')?.protocol.options).toMatchObject({
      acknowledged: true,
    });
  });
});
