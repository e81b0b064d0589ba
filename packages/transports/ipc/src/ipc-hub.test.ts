/** Real child processes, which run the built packages. */
import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { proof } from '@conclave/tools/sample';
import { EMPTY, filter, firstValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type IpcChannel, marked, whenGone } from './channel.js';
import { type IpcHub, ipcHub, ipcTransport } from './index.js';

const worker = fileURLToPath(new URL('../fixtures/worker.mjs', import.meta.url));
const children: ChildProcess[] = [];
const hubs: IpcHub[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(hubs.splice(0).map((hub) => hub.close()));
});

function start(...args: readonly string[]): ChildProcess {
  const child = fork(worker, args);
  children.push(child);
  return child;
}

function hubWith(...pairs: readonly (readonly [string, IpcChannel])[]): IpcHub {
  const hub = ipcHub();
  hubs.push(hub);
  for (const [id, child] of pairs) hub.add(id, child);
  return hub;
}

/** The first message of `child` with these entries. */
function told(child: ChildProcess, wanted: object): Promise<unknown> {
  return new Promise((resolve) => {
    const listen = (message: unknown) => {
      try {
        expect(message).toMatchObject(wanted);
      } catch {
        return;
      }
      child.off('message', listen);
      resolve(message);
    };
    child.on('message', listen);
  });
}

describe('three processes', () => {
  proof(
    'share a lock through a change of the hub; one is killed, the others learn it, and that it is back',
    async () => {
      const [a, b, c] = [start('a', 'a', 'lock'), start('b', 'b', 'lock'), start('c', 'c', 'lock')];
      const ready = Promise.all([
        told(a, { ready: 'a' }),
        told(b, { ready: 'b' }),
        told(c, { ready: 'c' }),
      ]);
      const hub = hubWith(['a', a], ['b', b], ['c', c]);
      await ready;
      const inside: string[] = [];
      let entries = 0;
      let most = 0;
      for (const child of [a, b, c])
        child.on('message', (message: { readonly enter?: string; readonly leave?: string }) => {
          if (message.enter) most = Math.max(most, inside.push(message.enter));
          if (message.leave) inside.splice(inside.indexOf(message.leave), 1);
          if (message.enter && ++entries === 10) void replaceHub();
        });
      let replaced: IpcHub | undefined;
      const replaceHub = async () => {
        const down = [a, b, c].map((child) =>
          told(child, { status: { state: 'down', reason: 'the hub was closed' } }),
        );
        await hub.close();
        await Promise.all(down);
        replaced = hubWith(['a', a], ['b', b], ['c', c]);
      };
      const done = [a, b, c].map((child, index) => told(child, { done: 'abc'[index] }));
      for (const child of [a, b, c]) child.send({ entries: 20 });
      await Promise.all(done);
      expect([entries, most, inside]).toEqual([60, 1, []]);

      const lost = [a, b].map((child) =>
        told(child, {
          peers: { peer: 'c', reachable: false, reason: 'its process has disconnected' },
        }),
      );
      c.kill('SIGKILL');
      await Promise.all(lost);
      const back = [a, b].map((child) => told(child, { peers: { peer: 'c', reachable: true } }));
      replaced?.add('c', start('c'));
      await Promise.all(back);

      // A newer process with the same id takes the place of one that still lives.
      const replacedB = told(b, {
        status: { state: 'closed', reason: 'this process is replaced by another' },
      });
      const again = told(a, { peers: { peer: 'b', reachable: true } });
      replaced?.add('b', start('b'));
      await again;
      b.send({ entries: 0, leave: true });
      await Promise.race([replacedB, once(b, 'exit')]);
    },
  );

  it('cannot claim to be another', async () => {
    const child = start('a', 'b');
    const hub = hubWith(['a', child]);
    expect(await told(child, { failed: expect.any(String) })).toEqual({
      failed: 'The hub refuses node b: this process is a. Add the child under its id.',
    });
    expect(hub.dropped.refused).toBeGreaterThan(0); // each hello
  });
});

describe('a hub', () => {
  it('has a node of its own', async () => {
    const child = start('a');
    const hub = hubWith(['a', child]);
    await told(child, { ready: 'a' });
    const b = await hub.transport({ self: 'b', peers: ['a', 'c'], network: 'shop' });
    const c = await hub.transport({ self: 'c', peers: ['a', 'b'], network: 'shop' });
    b.send('c', { type: 'hello' });
    expect(await firstValueFrom(c.received$)).toEqual({ from: 'b', message: { type: 'hello' } });
    b.send('a', { type: 'ping' });
    expect(await firstValueFrom(b.received$)).toMatchObject({
      from: 'a',
      message: { type: 'pong' },
    });
    await Promise.all([b.close(), c.close()]);
  });

  it('drops and counts what is malformed, what claims to be from another child, and what is for a node that is away', async () => {
    const [a, b] = [new FakeChannel(), new FakeChannel()];
    const hub = hubWith(['a', a], ['b', b]);
    a.emit('message', marked({ type: 'hello', network: 'shop', node: 'a' }));
    b.emit('message', marked({ type: 'hello', network: 'shop', node: 'b' }));
    a.emit('message', { conclave: 'conclave/2', type: 'frames', items: [] });
    a.emit('message', { conclave: 'conclave/1', type: 'frames', items: [['shop', 'a', 'b']] });
    a.emit('message', { conclave: 'conclave/1', type: 'frames', items: [['shop', 'b', 'a', 'x']] });
    a.emit('message', {
      conclave: 'conclave/1',
      type: 'frames',
      items: [['other', 'a', 'b', 'x']],
    });
    a.emit('message', {
      conclave: 'conclave/1',
      type: 'peer',
      network: 'shop',
      node: 'b',
      reachable: false,
    });
    for (const other of ['of the application', 5, null, undefined, { type: 'frames' }])
      a.emit('message', other);
    a.emit('message', { conclave: 'conclave/1', type: 'frames', items: [['shop', 'a', 'x', 'x']] });
    expect(hub.dropped).toEqual({ refused: 5, unreachable: 1, full: 0 });
  });

  it('bounds what waits for a child that does not read', async () => {
    const [a, b] = [new FakeChannel(), new FakeChannel(false)];
    const hub = ipcHub({ maxQueuedBytes: 1000 });
    hubs.push(hub);
    hub.add('a', a);
    hub.add('b', b);
    for (const [id, channel] of [
      ['a', a],
      ['b', b],
    ] as const)
      channel.emit('message', marked({ type: 'hello', network: 'shop', node: id }));
    const frame = 'x'.repeat(100);
    a.emit(
      'message',
      marked({
        type: 'frames',
        items: Array.from({ length: 25 }, () => ['shop', 'a', 'b', frame] as const),
      }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(hub.dropped).toEqual({ refused: 0, unreachable: 0, full: 15 });
    b.answer(); // the channel has taken it
    await new Promise((resolve) => setImmediate(resolve));
    a.emit('message', marked({ type: 'frames', items: [['shop', 'a', 'b', frame]] }));
    expect(hub.dropped.full).toBe(15);
    b.isReading = true;
  });

  it('takes no child when it is closed, and no process without a channel', async () => {
    const hub = hubWith();
    const { send: _send, ...none } = new FakeChannel();
    expect(() => hub.add('a', none as IpcChannel)).toThrow(
      'The process of a has no IPC channel. Start it by fork() of node:child_process.',
    );
    await hub.close();
    expect(() => hub.add('a', new FakeChannel())).toThrow('The hub is closed; it takes no a');
  });
});

describe('a node', () => {
  it('bounds what waits to be sent', async () => {
    const channel = new FakeChannel(false);
    const opened = ipcTransport({
      self: 'a',
      peers: ['b'],
      network: 'shop',
      process: channel,
      maxQueuedBytes: 1000,
    });
    channel.emit('message', marked({ type: 'welcome', network: 'shop', node: 'a' }));
    const transport = await opened;
    for (let n = 0; n < 100; n++) transport.send('b', { type: 'x'.repeat(100) });
    expect(transport.dropped?.full).toBeGreaterThan(90);
    expect(transport.dropped?.full).toBeLessThan(100);
    channel.answer();
    channel.isReading = true;
    await transport.close();
  });

  it('says that its process has no channel, and that no hub answers', async () => {
    const { send: _send, ...none } = new FakeChannel();
    await expect(
      ipcTransport({ self: 'a', peers: [], network: 'shop', process: none as IpcChannel }),
    ).rejects.toThrow(
      'Node a has no IPC channel to a parent. Start its process by fork() of node:child_process.',
    );
    const silent = {
      self: 'a',
      peers: [],
      network: 'shop',
      process: new FakeChannel(),
      connectTimeout: 20,
    };
    await expect(ipcTransport(silent)).rejects.toThrow(
      "Node a has heard of no hub within 20 ms. In the parent, call ipcHub().add('node', child).",
    );
  });

  it('is closed when the process of the hub is gone', async () => {
    const channel = new FakeChannel();
    const opened = ipcTransport({ self: 'a', peers: ['b'], network: 'shop', process: channel });
    channel.emit('message', marked({ type: 'welcome', network: 'shop', node: 'a' }));
    const transport = await opened;
    const closed = firstValueFrom(
      (transport.status$ ?? EMPTY).pipe(filter(({ state }) => state === 'closed')),
    );
    channel.emit('disconnect');
    expect(await closed).toEqual({
      state: 'closed',
      reason: 'the channel to the process of the hub is closed',
    });
  });
});

describe("where a killed process tells no 'disconnect', as under Deno", () => {
  const stopped: unknown[] = [];
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('Deno', {});
    stopped.length = 0;
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it('a child is gone by its exit, when what it sent last is read', async () => {
    const child = new FakeChannel();
    const stop = whenGone(child, () => stopped.push('gone'));
    child.emit('exit');
    await vi.advanceTimersByTimeAsync(999);
    expect(stopped).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(stopped).toEqual(['gone']);
    stop();
    child.emit('exit');
    child.emit('disconnect');
    await vi.advanceTimersByTimeAsync(5000);
    expect([stopped, vi.getTimerCount()]).toEqual([['gone'], 0]);
  });

  it('the parent is gone where this process has got another one', async () => {
    const parent = vi.spyOn(process, 'ppid', 'get').mockReturnValue(4711);
    const stop = whenGone(process, () => stopped.push('gone'));
    await vi.advanceTimersByTimeAsync(5000);
    expect(stopped).toEqual([]);
    parent.mockReturnValue(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(stopped).toEqual(['gone']);
    stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});

/** A channel whose other side is the test. */
class FakeChannel extends EventEmitter implements IpcChannel {
  readonly #waiting: (() => void)[] = [];

  constructor(public isReading = true) {
    super();
  }

  send(_message: object, callback?: (error: Error | null) => void): boolean {
    if (this.isReading) setImmediate(() => callback?.(null));
    else this.#waiting.push(() => callback?.(null));
    return this.isReading;
  }

  answer(): void {
    for (const answer of this.#waiting.splice(0)) answer();
  }
}
