import { concatMap, EMPTY, filter, map, of, Subject } from 'rxjs';
import type { NetworkTransport } from '../network-transport.js';
import { type Incoming, isRecord, type Transport } from '../transport.js';
import type { Bus } from './bus.contract.js';
import type { Declared } from './test-network.js';

export interface Mistake {
  /** What is wrong with the transport. */
  readonly mistake: string;
  /** The beginning of the name of the check that must fail. */
  readonly check: string;
  readonly error: RegExp;
  readonly changes: (right: NetworkTransport, bus: Bus) => Partial<Transport>;
  readonly declared?: Declared;
}

export const numberOf = ({ message }: Incoming): number =>
  isRecord(message) && typeof message.n === 'number' ? message.n : -1;

// Transports that deliver wrongly.

const { stringify } = JSON;

/** Remembers one message in ten, and delivers it after the next one. */
function swapping() {
  let kept: Incoming | undefined;
  return (incoming: Incoming) => {
    if (numberOf(incoming) % 10 === 3 && !kept) {
      kept = incoming;
      return EMPTY;
    }
    const late = kept;
    kept = undefined;
    return late ? of(incoming, late) : of(incoming);
  };
}

export const deliveryMistakes: readonly Mistake[] = [
  {
    mistake: 'loses a message',
    check: 'carries messages between',
    error: /arrival of 500 messages .* did not happen .*"firstMissing":40/,
    changes: ({ received$ }) => ({
      received$: received$.pipe(filter((incoming) => numberOf(incoming) !== 40)),
    }),
    declared: { patience: 400 },
  },
  {
    mistake:
      'loses a message, and declares to lose some while the medium is up, but has loss: false',
    check: 'carries messages between',
    error: /firstMissing":40/,
    changes: ({ received$, guarantees }) => ({
      guarantees: { ...guarantees, loss: false },
      received$: received$.pipe(filter((incoming) => numberOf(incoming) !== 40)),
    }),
    declared: { patience: 400, losesWhileUp: 'it is lazy' },
  },
  {
    mistake: 'delivers a message twice',
    check: 'carries messages between',
    error: /of 500 messages from a to b: 1 arrived twice/,
    changes: ({ received$ }) => ({
      received$: received$.pipe(
        concatMap((incoming) => (numberOf(incoming) === 7 ? of(incoming, incoming) : of(incoming))),
      ),
    }),
  },
  {
    mistake: 'delivers in another order',
    check: 'carries messages between',
    error: /of 500 messages from a to b: 3 arrived after 4/,
    changes: ({ received$ }) => ({ received$: received$.pipe(concatMap(swapping())) }),
  },
  {
    mistake: 'delivers in another order while the medium is up, and declares that it does not',
    check: 'carries messages between',
    error: /of 500 messages from a to b: 3 arrived after 4/,
    changes: ({ received$, guarantees }) => ({
      guarantees: { ...guarantees, order: 'any' },
      received$: received$.pipe(concatMap(swapping())),
    }),
    declared: { inOrderWhileUp: true },
  },
  {
    mistake: 'makes a message up',
    check: 'carries messages between',
    error: /of 500 messages from a to b: 500 arrived, which was never sent/,
    changes: ({ received$ }) => ({
      received$: received$.pipe(
        concatMap((incoming) =>
          numberOf(incoming) === 499
            ? of(incoming, { ...incoming, message: { ...Object(incoming.message), n: 500 } })
            : of(incoming),
        ),
      ),
    }),
  },
  {
    mistake: 'names the wrong sender',
    check: 'carries messages between',
    error: /Node [abc] got .* which is not what \w sent to it|arrival of 500 messages/,
    changes: ({ received$ }) => ({
      received$: received$.pipe(
        map((incoming) =>
          numberOf(incoming) === 5 && incoming.from === 'a' ? { ...incoming, from: 'b' } : incoming,
        ),
      ),
    }),
    declared: { patience: 400 },
  },
  {
    mistake: 'delivers to others, too',
    check: 'carries messages between',
    error: /which is not what \w sent to it|arrived twice/,
    changes: (right) => ({
      send: (to, message) => {
        right.send(to, message);
        right.send(['a', 'b', 'c'].find((id) => id !== right.self && id !== to) ?? '', message);
      },
    }),
  },
  {
    mistake: 'delivers before send has returned',
    check: 'delivers nothing before send',
    error: /arrived at node b before send returned/,
    changes: (right, bus) => ({
      send: (to, message) => {
        right.send(to, message);
        bus.flush();
      },
    }),
  },
  {
    mistake: 'does not hold what arrives before the first subscriber',
    check: 'holds what arrives',
    error: /arrival of 20 messages from a did not happen/,
    changes: ({ received$ }) => {
      const hot = new Subject<Incoming>();
      received$.subscribe(hot);
      return { received$: hot };
    },
    declared: { patience: 400 },
  },
  {
    mistake: 'normalizes text',
    check: 'carries JSON exactly',
    error: /"e\u0301".* arrived as /,
    changes: ({ received$ }) => ({
      received$: received$.pipe(
        map(({ from, message }) => ({
          from,
          message: JSON.parse(stringify(message).normalize('NFC')),
        })),
      ),
    }),
  },
  {
    mistake: 'drops keys that are dangerous to a careless receiver',
    check: 'carries JSON exactly',
    error: /__proto__/,
    changes: ({ received$ }) => ({
      received$: received$.pipe(
        map(({ from, message }) => ({
          from,
          message: JSON.parse(stringify(message), dropPrototype),
        })),
      ),
    }),
  },
  {
    mistake: 'cuts a long message',
    check: 'carries messages of up to 65536 bytes',
    error: /Large message 0 arrived changed/,
    changes: ({ received$ }) => ({
      received$: received$.pipe(
        map(({ from, message }) => ({
          from,
          message: JSON.parse(stringify(message), (_, item) => cut(item)),
        })),
      ),
    }),
  },
  {
    mistake: 'drops what is too long without an error',
    check: 'refuses longer messages',
    error: /throws nothing.*declare impossible.limit/,
    changes: (right) => ({
      send: (to, message) => void (stringify(message).length < 65_000 && right.send(to, message)),
    }),
  },
  {
    mistake: 'drops what is for a stranger without an error',
    check: 'refuses to send to a node that is no peer',
    error: /throws nothing.*declare impossible.members/,
    changes: (right) => ({
      send: (to, message) => void (['a', 'b', 'c'].includes(to) && right.send(to, message)),
    }),
  },
  {
    mistake: 'has room for 5,000 messages',
    check: 'takes 10,000 messages in one tick',
    error: /arrival of 10000 messages .*"firstMissing":5000/,
    changes: (right) => {
      let room = 5000;
      return { send: (to, message) => void (room-- > 0 && right.send(to, message)) };
    },
    declared: { patience: 600 },
  },
];

const dropPrototype = (key: string, item: unknown): unknown =>
  key === '__proto__' ? undefined : item;
const cut = (item: unknown): unknown => (typeof item === 'string' ? item.slice(0, 60_000) : item);
