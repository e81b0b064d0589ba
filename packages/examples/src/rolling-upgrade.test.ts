/**
 * Nodes of two builds at once: this one, and copies of it that differ. docs/changing-nodes.md says
 * which builds may run together.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Lock, lock } from '@conclave/coordination';
import type { fileStorage } from '@conclave/core/embedding/node';
import { freePort } from '@conclave/core/internal/servers';
import { proof } from '@conclave/tools/sample';
import type { tcpTransport } from '@conclave/transport-tcp';
import { afterAll, beforeAll, describe, expect } from 'vitest';

interface Build {
  readonly lock: typeof lock;
  readonly fileStorage: typeof fileStorage;
  readonly tcpTransport: typeof tcpTransport;
}

const copies = [
  ['core', 'core'],
  ['algorithms', 'algorithms'],
  ['coordination', 'coordination'],
  ['transports/tcp', 'transport-tcp'],
] as const;
const packages = fileURLToPath(new URL('../../', import.meta.url));
const nodes = ['a', 'b', 'c'];
const protocol = 'algorithms/dist/mutual-exclusion/permission/leased-majority/protocol.js';

describe('nodes of two builds', () => {
  // below node_modules, so that each build loads its own modules as an installed package does
  const folder = mkdtempSync(join(packages, 'examples/dist/builds-'));
  const running = new Map<string, Lock>();
  const errors: string[] = [];
  const ports = new Map<string, number>();

  /** A copy of what is built, without bundles, with these changes of its texts. */
  async function built(
    name: string,
    changes: readonly (readonly [file: string, from: string, to: string])[],
  ): Promise<Build> {
    const scope = join(folder, name, 'node_modules/@conclave');
    for (const [from, to] of copies) {
      cpSync(join(packages, from, 'dist'), join(scope, to, 'dist'), {
        recursive: true,
        filter: (path) => !/(\.(test\.js|d\.ts|map|tsbuildinfo)|dist\/node)$/.test(path),
      });
      const manifest = readFileSync(join(packages, from, 'package.json'), 'utf8');
      const unbundled = manifest.replace(/^.*"node": ".\/dist.*\n/gm, '');
      writeFileSync(join(scope, to, 'package.json'), unbundled);
    }
    for (const [file, from, to] of changes) {
      const path = join(scope, file);
      const text = readFileSync(path, 'utf8');
      expect(text).toContain(from);
      writeFileSync(path, text.replaceAll(from, to));
    }
    const load = (file: string) => import(pathToFileURL(join(scope, file)).href);
    const [coordination, storage, tcp] = await Promise.all([
      load('coordination/dist/index.js'),
      load('core/dist/embedding/node/index.js'),
      load('transport-tcp/dist/index.js'),
    ]);
    return { ...coordination, ...storage, ...tcp };
  }

  async function start({ lock, fileStorage, tcpTransport }: Build, self: string, disk = self) {
    const reach = (id: string) => ({ host: '127.0.0.1', port: ports.get(id) ?? 0 });
    const others = nodes.filter((id) => id !== self);
    const transport = await tcpTransport({
      self,
      network: 'shop',
      listen: reach(self),
      peers: Object.fromEntries(others.map((id) => [id, reach(id)])),
    });
    const storage = fileStorage(join(folder, 'disks', disk));
    const onError = ({ message }: Error) => errors.push(message);
    try {
      const made = lock({ tolerate: 'crash', self, nodes, transport, storage, onError });
      running.set(self, made);
      return made;
    } catch (error) {
      await transport.close();
      storage.close?.();
      throw error;
    }
  }

  const tokens: number[] = [];
  /** Each running node enters once. */
  async function allEnter() {
    for (const one of running.values())
      await one.run(({ fencingToken = 0 }) => tokens.push(fencingToken));
    expect(tokens).toEqual([...new Set(tokens)].sort((one, other) => one - other));
  }

  async function stop(self: string) {
    await running.get(self)?.close();
    running.delete(self);
  }

  beforeAll(async () => {
    const shared = join(folder, 'node_modules');
    mkdirSync(shared);
    for (const from of copies.map(([name]) => join(packages, name, 'node_modules')))
      for (const name of readdirSync(from).filter((one) => /^[a-z]/.test(one)))
        if (!existsSync(join(shared, name))) symlinkSync(join(from, name), join(shared, name));
    for (const id of nodes) ports.set(id, await freePort());
  });
  afterAll(async () => {
    await Promise.all([...running.values()].map((one) => one.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  proof('enter in turn while one after the other is upgraded; the tokens grow', async () => {
    const [old, next] = await Promise.all([
      built('old', []),
      built('next', [
        ['core/package.json', '"version": "', '"version": "9.'],
        ['algorithms/package.json', '"version": "', '"version": "9.'],
        // the order of fields, and what they mean in words, are not what nodes agree on
        [protocol, "['ballot', 'round', 'floor']", "['floor', 'round', 'ballot']"],
        [protocol, 'I no longer need the votes', 'I do not need the votes'],
      ]),
    ]);
    await Promise.all(nodes.map((self) => start(old, self)));
    await allEnter();
    for (const self of nodes) {
      await stop(self);
      await start(next, self);
      await allEnter();
    }
    expect(tokens).toHaveLength(12);
    expect(errors).toEqual([]);
  });

  proof.each([
    [
      'messages have other fields',
      [[protocol, "['ballot', 'round']", "['ballot', 'round', 'colour']"]],
      "its 'messages' is",
    ],
    [
      'a message means something else',
      [[protocol, "id: 'A19',", "id: 'A19', version: 2,"]],
      "its 'version' is",
    ],
  ] as const)('refuse each other where %s, by name, on both sides', async (what, changes, why) => {
    const other = await built(what.replaceAll(' ', '-'), changes);
    await stop('c');
    errors.length = 0;
    // it was registered with other terms
    await expect(start(other, 'c')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining(why),
    });
    // as a new process with an empty disk it asks the others
    const stranger = await start(other, 'c', `empty-${what}`);
    await expect(stranger.acquire()).rejects.toMatchObject({ code: 'refused' });
    await expect
      .poll(() => errors)
      .toEqual(
        expect.arrayContaining([
          expect.stringMatching(`^Node c is refused by node [ab]: ${why}`),
          expect.stringMatching(`^Node [ab] refuses node c: ${why}`),
        ]),
      );
    await stop('c');
    await allEnter(); // a and b go on
  });

  proof('refuse each other where frames are of another version', async () => {
    const other = await built('frames', [
      ['transport-tcp/dist/connection.js', 'const version = 1', 'const version = 2'],
    ]);
    await stop('c');
    errors.length = 0;
    const stranger = await start(other, 'c');
    await expect.poll(() => errors.join('\n')).toContain('Run the same version of Conclave');
    await expect(stranger.acquire({ waitFor: 200 })).rejects.toMatchObject({ code: 'timed-out' });
    await stop('c');
    await allEnter();
  });
});
