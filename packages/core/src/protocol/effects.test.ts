/**
 * What is no effect is refused alike wherever a machine runs; a step that fails is a finding of its
 * own.
 */

import { explore, walk } from '@conclave/check';
import { nextOrFault, RunJudge, Worlds } from '@conclave/check/internal';
import { describe, expect, it } from 'vitest';
import {
  type AnyEventObject,
  type AnyStateMachine,
  assign,
  createMachine,
  type EventObject,
  emit,
  raise,
} from 'xstate';
import { embed } from '../embedding/embed.js';
import { memoryNetwork } from '../embedding/memory.js';
import { simulate } from '../simulation/simulate.js';
import { oneShot } from '../simulation/workload.js';
import { complete } from '../topology/generators.js';
import { parseTrace } from '../trace/parse.js';
import { replay } from '../trace/replay.js';
import { minimalProtocol } from './examples.contract.js';
import { everyMessageHandled, noStepFails } from './handles.js';

const protocolOf = (machine: AnyStateMachine) =>
  minimalProtocol(machine, {
    messages: {},
    commands: { go: { kind: 'optional', meaning: 'go' } },
    properties: [],
  });
type Acts = Parameters<typeof createMachine>[0]['entry'];
const acting = (actions: Acts) =>
  createMachine({ initial: 'idle', states: { idle: { on: { go: { actions: actions ?? [] } } } } });

const circular: { type: string; message?: unknown } = { type: 'notify' };
circular.message = circular;

/** What is emitted, and what the error says of it. */
const malformed: readonly (readonly [emitted: unknown, text: string])[] = [
  [null, 'null: an effect is an object with a type'],
  [undefined, 'undefined: an effect is an object with a type'],
  ['hello', '"hello": an effect is an object with a type'],
  [{}, '{}: there is no such effect'],
  [{ type: 'shout' }, '{"type":"shout"}: there is no such effect'],
  [
    { type: 'start', timer: { id: 't', delay: 1 } },
    '{"type":"start","timer":{"id":"t","delay":1}}: there is no such effect',
  ],
  [{ type: 'notify' }, '{"type":"notify"}: its notification is no object with a type'],
  [
    { type: 'notify', event: { type: 'in' } },
    '{"type":"notify","event":{"type":"in"}}: its notification is no object with a type',
  ],
  [
    { type: 'notify', notification: null },
    '{"type":"notify","notification":null}: its notification is no object with a type',
  ],
  [
    { type: 'notify', notification: 'in' },
    '{"type":"notify","notification":"in"}: its notification is no object with a type',
  ],
  [circular, 'what is not plain data: its notification is no object with a type'],
  [{ type: 'send', to: 'b' }, '{"type":"send","to":"b"}: its message is no object with a type'],
  [
    { type: 'send', to: 'b', message: {} },
    '{"type":"send","to":"b","message":{}}: its message is no object with a type',
  ],
  [
    { type: 'send', to: 'b', message: { type: 1 } },
    '{"type":"send","to":"b","message":{"type":1}}: its message is no object with a type',
  ],
  [
    { type: 'send', message: { type: 'm' } },
    '{"type":"send","message":{"type":"m"}}: it names no node to send to',
  ],
  [{ type: 'choose' }, '{"type":"choose"}: it gives no options to choose from'],
  [
    { type: 'choose', options: [] },
    '{"type":"choose","options":[]}: it gives no options to choose from',
  ],
  [
    { type: 'choose', options: 'ab' },
    '{"type":"choose","options":"ab"}: it gives no options to choose from',
  ],
  ...(
    [
      [[1], 'it does not give one weight for each option'],
      ['1,1', 'it does not give one weight for each option'],
      [[1, 0], 'a weight is no positive whole number'],
      [[1, 0.5], 'a weight is no positive whole number'],
      [[1, '1'], 'a weight is no positive whole number'],
      [[1, Number.MAX_SAFE_INTEGER], 'its weights are too large'],
    ] as const
  ).map(([weights, mistake]): [object, string] => {
    const effect = { type: 'choose', options: ['a', 'b'], weights };
    return [effect, `${JSON.stringify(effect)}: ${mistake}`];
  }),
];
const cure =
  'A node emits send(to, message), notify(notification), choose(option, …) or draw(options).';
const during = "It was in 'idle' when it was told 'go'";

/** The error of a node that is told `go`, by host. */
const errors: Record<string, (machine: AnyStateMachine) => string | undefined> = {
  explore: (machine) => found(explore(protocolOf(machine), complete(2)).properties, noStepFails),
  walk: (machine) =>
    found(
      walk(protocolOf(machine), complete(2), { seed: 1, walks: 2, steps: 5 }).properties,
      noStepFails,
    ),
  'simulate, compiled': (machine) => simulated(machine, 'auto'),
  'simulate, by actors': (machine) => simulated(machine, 'actors'),
  embed: (machine) => {
    const node = embed(protocolOf(machine), {
      self: 'a',
      peers: ['b'],
      transport: memoryNetwork(['a', 'b']).transport('a'),
    });
    return messageOf(() => node.send({ type: 'go' }));
  },
  replay: (machine) =>
    messageOf(() => replay(protocolOf(machine), complete(2), parseTrace('a  go  idle\n'))),
};

function found(
  properties: ReturnType<typeof explore>['properties'],
  name: string,
): string | undefined {
  const property = properties.find((one) => one.name === name);
  return property?.verdict === 'violated' ? property.trace?.header.get('fault') : property?.verdict;
}

function simulated(machine: AnyStateMachine, host: 'auto' | 'actors'): string | undefined {
  const { violated, fault } = simulate({
    protocol: protocolOf(machine),
    topology: complete(2),
    workload: oneShot({ type: 'go' }, { nodes: ['a'] }),
    ...(host === 'actors' && { host }),
  });
  return violated === noStepFails ? fault?.replace(' (at 0.000 ms, seed 1)', '') : violated;
}

function messageOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe.each(Object.entries(errors))('%s', (_host, errorOf) => {
  it.each(malformed)('refuses %o, by node, state and event', (emitted, text) => {
    expect(errorOf(acting(emit(emitted as AnyEventObject)))).toBe(
      `Node a emits ${text}. ${during}. ${cure}`,
    );
  });

  it.each([
    [
      'a timer that is armed twice',
      twice(),
      "Node a arms the timer 't' while it is still armed; cancel it first",
    ],
    ['an action that throws', assign(() => failing()), 'Node a failed: boom'],
  ] as const)('tells of %s, with the step', (_what, actions, text) => {
    const error = errorOf(acting(actions as Acts));
    expect(error).toContain(text);
    expect(error).toContain(during);
  });
});

function twice(): readonly unknown[] {
  const arms = raise({ type: 'late' } as EventObject, { id: 't', delay: 5 });
  return [arms, arms];
}

function failing(): never {
  throw new Error('boom');
}

describe('a step that fails', () => {
  const loop = createMachine({
    initial: 'idle',
    states: { idle: { on: { go: 'x' } }, x: { always: 'y' }, y: { always: 'x' } },
  });
  const verdicts = (machine: AnyStateMachine) =>
    Object.fromEntries(
      explore(protocolOf(machine), complete(2)).properties.map(({ name, verdict }) => [
        name,
        verdict,
      ]),
    );

  it('violates a property of its own; whether messages are handled is not known then', () => {
    expect(verdicts(acting(assign(() => failing())))).toMatchObject({
      [noStepFails]: 'violated',
      [everyMessageHandled]: 'incomplete',
    });
    expect(verdicts(loop)).toMatchObject({
      [noStepFails]: 'violated',
      [everyMessageHandled]: 'incomplete',
    });
    expect(verdicts(acting([]))).toMatchObject({
      [noStepFails]: 'holds',
      [everyMessageHandled]: 'holds',
    });
  });

  it('a run is judged alike', () => {
    const worlds = new Worlds(protocolOf(acting(assign(() => failing()))), complete(2));
    const judge = new RunJudge(worlds);
    const [go] = worlds.actions(worlds.initial);
    if (!go) throw new Error('nothing can happen');
    const begun = judge.begin();
    const after = judge.after(begun, go, nextOrFault(worlds, worlds.initial, go));
    for (const { standings } of [begun, after]) {
      const standing = (name: string) => standings.find((one) => one.name === name);
      expect(standing(noStepFails)).toMatchObject({
        value: 'false',
        nodes: ['a'],
        reason: `Node a failed: boom. ${during}`,
      });
      expect(standing(everyMessageHandled)).toMatchObject({ value: 'true' });
    }
  });
});
