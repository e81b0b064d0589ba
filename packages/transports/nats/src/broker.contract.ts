/**
 * What transports over a server have in common, beside the contract of transports; and what all of
 * them do with a lock: it goes on through outages, and the program of the README runs as in two
 * terminals.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import { lock } from '@conclave/coordination/lock';
import { type NetworkOptions, reliable, type Transport } from '@conclave/core/embedding';
import type { ConclaveError } from '@conclave/core/protocol';
import { proof } from '@conclave/tools/sample';
import { EMPTY, filter, firstValueFrom, lastValueFrom, toArray } from 'rxjs';
import { expect, it } from 'vitest';
import type { TestServer } from '../../../core/src/embedding/testing/servers.js';

type NodeOptions = NetworkOptions & { readonly connectTimeout?: number };

/** `Client`: what the client of the server takes. */
interface Broker<Client> {
  /** The one that all tests share. */
  readonly server: () => TestServer;
  readonly start: (options?: {
    readonly args?: readonly string[];
    readonly port?: number;
  }) => Promise<TestServer>;
  readonly open: (url: string, node: NodeOptions, client?: Client) => Promise<Transport>;
  /** The folder of the package. */
  readonly root: string;
  /** The address of the server in the program of the README. */
  readonly address: string;
  /** Names that are easily taken for something else in an address of this server. */
  readonly names: readonly string[];
  readonly networks: readonly string[];
  /** An address where nothing listens, and the error. */
  readonly nowhere: readonly [url: string, message: RegExp];
  readonly credentials: {
    readonly args: (password: string) => readonly string[];
    readonly right: Client;
    readonly wrong: readonly Client[];
    /** Why it is closed. */
    readonly reason: RegExp;
  };
  /** A server that permits node `a` to hear, and to send to `b`. */
  readonly permissions: {
    readonly args: readonly string[];
    readonly client: Client;
    /** A node that it does not permit to hear, and the error. */
    readonly other: readonly [self: string, message: RegExp];
    /** The error when `a` sends to `c`. */
    readonly message: RegExp;
  };
}

export function brokerContract<Client>(broker: Broker<Client>): void {
  const { server, start, open, names, credentials, permissions } = broker;
  const node: NodeOptions = { self: 'a', peers: ['b'], network: 'shop' };

  lockThroughOutages(server, (self, peers) => open(server().url, { self, peers, network: 'lock' }));

  proof('runs the program of the README in two terminals', async () => {
    await runTwoTerminals(broker.root, (code) => code.replace(broker.address, server().url));
  });

  it.each(broker.networks)(
    'carries messages between nodes of any name: network "%s"',
    async (network) => {
      const transports = await Promise.all(
        names.map((self) =>
          open(server().url, { self, peers: names.filter((id) => id !== self), network }),
        ),
      );
      const counts = new Map(names.map((name) => [name, 0]));
      const all = new Promise<void>((resolve) => {
        let left = names.length * (names.length - 1);
        for (const { self, received$ } of transports)
          received$.subscribe(() => {
            counts.set(self, (counts.get(self) ?? 0) + 1);
            if (--left === 0) resolve();
          });
      });
      for (const transport of transports)
        for (const to of names) if (to !== transport.self) transport.send(to, { type: 'hello' });
      await all;
      expect([...counts.values()]).toEqual(names.map(() => names.length - 1));
      for (const { refused } of transports)
        expect(Object.values(refused ?? {}).reduce((sum, count) => sum + count)).toBe(0);
      await Promise.all(transports.map((transport) => transport.close()));
    },
  );

  it('waits for a server that starts later', async () => {
    const later = await start();
    await later.kill();
    const opening = open(later.url, node);
    await later.start();
    const transport = await opening;
    expect(await firstValueFrom(transport.status$ ?? EMPTY)).toEqual({ state: 'up' });
    await transport.close();
    await later.close();
  });

  it('says which server it has not reached, and what to try', async () => {
    const [url, message] = broker.nowhere;
    await expect(open(url, { ...node, connectTimeout: 50 })).rejects.toMatchObject({
      code: 'timed-out',
      message: expect.stringMatching(message),
    });
  });

  it('says that the server refuses its credentials, at the start and later', async () => {
    const guarded = await start({ args: credentials.args('right') });
    for (const wrong of credentials.wrong)
      await expect(open(guarded.url, node, wrong)).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringMatching(/refuses node a: .*Check its credentials/),
      });
    const transport = await open(guarded.url, node, credentials.right);
    const last = lastValueFrom(transport.status$ ?? EMPTY);
    await guarded.close();
    const changed = await start({ args: credentials.args('new'), port: guarded.port });
    expect(await last).toMatchObject({
      state: 'closed',
      reason: expect.stringMatching(credentials.reason),
    });
    expect(await lastValueFrom(transport.received$.pipe(toArray()))).toEqual([]);
    expect(() => transport.send('b', { type: 'late' })).toThrow(
      'The transport of node a is closed',
    );
    await transport.close();
    await changed.close();
  });

  it('says that the server does not let it hear, or send to a peer', async () => {
    const { args, client, other, message } = permissions;
    const guarded = await start({ args });
    const [self, refusal] = other;
    await expect(open(guarded.url, { ...node, self }, client)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(refusal),
    });
    const transport = await open(guarded.url, { ...node, peers: ['b', 'c'] }, client);
    transport.send('b', { type: 'hello' });
    transport.send('c', { type: 'hello' });
    expect(await firstValueFrom(transport.errors$ ?? EMPTY)).toMatchObject({
      code: 'refused',
      message: expect.stringMatching(message),
    });
    await transport.close();
    await guarded.close();
  });

  it('can be closed while its server is down', async () => {
    const later = await start();
    const transport = await open(later.url, node);
    await later.close();
    transport.send('b', { type: 'lost' });
    await transport.close();
    expect(() => transport.send('b', { type: 'late' })).toThrow(
      'The transport of node a is closed',
    );
  });
}

/**
 * A way to the server at `port` that breaks the first connections on which a word is sent, such as
 * that of a subscription.
 */
export async function breaking(port: number, word: string, most: number) {
  let breaks = 0;
  const between = createServer((socket) => {
    const there = connect(port, '127.0.0.1');
    socket.on('data', (data) => {
      if (breaks < most && data.includes(word)) {
        breaks++;
        socket.destroy();
        there.destroy();
      } else there.write(data);
    });
    there.on('data', (data) => socket.write(data));
    for (const [one, other] of [
      [socket, there],
      [there, socket],
    ] as const)
      one.on('error', () => {}).on('close', () => other.destroy());
  });
  await once(between.listen(0, '127.0.0.1'), 'listening');
  const { port: own } = between.address() as AddressInfo; // of TCP
  return {
    port: own,
    get breaks() {
      return breaks;
    },
    close: () => between.close(),
  };
}

/** Node a gets what b sends, although the way there broke before; closes all three. */
export async function expectArrival(
  a: Transport,
  b: Transport,
  way: Awaited<ReturnType<typeof breaking>>,
): Promise<void> {
  expect(way.breaks).toBe(2);
  const received = firstValueFrom(a.received$);
  const again = setInterval(() => b.send('a', { type: 'ping' }), 20); // the first may be early
  expect(await received).toMatchObject({ from: 'b', message: { type: 'ping' } });
  clearInterval(again);
  await Promise.all([a.close(), b.close()]);
  way.close();
}

const nodes = ['a', 'b', 'c'];
const entriesEach = 30;
/** The server is killed inside these entries of all, and comes back after them. */
const outages = [20, 45, 70];

/**
 * A lock goes on through the outages of its server.
 *
 * @param open the transport of a node, not yet reliable
 */
export function lockThroughOutages(
  server: () => Pick<TestServer, 'kill' | 'start'>,
  open: (self: string, peers: readonly string[]) => Promise<Transport>,
): void {
  proof(
    `a lock under reliable() keeps exclusion through ${outages.length} outages of its server, and each node that waits enters`,
    async () => {
      const raw = await Promise.all(
        nodes.map((self) =>
          open(
            self,
            nodes.filter((id) => id !== self),
          ),
        ),
      );
      const errors: ConclaveError[] = [];
      const locks = raw.map((transport) =>
        lock(ricartAgrawala, {
          self: transport.self,
          peers: nodes.filter((id) => id !== transport.self),
          transport: reliable(transport, { mostTimeout: 200 }),
          onError: (error) => errors.push(error),
        }),
      );
      let inside = 0;
      const entries: string[] = [];
      const critical = async (node: string) => {
        expect(++inside).toBe(1);
        entries.push(node);
        await new Promise((resolve) => setImmediate(resolve));
        if (outages.includes(entries.length)) {
          const all = Promise.all(
            raw.map(
              ({ status$ }) =>
                status$ && firstValueFrom(status$.pipe(filter(({ state }) => state === 'down'))),
            ),
          );
          await server().kill();
          await all;
          // after the release, which is sent while it is down
          setImmediate(() => void server().start());
        }
        inside--;
      };
      try {
        await Promise.all(
          locks.map(async (mine) => {
            for (let entry = 0; entry < entriesEach; entry++)
              await mine.run(() => critical(mine.id));
          }),
        );
        expect(nodes.map((node) => entries.filter((id) => id === node).length)).toEqual(
          nodes.map(() => entriesEach),
        );
        expect(errors).toEqual([]);
      } finally {
        await server().start();
        await Promise.all(locks.map((one) => one.close()));
      }
    },
  );
}

/**
 * Runs the program of the README of a package.
 *
 * @param root the folder of the package, which is built;
 * @param replace the address of the README by that of the test's server
 */
export async function runTwoTerminals(
  root: string,
  replace: (code: string) => string,
): Promise<void> {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, code = ''] = /<!-- example: two terminals -->\n```js\n([\s\S]+?)```/.exec(readme) ?? [];
  const changed = replace(code);
  expect(changed).not.toBe(code);
  // inside the package: its name is found there
  const folder = await mkdtemp(join(root, 'dist', 'readme-'));
  const file = join(folder, 'lock.mjs');
  await writeFile(file, changed);
  const terminals = [
    ['a', 'b'],
    ['b', 'a'],
  ].map((nodes) =>
    spawn(process.execPath, [file, ...nodes], { stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  const endAll = () => {
    for (const terminal of terminals) terminal.kill('SIGKILL');
  };
  try {
    // one that fails leaves the other waiting
    for (const terminal of terminals) terminal.once('exit', endAll);
    const outputs = await Promise.all(terminals.map(threeEntries));
    for (const terminal of terminals) terminal.off('exit', endAll);
    for (const [index, node] of ['a', 'b'].entries())
      expect(outputs[index]).toContain(
        [1, 2, 3].map((entry) => `${node} is inside, entry ${entry}\n`).join(''),
      );
    // both at once: one that goes on alone waits for the answers of the other
    const ends = terminals.map((terminal) => once(terminal, 'exit'));
    for (const terminal of terminals) terminal.kill('SIGTERM');
    // each hands over, and ends by itself
    expect(await Promise.all(ends)).toEqual(terminals.map(() => [0, null]));
  } finally {
    await Promise.all(
      terminals.map(async (terminal) => {
        if (terminal.exitCode !== null || terminal.signalCode !== null) return;
        const ended = once(terminal, 'exit');
        terminal.kill('SIGKILL');
        await ended;
      }),
    );
    await rm(folder, { recursive: true });
  }
}

/**
 * What it prints until its third entry, or its end. It goes on: the other one may wait for its
 * answers.
 */
const threeEntries = ({ stdout, stderr }: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    let output = '';
    const add = (text: Buffer) => {
      output += text;
      if (output.includes('entry 3\n')) resolve(output);
    };
    stderr?.on('data', add);
    stdout?.on('data', add);
    stdout?.once('end', () => resolve(output));
  });
