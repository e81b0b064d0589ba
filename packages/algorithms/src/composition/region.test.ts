import { explore } from '@conclave/check';
import { fire, start, step } from '@conclave/core/internal';
import {
  atMost,
  choose,
  defineProtocol,
  type Json,
  type Message,
  notify,
  type Protocol,
  send,
} from '@conclave/core/protocol';
import { leftToTest, proof, times } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assign,
  createMachine,
  type EventObject,
  emit,
  enqueueActions,
  log,
  raise,
  type UnknownMachineConfig,
} from 'xstate';
import { catalogue } from '../catalogue.js';
import { partProperty, partShapes, partView } from './part.js';
import type { Appearance } from './projection.js';
import { compose, region } from './region.js';
import { accepts, asSolePart, emptyMachine, fullMachine } from './regions.contract.js';

type Step = ReturnType<typeof step>;

/** The same protocol, with each of its machines as the only region of another. */
function alone(protocol: Protocol): Protocol {
  const roles = Object.entries(protocol.roles).map(
    ([name, { machine, input, stable: _, counters: __, ...rest }]) => [
      name,
      {
        ...rest,
        machine: compose(emptyMachine, { part: machine }),
        input: (...whose: Parameters<typeof input>) => ({ part: input(...whose) }),
      },
    ],
  );
  return defineProtocol<Message, Message>({
    ...protocol,
    channels: withTagsOfPart(protocol.channels),
    roles: Object.fromEntries(roles),
    messages: partShapes('part', protocol.messages),
    commands: partShapes('part', protocol.commands),
    ...(protocol.crashNotice === undefined ? {} : { crashNotice: `part-${protocol.crashNotice}` }),
    waiting: protocol.waiting === false ? false : ({ tags }) => [...tags].includes('part:waiting'),
    properties: protocol.properties.map((property) => partProperty('part', property)),
    ...(protocol.fence
      ? { fence: (node) => protocol.fence?.(partView('part', node) ?? node) ?? 0 }
      : {}),
  });
}

/** Stays name the tag of the state in which the application stays. */
function withTagsOfPart(channels: Protocol['channels']): Protocol['channels'] {
  const { time } = channels;
  if (typeof time !== 'object' || !time.stays) return channels;
  const stays = Object.fromEntries(
    Object.entries(time.stays).map(([tag, stay]) => [`part:${tag}`, stay]),
  );
  return { ...channels, time: { ...time, stays } };
}

/** A part has no cost of its own. */
const withoutCost = (protocol: Protocol): Protocol => ({
  ...protocol,
  properties: protocol.properties.filter(({ kind }) => kind !== 'atMost'),
});

describe('a machine as the only region of another', () => {
  // a history variable would see the steps of the whole
  const parts = catalogue.filter(({ make }) => !make().history);
  proof.each(parts.map((entry) => [entry.name, withoutCost(entry.make())] as const))(
    'has as many worlds and steps, and the same verdicts, as alone: %s',
    (_name, protocol) => {
      for (const n of [2, 3, 4]) {
        const topology = protocol.topology.example(n);
        const found = ({
          states,
          transitions,
          depth,
          complete,
          properties,
        }: ReturnType<typeof explore>) => ({
          states,
          transitions,
          depth,
          complete,
          verdicts: properties.map(({ kind, verdict }) => `${kind} ${verdict}`).sort(),
        });
        const options = { commands: n === 2 ? 2 : 1, limits: { states: 400 } };
        expect(found(explore(alone(protocol), topology, options))).toEqual(
          found(explore(protocol, topology, options)),
        );
      }
    },
  );

  it.each([
    [
      'with names of its own',
      compose(emptyMachine, { part: fullMachine }),
      'part-',
      (input: Json) => ({ part: input }),
    ],
    ['as the sole part', asSolePart(fullMachine), '', (input: Json) => input],
  ])(
    'takes the same steps as alone, with every kind of action and guard, %s',
    (_how, whole, prefix, inputOf) => {
      leftToTest(); // few runs have not every kind of step
      const asPart = partOf(prefix === '');
      const kinds = new Set<string>();
      const moves = fc.array(
        fc.tuple(fc.constantFrom('go', 'stop', 'ring', 'wake', 'tick', 'timer'), fc.nat(3)),
        { maxLength: 40 },
      );
      fc.assert(
        fc.property(fc.nat(5), moves, (patience, all) => {
          let inner = start(fullMachine, 'a', { patience });
          let outer = start(whole, 'a', inputOf({ patience }));
          expect(asPart(outer)).toEqual(plain(inner));
          for (const [type, by] of all) {
            const timer = by % Math.max(1, inner.state.timers.length);
            if (type === 'timer' && inner.state.timers.length === 0) continue;
            const event = by > 1 ? { type, by } : { type };
            if (type !== 'timer' && !accepts(fullMachine, inner.state, event)) {
              expect(accepts(whole, outer.state, { ...event, type: prefix + type })).toBe(false);
              continue;
            }
            const arms = (step: Step) => step.state.timers[timer]?.id ?? '';
            inner =
              type === 'timer'
                ? fire(fullMachine, 'a', inner.state, arms(inner))
                : step(fullMachine, 'a', inner.state, event);
            outer =
              type === 'timer'
                ? fire(whole, 'a', outer.state, arms(outer))
                : step(whole, 'a', outer.state, { ...event, type: prefix + type });
            expect(asPart(outer)).toEqual(plain(inner));
            for (const effect of inner.effects) kinds.add(effect.type);
            kinds.add(JSON.stringify(inner.state.value));
          }
        }),
        { numRuns: times(25, 250), seed: 1 },
      );
      expect([...kinds].sort()).toEqual([
        '"idle"',
        '"sleeping"',
        'cancel',
        'notify',
        'send',
        'start',
        '{"active":{"left":"high","right":"first"}}',
        '{"active":{"left":"high","right":"second"}}',
        '{"active":{"left":"low","right":"first"}}',
        '{"active":{"left":"low","right":"second"}}',
      ]);
    },
  );
});

const plain = ({ state, effects }: Step) => ({ ...state, effects });

/** The step of the whole, with the names of the part. */
const partOf = (isSole: boolean) => (step: Step) => asPart(step, isSole);

function asPart({ state: { value, context, ...state }, effects }: Step, isSole: boolean): unknown {
  const renamed = JSON.stringify({ ...state, effects })
    .replaceAll('alone.part', 'busy')
    .replaceAll(/part[-:]/g, '')
    .replaceAll('busy.active.right.second', 'second'); // its own id
  return {
    ...(JSON.parse(renamed) as object),
    value: Object(value).part,
    context: isSole ? context : Object(context).part,
  };
}

describe('region', () => {
  const cannot = "Machine 'm' cannot be a region 'part': ";

  it.each([
    [
      'a final state',
      { initial: 'x', states: { x: { type: 'final' } } },
      "state 'm.x' is final or waits for one that is",
    ],
    [
      'onDone',
      { initial: 'x', states: { x: {} }, onDone: {} },
      "state 'm' is final or waits for one that is",
    ],
    ['an invoked actor', { invoke: { src: 'x' } }, "state 'm' invokes an actor"],
    ['a wildcard', { on: { 'job.*': {} } }, "state 'm' handles 'job.*'"],
    [
      'an event of XState',
      { on: { 'xstate.init': {} } },
      "state 'm' handles 'xstate.init', an event of XState's own",
    ],
    [
      'a way to the root',
      { initial: 'x', states: { x: { on: { go: '#m' } } } },
      "state 'm.x' leads to the machine itself",
    ],
    [
      'a root that is entered again',
      { on: { go: { reenter: true } } },
      "state 'm' leads to the machine itself",
    ],
    ['a plain function', { entry: () => {} }, "state 'm' acts by a plain function"],
    ['a log', { entry: log('x') }, "state 'm' acts by xstate.log"],
    [
      'two defaults',
      { initial: 'x', states: { x: {}, h: { type: 'history', target: ['x'] } } },
      "state 'm.h' has several default states",
    ],
  ] satisfies [string, object, string][])('refuses %s', (_what, config, why) => {
    expect(() =>
      region('part', createMachine({ id: 'm', ...(config as UnknownMachineConfig) })),
    ).toThrow(cannot + why);
  });

  it('refuses what is hidden in an implementation', () => {
    const made = (implementations: object) => () =>
      region('part', createMachine({ id: 'm' }, implementations));
    expect(made({ actions: { shout: () => {} } })).toThrow(
      `${cannot}action 'shout' acts by a plain function. The actions of a part are assign`,
    );
    expect(made({ actors: { child: emptyMachine } })).toThrow(
      `${cannot}it brings actors of its own`,
    );
    expect(made({ guards: { isAnswered: () => true } })).toThrow(
      `${cannot}it has a guard 'isAnswered', as each region has`,
    );
    const strange = Object.assign(() => true, { check: () => true });
    Object.defineProperty(strange, 'name', { value: 'strange' });
    expect(made({ guards: { odd: strange } })).toThrow(
      `${cannot}guard 'odd' uses the guard strange, which only XState knows`,
    );
  });

  it('refuses what survives the exit of a part that is entered again', () => {
    const made = (config: object) => () =>
      region('part', createMachine({ id: 'm', ...config }), { again: true });
    expect(made({ initial: 'x', states: { x: {}, h: { type: 'history' } } })).toThrow(
      `${cannot}state 'm.h' remembers what was before the exit. Keep it in the context.`,
    );
    const late = `${cannot}state 'm' raises an event after a delay, which its exit does not cancel. Use after.`;
    expect(made({ entry: raise({ type: 'go' }, { id: 'late', delay: 5 }) })).toThrow(late);
    expect(made({ entry: raise({ type: 'go' }) })).not.toThrow();
    const hidden = {
      entry: enqueueActions(({ enqueue }) =>
        enqueue.raise({ type: 'go' }, { id: 'late', delay: 5 }),
      ),
    };
    expect(() =>
      start(
        asSolePart(createMachine({ id: 'm', context: {}, ...hidden }), { again: true }),
        'a',
        {},
      ),
    ).toThrow(late);
  });

  it('stamps the messages of a part, and guards its events', () => {
    const part = createMachine({
      id: 'm',
      context: { dated: 3 },
      entry: emit(send('b', { type: 'hello' })),
      on: {
        go: [
          { guard: ({ event }) => event.by === 2, actions: emit(send('b', { type: 'two' })) },
          { actions: emit(send('b', { type: 'any' })) },
        ],
      },
    });
    const appearance: Appearance = { stamp: ({ dated }) => ({ dated }), needs: { go: 'isOpen' } };
    const whole = asSolePart(part, appearance).provide({
      guards: { isOpen: ({ event }: { readonly event: EventObject }) => 'open' in event },
    });
    const first = start(whole, 'a', {});
    expect(first.effects).toEqual([send('b', { type: 'hello', dated: 3 })]);
    const go = (event: object) => ({ ...event, type: 'go' });
    const sent = (event: object) => step(whole, 'a', first.state, go(event)).effects;
    expect(sent({ open: true, by: 2 })).toEqual([send('b', { type: 'two', dated: 3 })]);
    expect(sent({ open: true })).toEqual([send('b', { type: 'any', dated: 3 })]);
    for (const by of [1, 2]) expect(accepts(whole, first.state, go({ by }))).toBe(false);
  });

  it('keeps descriptions, which carry the numbers of rules', () => {
    const { states = {} } = region('part', fullMachine).state;
    expect(states.idle).toMatchObject({ on: { 'part-ring': [{ description: 'it rings' }] } });
  });

  it('refuses a name that is not one word', () => {
    expect(() => region('the-part', fullMachine)).toThrow(
      "Machine 'busy' cannot be a region 'the-part': its name is not one word in small letters",
    );
  });

  it('gives the answer of the host to the part that asked for a choice, and to no other', () => {
    const asking = createMachine({
      id: 'asking',
      context: { got: 0 },
      entry: emit(choose(1, 2)),
      on: {
        chosen: [
          { guard: ({ event }) => event.value === 2, actions: assign({ got: 2 }) },
          { actions: assign({ got: ({ event }) => event.value }) },
        ],
      },
    });
    const whole = compose(emptyMachine, { one: asking, two: asking });
    const chosen = (value: object) => ({ type: 'chosen', value });
    const first = start(whole, 'a', {});
    expect(first.effects).toEqual([choose({ one: 1 }, { one: 2 }), choose({ two: 1 }, { two: 2 })]);
    const second = step(whole, 'a', first.state, chosen({ one: 2 }));
    expect(second.state.context).toEqual({ one: { got: 2 }, two: { got: 0 } });
    const third = step(whole, 'a', second.state, chosen({ two: 1 }));
    expect(third.state.context).toEqual({ one: { got: 2 }, two: { got: 1 } });
  });

  it('has no cost per command: only the whole gets commands', () => {
    expect(() => partProperty('part', atMost(3, { per: 'acquire' }))).toThrow(
      "'at most 3 messages per acquire' is not a property of the part 'part': only the whole gets the command 'acquire'. Count the messages of the whole with atMost",
    );
  });

  it('knows the states with a tag', () => {
    const { has } = region('part', fullMachine);
    const waits = createMachine({
      on: { ask: { guard: has('waiting'), actions: emit(notify({ type: 'waits' })) } },
    });
    const whole = compose(
      createMachine({ id: 'both', type: 'parallel', context: {}, states: { own: waits.config } }),
      { part: fullMachine },
    );
    const first = start(whole, 'a', { part: { patience: 1 } });
    const told = (from: Step) => step(whole, 'a', from.state, { type: 'ask' }).effects.length;
    expect(accepts(whole, first.state, { type: 'ask' })).toBe(false);
    expect(told(step(whole, 'a', first.state, { type: 'part-ring' }))).toBe(1);
    expect(() => has('critical')).toThrow(
      "Machine 'busy' cannot be a region 'part': it has no state tagged 'critical'. Tag the states that",
    );
  });
});
