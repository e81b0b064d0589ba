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

const vending = setup({
  types: {} as {
    context: { deposited: number };
    events: { type: 'nickel' | 'dime' | 'quarter' | 'select' };
  },
  actions: { dispense: () => {} },
  guards: { isEnough: ({ context }) => context.deposited >= 25 },
}).createMachine({
  id: 'vending-machine',
  context: { deposited: 0 },
  initial: 'idle',
  states: {
    idle: {
      always: { guard: 'isEnough', target: 'vending' },
      on: {
        nickel: { actions: assign({ deposited: ({ context }) => context.deposited + 5 }) },
        dime: { actions: assign({ deposited: ({ context }) => context.deposited + 10 }) },
        quarter: { actions: assign({ deposited: ({ context }) => context.deposited + 25 }) },
      },
    },
    vending: {
      on: { select: { target: 'idle', actions: [assign({ deposited: 0 }), 'dispense'] } },
    },
  },
});

const microwave = createMachine({
  id: 'microwave',
  initial: 'closed',
  context: { seconds: 0 },
  states: {
    closed: {
      initial: 'off',
      states: {
        off: { on: { start: { guard: ({ context }) => context.seconds > 0, target: 'heating' } } },
        heating: {
          after: {
            1000: {
              target: 'ticked',
              actions: assign({ seconds: ({ context }) => context.seconds - 1 }),
            },
          },
          on: { pause: 'off' },
        },
        ticked: {
          always: [
            { guard: ({ context }) => context.seconds > 0, target: 'heating' },
            { target: 'off', actions: 'beep' },
          ],
        },
      },
      on: {
        open: 'opened',
        add: {
          guard: ({ context }) => context.seconds < 3,
          actions: assign({ seconds: ({ context }) => context.seconds + 1 }),
        },
      },
    },
    opened: { on: { close: 'closed' } },
  },
});

const player = createMachine({
  id: 'mediaPlayer',
  type: 'parallel',
  states: {
    playback: {
      initial: 'stopped',
      states: {
        stopped: { on: { play: 'playing' } },
        playing: { on: { pause: 'paused', stop: 'stopped', ended: 'stopped' } },
        paused: { on: { play: 'playing', stop: 'stopped' } },
      },
    },
    volume: {
      initial: 'normal',
      states: {
        normal: { on: { mute: 'muted' } },
        muted: { on: { unmute: 'normal' } },
      },
    },
    screen: {
      initial: 'small',
      states: { small: { on: { full: 'whole' } }, whole: { on: { escape: 'small' } } },
    },
  },
});

const playlist = createMachine({
  id: 'playlist',
  context: { track: 0, shuffle: false },
  initial: 'paused',
  states: {
    playing: { on: { pause: 'paused', ended: { actions: raise({ type: 'next' }) } } },
    paused: { on: { play: 'playing' } },
  },
  on: {
    next: { actions: assign({ track: ({ context }) => (context.track + 1) % 4 }) },
    previous: { actions: assign({ track: ({ context }) => (context.track + 3) % 4 }) },
    shuffle: { actions: assign({ shuffle: ({ context }) => !context.shuffle }) },
  },
});

const stopwatch = createMachine({
  id: 'stopwatch',
  context: { elapsed: 0 },
  initial: 'stopped',
  states: {
    stopped: { on: { start: 'running', reset: { actions: assign({ elapsed: 0 }) } } },
    running: {
      on: { stop: 'stopped' },
      after: {
        10: {
          target: 'running',
          reenter: true,
          actions: assign({ elapsed: ({ context }) => (context.elapsed + 1) % 10 }),
        },
      },
    },
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

const alarm = createMachine({
  id: 'alarmClock',
  initial: 'off',
  states: {
    off: { on: { set: 'armed' } },
    armed: { on: { unset: 'off' }, after: { 60000: 'ringing' } },
    ringing: {
      on: { snooze: { target: 'armed' }, stop: 'off' },
      after: { 300000: 'off' },
    },
  },
});

const thermostat = setup({
  types: {} as { context: { degrees: number }; events: { type: 'measure'; degrees: number } },
}).createMachine({
  id: 'thermostat',
  context: { degrees: 20 },
  initial: 'resting',
  on: { measure: { actions: assign({ degrees: ({ event }) => event.degrees }) } },
  states: {
    resting: {
      always: [
        { guard: ({ context }) => context.degrees < 18, target: 'heating' },
        { guard: ({ context }) => context.degrees > 24, target: 'cooling' },
      ],
    },
    heating: { always: { guard: ({ context }) => context.degrees >= 18, target: 'resting' } },
    cooling: { always: { guard: ({ context }) => context.degrees <= 24, target: 'resting' } },
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

const door = createMachine({
  id: 'door',
  initial: 'unlocked',
  states: {
    unlocked: {
      initial: 'closed',
      states: { closed: { on: { OPEN: 'opened' } }, opened: { on: { CLOSE: 'closed' } } },
      on: { LOCK: { guard: ({ context }) => context.code !== '', target: 'locked' } },
    },
    locked: {
      on: {
        UNLOCK: [
          { guard: ({ event, context }) => event.code === context.code, target: 'unlocked' },
          { actions: 'alarm' },
        ],
      },
    },
  },
  context: { code: '1234' },
});

const atm = setup({
  types: {} as {
    context: { balance: number; tries: number };
    events:
      | { type: 'insert' | 'cancel' | 'take' }
      | { type: 'pin'; pin: string }
      | { type: 'amount'; amount: number };
  },
}).createMachine({
  id: 'ATM',
  context: { balance: 100, tries: 0 },
  initial: 'idle',
  states: {
    idle: { on: { insert: { target: 'asking', actions: assign({ tries: 0 }) } } },
    asking: {
      on: {
        cancel: 'idle',
        pin: [
          { guard: ({ event }) => event.pin === '0000', target: 'choosing' },
          { guard: ({ context }) => context.tries >= 2, target: 'swallowed' },
          { actions: assign({ tries: ({ context }) => context.tries + 1 }) },
        ],
      },
    },
    choosing: {
      on: {
        cancel: 'idle',
        amount: {
          guard: ({ context, event }) => event.amount <= context.balance,
          target: 'paying',
          actions: assign({ balance: ({ context, event }) => context.balance - event.amount }),
        },
      },
    },
    paying: { on: { take: 'idle' } },
    swallowed: { type: 'final' },
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

const snake = createMachine({
  id: 'snake',
  initial: 'right',
  states: {
    up: { on: { left: 'left', right: 'right' } },
    down: { on: { left: 'left', right: 'right' } },
    left: { on: { up: 'up', down: 'down' } },
    right: { on: { up: 'up', down: 'down' } },
    dead: { type: 'final' },
  },
  on: { crash: '.dead' },
});

const breaker = createMachine({
  id: 'circuitBreaker',
  context: { failures: 0 },
  initial: 'closed',
  states: {
    closed: {
      on: {
        success: { actions: assign({ failures: 0 }) },
        failure: [
          { guard: ({ context }) => context.failures >= 2, target: 'open' },
          { actions: assign({ failures: ({ context }) => context.failures + 1 }) },
        ],
      },
    },
    open: { after: { 30000: 'halfOpen' } },
    halfOpen: {
      on: { success: { target: 'closed', actions: assign({ failures: 0 }) }, failure: 'open' },
    },
  },
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

const subscription = createMachine({
  id: 'subscription',
  initial: 'trial',
  context: { unpaid: 0 },
  states: {
    trial: { after: { 14: 'unpaid' }, on: { pay: 'active' } },
    active: { on: { chargeFailed: 'unpaid', cancel: 'cancelled' } },
    unpaid: {
      entry: assign({ unpaid: ({ context }) => Math.min(context.unpaid + 1, 3) }),
      always: { guard: ({ context }) => context.unpaid >= 3, target: 'cancelled' },
      on: { pay: { target: 'active', actions: assign({ unpaid: 0 }) }, cancel: 'cancelled' },
    },
    cancelled: { on: { renew: 'active' } },
  },
});

const rateLimiter = createMachine({
  id: 'tokenBucket',
  context: { tokens: 2 },
  initial: 'on',
  states: {
    on: {
      after: {
        1000: {
          target: 'on',
          reenter: true,
          actions: assign({ tokens: ({ context }) => Math.min(2, context.tokens + 1) }),
        },
      },
      on: {
        request: [
          {
            guard: ({ context }) => context.tokens > 0,
            actions: assign({ tokens: ({ context }) => context.tokens - 1 }),
          },
          { actions: 'reject' },
        ],
      },
    },
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

const calculator = setup({
  types: {} as {
    context: { display: string; stored: number; operator: string };
    events:
      | { type: 'digit'; digit: string }
      | { type: 'operator'; operator: string }
      | { type: 'equals' | 'clear' };
  },
}).createMachine({
  id: 'calculator',
  context: { display: '0', stored: 0, operator: '' },
  initial: 'first',
  on: { clear: { target: '.first', actions: assign({ display: '0', stored: 0, operator: '' }) } },
  states: {
    first: {
      on: {
        digit: {
          guard: ({ context }) => context.display.length < 2,
          actions: assign({
            display: ({ context, event }) =>
              (context.display === '0' ? '' : context.display) + event.digit,
          }),
        },
        operator: {
          target: 'second',
          actions: assign(({ context, event }) => ({
            stored: Number(context.display),
            operator: event.operator,
            display: '0',
          })),
        },
      },
    },
    second: {
      on: {
        digit: {
          guard: ({ context }) => context.display.length < 2,
          actions: assign({
            display: ({ context, event }) =>
              (context.display === '0' ? '' : context.display) + event.digit,
          }),
        },
        equals: {
          target: 'result',
          actions: assign({
            display: ({ context }) => String(context.stored + Number(context.display)),
          }),
        },
      },
    },
    result: {},
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
  vending: { machine: vending },
  microwave: { machine: microwave },
  player: { machine: player },
  playlist: { machine: playlist },
  stopwatch: { machine: stopwatch },
  countdown: { machine: countdown, input: { seconds: 5 } },
  alarm: { machine: alarm },
  thermostat: {
    machine: thermostat,
    examples: { measure: [{ degrees: 10 }, { degrees: 20 }, { degrees: 30 }] },
  },
  washing: { machine: washing },
  door: { machine: door, examples: { UNLOCK: [{ code: '1234' }, { code: '0' }] } },
  atm: {
    machine: atm,
    examples: { pin: [{ pin: '0000' }, { pin: '1' }], amount: [{ amount: 50 }] },
  },
  ticTacToe: {
    machine: ticTacToe,
    examples: { play: [0, 1, 2, 3, 4, 5, 6, 7, 8].map((cell) => ({ cell })) },
  },
  stones: { machine: stones },
  dice: { machine: dice, refused: 'Math.random' },
  snake: { machine: snake },
  breaker: { machine: breaker },
  approval: { machine: approval },
  subscription: { machine: subscription },
  rateLimiter: { machine: rateLimiter },
  watchdog: { machine: watchdog, isLive: true },
  queue: { machine: queue },
  calculator: {
    machine: calculator,
    examples: { digit: [{ digit: '1' }, { digit: '0' }], operator: [{ operator: '+' }] },
  },
  calendar: { machine: calendar, refused: 'Date' },
  former: { machine: former, refused: 'XState 4' },
  endless: { machine: endless, fails: /Infinite loop/ },
  anyKey: { machine: anyKey },
};
