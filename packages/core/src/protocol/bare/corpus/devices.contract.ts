/** Lights, players, timers, games, workflows: machines without a server. */
import { assign, cancel, createMachine, enqueueActions, raise, setup } from 'xstate';
import type { Bare } from './bare.contract.js';

const light = createMachine({
  id: 'trafficLight',
  initial: 'green',
  states: {
    green: { after: { 3000: 'yellow' } },
    yellow: { after: { 1000: 'red' } },
    red: {
      initial: 'walk',
      states: {
        walk: { after: { 1000: 'flashing' } },
        flashing: { after: { 1000: 'stop' } },
        stop: { type: 'final' },
      },
      onDone: 'green',
    },
  },
  on: { 'power.out': '.red' },
});

const crossing = createMachine({
  id: 'crossing',
  type: 'parallel',
  states: {
    cars: {
      initial: 'green',
      states: {
        green: { on: { button: 'yellow' } },
        yellow: { after: { 2000: 'red' } },
        red: { entry: raise({ type: 'carsStopped' }), after: { 10000: 'green' } },
      },
    },
    people: {
      initial: 'wait',
      states: { wait: { on: { carsStopped: 'go' } }, go: { after: { 8000: 'wait' } } },
    },
  },
});

const elevator = setup({
  types: {} as {
    context: { floor: number; wanted: number };
    events: { type: 'call'; floor: number };
  },
  guards: {
    isHere: ({ context }) => context.floor === context.wanted,
    isAbove: ({ context }) => context.wanted > context.floor,
  },
}).createMachine({
  id: 'elevator',
  context: { floor: 0, wanted: 0 },
  initial: 'idle',
  states: {
    idle: {
      on: { call: { target: 'deciding', actions: assign({ wanted: ({ event }) => event.floor }) } },
    },
    deciding: {
      always: [
        { guard: 'isHere', target: 'open' },
        { guard: 'isAbove', target: 'up' },
        { target: 'down' },
      ],
    },
    up: {
      after: {
        2000: {
          target: 'deciding',
          actions: assign({ floor: ({ context }) => context.floor + 1 }),
        },
      },
    },
    down: {
      after: {
        2000: {
          target: 'deciding',
          actions: assign({ floor: ({ context }) => context.floor - 1 }),
        },
      },
    },
    open: { after: { 3000: 'idle' } },
  },
});

const countdown = setup({
  types: {} as { context: { left: number }; input: { seconds: number } },
}).createMachine({
  id: 'countdown',
  context: ({ input }) => ({ left: input.seconds }),
  initial: 'running',
  states: {
    running: {
      always: { guard: ({ context }) => context.left === 0, target: 'over' },
      after: {
        1000: {
          target: 'running',
          reenter: true,
          actions: assign({ left: ({ context }) => context.left - 1 }),
        },
      },
    },
    over: { type: 'final' },
  },
});

const washing = createMachine({
  id: 'washing machine',
  initial: 'idle',
  states: {
    idle: { on: { start: 'cycle' } },
    cycle: {
      initial: 'filling',
      on: { powerOut: 'unpowered' },
      states: {
        filling: { after: { 100: 'washing' } },
        washing: { after: { 100: 'spinning' } },
        spinning: { after: { 100: 'done' } },
        done: { type: 'final' },
        resume: { type: 'history' },
      },
      onDone: 'idle',
    },
    unpowered: { on: { powerOn: 'cycle.resume' } },
  },
});

const lines = [
  [0, 1, 2],
  [3, 4, 5],
  [6, 7, 8],
  [0, 3, 6],
  [1, 4, 7],
  [2, 5, 8],
  [0, 4, 8],
  [2, 4, 6],
];

const ticTacToe = setup({
  types: {} as {
    context: { board: string[]; player: 'x' | 'o' };
    events: { type: 'play'; cell: number } | { type: 'again' };
  },
  guards: {
    isFree: ({ context }, { cell }: { cell: number }) => context.board[cell] === '',
    isWon: ({ context: { board } }) =>
      lines.some(
        ([a = 0, b = 0, c = 0]) =>
          board[a] !== '' && board[a] === board[b] && board[b] === board[c],
      ),
    isFull: ({ context }) => context.board.every((cell) => cell !== ''),
  },
}).createMachine({
  id: 'ticTacToe',
  context: { board: Array(9).fill(''), player: 'x' },
  initial: 'playing',
  states: {
    playing: {
      always: [
        { guard: 'isWon', target: 'over.won' },
        { guard: 'isFull', target: 'over.draw' },
      ],
      on: {
        play: {
          guard: { type: 'isFree', params: ({ event }) => ({ cell: event.cell }) },
          actions: assign(({ context, event }) => ({
            board: context.board.with(event.cell, context.player),
            player: context.player === 'x' ? 'o' : 'x',
          })),
        },
      },
    },
    over: {
      initial: 'draw',
      states: { won: {}, draw: {} },
      on: {
        again: {
          target: 'playing',
          actions: assign({ board: () => Array(9).fill(''), player: 'x' }),
        },
      },
    },
  },
});

const stones = createMachine({
  id: 'nim',
  context: { stones: 7, turn: 0 },
  initial: 'moving',
  states: {
    moving: {
      always: { guard: ({ context }) => context.stones === 0, target: 'over' },
      on: {
        takeOne: {
          guard: ({ context }) => context.stones >= 1,
          actions: assign(({ context }) => ({
            stones: context.stones - 1,
            turn: 1 - context.turn,
          })),
        },
        takeTwo: {
          guard: ({ context }) => context.stones >= 2,
          actions: assign(({ context }) => ({
            stones: context.stones - 2,
            turn: 1 - context.turn,
          })),
        },
      },
    },
    over: { type: 'final' },
  },
  output: ({ context }) => ({ loser: context.turn }),
});

const dice = createMachine({
  id: 'dice',
  context: { eyes: 1 },
  on: { roll: { actions: assign({ eyes: () => 1 + Math.floor(Math.random() * 6) }) } },
});

const approval = createMachine({
  id: 'document approval',
  initial: 'draft',
  states: {
    draft: { on: { submit: 'review' } },
    review: {
      type: 'parallel',
      states: {
        legal: {
          initial: 'open',
          states: { open: { on: { 'legal.ok': 'ok' } }, ok: { type: 'final' } },
        },
        content: {
          initial: 'open',
          states: { open: { on: { 'content.ok': 'ok' } }, ok: { type: 'final' } },
        },
      },
      on: { reject: 'draft' },
      onDone: 'published',
    },
    published: { on: { archive: 'archived' } },
    archived: { type: 'final' },
  },
});

const watchdog = createMachine({
  id: 'watchdog',
  initial: 'armed',
  states: {
    armed: {
      entry: raise({ type: 'bark' }, { id: 'dog', delay: 500 }),
      on: { feed: { target: 'armed', reenter: true, actions: cancel('dog') }, bark: 'reset' },
    },
    reset: { type: 'final' },
  },
});

const queue = createMachine({
  id: 'jobQueue',
  context: { waiting: 0, running: 0 },
  on: {
    add: {
      guard: ({ context }) => context.waiting < 3,
      actions: enqueueActions(({ enqueue, context }) => {
        if (context.running < 2) enqueue.assign({ running: context.running + 1 });
        else enqueue.assign({ waiting: context.waiting + 1 });
      }),
    },
    finish: {
      guard: ({ context }) => context.running > 0,
      actions: enqueueActions(({ enqueue, context, check }) => {
        if (check(({ context: { waiting } }) => waiting > 0))
          enqueue.assign({ waiting: context.waiting - 1 });
        else enqueue.assign({ running: context.running - 1 });
        enqueue('notify');
      }),
    },
  },
});

const calendar = createMachine({
  id: 'calendar',
  context: { day: new Date(0) },
  on: { today: { actions: assign({ day: () => new Date(0) }) } },
});

const former = createMachine({
  id: 'former',
  initial: 'a',
  states: { a: { on: { go: 'b' } }, b: { onEntry: 'beep' } },
} as never);

const endless = createMachine({
  id: 'endless',
  initial: 'idle',
  context: { n: 0 },
  states: {
    idle: { on: { go: 'a' } },
    a: { always: { target: 'b', actions: assign({ n: ({ context }) => context.n + 1 }) } },
    b: { always: 'a' },
  },
});

const anyKey = createMachine({
  id: 'screensaver',
  initial: 'on',
  states: {
    on: { on: { '*': 'off' } },
    off: { after: { 60000: 'on' }, on: { '*': { target: 'off', reenter: true } } },
  },
});

export const devices: Readonly<Record<string, Bare>> = {
  light: { machine: light },
  crossing: { machine: crossing },
  elevator: { machine: elevator, examples: { call: [{ floor: 0 }, { floor: 1 }, { floor: 3 }] } },
  countdown: { machine: countdown, input: { seconds: 5 } },
  washing: { machine: washing },
  ticTacToe: {
    machine: ticTacToe,
    examples: { play: [0, 1, 2, 3, 4, 5, 6, 7, 8].map((cell) => ({ cell })) },
  },
  stones: { machine: stones },
  dice: { machine: dice, refused: 'Math.random' },
  approval: { machine: approval },
  watchdog: { machine: watchdog, isLive: true },
  queue: { machine: queue },
  calendar: { machine: calendar, refused: 'Date' },
  former: { machine: former, refused: 'XState 4' },
  endless: { machine: endless, fails: /Infinite loop/ },
  anyKey: { machine: anyKey },
};
