/**
 * Whether docs/mutation.json and docs/mutation.md say what `npm run mutate` would say. If not: npm
 * run mutate.
 */
import { readFileSync } from 'node:fs';
import { explore } from '@conclave/core/exploration';
import { mutantsOf } from '@conclave/core/internal/mutation';
import { defaultSystems, mutate } from '@conclave/core/mutation';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { mutateOptionsOf, type Subject, subjects } from './mutated.js';
import {
  complaints,
  mutationPage,
  noSystem,
  parsedTable,
  type Recorded,
  recorded,
  unhandled,
} from './mutation-table.js';

const read = (path: string) =>
  readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');
const table = parsedTable(read('mutation.json'));
const all = subjects();

const rowOf = ({ name }: Subject): Recorded => {
  const row = table.protocols[name];
  if (!row) throw new Error(`docs/mutation.json knows nothing of '${name}'. Run npm run mutate.`);
  return row;
};

/** Small enough to be done again each time. */
const quick = ['A1 central-coordinator', 'A11 token-ring'];

/**
 * So many killed mutants of each of the others, on systems with so many states at most, are
 * explored again.
 */
const sample = 3;
const mostStates = 5000;

describe('the table of mutants (if it is stale: npm run mutate)', () => {
  it('has every protocol, and its page says what it says', () => {
    expect(Object.keys(table.protocols)).toEqual(all.map(({ name }) => name));
    expect(read('mutation.md')).toBe(mutationPage(table));
  });

  it.each(all.map((subject) => [subject.name, subject] as const))(
    '%s: has these mutants, properties and systems',
    (_name, subject) => {
      expect(rowOf(subject).fingerprint).toBe(withoutTime(subject).fingerprint);
    },
  );

  it.each(all.map((subject) => [subject.name, subject] as const))(
    '%s: each mutant that passes has its reason',
    (_name, subject) => {
      const { open } = rowOf(subject);
      expect(complaints(subject, rowOf(subject))).toEqual([]);
      for (const { id, reason } of open) expect(reason).toBe(subject.reasons[id]);
    },
  );

  it.each(
    all
      .filter(({ name }) => quick.includes(name))
      .map((subject) => [subject.name, subject] as const),
  )('%s: all of its mutants go the same way again', (_name, subject) => {
    proof();
    expect(recorded(mutate(subject.protocol, mutateOptionsOf(subject)), subject)).toEqual(
      rowOf(subject),
    );
  });

  it.each(
    all
      .filter(({ name }) => !quick.includes(name))
      .map((subject) => [subject.name, subject] as const),
  )(`%s: ${sample} of its mutants are killed again`, (_name, subject) => {
    proof();
    const found = sampleOf(rowOf(subject));
    expect(found).toHaveLength(sample);
    for (const { id, system, by } of found)
      expect(`${id}: ${killersOf(subject, id, system).join(', ')}`).toContain(by);
  });
});

interface Kill {
  readonly system: string;
  readonly id: string;
  /** The property. */
  readonly by: string;
}

/** Evenly taken from those that a property kills; the same each time. */
function sampleOf({ killed, systems }: Recorded): readonly Kill[] {
  const isSmall = (name: string) =>
    systems.some(
      (system) =>
        system.startsWith(`${name}: `) &&
        Number(system.slice(name.length).match(/\d+/)?.[0]) <= mostStates,
    );
  const kills = Object.entries(killed).flatMap(([system, byId]) =>
    system === noSystem || !isSmall(system)
      ? []
      : Object.entries(byId).flatMap(([id, by]) =>
          by === unhandled || by.startsWith('it fails: ') ? [] : [{ system, id, by }],
        ),
  );
  return Array.from(
    { length: Math.min(sample, kills.length) },
    (_, index) => kills[Math.floor((index * kills.length) / sample)],
  ).flatMap((kill) => kill ?? []);
}

/**
 * The report without any exploration: its fingerprint, and the names of the systems in their order.
 */
const withoutTime = ({ protocol, systems }: Pick<Subject, 'protocol' | 'systems'>) =>
  mutate(protocol, { ...(systems ? { systems } : {}), limits: { seconds: 0 } });

const strong = ', fairness strong';

/** What is wrong with a mutant on one system. */
function killersOf(
  { protocol, systems = defaultSystems(protocol) }: Subject,
  id: string,
  name: string,
): readonly string[] {
  const mutant = mutantsOf(protocol).find((one) => one.id === id);
  const names = withoutTime({ protocol, systems }).leftOut;
  const isMeant = (text: string) => text === name || text + strong === name;
  const system = systems.find((_, index) => isMeant(names[index] ?? ''));
  if (!mutant || !system) throw new Error(`there is no mutant '${id}', or no system '${name}'`);
  const { properties } = explore(mutant.protocol, system.topology, {
    ...system.budget,
    ...mutant.budget,
    ...(name.endsWith(strong)
      ? { fairness: 'strong' }
      : system.fairness
        ? { fairness: system.fairness }
        : {}),
    limits: { states: 60_000 },
    all: false,
  });
  return properties.flatMap(({ name, verdict, remark }) =>
    remark !== undefined || ['violated', 'vacuous', 'unreached'].includes(verdict) ? [name] : [],
  );
}
