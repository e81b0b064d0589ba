/** Whether the lists of mutants are true. If not: npm run algorithm, with the ids. */
import { catalogue } from '@conclave/algorithms';
import { mutate } from '@conclave/check';
import { complete } from '@conclave/core/topology';
import { proof, quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import {
  checkedLists,
  idsOf,
  listsBeside,
  mutantPages,
  noticedIn,
  refutedBy,
  staleIn,
  subjectsOf,
} from './mutants.mjs';

const pages = await mutantPages(catalogue, true);
const all = pages.flatMap(({ path, subjects }) => {
  const lists = listsBeside(path);
  return subjects.map((subject) => [subject.name, { subject, list: lists[subject.options] }]);
});

/** So many mutants take less than a minute; `npm run algorithm` judges more, an hour for all. */
const quick = 80;
/** To make so many of a page, which none is run of, takes less than half a second. */
const fewOf = ({ path }) =>
  Object.values(listsBeside(path)).reduce((sum, { of }) => sum + of, 0) < 600;

it('refuses a list of excuses by id', () => {
  const list = { '': { excused: { 'a: go #1 drop': 'No run reaches it' } } };
  expect(() => checkedLists(list, 'mutants.json')).toThrow('Give each reason a list of ids');
});

describe('the mutants (if a list is stale: npm run algorithm, with the ids)', () => {
  it.each(quickOf(pages, fewOf))(
    '$path: the lists are of these options and mutants',
    ({ path, subjects }) => {
      const lists = listsBeside(path);
      expect(Object.keys(lists)).toEqual(subjects.map(({ options }) => options));
      expect(subjects.flatMap((one) => staleIn(one, lists[one.options]))).toEqual([]);
    },
  );

  proof.each(all.filter(([, { list }]) => list.of <= quick))(
    '%s: as many are noticed, others have their reasons',
    (_, { subject, list }) => {
      expect(refutedBy(mutate(subject.protocol, subject.how), subject, list)).toEqual([]);
    },
  );

  it('have unique names, and their options', () => {
    const names = all.map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
    const [, { subject }] = all.find(([name]) => name === 'A3 ricart-agrawala acknowledged=true');
    expect(subject.protocol.options).toMatchObject({ acknowledged: true });
  });

  it('those of a region are left to the algorithm whose machine it is', async () => {
    const [lock] = await subjectsOf(catalogue.find(({ id }) => id === 'A18'));
    expect(idsOf(lock).filter((id) => id.startsWith('group'))).toEqual([]);
  });
});

describe('a list of mutants', () => {
  const [, { subject }] = all.find(([name]) => name === 'A3 ricart-agrawala');
  /** Without properties of steps and cost, so that some mutants pass. */
  const protocol = {
    ...subject.protocol,
    properties: subject.protocol.properties.filter(
      ({ kind }) => !['everyStep', 'atMost', 'overtaken'].includes(kind),
    ),
  };
  const operators = ['duplicate-action', 'drop-always'];
  const report = mutate(protocol, { systems: [{ topology: complete(2) }], operators });
  const noticed = noticedIn(report);
  const [first, ...others] = report.mutants.filter(({ fate }) => fate === 'survived');
  const killed = report.mutants.find(({ fate }) => fate === 'killed').id;
  const ids = [first, ...others].map(({ id }) => id);
  const excused = { 'It costs nothing': ids };

  it('is true of a report in which as many are noticed, and only these pass', () => {
    expect(refutedBy(report, subject, { noticed, excused })).toEqual([]);
    expect(refutedBy(report, subject, { noticed: noticed - 1, excused })).toEqual([]);
  });

  it('is refuted by fewer, by one that passes without a reason, and by a reason for another', () => {
    const { name } = subject;
    expect(refutedBy(report, subject, { noticed: noticed + 1, excused })).toEqual([
      `${name}: ${noticed} are noticed, not ${noticed + 1}`,
    ]);
    const list = { noticed, excused: { why: ids.slice(1), stale: [killed, 'no such mutant'] } };
    expect(refutedBy(report, subject, list)).toEqual([
      `${name}: no reason why '${first.id}' (survived) passes`,
      `${name}: '${killed}' is excused, and does not pass`,
      `${name}: 'no such mutant' is excused, and does not pass`,
    ]);
  });

  it('is stale where mutants are others', () => {
    const of = idsOf(subject).length;
    expect(staleIn(subject, { of, excused: { why: [killed] } })).toEqual([]);
    expect(staleIn(subject, { of: of + 1, excused: { why: [killed, 'none', killed] } })).toEqual([
      `${subject.name}: ${of} mutants, not ${of + 1}`,
      `${subject.name}: 'none' is no mutant, or excused twice`,
      `${subject.name}: '${killed}' is no mutant, or excused twice`,
    ]);
    expect(staleIn(subject, undefined)).toHaveLength(1);
  });
});
