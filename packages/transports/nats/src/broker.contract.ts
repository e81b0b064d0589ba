/** What transports over a server have in common, beside the contract of transports. */

import type { NetworkOptions, Transport } from '@conclave/core/embedding';
import { proof } from '@conclave/tools/sample';
import { EMPTY, firstValueFrom, lastValueFrom, toArray } from 'rxjs';
import { expect, it } from 'vitest';
import type { TestServer } from '../../../core/src/embedding/testing/servers.js';
import { lockThroughOutages } from './lock.contract.js';
import { runTwoTerminals } from './two-terminals.contract.js';

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
