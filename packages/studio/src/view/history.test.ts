import { expect, it } from 'vitest';
import { Session } from '../model/session.js';
import { systemOf } from '../model/system.js';
import { treeOf } from './history.js';

const open = async () =>
  new Session(await systemOf({ protocol: 'A3', options: {}, topology: 'complete:3', budget: {} }));

const shown = (session: Session, ...visible: Session['run']['start'][]) =>
  treeOf(session.run, new Set(visible)).map(
    ({ words, level, folded }) =>
      `${'  '.repeat(level)}${words}${folded > 0 ? ` (+${folded})` : ''}`,
  );

it('a first branch goes straight on, the others are indented behind it', async () => {
  const session = await open();
  session.take(0);
  session.take(0);
  session.back();
  session.take(1);
  session.goTo(session.run.start);
  session.take(2);
  expect(shown(session)).toEqual([
    'the beginning',
    'a acquires',
    'b acquires',
    '  c acquires',
    '  c acquires',
  ]);
});

it('folds long stretches, but not the moments that one looks at', async () => {
  const session = await open();
  for (let step = 0; step < 12; step++) session.take(0);
  const rows = shown(session);
  expect(rows.length).toBe(4);
  expect(rows.join()).toContain('(+9)');
  const middle = session.path.value[6];
  if (!middle) throw new Error('no moment');
  expect(shown(session, middle).length).toBe(5);
  expect(treeOf(session.run, new Set([middle])).map(({ moment }) => moment)).toContain(middle);
});

it('marks where nothing more can happen', async () => {
  const session = await open();
  while (session.run.actions(session.now.value).length > 0) session.take(0);
  const rows = treeOf(session.run, new Set());
  expect(rows.at(-1)?.kind).toBe('end');
  expect(rows.filter(({ kind }) => kind === 'end').length).toBe(1);
});
