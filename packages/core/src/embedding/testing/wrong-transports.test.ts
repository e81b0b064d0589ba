/** The contract itself: a transport that breaks one promise must fail, by the check for it. */
import { proof } from '@conclave/tools/sample';
import { BehaviorSubject, concatMap, filter, map, merge, NEVER, of, share, skip } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../protocol/node.js';
import { transportClosed } from '../inbox.js';
import type { NetworkTransport } from '../network-transport.js';
import type { Transport, TransportStatus } from '../transport.js';
import { Bus } from './bus.contract.js';
import { deliveryMistakes, type Mistake, numberOf } from './delivery-mistakes.contract.js';
import type { SetUp } from './test-network.js';
import { transportChecks } from './transport-contract.js';

const { stringify } = JSON;

const life: readonly Mistake[] = [
  {
    mistake: 'forgets what was sent when it is closed',
    check: 'delivers what was sent before close',
    error: /arrival of 1000 messages from a did not happen/,
    changes: (right, bus) => ({
      close: () => {
        bus.lose();
        return right.close();
      },
    }),
    declared: { patience: 400 },
  },
  {
    mistake: 'delivers after close',
    check: 'delivers nothing after close',
    error: /A message arrived after close/,
    changes: (right) => {
      let closed = false;
      const close = async () => {
        closed = true;
      };
      const send = (to: string, message: Message) => {
        if (closed) throw transportClosed(right.self, message);
        right.send(to, message);
      };
      return { send, close, [Symbol.asyncDispose]: close };
    },
  },
  {
    mistake: 'ignores what is sent after close',
    check: 'delivers nothing after close',
    error: /send after close throws nothing/,
    changes: (right) => {
      let closed = false;
      return {
        send: (to, message) => void (closed || right.send(to, message)),
        close: () => {
          closed = true;
          return right.close();
        },
      };
    },
  },
  {
    mistake: 'cannot be closed twice',
    check: 'delivers nothing after close',
    error: /closed already/,
    changes: (right) => {
      let closed = false;
      return {
        close: async () => {
          if (closed) throw new Error('closed already');
          closed = true;
          await right.close();
        },
      };
    },
  },
  {
    mistake: 'does not complete received$',
    check: 'delivers nothing after close',
    error: /the end of received\$ did not happen/,
    changes: ({ received$ }) => ({ received$: merge(received$, NEVER) }),
    declared: { patience: 400 },
  },
  {
    mistake: 'cannot be opened again',
    check: 'can be closed and opened again',
    error: /a is open|b is open/,
    changes: () => ({ close: async () => {}, [Symbol.asyncDispose]: async () => {} }),
  },
  {
    mistake: 'does not begin with its status',
    check: 'tells its status',
    error: /does not begin with the present status/,
    changes: ({ status$ }) => ({ status$: status$.pipe(skip(1), share()) }),
  },
  {
    mistake: 'does not say that it is closed',
    check: 'tells its status',
    error: /The last status is .*"up"/,
    changes: ({ status$ }) => ({
      status$: status$.pipe(filter(({ state }) => state !== 'closed')),
    }),
  },
  {
    mistake: 'says nothing to who asks for its status after the end',
    check: 'tells its status',
    error: /does not get 'closed' and its end/,
    changes: ({ status$ }) => {
      const present = new BehaviorSubject<TransportStatus>({ state: 'up' });
      status$.subscribe(present);
      return { status$: present };
    },
  },
  {
    mistake: 'says nothing about its peers, and has peers$',
    check: 'tells when a peer',
    error: /the news that a cannot be reached did not happen.*declare impossible.peers/,
    changes: () => ({ peers$: NEVER }),
    declared: { patience: 400 },
  },
];

const faults: readonly Mistake[] = [
  {
    mistake: 'does not say that it is down',
    check: 'tells of an interruption',
    error: /the status 'down' did not happen/,
    changes: ({ status$ }) => ({ status$: status$.pipe(filter(({ state }) => state !== 'down')) }),
    declared: { patience: 400 },
  },
  {
    mistake: 'says that it is up where it has resumed',
    check: 'tells of an interruption',
    error: /was never 'resumed'/,
    changes: ({ status$ }) => ({
      status$: status$.pipe(
        map((now) => (now.state === 'resumed' ? { state: 'up' as const } : now)),
      ),
    }),
  },
  {
    mistake: 'declares loss, and says that there is no gap',
    check: 'tells of an interruption',
    error: /has no gap, although the transport declares loss/,
    changes: ({ status$ }) => ({
      status$: status$.pipe(map((now) => (now.state === 'resumed' ? { ...now, gap: false } : now))),
    }),
  },
  {
    mistake: 'loses messages across an interruption, and declares no loss',
    check: 'tells of an interruption',
    error: /arrival of 300 messages .*"firstMissing":100/,
    changes: ({ guarantees }) => ({ guarantees: { ...guarantees, loss: false } }),
    declared: { patience: 600 },
  },
  {
    mistake: 'does not come back',
    check: 'under reliable()',
    error: /the arrival of \d+ messages from \w did not happen/,
    changes: (right, bus) => ({
      send: (to, message) => void (bus.breaks === 0 && right.send(to, message)),
    }),
    declared: { patience: 600 },
  },
];

const frames: readonly Mistake[] = [
  {
    mistake: 'miscounts what it refuses',
    check: 'takes a frame only if',
    error: /frames were sent, \d+ taken, and \d+ counted as refused/,
    changes: (right) => ({
      get refused() {
        return { ...right.refused, malformed: right.refused.malformed - 1 };
      },
    }),
  },
  {
    mistake: 'delivers a message that no frame carries',
    check: 'takes a frame only if',
    error: /Something arrived that no frame of a peer carries: .*"extra"/,
    changes: ({ received$ }) => ({
      received$: received$.pipe(
        concatMap((incoming) =>
          stringify(incoming.message).includes('"reply"')
            ? of({ from: 'a', message: { type: 'extra' } }, incoming)
            : of(incoming),
        ),
      ),
    }),
  },
  {
    mistake: 'takes a message for that of another node',
    check: 'takes a frame only if',
    error: /Something arrived that no frame of a peer carries/,
    changes: ({ received$ }) => ({
      received$: received$.pipe(
        map((incoming) =>
          stringify(incoming.message).includes('"reply"') ? { ...incoming, from: 'z' } : incoming,
        ),
      ),
    }),
  },
  {
    mistake: 'repairs frames that are not exact',
    check: 'takes a frame only if',
    error: /Something arrived that no frame of a peer carries/,
    changes: (_, bus) => {
      bus.lenient = true;
      return {};
    },
  },
  {
    mistake: 'reports each refused frame',
    check: 'takes a frame only if',
    error: /errors were reported: a flood of frames floods the application/,
    changes: (right) => ({
      errors$: right.errors$.pipe(concatMap((error) => Array.from({ length: 50 }, () => error))),
    }),
  },
  {
    mistake: 'stops at an over-long frame',
    check: 'takes a frame only if',
    error: /the arrival of the real frame/,
    changes: ({ received$ }, bus) => ({
      received$: received$.pipe(filter(() => bus.longest < 65_536)),
    }),
    declared: { patience: 400 },
  },
];

/** The transport `right`, but for some changes. */
const withChanges = (right: NetworkTransport, changes: Partial<Transport>): Transport => {
  const { self, guarantees, received$, errors$, status$, peers$ } = right;
  const close = changes.close ?? (() => right.close());
  const same: Transport = {
    self,
    guarantees,
    received$,
    errors$,
    status$,
    ...(peers$ && { peers$ }),
    get refused() {
      return right.refused;
    },
    send: (to, message) => right.send(to, message),
    close,
    [Symbol.asyncDispose]: close,
  };
  return Object.defineProperties(same, Object.getOwnPropertyDescriptors(changes));
};

proof.each([...deliveryMistakes, ...life, ...faults, ...frames])(
  'the contract of transports fails for a transport that $mistake',
  async ({ check, error, changes, declared }) => {
    const setUp: SetUp = (nodes, { maxBytes }) =>
      new Bus(nodes, maxBytes, (right, bus) => withChanges(right, changes(right, bus)));
    const found = transportChecks(setUp, { frames: 20_000, ...declared }).filter(({ name }) =>
      name.startsWith(check),
    );
    expect(found).toHaveLength(1);
    await expect(found[0]?.run()).rejects.toThrow(error);
  },
);

describe('the contract of transports', () => {
  const right: SetUp = (nodes, { maxBytes }) => new Bus(nodes, maxBytes);

  it('does not take for impossible what works', async () => {
    const reason = 'it is too much work';
    const abilities = [
      'interrupt',
      'inject',
      'reopen',
      'status',
      'peers',
      'limit',
      'members',
    ] as const;
    const impossible = Object.fromEntries(abilities.map((ability) => [ability, reason]));
    const excuses = transportChecks(right, { impossible }).filter(({ name }) =>
      name.endsWith(reason),
    );
    expect(excuses).toHaveLength(abilities.length);
    for (const [index, { run }] of excuses.entries())
      await expect(run()).rejects.toThrow(
        `It is declared impossible, and it works. Remove impossible.${abilities[index]}`,
      );
  });

  it('is the same for a transport that declares loss and loses: what arrives is in order, once', async () => {
    const lossy: SetUp = (nodes, { maxBytes }) =>
      new Bus(nodes, maxBytes, (given) =>
        withChanges(given, {
          received$: given.received$.pipe(filter((incoming) => numberOf(incoming) % 10 !== 4)),
        }),
      );
    const checks = transportChecks(lossy, { losesWhileUp: 'it is a test' }).filter(({ name }) =>
      /^(carries messages between|takes 10,000|tells of)/.test(name),
    );
    expect(checks).toHaveLength(3);
    for (const { run } of checks) await run();
  });
});
