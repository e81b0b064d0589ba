/** Requests, retries, sessions, uploads, checkouts, chats: machines that wait for others. */
import {
  assertEvent,
  assign,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  fromCallback,
  fromObservable,
  fromPromise,
  fromTransition,
  log,
  raise,
  sendParent,
  sendTo,
  setup,
  spawnChild,
  stopChild,
} from 'xstate';
import type { Bare } from './bare.contract.js';

const page = fromPromise<{ items: string[]; more: boolean }, { page: number }>(async () => ({
  items: [],
  more: false,
}));

const fetchOnce = createMachine({
  id: 'fetch',
  initial: 'idle',
  context: { data: undefined as unknown, error: undefined as unknown },
  states: {
    idle: { on: { FETCH: 'loading' } },
    loading: {
      invoke: {
        src: fromPromise(async () => 'data'),
        onDone: { target: 'success', actions: assign({ data: ({ event }) => event.output }) },
        onError: { target: 'failure', actions: assign({ error: ({ event }) => event.error }) },
      },
    },
    success: {},
    failure: { on: { RETRY: 'loading' } },
  },
});

const retrying = setup({
  types: {} as { context: { retries: number; output?: { ok: boolean } } },
  actors: { load: fromPromise<{ ok: boolean }>(async () => ({ ok: true })) },
  delays: { backoff: ({ context }) => 100 * 2 ** context.retries },
  guards: { mayRetry: ({ context }) => context.retries < 3 },
}).createMachine({
  id: 'fetchWithBackoff',
  context: { retries: 0 },
  initial: 'loading',
  states: {
    loading: {
      invoke: {
        src: 'load',
        onDone: [
          { guard: ({ event }) => event.output.ok, target: 'loaded' },
          { target: 'waiting' },
        ],
        onError: [{ guard: 'mayRetry', target: 'waiting' }, { target: 'failed' }],
      },
      after: { 5000: 'waiting' },
    },
    waiting: {
      after: {
        backoff: {
          target: 'loading',
          actions: assign({ retries: ({ context }) => Math.min(context.retries + 1, 3) }),
        },
      },
    },
    loaded: { type: 'final' },
    failed: { on: { retry: { target: 'loading', actions: assign({ retries: 0 }) } } },
  },
});

const endlessScroll = setup({
  types: {} as { context: { page: number } },
  actors: { page },
}).createMachine({
  id: 'scroll',
  context: { page: 0 },
  initial: 'ready',
  states: {
    ready: { on: { bottom: 'loading' } },
    loading: {
      invoke: {
        src: 'page',
        input: ({ context }) => ({ page: context.page }),
        onDone: [
          {
            guard: ({ event }) => event.output.more,
            target: 'ready',
            actions: assign({ page: ({ context }) => Math.min(context.page + 1, 3) }),
          },
          'complete',
        ],
        onError: 'ready',
      },
    },
    complete: {},
  },
});

const session = setup({
  types: {} as { context: { token: string | null; refreshes: number } },
  actors: {
    signIn: fromPromise<string>(async () => 't'),
    refresh: fromPromise<string>(async () => 't'),
  },
  actions: {
    storeToken: assign({ token: (_, token: string) => token }),
    forget: assign({ token: null }),
  },
  delays: { expiry: 60_000 },
}).createMachine({
  id: 'authWithRefresh',
  context: { token: null, refreshes: 0 },
  initial: 'signedOut',
  states: {
    signedOut: { entry: 'forget', on: { signIn: 'signingIn' } },
    signingIn: {
      invoke: {
        src: 'signIn',
        onDone: {
          target: 'signedIn',
          actions: { type: 'storeToken', params: ({ event }) => event.output },
        },
        onError: 'signedOut',
      },
    },
    signedIn: {
      initial: 'fresh',
      on: { signOut: 'signedOut', unauthorized: '.refreshing' },
      states: {
        fresh: { after: { expiry: 'refreshing' } },
        refreshing: {
          invoke: {
            src: 'refresh',
            onDone: {
              target: 'fresh',
              actions: [
                { type: 'storeToken', params: ({ event }) => event.output },
                log('refreshed'),
              ],
            },
            onError: '#authWithRefresh.signedOut',
          },
        },
      },
    },
  },
});

const upload = setup({
  types: {} as {
    context: { progress: number };
    events:
      | { type: 'progress'; percent: number }
      | { type: 'pause' | 'resume' | 'cancel' | 'start' };
  },
  actors: { uploader: fromCallback(({ sendBack }) => sendBack({ type: 'progress', percent: 1 })) },
}).createMachine({
  id: 'upload with pause',
  context: { progress: 0 },
  initial: 'idle',
  states: {
    idle: { on: { start: 'running' } },
    running: {
      on: { cancel: 'idle' },
      initial: 'sending',
      states: {
        sending: {
          invoke: { id: 'uploader', src: 'uploader' },
          on: {
            pause: { target: 'paused', actions: sendTo('uploader', { type: 'stop' }) },
            progress: [
              { guard: ({ event }) => event.percent >= 100, target: '#upload with pause.done' },
              { actions: assign({ progress: ({ event }) => event.percent }) },
            ],
          },
        },
        paused: { on: { resume: 'sending' } },
      },
    },
    done: { type: 'final' },
  },
});

const checkout = setup({
  types: {} as {
    context: { items: number; paid: boolean };
    events: { type: 'add' | 'remove' | 'checkout' | 'pay' | 'back' };
  },
  actors: { charge: fromPromise<void>(async () => {}), ship: fromPromise<void>(async () => {}) },
}).createMachine({
  id: 'checkout',
  context: { items: 0, paid: false },
  initial: 'cart',
  states: {
    cart: {
      on: {
        add: {
          guard: ({ context }) => context.items < 2,
          actions: assign({ items: ({ context }) => context.items + 1 }),
        },
        remove: {
          guard: ({ context }) => context.items > 0,
          actions: assign({ items: ({ context }) => context.items - 1 }),
        },
        checkout: { guard: ({ context }) => context.items > 0, target: 'paying' },
      },
    },
    paying: {
      initial: 'choosing',
      on: { back: 'cart' },
      states: {
        choosing: { on: { pay: 'charging' } },
        charging: {
          on: { back: {} },
          invoke: { src: 'charge', onDone: 'charged', onError: 'choosing' },
        },
        charged: { type: 'final', entry: assign({ paid: true }) },
      },
      onDone: 'shipping',
    },
    shipping: { invoke: { src: 'ship', onDone: 'finished', onError: 'support' } },
    support: {},
    finished: { type: 'final' },
  },
});

const client = createMachine({
  id: 'client',
  initial: 'asking',
  states: {
    asking: { entry: sendParent({ type: 'question' }), on: { answer: 'happy' } },
    happy: { type: 'final' },
  },
});

const chat = setup({
  types: {} as { context: { open: number }; events: { type: 'join' | 'question' | 'close' } },
  actors: { client },
}).createMachine({
  id: 'chat with children',
  context: { open: 0 },
  initial: 'lobby',
  states: {
    lobby: {
      on: {
        join: {
          guard: ({ context }) => context.open < 2,
          actions: [
            spawnChild('client', { id: 'client-1' }),
            assign({ open: ({ context }) => context.open + 1 }),
          ],
        },
        question: { actions: sendTo('client-1', { type: 'answer' }) },
        close: { target: 'closed', actions: stopChild('client-1') },
      },
    },
    closed: { type: 'final' },
  },
});

const todos = createMachine({
  id: 'todos with children',
  types: {} as { context: { refs: unknown[] } },
  context: { refs: [] },
  on: {
    add: {
      guard: ({ context }) => context.refs.length < 2,
      actions: assign({
        refs: ({ context, spawn }) => [
          ...context.refs,
          spawn(createMachine({ initial: 'open', states: { open: {} } }), { id: 'todo' }),
        ],
      }),
    },
    clear: { actions: assign({ refs: [] }) },
  },
});

const parent = setup({
  types: {} as { context: { answer: number | null } },
  actors: {
    child: setup({ types: {} as { output: { answer: number } } }).createMachine({
      initial: 'working',
      states: { working: { on: { finish: 'done' } }, done: { type: 'final' } },
      output: { answer: 42 },
    }),
  },
}).createMachine({
  id: 'parent',
  context: { answer: null },
  initial: 'waiting',
  states: {
    waiting: {
      invoke: {
        src: 'child',
        onDone: {
          target: 'answered',
          actions: assign({ answer: ({ event }) => event.output.answer }),
        },
      },
    },
    answered: { type: 'final' },
  },
});

const ticker = setup({
  types: {} as { context: { count: number } },
  actors: {
    ticks: fromObservable<number, undefined>(() => ({
      subscribe: () => ({ unsubscribe: () => {} }),
    })),
  },
}).createMachine({
  id: 'observing',
  context: { count: 0 },
  initial: 'on',
  states: {
    on: {
      invoke: {
        src: 'ticks',
        onSnapshot: { actions: assign({ count: ({ event }) => event.snapshot.context ?? 0 }) },
        onDone: 'off',
        onError: 'off',
      },
    },
    off: { type: 'final' },
  },
});

const webSocket = setup({
  types: {} as {
    context: { failures: number };
    events: { type: 'opened' | 'closed' | 'message' | 'connect' | 'disconnect' };
  },
  actors: { socket: fromCallback(() => () => {}) },
  actions: { reset: assign({ failures: 0 }), render: () => {} },
}).createMachine({
  id: 'webSocket',
  context: { failures: 0 },
  initial: 'disconnected',
  states: {
    disconnected: { on: { connect: 'connection' } },
    connection: {
      invoke: { id: 'socket', src: 'socket', onError: 'disconnected' },
      initial: 'connecting',
      on: { disconnect: 'disconnected', closed: 'reconnecting' },
      states: {
        connecting: { on: { opened: { target: 'open', actions: 'reset' } } },
        open: {
          on: {
            message: {
              actions: enqueueActions(({ enqueue, context }) => {
                enqueue('render');
                enqueue({ type: 'missing' } as never); // it has no implementation
                enqueue(() => console.log('received'));
                enqueue.sendTo('socket', { type: 'acknowledge' });
                if (context.failures > 0) enqueue.assign({ failures: 0 });
              }),
            },
          },
        },
      },
    },
    reconnecting: {
      entry: assign({ failures: ({ context }) => Math.min(context.failures + 1, 3) }),
      after: {
        1000: [
          { guard: ({ context }) => context.failures < 3, target: 'connection' },
          { target: 'disconnected' },
        ],
      },
    },
  },
});

const polling = createMachine({
  id: 'polling',
  initial: 'polling',
  states: {
    polling: {
      invoke: { src: 'poll', id: 'poll', onDone: 'waiting', onError: 'waiting' },
      after: { 3000: { target: 'polling', reenter: true } },
    },
    waiting: { after: { 1000: 'polling' }, on: { stop: 'stopped' } },
    stopped: {},
  },
});

const notifications = setup({
  types: {} as {
    context: { queue: string[] };
    events: { type: 'push'; text: string } | { type: 'dismiss' };
    emitted: { type: 'toast'; text: string };
  },
}).createMachine({
  id: 'notifications',
  context: { queue: [] },
  on: {
    push: {
      guard: ({ context }) => context.queue.length < 2,
      actions: [
        assign({ queue: ({ context, event }) => [...context.queue, event.text] }),
        emit(({ event }) => ({ type: 'toast', text: event.text })),
        raise({ type: 'dismiss' }, { id: 'auto', delay: 4000 }),
      ],
    },
    dismiss: {
      actions: [cancel('auto'), assign({ queue: ({ context }) => context.queue.slice(1) })],
    },
  },
});

const autosave = setup({
  types: {} as { context: { dirty: boolean }; events: { type: 'edit' | 'save' } },
  actors: { save: fromPromise<void>(async () => {}) },
}).createMachine({
  id: 'autosave',
  context: { dirty: false },
  initial: 'clean',
  states: {
    clean: { on: { edit: 'dirty' } },
    dirty: {
      after: { 800: 'saving' },
      on: { edit: { target: 'dirty', reenter: true }, save: 'saving' },
    },
    saving: {
      entry: assign({ dirty: false }),
      on: { edit: { actions: assign({ dirty: true }) } },
      invoke: {
        src: 'save',
        onDone: [{ guard: ({ context }) => context.dirty, target: 'dirty' }, { target: 'clean' }],
        onError: 'dirty',
      },
    },
  },
});

const twoLoads = createMachine({
  id: 'dashboard',
  type: 'parallel',
  states: {
    news: {
      initial: 'loading',
      states: {
        loading: { invoke: { src: 'news', id: 'news', onDone: 'shown', onError: 'failed' } },
        shown: { type: 'final' },
        failed: { on: { reload: 'loading' } },
      },
    },
    weather: {
      initial: 'loading',
      states: {
        loading: { invoke: { src: 'weather', id: 'weather', onDone: 'shown', onError: 'failed' } },
        shown: { type: 'final' },
        failed: { on: { reload: 'loading' } },
      },
    },
  },
  onDone: { actions: 'celebrate' },
});

const counterActor = createMachine({
  id: 'reducing',
  initial: 'on',
  states: {
    on: {
      invoke: { id: 'count', src: fromTransition((count: number) => count + 1, 0) },
      on: { add: { actions: sendTo('count', { type: 'add' }) }, stop: 'off' },
    },
    off: {},
  },
});

const oauth = setup({
  types: {} as {
    context: { code: string | null };
    events: { type: 'start' } | { type: 'callback'; code: string } | { type: 'denied' };
    input: { clientId: string };
  },
  actors: { exchange: fromPromise<{ id: string }, { code: string }>(async () => ({ id: '' })) },
}).createMachine({
  id: 'OAuthFlow',
  context: ({ input }) => ({ code: null, client: input.clientId }),
  initial: 'idle',
  states: {
    idle: { on: { start: 'redirected' } },
    redirected: { on: { callback: 'exchanging', denied: 'idle' } },
    exchanging: {
      entry: assign(({ event }) => {
        assertEvent(event, 'callback');
        return { code: event.code };
      }),
      invoke: {
        src: 'exchange',
        input: ({ context }) => ({ code: context.code ?? '' }),
        onDone: 'authorized',
        onError: 'idle',
      },
    },
    authorized: { type: 'final' },
  },
});

export const fetching: Readonly<Record<string, Bare>> = {
  fetchOnce: { machine: fetchOnce, actors: { loading: { output: ['data'] } } },
  retrying: { machine: retrying, actors: { load: { output: [{ ok: true }, { ok: false }] } } },
  endlessScroll: {
    machine: endlessScroll,
    actors: {
      page: {
        output: [
          { items: [], more: true },
          { items: [], more: false },
        ],
      },
    },
  },
  session: { machine: session, actors: { signIn: { output: ['t'] }, refresh: { output: ['u'] } } },
  upload: {
    machine: upload,
    isLive: true,
    examples: { progress: [{ percent: 50 }, { percent: 100 }] },
  },
  checkout: { machine: checkout },
  client: { machine: client },
  chat: { machine: chat, isLive: true },
  todos: { machine: todos, isLive: true },
  parent: { machine: parent, actors: { child: { output: [{ answer: 42 }] } } },
  ticker: { machine: ticker, actors: { ticks: { snapshot: [{ context: 1 }] } } },
  webSocket: { machine: webSocket },
  polling: { machine: polling },
  notifications: {
    machine: notifications,
    examples: { push: [{ text: 'hello' }] },
    fails: /arms the timer 'auto' while it is still armed/,
  },
  autosave: { machine: autosave },
  twoLoads: { machine: twoLoads },
  counterActor: { machine: counterActor },
  oauth: { machine: oauth, input: { clientId: 'c' }, examples: { callback: [{ code: 'x' }] } },
};
