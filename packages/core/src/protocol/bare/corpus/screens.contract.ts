/** Forms, wizards, menus, dialogs: machines of a page, as people write them. */
import { and, assign, createMachine, fromPromise, not, or, raise, setup, stateIn } from 'xstate';
import type { Bare } from './bare.contract.js';

type Fields = { email: string; password: string };

const login = setup({
  types: {} as {
    context: Fields & { error: string | null };
    events: { type: 'change'; field: keyof Fields; value: string } | { type: 'submit' };
  },
  actors: { signIn: fromPromise<{ token: string }, Fields>(async () => ({ token: 't' })) },
  guards: { isFilled: ({ context }) => context.email !== '' && context.password !== '' },
}).createMachine({
  id: 'login form',
  context: { email: '', password: '', error: null },
  initial: 'editing',
  states: {
    editing: {
      on: {
        change: {
          actions: assign(({ context, event }) => ({ ...context, [event.field]: event.value })),
        },
        submit: { guard: 'isFilled', target: 'sending' },
      },
    },
    sending: {
      invoke: {
        src: 'signIn',
        input: ({ context }) => context,
        onDone: 'done',
        onError: {
          target: 'editing',
          actions: assign({ error: ({ event }) => (event.error as Error).message }),
        },
      },
    },
    done: { type: 'final' },
  },
});

const wizard = createMachine({
  id: 'wizard',
  initial: 'name',
  states: {
    name: { on: { next: 'address' } },
    address: { on: { next: 'payment', back: 'name' } },
    payment: { on: { next: 'summary', back: 'address' } },
    summary: { on: { confirm: 'ordered', back: 'payment' } },
    ordered: { type: 'final' },
  },
});

const nestedWizard = createMachine({
  id: 'wizard with pages',
  initial: 'pages',
  context: { visited: 0 },
  states: {
    pages: {
      initial: 'first',
      on: { close: 'closed', help: 'helping' },
      states: {
        first: { on: { next: 'second' } },
        second: {
          entry: assign({ visited: ({ context }) => Math.min(context.visited + 1, 2) }),
          on: { next: 'third', back: 'first' },
        },
        third: { on: { back: 'second' } },
        last: { type: 'history', history: 'deep' },
      },
    },
    helping: { on: { ok: 'pages.last' } },
    closed: {},
  },
});

const modal = createMachine({
  id: 'modal',
  initial: 'closed',
  states: {
    closed: { on: { open: 'opening' } },
    opening: { after: { 200: 'opened' }, on: { close: 'closing' } },
    opened: { on: { close: 'closing' } },
    closing: { after: { 200: 'closed' }, on: { open: 'opening' } },
  },
});

const toggle = createMachine({
  initial: 'inactive',
  states: { inactive: { on: { TOGGLE: 'active' } }, active: { on: { TOGGLE: 'inactive' } } },
});

const menu = createMachine({
  id: 'menuBar',
  context: { index: 0 },
  initial: 'closed',
  states: {
    closed: { on: { 'mouse.click': 'open', 'key.enter': 'open' } },
    open: {
      on: {
        'key.down': { actions: assign({ index: ({ context }) => (context.index + 1) % 3 }) },
        'key.up': { actions: assign({ index: ({ context }) => (context.index + 2) % 3 }) },
        'key.*': 'closed',
        'mouse.*': { target: 'closed' },
      },
    },
  },
});

const textEditor = createMachine({
  id: 'editor',
  type: 'parallel',
  states: {
    bold: {
      initial: 'off',
      states: { off: { on: { toggleBold: 'on' } }, on: { on: { toggleBold: 'off' } } },
    },
    italic: {
      initial: 'off',
      states: { off: { on: { toggleItalic: 'on' } }, on: { on: { toggleItalic: 'off' } } },
    },
    list: {
      initial: 'none',
      states: {
        none: { on: { bullets: 'bullets', numbers: 'numbers' } },
        bullets: { on: { none: 'none', numbers: 'numbers' } },
        numbers: { on: { none: 'none', bullets: 'bullets' } },
      },
    },
  },
});

const tabs = setup({
  types: {} as { context: { tab: number }; events: { type: 'select'; tab: number } },
}).createMachine({
  id: 'tabs',
  context: { tab: 0 },
  on: { select: { actions: assign({ tab: ({ event }) => event.tab }) } },
});

const tooltip = createMachine({
  id: 'tooltip',
  initial: 'hidden',
  states: {
    hidden: { on: { enter: 'waiting' } },
    waiting: { after: { delay: 'shown' }, on: { leave: 'hidden' } },
    shown: { on: { leave: 'hidden' } },
  },
});

const dragAndDrop = setup({
  types: {} as {
    context: { x: number; y: number; px: number; py: number };
    events:
      | { type: 'mousedown'; x: number; y: number }
      | { type: 'mousemove'; x: number; y: number }
      | { type: 'mouseup' }
      | { type: 'keyup.escape' };
  },
  actions: {
    reset: assign({ x: 0, y: 0 }),
    move: assign({
      x: ({ context, event }) => (event.type === 'mousemove' ? event.x - context.px : context.x),
      y: ({ context, event }) => (event.type === 'mousemove' ? event.y - context.py : context.y),
    }),
  },
}).createMachine({
  id: 'dragAndDrop',
  context: { x: 0, y: 0, px: 0, py: 0 },
  initial: 'idle',
  states: {
    idle: {
      on: {
        mousedown: {
          target: 'dragging',
          actions: assign({ px: ({ event }) => event.x, py: ({ event }) => event.y }),
        },
      },
    },
    dragging: {
      on: {
        mousemove: { actions: 'move' },
        mouseup: 'idle',
        'keyup.escape': { target: 'idle', actions: 'reset' },
      },
    },
  },
});

const fieldValidation = setup({
  types: {} as {
    context: { value: string; attempts: number };
    events: { type: 'input'; value: string } | { type: 'blur' } | { type: 'focus' };
  },
  guards: {
    isEmpty: ({ context }) => context.value === '',
    isLong: ({ context }) => context.value.length > 3,
    mayRetry: ({ context }) => context.attempts < 2,
  },
}).createMachine({
  id: 'field',
  context: { value: '', attempts: 0 },
  initial: 'pristine',
  states: {
    pristine: { on: { focus: 'focused' } },
    focused: {
      on: { input: { actions: assign({ value: ({ event }) => event.value }) }, blur: 'validating' },
    },
    validating: {
      entry: assign({ attempts: ({ context }) => Math.min(context.attempts + 1, 3) }),
      always: [
        { guard: and(['isEmpty', 'mayRetry']), target: 'invalid.empty' },
        { guard: or(['isLong', not('mayRetry')]), target: 'valid' },
        { target: 'invalid' },
      ],
    },
    invalid: { initial: 'short', states: { short: {}, empty: {} }, on: { focus: 'focused' } },
    valid: { on: { focus: 'focused' }, tags: ['ready'] },
  },
});

const onboarding = createMachine({
  id: 'onboarding',
  initial: 'welcome',
  states: {
    welcome: { on: { start: 'profile', skip: 'done' } },
    profile: {
      initial: 'name',
      states: {
        name: { on: { next: 'photo' } },
        photo: { on: { next: 'finished', skip: 'finished' } },
        finished: { type: 'final' },
      },
      onDone: 'tour',
    },
    tour: { on: { next: 'done', skip: 'done' } },
    done: { type: 'final' },
  },
});

const search = setup({
  types: {} as {
    context: { query: string; results: string[] };
    events: { type: 'type'; query: string } | { type: 'clear' };
  },
  actors: { find: fromPromise<string[], { query: string }>(async () => []) },
  delays: { debounce: 300 },
}).createMachine({
  id: 'search with debounce',
  context: { query: '', results: [] },
  initial: 'idle',
  on: {
    type: {
      target: '.debouncing',
      reenter: true,
      actions: assign({ query: ({ event }) => event.query }),
    },
    clear: { target: '.idle', actions: assign({ query: '', results: [] }) },
  },
  states: {
    idle: {},
    debouncing: { after: { debounce: 'searching' } },
    searching: {
      invoke: {
        src: 'find',
        input: ({ context }) => ({ query: context.query }),
        onDone: { target: 'idle', actions: assign({ results: ({ event }) => event.output }) },
        onError: 'failed',
      },
    },
    failed: { after: { 5000: 'searching' } },
  },
});

const colourPicker = createMachine({
  id: 'picker',
  type: 'parallel',
  states: {
    popup: {
      initial: 'closed',
      states: { closed: { on: { open: 'opened' } }, opened: { on: { close: 'closed' } } },
    },
    colour: {
      initial: 'red',
      states: {
        red: { on: { next: { guard: stateIn({ popup: 'opened' }), target: 'green' } } },
        green: { on: { next: { guard: stateIn({ popup: 'opened' }), target: 'red' } } },
      },
    },
  },
});

const confirmDelete = createMachine({
  id: 'confirm',
  initial: 'idle',
  states: {
    idle: { on: { remove: 'asking' } },
    asking: { on: { yes: 'removing', no: 'idle' }, after: { 10000: 'idle' } },
    removing: { entry: 'callServer', on: { ok: 'removed', fail: 'asking' } },
    removed: {
      entry: ['notifyUser', raise({ type: 'undoPossible' })],
      initial: 'fresh',
      states: {
        fresh: { on: { undoPossible: 'undoable' } },
        undoable: { on: { undo: '#confirm.idle' }, after: { 3000: 'final' } },
        final: { type: 'final' },
      },
    },
  },
});

/** Its context needs an input, and one event is behind a guard that needs a field of another. */
const seats = setup({
  types: {} as {
    context: { rows: string[]; chosen?: string; paid?: number };
    input: { rows: string[] };
  },
  guards: { isChosen: ({ context }) => context.chosen !== undefined },
}).createMachine({
  id: 'seats',
  context: ({ input }) => ({ rows: input.rows.slice(0, 3) }),
  initial: 'choosing',
  states: {
    choosing: {
      on: {
        choose: { actions: assign({ chosen: ({ event }) => event.row }) },
        next: { guard: 'isChosen', target: 'paying' },
      },
    },
    paying: { on: { pay: { actions: assign({ paid: ({ event }) => event.amount }) } } },
  },
});

/** What it watches tells its progress, and nobody has said what that can be. */
const download = createMachine({
  id: 'download',
  context: { percent: 0 },
  invoke: {
    src: 'watch',
    onSnapshot: { actions: assign({ percent: ({ event }) => event.snapshot.context }) },
  },
});

const accordion = createMachine({
  id: 'accordion',
  initial: 'none',
  states: { none: {}, a: {}, b: {}, c: {} },
  on: { openA: '.a', openB: '.b', openC: '.c', closeAll: '.none' },
});

export const screens: Readonly<Record<string, Bare>> = {
  seats: {
    machine: seats,
    refused:
      'it reads rows of its input; row of choose; amount of pay, and what they can be is not said. Say it beside the machine: export const input = { rows: … }; export const examples = { choose: [{ row: … }], pay: [{ amount: … }] }.',
  },
  seatsOfThree: {
    machine: seats,
    input: { rows: ['a', 'b', 'c'] },
    examples: { choose: [{ row: 'a' }, { row: 'b' }], pay: [{ amount: 5 }] },
  },
  download: {
    machine: download,
    refused: 'export const actors = { watch: { snapshot: […] } }.',
  },
  login: {
    machine: login,
    examples: {
      change: [
        { field: 'email', value: 'a@b' },
        { field: 'password', value: 'p' },
      ],
    },
  },
  wizard: { machine: wizard },
  nestedWizard: { machine: nestedWizard },
  modal: { machine: modal },
  toggle: { machine: toggle },
  menu: { machine: menu },
  textEditor: { machine: textEditor },
  tabs: { machine: tabs, examples: { select: [{ tab: 0 }, { tab: 1 }] } },
  tooltip: { machine: tooltip, refused: "waits for the delay 'delay', which does not exist" },
  dragAndDrop: {
    machine: dragAndDrop,
    examples: {
      mousedown: [{ x: 0, y: 0 }],
      mousemove: [
        { x: 1, y: 2 },
        { x: 3, y: 0 },
      ],
    },
  },
  fieldValidation: {
    machine: fieldValidation,
    examples: { input: [{ value: '' }, { value: 'abcd' }] },
  },
  onboarding: { machine: onboarding },
  search: {
    machine: search,
    examples: { type: [{ query: 'a' }, { query: 'ab' }] },
    actors: { find: { output: [[], ['abc']] } },
  },
  colourPicker: { machine: colourPicker },
  confirmDelete: { machine: confirmDelete },
  accordion: { machine: accordion },
};
