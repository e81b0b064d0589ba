import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { catalogue, protocolOf } from './catalogue.js';
import * as root from './index.js';
import { loadEntry } from './internal/load.js';
import { loadProtocol } from './load.js';

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');

const { exports } = JSON.parse(manifest) as {
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
};
const algorithms = Object.entries(exports).filter(([, { default: file }]) =>
  file.endsWith('/protocol.js'),
);

it.each(algorithms)(
  '%s exports what the whole package exports, and nothing else',
  async (_, { default: file }) => {
    const entry: Readonly<Record<string, unknown>> = await import(file.replace('./dist/', './'));
    expect(Object.keys(entry).length).toBeGreaterThan(0);
    expect(root).toMatchObject(entry);
  },
);

it.each(catalogue.map((entry) => [entry.id, entry] as const))(
  'loads the entry of %s by id and by name',
  async (id, entry) => {
    expect(await loadEntry(id.toLowerCase())).toBe(entry);
    expect(await loadEntry(entry.name)).toBe(entry);
  },
);

it('makes a protocol with options, and refuses what protocolOf refuses', async () => {
  expect((await loadProtocol('raymond', { greedy: 2 })).options).toEqual({ greedy: 2 });
  expect((await loadProtocol('A13', { within: 'raymond?greedy=2' })).options).toEqual(
    protocolOf('A13', { within: 'raymond?greedy=2' }).options,
  );
  const refusals = [
    ['A0', {}],
    ['A3', { greedy: 2 }],
    ['A7', { greedy: 'many' }],
  ] as const;
  for (const [name, options] of refusals) {
    const refused = await loadProtocol(name, options).catch((error: unknown) => error);
    expect(() => protocolOf(name, options)).toThrow(
      refused instanceof Error ? refused.message : 'an error',
    );
  }
});
