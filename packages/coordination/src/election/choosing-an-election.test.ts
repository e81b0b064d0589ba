/** What docs/choosing-an-election.md says about our elections, compared with the protocols. */
import { existsSync, readFileSync } from 'node:fs';
import { bully } from '@conclave/algorithms/bully';
import { leasedMajority } from '@conclave/algorithms/leased-majority';
import { lelannChangRoberts } from '@conclave/algorithms/lelann-chang-roberts';
import { repeated } from '@conclave/algorithms/repeated';
import { memoryNetwork } from '@conclave/core/embedding';
import type { Protocol } from '@conclave/core/protocol';
import { expect, it } from 'vitest';
import { election } from './election.js';

const docs = new URL('../../../../docs/', import.meta.url);
const page = readFileSync(new URL('choosing-an-election.md', docs), 'utf8');
const rows = new Map(
  page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').slice(1, -1))
    .map(([fault = '', ...cells]) => [fault.trim(), cells.map((cell) => cell.trim())]),
);
const cellsOf = (fault: string): readonly string[] =>
  rows.get(fault) ?? expect.fail(`the page has no row '${fault}'`);

const elections = [leasedMajority(), bully(), repeated(lelannChangRoberts)];
const isTolerated: Readonly<Record<string, (protocol: Protocol) => boolean>> = {
  'loss of messages': ({ channels }) => channels.loss,
  duplication: ({ channels }) => channels.duplication,
  'crash of a node': ({ tolerates }) => tolerates?.includes('crash') ?? false,
  restart: ({ tolerates }) => tolerates?.includes('restart') ?? false,
  'fencing token': ({ fence }) => fence !== undefined,
};

it.each(Object.entries(isTolerated))('%s', (fault, is) => {
  const said = cellsOf(fault).map((cell) => /^(?:(?:not )?tolerated|yes|no)\b/.exec(cell)?.[0]);
  const [good, bad] = fault === 'fencing token' ? ['yes', 'no'] : ['tolerated', 'not tolerated'];
  expect(said).toEqual(elections.map((protocol) => (is(protocol) ? good : bad)));
});

it('which protocols', () => {
  const named = cellsOf('protocol').map((cell) => /\/([a-z-]+)\/README\.md\)/.exec(cell)?.[1]);
  expect(named).toEqual(['leased-majority', 'bully', 'lelann-chang-roberts']);
});

it('by lease: the default, the least number of nodes, and storage over transports whose nodes may come back', () => {
  const transport = memoryNetwork(['a', 'b', 'c']).transport('a');
  const options = { by: 'lease', self: 'a', transport } as const;
  expect(cellsOf('until the next leader')[0]).toMatch(
    new RegExp(`^the lease: ${Number(leasedMajority().options?.lease) / 1000} s by default`),
  );
  expect(cellsOf('needs')[0]).toBe('three nodes or more; over a network, a file for each node');
  expect(() => election({ ...options, nodes: ['a', 'b'] })).toThrow('tolerates no crash');
  const restarting = { ...transport, guarantees: { ...transport.guarantees, restarts: true } };
  expect(() => election({ ...options, nodes: ['a', 'b', 'c'], transport: restarting })).toThrow(
    'storage',
  );
});

it('what it links to exists', () => {
  const links = [...page.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(
    ([, path = '']) => path,
  );
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((path) => !existsSync(new URL(path, docs)))).toEqual([]);
});
