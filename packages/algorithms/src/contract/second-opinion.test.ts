/**
 * The explorer and SPIN find the same: states, transitions, verdicts. What a row of the page
 * docs/second-opinion.md must say is in the message of its test, where it fails.
 */
import { readFileSync } from 'node:fs';
import { type ExploreOptions, walk } from '@conclave/check';
import { exportPromela } from '@conclave/check/internal';
import { complete } from '@conclave/core/topology';
import { ofLong, proof, sampled } from '@conclave/tools/sample';
import { describeWithSpin, spinOn } from '@conclave/tools/spin';
import { expect, it } from 'vitest';
import { loadProtocol } from '../load.js';
import { ricartAgrawala } from '../mutual-exclusion/permission/ricart-agrawala/protocol.js';

type ExportedModel = ReturnType<typeof exportPromela>;

interface Row {
  readonly id: string;
  readonly size: number;
  readonly options?: ExploreOptions;
}

const modelOf = async ({ id, size, options }: Row): Promise<ExportedModel> => {
  const protocol = await loadProtocol(id);
  return exportPromela(protocol, protocol.topology.example(size), {
    ...options,
    limits: { states: 20_000 },
  });
};

/** Whether SPIN must find an error. */
const isErrorFor: Readonly<Record<string, boolean>> = {
  ...{ violated: true, reached: true },
  ...{ holds: false, unreached: false, vacuous: false },
};

/** What both have found. */
interface Found extends Pick<ExportedModel, 'states' | 'transitions'> {
  /** How many verdicts are equal. */
  readonly verdicts: number;
}

/** `runs`: also the properties of runs, and no node waits where nothing can happen. */
async function compare(row: Row, runs: boolean): Promise<Found> {
  const model = await modelOf(row);
  const { stored, counted, states, transitions, properties } = model;
  const { counts, errors } = spinOn(model, { runs });
  expect(counts, JSON.stringify(row)).toEqual({ states: stored, transitions: counted, errors: 0 });
  const decided = properties.filter(
    ({ name, verdict }) => errors.has(name) && verdict in isErrorFor,
  );
  expect(
    decided.map(({ name }) => [name, errors.get(name)]),
    JSON.stringify(row),
  ).toEqual(decided.map(({ name, verdict }) => [name, isErrorFor[verdict]]));
  return { states, transitions, verdicts: decided.length };
}

const few: readonly Row[] = [
  { id: 'A1', size: 3 },
  { id: 'A3', size: 2, options: { losses: 1 } },
];

/** Each on two nodes, and on three or, where that is large, on two with two commands each. */
const onThree: readonly string[] = [
  ...['A1', 'A3b', 'A4', 'A4b', 'A6', 'A7', 'A8', 'A9', 'A10', 'A11', 'A12', 'A16', 'A17'],
  ...['B2', 'B3', 'B4', 'B8', 'B9', 'B11', 'B12', 'B13', 'B14', 'B16', 'C2'],
];
const onTwo: readonly string[] = ['A2', 'A3', 'A3c', 'A20'];
const rows = [...onThree, ...onTwo];
/** Their larger systems have too many states, or properties too long for SPIN. */
const onSmallest: readonly string[] = ['A15', 'B1', 'B5', 'B10', 'B15', 'C1', 'C4c', 'C4t', 'C6'];
/** Their networks report crashes, and lose nothing. */
const lossless: readonly string[] = ['A18', 'B17', 'C5'];
/** Where A3b has too many states. */
const faulty = rows.filter((id) => id !== 'A3b');

const page = readFileSync(new URL('../../../../docs/second-opinion.md', import.meta.url), 'utf8');
const cellOf = ({ states, transitions }: Found): string =>
  [states, transitions].map((count) => count.toLocaleString('en')).join(', ');

describeWithSpin('a second opinion by SPIN', () => {
  it.each(sampled(few, 1))(
    '$id with $size nodes: the same states, transitions, verdicts',
    async (row) => {
      expect((await compare(row, false)).verdicts).toBeGreaterThan(2);
    },
  );

  proof('a model with one changed entry of a table differs', async () => {
    const model = await modelOf({ id: 'A3', size: 2 });
    const reply = / -> at_b = (\w+); b_a_reply\+\+\n/;
    expect(model.text).toMatch(reply);
    const { counts } = spinOn(model, { text: model.text.replace(reply, ' -> at_b = $1\n') });
    expect(counts).not.toEqual({ states: model.stored, transitions: model.counted, errors: 0 });
  });

  proof.each(ofLong(rows, 10))(
    '%s on two systems, with and without a loss, as on the page',
    async (id) => {
      const { title, topology } = await loadProtocol(id);
      const [size, commands] = onThree.includes(id) ? [3, 1] : [2, 2];
      const found: Found[] = [];
      for (const losses of [0, 1])
        found.push(await compare({ id, size: 2, options: { losses, time: 'untimed' } }, true));
      for (const losses of [0, 1])
        found.push(
          await compare({ id, size, options: { commands, losses, time: 'untimed' } }, false),
        );
      const larger = `${topology.example(size).spec}${commands > 1 ? `, ${commands} each` : ''}`;
      const [small, lossy, large, largeLossy] = found.map(cellOf);
      const verdicts = found.reduce((sum, one) => sum + one.verdicts, 0);
      expect(page).toContain(
        `\n| ${id} ${title} | ${small} | ${lossy} | ${larger} | ${large} | ${largeLossy} | ${verdicts} |\n`,
      );
    },
  );

  proof.each([...onSmallest, ...lossless])('%s on its smallest system', async (id) => {
    for (const losses of lossless.includes(id) ? [0] : [0, 1])
      await compare({ id, size: 2, options: { losses, time: 'untimed' } }, false);
  });

  proof.each(ofLong(faulty, 9))(
    '%s: a crash and a restart, also in the middle of a step',
    async (id) => {
      const faults = { crashes: 1, restarts: 1, atomicSteps: ['A9', 'A11'].includes(id) };
      await compare({ id, size: 2, options: { ...faults, time: 'untimed' } }, true);
    },
  );

  proof.each(ofLong(faulty.toReversed(), 9))(
    '%s: channels that keep the order, lose and duplicate',
    async (id) => {
      const faults = { losses: 1, duplications: 1, order: 'fifo' } as const;
      await compare({ id, size: 2, options: { ...faults, time: 'untimed' } }, false);
    },
  );
});

// A step with too many sends cannot be explored with a crash in the middle of it; it is not listed
// where no such crash may happen.

const usual = { seed: 1, walks: 1, steps: 5, crashes: 1 };

it('14 sends are refused if their node may crash, and else taken', () => {
  expect(() => walk(ricartAgrawala, complete(15), usual)).toThrow(
    'A step sends 14 messages: a crash in the middle of it',
  );
  expect(walk(ricartAgrawala, complete(15), { ...usual, mayCrash: () => false }).steps).toBe(5);
  expect(walk(ricartAgrawala, complete(15), { ...usual, atomicSteps: true }).steps).toBe(5);
});
