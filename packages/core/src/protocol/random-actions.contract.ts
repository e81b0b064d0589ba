/**
 * The actions and guards of random statecharts: each way to write them, with effects that tell one
 * order of them from another.
 */
import {
  and,
  assign,
  cancel,
  type EventObject,
  emit,
  enqueueActions,
  log,
  not,
  or,
  raise,
} from 'xstate';
import type { Dice } from './dice.contract.js';
import { choose, notify, send } from './node.js';

export interface Context {
  /** Read by guards; 0 to 5. */
  readonly n: number;
  /** Depends on all actions so far, and on their order. */
  readonly h: number;
  /** How many more internal transitions the machine may take, so that most steps end. */
  readonly fuel: number;
}

/**
 * `plain`: what nodes do. `wide`: its `always` may also read the event, and never end. `odd`: it
 * may also do what a node must not do, or fail.
 */
export type Kind = 'plain' | 'wide' | 'odd';

/**
 * What an event carries: `k` if it comes from outside or was raised, `output` if a state is done.
 */
export type Happening = EventObject & { readonly k?: number; readonly output?: number };

interface Arguments {
  readonly context: Context;
  readonly event: Happening;
}
interface Params {
  readonly by: number;
}
type Guard = (args: Arguments, params?: Params) => unknown;
interface Queue {
  (action: unknown): void;
  assign(change: unknown): void;
  emit(event: unknown): void;
  raise(event: unknown, options?: { id: string; delay: number }): void;
  cancel(id: string): void;
}
interface Collecting extends Arguments {
  readonly enqueue: unknown;
  readonly check: unknown;
}

/** How often each kind of action and guard has run. */
export const ran = new Map<string, number>();
const mark = (kind: (typeof marked)[number]) => ran.set(kind, (ran.get(kind) ?? 0) + 1);

/** The kinds of {@link ran}. */
export const marked = [
  ...([
    'assign by function',
    'assign by property',
    'assign of nothing',
    'enqueueActions',
    'failures',
  ] as const),
  ...([
    'params of assign',
    'params of emit',
    'params of enqueueActions',
    'params of guard',
  ] as const),
] as const;

export const eventTypes: readonly string[] = ['e', 'f', 'job', 'job.a', 'job.a.b', 'jobless'];

const mixed = ({ context, event }: Arguments, k: number) =>
  (context.h * 5 + k + (event.k ?? 0) + (event.output ?? 0)) % 997;
const burnt = ({ context }: Arguments) => ({ fuel: Math.max(0, context.fuel - 1) });
const hello = (args: Arguments, k: number) =>
  send('b', { type: 'hello', k, n: args.context.n, h: args.context.h, on: args.event.type } as {
    type: string;
  });

/** `collect` with the types that its arguments have in every machine of this file. */
const enqueued = (
  collect: (
    args: Arguments,
    enqueue: Queue,
    check: (guard: unknown) => unknown,
    params?: Params,
  ) => void,
) =>
  enqueueActions(({ context, event, enqueue, check }: Collecting, params: unknown) => {
    mark('enqueueActions');
    collect(
      { context, event },
      enqueue as Queue,
      check as (guard: unknown) => unknown,
      params as Params | undefined,
    );
  });

/** Does `what` while there is fuel. */
const burning = (what: (args: Arguments, enqueue: Queue) => void) =>
  enqueued((args, enqueue) => {
    if (args.context.fuel === 0) return;
    enqueue.assign(burnt(args));
    what(args, enqueue);
  });

export const burn: unknown = assign((args: Arguments) => burnt(args));
export const hasFuel: Guard = ({ context }) => context.fuel > 0;
/**
 * Wildcards ignore the internal events of XState: otherwise the end of a state might lead back to
 * it without end.
 */
export const isOurs: Guard = ({ event }) => !event.type.startsWith('xstate.');

/** What a machine refers to by name. */
export const implementations = (
  guard: unknown,
): Record<'actions' | 'guards' | 'delays', object> => ({
  actions: {
    count: assign((args: Arguments) => ({ n: (args.context.n + 1) % 6, h: mixed(args, 1) })),
    add: assign((args: Arguments, params: Params) => {
      mark('params of assign');
      return { h: mixed(args, params.by) };
    }),
    addEach: assign({
      h: (args: Arguments, params: Params) => mixed(args, params.by + 1),
      n: ({ context }: Arguments, params: Params) => (context.n + params.by) % 6,
    }),
    tell: emit((args: Arguments, params: Params) => {
      mark('params of emit');
      return hello(args, params.by) as EventObject;
    }),
    many: enqueued((args, enqueue, check, params) => {
      mark('params of enqueueActions');
      enqueue.assign({ h: mixed(args, params?.by ?? 0) });
      if (check('odd')) enqueue({ type: 'add', params: { by: 2 } });
      else enqueue('count');
      enqueue({ type: 'tell', params: ({ context }: Arguments) => ({ by: context.n }) });
    }),
    again: raise((_: Arguments, params: Params) => ({ type: 'jobless', k: params.by })),
    wait: raise((_: Arguments, params: Params) => ({ type: 'f', k: params.by }), {
      id: 'w',
      delay: ({ context }: Arguments, params: Params) => 1 + context.n + params.by,
    }),
    unwait: cancel((_: Arguments, params: Params) => (params.by % 3 === 0 ? 't' : 'w')),
  },
  guards: {
    odd: ({ context }: Arguments) => context.n % 2 === 1,
    atLeast: ({ context }: Arguments, params: Params) => {
      mark('params of guard');
      return context.n >= params.by;
    },
    both: guard,
    alias: 'odd',
  },
  delays: { slow: 30, dynamic: ({ context, event }: Arguments) => 10 + context.n + (event.k ?? 0) },
});

const params = (dice: Dice): unknown => {
  const k = dice.upTo(5);
  return dice.seldom(2)
    ? ({ context, event }: Arguments) => ({ by: (context.n + k + (event.k ?? 0)) % 6 })
    : { by: k };
};
const named = (dice: Dice, _k: number, _guard: unknown, kind: Kind): unknown => {
  const names = ['count', 'add', 'addEach', 'tell', 'many', 'wait', 'unwait'];
  const type = dice.oneOf(kind === 'plain' ? names : [...names, 'again']);
  if (type === 'count') return dice.seldom(2) ? { type } : type;
  const action = { type, params: params(dice) };
  return type === 'wait' ? [{ type: 'unwait', params: { by: 1 } }, action] : action;
};

const fails = (text: string): never => {
  mark('failures');
  throw new Error(text);
};

/** What a node must not do, or what fails: each ends the walk. */
const oddities: readonly ((dice: Dice, k: number) => unknown)[] = [
  (_, k) =>
    assign(({ context }: Arguments) => (context.h % 3 === k % 3 ? fails(`assign ${k}`) : {})),
  (_, k) =>
    emit(({ context }: Arguments) =>
      context.h % 3 === k % 3 ? fails(`emit ${k}`) : hello({ context, event: { type: '' } }, k),
    ),
  () => emit({ type: 'foreign' }),
  () => choose(),
  () => assign({ h: Number.NaN }),
  () => assign({ h: -0 }),
  () => assign(() => undefined as unknown as object),
  () => function custom() {},
  () => () => {},
  () => 'missing',
  (_, k) => raise({ type: 'f' }, { id: 'n', delay: k % 2 === 0 ? Number.NaN : -1 }),
  () => raise({ type: 'f' }, { delay: 4 }),
  () => raise({ type: 'f' }, { id: 'missing delay', delay: 'missing' as never }),
  () => raise({ type: 'e' }, { id: 'risky', delay: 9 }),
  // it is allowed, but would print in an actor
  (_, k) => log(({ context }: Arguments) => context.h + k),
];

/** The last may raise without end. */
const kinds: readonly ((dice: Dice, k: number, guard: () => unknown, kind: Kind) => unknown)[] = [
  (_, k) =>
    assign((args: Arguments) => {
      mark('assign by function');
      return { h: mixed(args, k), n: (args.context.n + 1) % 6 };
    }),
  (_, k) => emit((args: Arguments) => hello(args, k) as EventObject),
  named,
  (_, k) => assign({ n: k % 6 }),
  (_, k) =>
    assign({
      n: ({ context }: Arguments) => (context.n + k) % 6,
      h: (args: Arguments) => {
        mark('assign by property');
        return mixed(args, k + 3);
      },
    }),
  () => {
    const nothing = () => {
      mark('assign of nothing');
      return {};
    };
    return assign(nothing);
  },
  (_, k) => emit(notify({ type: 'news', k } as { type: string })),
  // the answer may lead to the next
  (_, k) => burning((_args, enqueue) => enqueue.emit(choose('left', k))),
  (dice, k) => {
    const type = dice.oneOf(eventTypes);
    return burning((args, enqueue) => enqueue.raise({ type, k: (args.context.n + k) % 4 }));
  },
  (dice, k) => {
    const type = dice.oneOf(eventTypes);
    return burning((_, enqueue) =>
      enqueue.raise(({ context }: Arguments) => ({ type, k: (context.h + k) % 4 })),
    );
  },
  (dice) => [cancel('t'), raise({ type: dice.oneOf(eventTypes) }, { id: 't', delay: 7 })],
  (_, k) => [
    cancel('u'),
    raise({ type: 'job.a', k } as Happening, {
      id: 'u',
      delay: ({ context }: Arguments) => 3 + context.n,
    }),
  ],
  () => [
    cancel('v'),
    raise(({ context }: Arguments) => ({ type: 'e', k: context.n }), {
      id: 'v',
      delay: 'dynamic' as never,
    }),
  ],
  (dice) => cancel(dice.oneOf(['t', 'u', 'v', 'risky'])),
  () => cancel(({ context }: Arguments) => (context.n % 2 === 0 ? 't' : 'u')),
  (dice, k, guard, kind) => {
    const [first, second, last] = [guard(), guard(), named(dice, k, guard, kind)];
    return enqueued((args, enqueue, check) => {
      enqueue.emit(({ context }: Arguments) => hello({ ...args, context }, k));
      enqueue.assign({ h: mixed(args, k), n: (args.context.n + 1) % 6 });
      // `check` and `args` know nothing of what is in the queue.
      enqueue.assign(({ context }: Arguments) => ({
        n: (context.n + Number(Boolean(check(first)))) % 6,
      }));
      if (check(second)) enqueue.emit(hello(args, k + 1));
      else enqueue.cancel('t');
      for (const one of Array.isArray(last) ? last : [last]) enqueue(one);
    });
  },
  (_, k) =>
    enqueued((args, enqueue) => {
      enqueue.cancel('q');
      enqueue.raise({ type: 'f', k: k % 4 }, { id: 'q', delay: 2 + args.context.n });
      enqueue(burning((inner, queue) => queue.emit(hello(inner, k))));
    }),
  () => raise({ type: 'jobless' }),
];

/** One action, or some that belong together. */
export function action(dice: Dice, guard: () => unknown, kind: Kind): unknown[] {
  const k = 1 + dice.upTo(96);
  const made =
    kind === 'odd' && dice.seldom(8)
      ? dice.oneOf(oddities)(dice, k)
      : dice.oneOf(kind === 'plain' ? kinds.slice(0, -1) : kinds)(dice, k, guard, kind);
  return Array.isArray(made) ? made : [made];
}

/** A guard, by name, inline or combined. `whereabouts` makes one that looks at the state. */
export function guard(dice: Dice, whereabouts: () => unknown, kind: Kind, depth = 2): unknown {
  const inner = () => guard(dice, whereabouts, kind, depth - 1);
  const [modulus, rest] = [2 + dice.upTo(1), dice.upTo(1)];
  const simple: readonly (() => unknown)[] = [
    () =>
      ({ context }: Arguments) =>
        context.n % modulus === rest,
    () => 'odd',
    () => ({ type: 'atLeast', params: params(dice) }),
    whereabouts,
    () =>
      ({ event }: Arguments) =>
        (event.k ?? 0) % modulus === rest || event.type === 'f',
    () =>
      ({ context }: Arguments) =>
        context.n, // its truth counts
    () => 'alias',
    () => 'both',
  ];
  if (kind === 'odd' && dice.seldom(12))
    return dice.oneOf<unknown>([
      'missing',
      ({ context }: Arguments) => (context.n % 3 === rest ? fails('guard') : true),
      {
        type: 'odd',
        params: ({ context }: Arguments) => (context.n % 3 === rest ? fails('params') : 0),
      },
    ]);
  if (depth === 0 || !dice.seldom(3))
    return dice.oneOf(depth === 0 ? simple.slice(0, -1) : simple)(); // 'both' is one of depth 0
  const combine = dice.oneOf<() => unknown>([
    () => and([inner(), inner()] as never),
    () => or([inner(), inner(), inner()] as never),
    () => not(inner() as never),
  ]);
  return combine();
}
