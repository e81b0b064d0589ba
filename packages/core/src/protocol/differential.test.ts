/** A node as data (`step`) and as an actor (`NodeActor`) must always do the same. */
import { isWhole, sampled } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { ConclaveError } from '../base/error.js';
import { complete } from '../topology/generators.js';
import { type Host, NodeActor } from './actor.js';
import { byPlan, byXState, type Stepper } from './compiled/stepper.js';
import { Dice, type Draw, drawsOf, replayed, shrunk } from './dice.contract.js';
import { calls, cards, withMachine } from './examples.contract.js';
import { stateText } from './handles.js';
import type { Json } from './node.js';
import type { Protocol } from './protocol.js';
import { eventTypes } from './random-actions.contract.js';
import { isLegal, makeUp, text } from './random-machine.contract.js';
import type { HostEffect, LocalState, Step } from './step.js';

type Move =
  | { readonly event: { readonly type: string } & Readonly<Record<string, Json>> }
  | { readonly timer: number };

interface Observed {
  readonly state: Omit<LocalState, 'history'>;
  readonly text: string;
  readonly effects: readonly HostEffect[];
}

/** Both hosts take the answers in turn, each with its own count. */
const answers = (): ((options: readonly Json[]) => Json) => {
  let asked = 0;
  return (options) => options[asked++ % options.length] ?? null;
};

/** The actor, on a clock whose timers fire by hand. */
class Live {
  readonly #fire = new Map<string, () => void>();
  readonly #effects: HostEffect[] = [];
  readonly #node: NodeActor;

  constructor(protocol: Protocol) {
    const choose = answers();
    const host: Host = {
      clock: {
        setTimeout: (fire, _delay, timer = '') => {
          this.#fire.set(timer, fire);
          return timer;
        },
        clearTimeout: (timer) => this.#fire.delete(String(timer)),
      },
      stepped: (_node, _stimulus, _before, effects) => this.#effects.push(...effects),
      choose: (_node, options) => choose(options),
    };
    this.#node = new NodeActor(protocol, complete(2), 'a', host);
  }

  start(): Observed {
    this.#node.start();
    return this.#observed();
  }

  take(move: Move): Observed {
    if ('event' in move) this.#node.receive(move.event);
    else {
      const timer = this.#node.timers[move.timer % this.#node.timers.length] ?? '';
      const fire = this.#fire.get(timer);
      this.#fire.delete(timer);
      fire?.();
    }
    return this.#observed();
  }

  get snapshot(): AnyMachineSnapshot {
    return this.#node.snapshot;
  }

  #observed(): Observed {
    const { value, context, tags, status } = this.snapshot;
    const effects = this.#effects.splice(0);
    expect([...this.#fire.keys()].sort()).toEqual([...this.#node.timers].sort());
    const timers = this.#node.timers
      .map((id) => armed(id, effects) ?? this.#timers.get(id))
      .filter((timer) => timer !== undefined);
    this.#timers = new Map(timers.map((timer) => [timer.id, timer]));
    return {
      state: { value, context, tags: [...tags].sort(), status, timers },
      text: stateText(value),
      effects,
    };
  }

  #timers = new Map<string, LocalState['timers'][number]>();
}

const armed = (id: string, effects: readonly HostEffect[]) =>
  effects
    .flatMap((effect) => (effect.type === 'start' && effect.timer.id === id ? [effect.timer] : []))
    .at(-1);

/**
 * The same as data; between two steps the state goes through JSON, and both copies must behave the
 * same.
 */
class AsData {
  #state: LocalState | undefined;
  readonly #choose = answers();

  constructor(
    private readonly machine: AnyStateMachine,
    private readonly input: Json,
    private readonly by: Stepper,
  ) {}

  get state(): LocalState {
    if (!this.#state) throw new Error('not started');
    return this.#state;
  }

  start(): Observed {
    return this.#settle(this.by.start(this.machine, 'a', this.input));
  }

  take(move: Move): Observed {
    if ('event' in move)
      return this.#settle(
        this.#twice(this.state, (state) => this.by.step(this.machine, 'a', state, move.event)),
      );
    const timer = this.state.timers[move.timer % this.state.timers.length]?.id ?? '';
    return this.#settle(
      this.#twice(this.state, (state) => this.by.fire(this.machine, 'a', state, timer)),
    );
  }

  #twice(state: LocalState, run: (state: LocalState) => Step): Step {
    const taken = outcome(() => run(state));
    const revived: LocalState = JSON.parse(JSON.stringify(state));
    expect(outcome(() => run(revived))).toEqual(taken);
    if (typeof taken === 'string') throw new ConclaveError('bad-protocol', taken);
    return taken;
  }

  /** Answers the choices of the step as actors do: each answer before other events. */
  #settle({ state, effects }: Step): Observed {
    this.#state = state;
    const all = [...effects];
    for (const effect of effects) {
      if (effect.type !== 'choose') continue;
      const chosen = { type: 'chosen', value: this.#choose(effect.options) };
      all.push(...this.#settle(this.by.step(this.machine, 'a', this.state, chosen)).effects);
    }
    const { history: _, ...visible } = this.state;
    expect(JSON.parse(JSON.stringify(this.state))).toEqual(this.state);
    return { state: visible, text: stateText(this.state.value), effects: all };
  }
}

function outcome<T>(run: () => T): T | string {
  try {
    return run();
  } catch (error) {
    // Actors also say in which step they were.
    if (error instanceof ConclaveError)
      return error.message.replace(/\. It was (starting|in '.*' when .*?)(?=$|\. )/, '');
    throw error;
  }
}

/**
 * Runs both; returns the observations. An error of the machine ends a node; an event that it does
 * not handle does not.
 */
function walk(protocol: Protocol, moves: readonly Move[], by: Stepper) {
  const { machine, input } = protocol.roles.node ?? { machine: undefined, input: undefined };
  if (!machine || !input) throw new Error('no role');
  const data = new AsData(machine, input('a', complete(2)), by);
  const live = outcome(() => new Live(protocol));
  const seen: (Observed | string)[] = [
    typeof live === 'string' ? live : outcome(() => live.start()),
  ];
  expect(outcome(() => data.start())).toEqual(seen[0]);
  if (typeof live === 'string') return { seen, history: 0 };
  const ended = () =>
    typeof seen.at(-1) === 'string' && !/does not handle '(?!chosen)/.test(String(seen.at(-1)));
  for (const move of moves) {
    if (ended() || !isLegal(live.snapshot)) break;
    if ('timer' in move && data.state.timers.length === 0) continue;
    const found = outcome(() => live.take(move));
    if (!isLegal(live.snapshot)) break;
    expect(outcome(() => data.take(move))).toEqual(found);
    seen.push(found);
  }
  return { seen, history: ended() ? 0 : Object.keys(data.state.history).length };
}

const timer: fc.Arbitrary<Move> = fc.nat(5).map((timer) => ({ timer }));

const moveOf = (dice: Dice): Move =>
  dice.seldom(3) ? { timer: dice.upTo(5) } : { event: { type: dice.oneOf(eventTypes) } };

/** A walk of a random machine. */
function randomWalk(draw: Draw, by: Stepper) {
  const machine = makeUp(draw);
  const dice = new Dice(draw);
  const moves = dice.list(dice.upTo(25), () => moveOf(dice));
  try {
    return { moves, ...walk(withMachine(cards, machine), moves, by) };
  } catch (error) {
    throw new Error(`${text(machine)}\n${JSON.stringify(moves)}\n${error}`, { cause: error });
  }
}

/** The walk of `seed`; if it fails, the error tells the smallest one found that fails. */
function walkOf(seed: number, by: Stepper): ReturnType<typeof randomWalk> {
  const draws: number[] = [];
  try {
    return randomWalk(drawsOf(seed, draws), by);
  } catch (error) {
    let last = error;
    shrunk(draws, (list) => {
      try {
        randomWalk(replayed(list), by);
        return false;
      } catch (again) {
        last = again;
        return true;
      }
    });
    throw new Error(`seed ${seed}: ${last}`, { cause: last });
  }
}

const steppers = [
  ['XState', byXState],
  ['plan', byPlan],
] as const;

describe.each(steppers)('steps by %s and actors agree', (_by, stepper) => {
  it('on random machines and walks, through JSON at every step', () => {
    const tally = {
      steps: 0,
      unhandled: 0,
      fired: 0,
      cancelled: 0,
      history: 0,
      done: 0,
      sent: 0,
      chosen: 0,
      failed: 0,
      parallel: 0,
    };
    const seeds = Array.from({ length: 250 }, (_, index) => index + 1);
    for (const seed of sampled(seeds, 50)) {
      const { moves, seen, history } = walkOf(seed, stepper);
      tally.history += history;
      tally.fired += moves.filter((move) => 'timer' in move).length;
      for (const one of seen) {
        if (typeof one === 'string') tally[/does not handle/.test(one) ? 'unhandled' : 'failed']++;
        else {
          tally.steps++;
          if (one.state.status === 'done') tally.done++;
          if (one.text.includes(' & ')) tally.parallel++;
          for (const { type } of one.effects)
            if (type !== 'start')
              tally[
                ({ send: 'sent', notify: 'sent', cancel: 'cancelled', choose: 'chosen' } as const)[
                  type
                ]
              ]++;
        }
      }
    }
    if (!isWhole) return;
    for (const [what, count] of Object.entries(tally))
      expect([what, count > (what === 'failed' ? 0 : 25)]).toEqual([what, true]);
  });

  it.each<[string, Protocol, readonly { type: string; [field: string]: Json }[]]>([
    [
      'calls',
      calls,
      [
        { type: 'call' },
        { type: 'ping', n: 1, from: 'b' },
        { type: 'pong', n: 1, from: 'b' },
        { type: 'pong', n: 2, from: 'b' },
      ],
    ],
    ['cards', cards, [{ type: 'play' }, { type: 'drew', value: 1, from: 'b' }]],
  ])('on the protocol %s', (_name, protocol, events) => {
    const moves = fc.array(
      fc.oneof(
        timer,
        fc.constantFrom(...events).map((event) => ({ event })),
      ),
      { maxLength: 20 },
    );
    fc.assert(fc.property(moves, (moves) => walk(protocol, moves, stepper).seen.length > 0));
  });
});
