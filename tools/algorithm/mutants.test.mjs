/** Whether the pages say what becomes of all mutants. If not: npm run algorithm, with the ids. */
import { catalogue } from '@conclave/algorithms';
import { explore } from '@conclave/core/exploration';
import { mutantsOf } from '@conclave/core/internal/mutation';
import { mutate } from '@conclave/core/mutation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { read } from './files.mjs';
import { recordedPages } from './judge.mjs';
import {
  countsOf,
  explained,
  mutantsPart,
  planOf,
  recorded,
  recordOf,
  recordsOn,
  subjectsOf,
} from './mutants.mjs';
import { partOf } from './parts.mjs';

const pages = await recordedPages(catalogue, true);
const recordsOf = ({ path, subjects }) => {
  const records = recordsOn(path);
  return subjects.map((subject) => [
    subject.name,
    { subject, record: records.get(subject.options) },
  ]);
};
const all = pages.flatMap(recordsOf);

/** Small enough to be done again each time. */
const quick = ['A1 central-coordinator', 'A11 token-ring'];
const isQuick = ([name]) => quick.includes(name);

/**
 * So many killed mutants of each of the others, on systems with so many states at most, are
 * explored again.
 */
const [sample, mostStates] = [3, 5000];

describe('the recorded mutants (if they are stale: npm run algorithm, with the ids)', () => {
  it('have unique names, and their options', () => {
    const names = all.map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
    const [, { subject }] = all.find(([name]) => name === 'A3 ricart-agrawala acknowledged=true');
    expect(subject.protocol.options).toMatchObject({ acknowledged: true });
  });

  it.each(pages)('$path says what its records say, of these mutants and systems', (page) => {
    const rows = recordsOf(page).map(([name, { subject, record }]) => {
      const { fingerprint, ids } = planOf(subject);
      expect(record?.split(' ')[0], name).toBe(fingerprint);
      expect(countsOf(record).all, name).toBe(ids.length);
      const { complaints } = explained(subject, recorded(record, ids).mutants);
      expect(complaints, 'each that passes has its reason').toEqual([]);
      return { subject, ids, record };
    });
    expect(partOf(read(page.path), 'mutants')).toBe(mutantsPart(rows, page.path));
  });

  proof.each(all.filter(isQuick))('%s: all go the same way again', (_name, each) => {
    const { subject, record } = each;
    expect(recordOf(mutate(subject.protocol, subject.how), planOf(subject))).toBe(record);
  });

  proof.each(all.filter((each) => !isQuick(each)))(
    `%s: ${sample} are killed again`,
    (_name, { subject, record }) => {
      const plan = planOf(subject);
      const found = sampleOf(recorded(record, plan.ids));
      expect(found).toHaveLength(sample);
      for (const { id, number } of found)
        expect(killersOf(subject, id, plan.systems[number].system), id).not.toEqual([]);
    },
  );
});

/** Evenly taken from those that a property kills; the same each time. */
function sampleOf({ systems, mutants }) {
  const kills = mutants.flatMap(({ id, letter }) => {
    const system = systems[Number(letter)];
    return system?.states <= mostStates ? [{ id, ...system }] : [];
  });
  const count = Math.min(sample, kills.length);
  return Array.from({ length: count }, (_, at) => kills[Math.floor((at * kills.length) / sample)]);
}

/** What is wrong with a mutant on one system; it may also fail. */
function killersOf({ protocol }, id, { topology, budget, fairness }) {
  const mutant = mutantsOf(protocol).find((one) => one.id === id);
  const options = {
    ...budget,
    ...mutant.budget,
    ...(fairness && { fairness }),
    limits: { states: 60_000 },
    all: false,
  };
  const search = () => {
    try {
      return explore(mutant.protocol, topology, options).properties;
    } catch (error) {
      return [{ name: error.message, verdict: 'violated' }];
    }
  };
  return search().flatMap(({ name, verdict, remark }) =>
    remark !== undefined || ['violated', 'vacuous', 'unreached'].includes(verdict) ? [name] : [],
  );
}

describe('the reasons why mutants pass', () => {
  const [, { subject }] = all.find(([name]) => name === 'A3 ricart-agrawala');
  /** Without properties of steps and cost, so that some mutants pass. */
  const protocol = {
    ...subject.protocol,
    properties: subject.protocol.properties.filter(
      ({ kind }) => !['everyStep', 'atMost', 'overtaken'].includes(kind),
    ),
  };
  const how = {
    systems: [{ topology: complete(2) }],
    operators: ['duplicate-action', 'drop-always'],
  };
  const weak = { ...subject, protocol, how };
  const report = mutate(protocol, how);
  const ids = report.mutants.map(({ id }) => id);
  const record = recordOf(report, { ...planOf(weak), ids });
  const { mutants } = recorded(record, ids);
  const passes = mutants.flatMap(({ id, fate }) => (fate ? [id] : []));
  const killed = mutants.find(({ letter }) => letter === '0').id;
  const why = 'It costs nothing';
  const complaints = (...patterns) =>
    explained(
      { ...weak, reasons: Object.fromEntries(patterns.map((pattern) => [pattern, why])) },
      mutants,
    ).complaints;

  it('each mutant that passes needs one', () => {
    const [first, ...others] = passes;
    expect(others.length).toBeGreaterThan(0);
    expect(complaints()).toHaveLength(passes.length);
    expect(complaints(...others)).toEqual([
      `A3 ricart-agrawala: no reason why '${first}' (survived) passes`,
    ]);
    expect(complaints(...passes)).toEqual([]);
    expect(complaints('survived').length, 'each for itself').toBeGreaterThan(passes.length);
    expect(complaints(`{${passes.join('|')}}`)).toEqual([]);
  });

  it('one is stale if its mutant does not pass, or does not exist', () => {
    expect(complaints(...passes, killed, 'no such mutant', 'unreached')).toEqual([
      `A3 ricart-agrawala: '${killed}' matches '${killed}', which does not pass`,
      `A3 ricart-agrawala: a stale reason: '${killed}' matches no mutant that passes`,
      "A3 ricart-agrawala: a stale reason: 'no such mutant' matches no mutant that passes",
      "A3 ricart-agrawala: a stale reason: 'unreached' matches no mutant that passes",
    ]);
    expect(complaints('*').length).toBeGreaterThan(passes.length);
  });

  it('the page has one once for all mutants that share it', () => {
    const reasons = Object.fromEntries(passes.map((id) => [id, why]));
    const page = mutantsPart([{ subject: { ...weak, reasons }, ids, record }], 'docs/x.md');
    expect(page).toContain('[options](mutation.md)');
    expect(page.split(why)).toHaveLength(2);
    expect(page).toContain(`- ${passes.length} survived. ${why}: \`${passes[0]}\`, \``);
  });

  it('the page has no line for a stale reason', () => {
    const reasons = { ...Object.fromEntries(passes.map((id) => [id, why])), [killed]: 'Stale' };
    const page = mutantsPart([{ subject: { ...weak, reasons }, ids, record }], 'docs/x.md');
    expect(page).not.toContain('- . ');
    expect(page).not.toContain('Stale');
  });

  it('a mutant that a walk kills counts as killed, and says so', () => {
    const walks = [{ topology: complete(3), walks: 20, steps: 30 }];
    const all = subject.protocol;
    // no system has two nodes that wait
    const how = { systems: [{ topology: complete(2), budget: { initiators: ['a'] } }], walks };
    const operators = ['drop-guard', 'negate-guard'];
    const found = mutate(all, { ...how, operators });
    const ids = found.mutants.map(({ id }) => id);
    const record = recordOf(found, { ...planOf({ protocol: all, how }), ids });
    const { walked, killed } = countsOf(record);
    expect(walked).toBeGreaterThan(0);
    expect(killed).toBe(found.counts.killed + found.counts.unhandled);
    expect(record).toContain(` W:${found.walks[0].steps} `);
    expect(recorded(record, ids).systems).toEqual([{ number: 0, states: found.systems[0].states }]);
    const row = { subject: { ...subject, reasons: {}, how }, ids, record };
    expect(mutantsPart([row], 'docs/x.md')).toContain(`${walked} killed by walks`);
  });

  it('those of a region are left to the algorithm whose machine it is', async () => {
    const [lock] = await subjectsOf(catalogue.find(({ id }) => id === 'A18'));
    expect(planOf(lock).ids.filter((id) => id.startsWith('group'))).toEqual([]);
  });
});
