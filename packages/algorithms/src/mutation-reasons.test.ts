import { mutate } from '@conclave/core/mutation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { subjects } from './mutated.js';
import { because } from './mutation-notes.js';
import { complaints, mutationPage, recorded } from './mutation-table.js';
import { ricartAgrawala } from './mutual-exclusion/permission/ricart-agrawala/protocol.js';

/** Without properties of steps and cost, so that some mutants pass. */
const fewProperties = {
  ...ricartAgrawala,
  properties: ricartAgrawala.properties.filter(
    ({ kind }) => kind !== 'everyStep' && kind !== 'atMost' && kind !== 'overtaken',
  ),
};
const report = mutate(fewProperties, {
  systems: [{ topology: complete(2) }],
  operators: ['duplicate-action', 'drop-always'],
});
const passes = report.mutants.filter(({ fate }) => fate === 'survived').map(({ id }) => id);
const subject = { name: 'A3', protocol: fewProperties, systems: undefined };

describe('the reasons why mutants pass', () => {
  it('each mutant that passes needs one', () => {
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

  it('one is stale if its mutant does not pass, or does not exist', () => {
    const killed = report.mutants.find(({ fate }) => fate === 'killed')?.id ?? '';
    const stale = {
      ...subject,
      reasons: because('It costs nothing', ...passes, killed, 'no such mutant'),
    };
    expect(complaints(stale, recorded(report, stale))).toEqual([
      `A3: a stale reason: '${killed}' is not a mutant that passes`,
      "A3: a stale reason: 'no such mutant' is not a mutant that passes",
    ]);
  });

  it('the page has one once for all mutants that share it', () => {
    const all = { ...subject, reasons: because('It costs nothing', ...passes) };
    const page = mutationPage({
      date: '2026-01-02',
      machine: 'an abacus',
      protocols: { A3: recorded(report, all) },
    });
    expect(page).toContain('`npm run mutate` on 2026-01-02 (an abacus)');
    expect(page).toContain('### A3\n\n- It costs nothing:\n  - `');
    expect(page.split('It costs nothing')).toHaveLength(2);
  });
});

describe('the subjects', () => {
  it('have unique names, and their options', () => {
    proof();
    const names = subjects().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(
      subjects().find(({ name }) => name === 'A3 ricart-agrawala acknowledged=true')?.protocol
        .options,
    ).toMatchObject({
      acknowledged: true,
    });
  });
});
