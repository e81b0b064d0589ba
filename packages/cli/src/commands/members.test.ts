import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStorage } from '@conclave/core/embedding/node';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { run } from '../run.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conclave-members-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function members(...options: string[]) {
  let [output, errors] = ['', ''];
  const io = {
    stdout: (text: string) => (output += text),
    stderr: (text: string) => (errors += text),
    isTTY: false,
  };
  const code = await run(['members', folder, ...options], io);
  return { code, output, errors };
}

function store(
  node: string,
  { epoch = 1, nodes = ['a', 'b', 'c'], path = node, open = false } = {},
) {
  const storage = fileStorage(join(folder, path));
  const registration = {
    node,
    storage: `5${node}`,
    terms: { epoch },
    nodes,
    noted: {},
    former: null,
    bindsFor: 0,
    registered: true,
  };
  storage.write({ incarnation: 7, fields: {}, registration });
  if (!open) storage.close?.();
  return storage;
}

it('shows the members, and how to go on with others', async () => {
  for (const node of ['a', 'b', 'c']) store(node);
  const { code, output } = await members('--nodes', 'a,b,c,d,e');
  expect([
    code,
    output
      .split('\n')
      .slice(1, 4)
      .map((line) => line.split(/ +/).slice(0, 6).join(' ')),
  ]).toEqual([0, ['a', 'b', 'c'].map((node) => `${node} 1 a,b,c yes 7 nobody`)]);
  expect(output).toContain(
    'Give all of a, b, c, d, e the options nodes: ["a","b","c","d","e"] and epoch: 2, keep their storages, and start them.',
  );
  expect(JSON.parse((await members('--json')).output)).toMatchObject({
    members: [{ node: 'a', storage: '5a', usedBy: null }, {}, {}],
    complaints: [],
    next: [],
  });
});

it('says what does not fit together', async () => {
  store('a', { epoch: 2 });
  store('b');
  store('c', { epoch: 2, nodes: ['a', 'c'] });
  store('b', { path: 'old-b' });
  const { code, output } = await members();
  expect(code).toBe(1);
  expect(output).toContain('✗ Node b is in epoch 1, and a in epoch 2: start it with epoch 2.');
  expect(output).toContain('✗ In epoch 2 node c names the nodes a, c, and node a names a, b, c.');
  expect(output).toContain(
    `✗ '${join(folder, 'b')}' and '${join(folder, 'old-b')}' are both of node b: remove the one that is not its own.`,
  );
});

it('refuses a step that could break what was promised, or while a node runs', async () => {
  const open = store('a', { open: true });
  for (const node of ['b', 'c']) store(node);
  const { code, output } = await members('--nodes', 'a,d,e');
  open.close?.();
  expect(code).toBe(1);
  expect(output).toContain(
    '✗ Of the nodes a, b, c, 1 would stay: more than half must. Replace fewer of them at once.',
  );
  expect(output).toContain(`✗ Node a runs, as process ${process.pid}: stop it first.`);
});

it('finds the storages of locks by name', async () => {
  mkdirSync(join(folder, 'a'));
  store('a', { path: 'a/name--node' });
  expect(JSON.parse((await members('--json')).output).members).toMatchObject([
    { node: 'a', path: join(folder, 'a/name--node') },
  ]);
});

it('refuses what is no storage', async () => {
  expect(await members()).toMatchObject({
    code: 2,
    errors: expect.stringContaining(`There is no storage in '${folder}'`),
  });
  writeFileSync(join(folder, 'a'), 'text');
  expect(await members()).toMatchObject({
    code: 2,
    errors: expect.stringContaining(join(folder, 'a')),
  });
});
