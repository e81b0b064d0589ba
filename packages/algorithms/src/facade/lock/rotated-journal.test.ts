/** Journals of locks that begin the next file at a size. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { conform } from '@conclave/core/conform';
import { memoryNetwork } from '@conclave/core/embedding';
import { fileJournal } from '@conclave/core/embedding/node';
import { complete } from '@conclave/core/topology';
import { expect, it } from 'vitest';
import { lamport } from '../../mutual-exclusion/permission/lamport/protocol.js';
import { lock } from './lock.js';

it('is rotated by size; conform joins the pieces, and misses one that is gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rotated-'));
  const network = memoryNetwork(['a', 'b']);
  const nodes = ['a', 'b'].map((self) => {
    const journal = fileJournal(folder, self, { rotateAfter: 400, flushAfter: 1 });
    return lock(lamport, { self, nodes: ['a', 'b'], transport: network.transport(self), journal });
  });
  for (let entry = 0; entry < 6 || !readdirSync(folder).includes('a.1+3.journal'); entry++) {
    await nodes[entry % 2]?.run(() => {});
    await sleep(5);
  }
  await Promise.all(nodes.map((node) => node.close()));
  const names = readdirSync(folder);
  expect(names).toEqual(
    expect.arrayContaining(['a.1.journal', 'a.1+2.journal', 'a.1+3.journal', 'b.1.journal']),
  );
  const sources = names.map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
  const { verdict, complaints, steps } = conform(lamport, complete(['a', 'b']), sources);
  expect([verdict, complaints, steps > 20]).toEqual(['conforms', [], true]);
  const without = (gone: string) => () =>
    conform(
      lamport,
      complete(['a', 'b']),
      sources.filter(({ name }) => name !== gone),
    );
  expect(without('a.1+2.journal')).toThrow(/is there, but a\.1\+2\.journal before it is not/);
  expect(without('a.1.journal')).toThrow(/is there, but a\.1\.journal before it is not/);
  expect(() => fileJournal(folder, 'a', { rotateAfter: 0 })).toThrow('rotateAfter');
});
