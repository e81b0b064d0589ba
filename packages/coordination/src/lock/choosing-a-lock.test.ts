/** What docs/choosing-a-lock.md says about our locks, compared with the protocols. */
import { existsSync, readFileSync } from 'node:fs';
import { groupLock } from '@conclave/algorithms/group-lock';
import { leaseInOneRow } from '@conclave/algorithms/lease-in-one-row';
import { leasedMajority } from '@conclave/algorithms/leased-majority';
import type { Protocol } from '@conclave/core/protocol';
import { complete, ring, star } from '@conclave/core/topology';
import { expect, it } from 'vitest';
import { protocolFor } from './lock-choice.js';

const docs = new URL('../../../../docs/', import.meta.url);
const page = readFileSync(new URL('choosing-a-lock.md', docs), 'utf8');
const [, ours = ''] = /^## Ours\n([\s\S]+?)^## /m.exec(page) ?? [];
const rows = new Map(
  ours
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').slice(1, -1))
    .map(([fault = '', ...cells]) => [fault.trim(), cells.map((cell) => cell.trim())]),
);
const cellsOf = (fault: string): readonly string[] =>
  rows.get(fault) ?? expect.fail(`the page has no row '${fault}'`);

const site = { self: 'a', peers: ['b', 'c'], transport: { guarantees: {} } };
const chosen = [
  leaseInOneRow(),
  protocolFor('none', site),
  protocolFor('crash', site),
  groupLock(),
];

const isTolerated: Readonly<Record<string, (protocol: Protocol) => boolean>> = {
  'loss of messages': ({ channels }) => channels.loss,
  duplication: ({ channels }) => channels.duplication,
  'any order': ({ channels }) => channels.order === 'any',
  'crash of a node': ({ tolerates }) => tolerates?.includes('crash') ?? false,
  restart: ({ tolerates }) => tolerates?.includes('restart') ?? false,
};

it.each(Object.entries(isTolerated))('%s', (fault, is) => {
  const said = cellsOf(fault).map((cell) => /^(not )?tolerated\b/.exec(cell)?.[0]);
  expect(said).toEqual(chosen.map((protocol) => (is(protocol) ? 'tolerated' : 'not tolerated')));
});

it('which protocols', () => {
  const named = cellsOf('protocol').map((cell) =>
    [...cell.matchAll(/\/([a-z-]+)\/README\.md\)/g)].map(([, name]) => name),
  );
  const forNone = [complete(3), star(4), ring(4, { oneWay: false })].map(
    (topology) => protocolFor('none', { self: 'a', transport: site.transport, topology }).name,
  );
  expect(named).toEqual([['lease-in-one-row'], forNone, ['leased-majority'], ['group-lock']]);
});

it('fencing tokens', () => {
  for (const [index, { fence, fenceCondition }] of chosen.entries()) {
    expect(fence).toBeDefined();
    expect(cellsOf('fencing token')[index]).toBe(fenceCondition ? `yes, ${fenceCondition}` : 'yes');
  }
});

it('times', () => {
  expect(leasedMajority().options).toMatchObject({ lease: 10_000, drift: 0.01 });
  expect(leaseInOneRow().options).toMatchObject({ lease: 10_000, drift: 0.01, renewal: 2_000 });
  expect(cellsOf('crash of the holder').slice(0, 3)).toEqual([
    'a waiting program takes over, within 14 s by default',
    'as for any node',
    'the others go on at the end of its lease, 10 s by default',
  ]);
  expect(cellsOf('clocks that drift')[0]).toMatch(/^1 %\./);
  expect(cellsOf('clocks that drift')[2]).toMatch(/^1 % by default/);
  expect(() => protocolFor('crash', { ...site, peers: ['b'] })).toThrow('tolerates no crash');
  expect(cellsOf('needs')[2]).toMatch(/^three processes or more/);
});

it('mistakes of operation, as docs/mistakes.md has recorded them', () => {
  const media = 3;
  const cellsIn = (text: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .map((line) => line.split('|').map((cell) => cell.trim()));
  const [[, , , ...kinds] = [], ...mistakes] = cellsIn(
    readFileSync(new URL('mistakes.md', docs), 'utf8'),
  );
  const runs = mistakes.flatMap(([, number, , ...cells]) =>
    kinds.flatMap((of, at) => {
      const [, outcome = '', entries = ''] = /^(\w+) \(([\d, ]+)\)$/.exec(cells[at] ?? '') ?? [];
      const isOfProcesses = entries.split(', ').length === media;
      return isOfProcesses ? [{ number, of, outcome }] : [];
    }),
  );
  const [titles = [], ...locks] = cellsIn(
    /^## Mistakes of operation\n([\s\S]+?)^## /m.exec(page)?.[1] ?? '',
  ).filter(([, of]) => of !== '---');
  expect(locks.map(([, lock]) => lock)).toEqual([
    "`tolerate: 'none'`",
    "`tolerate: 'crash'`",
    '`groupLock()` with a `detector`',
  ]);
  const [, ...ofNodes] = chosen;
  for (const [index, cells] of locks.entries())
    for (const [column, title] of titles.entries()) {
      const [number] = /^\d+/.exec(title) ?? [];
      if (number === undefined) continue;
      const found = runs
        .filter((run) => run.of === ofNodes[index]?.name && run.number === number)
        .map(({ outcome }) => outcome);
      expect(found).not.toEqual([]);
      const said = cells[column]?.match(/\b(refused|tolerated|waits)\b/g);
      expect([ofNodes[index]?.name, title, new Set(said)]).toEqual([
        ofNodes[index]?.name,
        title,
        new Set(found),
      ]);
    }
});

it('what it links to exists', () => {
  const links = [...page.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(
    ([, path = '']) => path,
  );
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((path) => !existsSync(new URL(path, docs)))).toEqual([]);
});
