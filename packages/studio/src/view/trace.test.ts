import { linesText } from '@conclave/core/trace';
import { expect, it } from 'vitest';
import type { Setup } from '../link/link.js';
import { Session, type Step } from '../model/session.js';
import { systemOf } from '../model/system.js';
import { rowsOf, windowAround } from './trace.js';

/** One rule for each step, which has the name of its action. */
const rulesOf = ({ action }: Step) => [{ number: action.type, text: '' }];

async function rowsAfter(setup: Setup, steps: readonly number[], loopsFrom?: number) {
  const session = new Session(await systemOf(setup));
  session.show(steps);
  const tip = session.tip.value;
  const lines = session.run.lines(tip);
  const texts = linesText(lines.map(({ line }) => line)).split('\n');
  return {
    session,
    rows: rowsOf({
      ...{ lines, texts, tip, rulesOf },
      loop: loopsFrom === undefined ? undefined : session.path.value[loopsFrom],
    }),
  };
}

const a3: Setup = { protocol: 'A3', options: {}, topology: 'complete:2', budget: {} };

it('a line leads to the moment after its step', async () => {
  const { rows } = await rowsAfter(a3, [0, 0, 0]);
  expect(rows.map(({ moment, kind }) => `${kind} ${moment.depth}`)).toEqual([
    'line 1',
    'line 2',
    'line 3',
  ]);
  expect(rows[0]?.text).toMatch(/^a {2}acquire +released → wanted +⇒ b: request\(1\)$/);
  expect(rows.map(({ rules }) => rules.map(({ number }) => number).join())).toEqual([
    'command',
    'command',
    'deliver',
  ]);
});

it('the start of a node that acts there leads to the beginning', async () => {
  const { rows } = await rowsAfter(
    { protocol: 'A14', options: {}, topology: 'ring:3', budget: {} },
    [0, 0],
  );
  const nodes = rows.map(({ text, moment }) => `${text.split(' ')[0]} ${moment.depth}`);
  expect(nodes).toEqual(['a 0', 'b 0', 'c 0', 'a 1', 'b 2']);
  expect(rows.map(({ rules }) => rules.length)).toEqual([0, 0, 0, 1, 1]);
});

it('marks where a run begins to repeat, and where nothing more happens', async () => {
  const { rows } = await rowsAfter(a3, [0, 0, 0, 0], 2);
  expect(rows.map(({ kind }) => kind)).toEqual(['line', 'line', 'loop', 'line', 'line']);
  expect(rows[2]).toMatchObject({ text: 'from here on, repeated forever', moment: { depth: 2 } });
  const ended = await rowsAfter(a3, [0, 0], 2);
  expect(ended.rows.at(-1)).toMatchObject({ kind: 'loop', text: 'nothing more happens' });
});

it('ends with the error of a step that a machine cannot take', async () => {
  const setup: Setup = { ...a3, budget: { duplications: 1 } };
  const session = new Session(await systemOf(setup));
  for (const type of ['command', 'deliver', 'duplicate', 'deliver', 'deliver']) {
    const actions = session.run.actions(session.now.value);
    session.take(actions.findIndex((action) => action.type === type));
  }
  const tip = session.tip.value;
  expect(tip.step?.fault).toBeDefined();
  const rows = rowsOf({
    ...{ lines: session.run.lines(tip), texts: [], tip },
    ...{ loop: undefined, rulesOf },
  });
  expect(rows.at(-1)).toMatchObject({
    kind: 'fault',
    text: expect.stringContaining('does not handle'),
  });
});

it('draws the lines around the present one, and counts the others', async () => {
  const { session } = await rowsAfter(a3, []);
  const moment = (depth: number) => ({ ...session.run.start, depth });
  const rows = Array.from({ length: 1000 }, (_, index) => ({
    key: String(index),
    text: '',
    moment: moment(index + 1),
    kind: 'line' as const,
    rules: [],
  }));
  for (const depth of [0, 1, 119, 500, 999, 1000]) {
    const shown = windowAround(rows, depth);
    expect(shown.before + shown.rows.length + shown.after).toBe(1000);
    expect(shown.rows.length).toBe(240);
    if (depth > 0) expect(shown.rows.map((row) => row.moment.depth)).toContain(depth);
  }
  expect(windowAround(rows.slice(0, 240), 3)).toMatchObject({ before: 0, after: 0 });
});
