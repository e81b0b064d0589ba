/** Whether runs take the transitions that the recorded mutants say they take. */
import { catalogue } from '@conclave/algorithms';
import { explore, walk } from '@conclave/core/exploration';
import { proof } from '@conclave/tools/sample';
import { describe, expect } from 'vitest';
import { recordedPages } from './judge.mjs';
import { planOf, recorded, recordsOn } from './mutants.mjs';
import { transitionsOf } from './transitions.mjs';

const pages = await recordedPages(catalogue, true);
const rows = pages.flatMap(({ path, subjects }) => {
  const records = recordsOn(path);
  return subjects.map((subject) => [subject.name, subject, records.get(subject.options)]);
});

const byNumber = (one, other) => one - other;

/** The states of those that no run takes, such as `node wanted`, each as often as it has some. */
function missedIn({ protocol, how: { walks = [], leaveOut = [] } }, systems, sizes) {
  const explored = systems.map(({ topology, budget, fairness }) =>
    explore(protocol, topology, { ...budget, ...(fairness && { fairness }), coverage: true }),
  );
  expect(explored.map(({ states }) => states).sort(byNumber)).toEqual(sizes);
  const runs = [
    ...explored.map(({ coverage }) => coverage),
    ...walks.map(({ topology, budget, walks, steps, seed = 1 }) => {
      const options = { ...budget, walks, steps, seed, coverage: true };
      return walk(protocol, topology, options).coverage;
    }),
  ];
  const [first = [], ...others] = runs.map((roles) =>
    roles.flatMap(({ role, missed }) => missed.map((text) => `${role} ${text}`)),
  );
  const missed = others.reduce((left, next) => left.filter((text) => next.includes(text)), first);
  const states = missed.map((text) => text.slice(0, text.indexOf(': ')));
  const isLeftOut = (state) => leaveOut.some((part) => `${state}.`.includes(` ${part}.`));
  return states.filter((state) => !isLeftOut(state)).sort();
}

describe('the transitions of all machines', () => {
  proof.each(rows)(
    '%s: runs take each, except those that its mutants name',
    (_name, row, record) => {
      const plan = planOf(row);
      const { systems, mutants } = recorded(record, plan.ids);
      const sizes = systems.map(({ states }) => states).sort(byNumber);
      // of those by default some are too large
      const explored = row.how.systems ?? systems.map(({ number }) => plan.systems[number].system);
      const untaken = transitionsOf(row, mutants).filter(({ isTaken }) => !isTaken);
      expect(missedIn(row, explored, sizes)).toEqual(
        untaken.map(({ role, state }) => `${role} ${state}`).sort(),
      );
    },
  );
});
