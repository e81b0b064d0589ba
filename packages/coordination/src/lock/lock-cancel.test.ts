/**
 * Each lock of the catalogue after a wait that was aborted at any moment: with `cancel` the node
 * does not enter, without it once.
 */
import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { catalogue, protocolOf } from '@conclave/algorithms';
import { ricartAgrawalaCancellable } from '@conclave/algorithms/ricart-agrawala';
import { nodesAccepting, optionalCommands } from '@conclave/core/internal';
import { handStepped } from '@conclave/core/internal/embedding';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { lock } from './lock.js';
import type { Held } from './lock-held.js';

const locks = catalogue.filter(({ make }) => make().problem === 'mutual-exclusion');
const offered = locks.filter(({ options }) => options.some(({ name }) => name === 'cancel'));
/** A client of A21 that waits asks again by a timer, and here only messages go on. */
const bySending = ({ id }: { readonly id: string }) => id !== 'A21';
const cancelling = [
  ...offered.filter(bySending).map(({ name }) => [name, { cancel: true }] as const),
  ['ricart-agrawala', { acknowledged: true, cancel: true }] as const,
  ['raymond', { piggyback: true, cancel: true }] as const,
];

/** `protocol` whose machines call `entered` whenever a node enters its critical section. */
function watched(protocol: Protocol, entered: () => void): Protocol {
  const watching = (machine: AnyStateMachine): AnyStateMachine => {
    const transition: AnyStateMachine['transition'] = (before, ...rest) => {
      const after = machine.transition(before, ...rest);
      if (after.hasTag('critical') && !before.hasTag('critical')) entered();
      return after;
    };
    return Object.assign(Object.create(machine), { transition });
  };
  const roles = Object.entries(protocol.roles).map(([name, role]) => [
    name,
    { ...role, machine: watching(role.machine) },
  ]);
  return { ...protocol, roles: Object.fromEntries(roles) };
}

/** More than any of these networks has in flight; some protocols send forever. */
const enough = 60;

/**
 * One node has the lock, another one waits and gives up after `steps` messages; both then get it
 * once more. The entries of all nodes.
 */
async function entriesAround(
  protocol: Protocol,
  steps: number,
): Promise<{ readonly granted: number; readonly entered: number }> {
  const topology = protocol.topology.example(3);
  // no node crashes before the end
  const network = handStepped(topology, { ...protocol.channels, crashes: 'reported' });
  let [granted, entered] = [0, 0];
  const { type: _acquire, ...claim } = optionalCommands(protocol)[0] ?? { type: 'acquire' };
  const counted = watched(protocol, () => entered++);
  const all = topology.nodes.map((self) =>
    lock(counted, {
      self,
      topology,
      transport: network.transport(self),
      clock: network.clock(self),
      claim,
    }),
  );
  const deliver = async (most: number) => {
    for (let left = most; left > 0; left--) {
      const [next] = network.inFlight;
      if (next) network.deliver(next.from, next.to);
    }
    await turn();
  };
  const take = async (waiting: Promise<Held>) => {
    await deliver(enough);
    const held = await waiting;
    granted++;
    return held;
  };
  const clients = nodesAccepting(protocol, topology, 'acquire');
  const [one, other] = [clients[0], clients.at(-1)].map((id) => all.find((each) => each.id === id));
  if (!one || !other) throw new Error('unreachable: there are two');
  const first = await take(one.acquire());
  const controller = new AbortController();
  const aborted = other.acquire({ signal: controller.signal }).catch((error: unknown) => error);
  await deliver(steps);
  controller.abort();
  expect(await aborted).toBeInstanceOf(ConclaveError);
  await deliver(enough);
  first.release();
  await deliver(enough);
  for (const each of [one, other]) {
    const held = await take(each.acquire());
    held.release();
    await deliver(enough);
  }
  for (const each of all) await each.close();
  return { granted, entered };
}

it('the page lists each lock of the catalogue, and whether it can withdraw a request', () => {
  const page = readFileSync(
    new URL('../../../algorithms/src/mutual-exclusion/cancel.md', import.meta.url),
    'utf8',
  );
  const rows = [...page.matchAll(/^\| (\[[AC].*?) \| (yes|no)/gm)].flatMap(([, ids = '', can]) =>
    [...ids.matchAll(/\[([AC]\d+[a-z]?)\]/g)].map(([, id]) => `${id} ${can}`),
  );
  const expected = locks.map((entry) => `${entry.id} ${offered.includes(entry) ? 'yes' : 'no'}`);
  expect(rows.sort()).toEqual([...new Set(expected)].sort());
});

describe('an aborted wait', () => {
  proof.each(cancelling)('is withdrawn, and not granted: %s %o', async (name, options) => {
    for (const steps of [0, 1, 2, 3, 5])
      expect(await entriesAround(protocolOf(name, options), steps)).toEqual({
        granted: 3,
        entered: 3,
      });
  });

  proof.each(locks.filter(bySending).map(({ name }) => name))(
    'is granted once, and released at once, without cancel: %s',
    async (name) => {
      for (const steps of [0, 3])
        expect(await entriesAround(protocolOf(name), steps)).toEqual({ granted: 3, entered: 4 });
    },
  );

  it('is not withdrawn while another call on the node waits: that call gets the lock', async () => {
    const network = handStepped(['a', 'b']);
    let entered = 0;
    const counted = watched(ricartAgrawalaCancellable, () => entered++);
    // with a clock of its own, the second call need not wait for the next turn of the event loop
    const [a] = ['a', 'b'].map((self) =>
      lock(counted, {
        self,
        peers: ['a', 'b'],
        transport: network.transport(self),
        clock: network.clock(self),
      }),
    );
    const controller = new AbortController();
    const gaveUp = a?.acquire({ signal: controller.signal }).catch((error: unknown) => error);
    const next = a?.acquire();
    controller.abort();
    expect(await gaveUp).toMatchObject({ code: 'aborted' });
    network.deliver('a', 'b');
    network.deliver('b', 'a');
    (await next)?.release();
    expect([entered, network.inFlight]).toEqual([1, []]);
  });

  it('lets the next call request again as soon as the node can', async () => {
    const network = handStepped(['a', 'b']);
    const [a] = ['a', 'b'].map((self) =>
      lock(ricartAgrawalaCancellable, {
        self,
        peers: ['a', 'b'],
        transport: network.transport(self),
        clock: network.clock(self),
      }),
    );
    const late = a?.acquire({ waitFor: 50 }).catch((error: unknown) => error);
    network.fire('a', 'timer');
    expect(await late).toMatchObject({ code: 'timed-out' });
    const next = a?.acquire();
    expect(network.inFlight).toHaveLength(1); // the withdrawn request
    network.deliver('a', 'b');
    network.deliver('b', 'a');
    expect(network.channel('a', 'b')).toEqual([{ type: 'request', ts: 2 }]);
    network.deliver('a', 'b');
    network.deliver('b', 'a');
    (await next)?.release();
  });
});
