import {
  type Command,
  defineProtocol,
  everyStep,
  type Message,
  type ProtocolDefinition,
  send,
} from '@conclave/core/protocol';
import { complete, needs } from '@conclave/core/topology';
import { expect, it } from 'vitest';
import { type AnyStateMachine, assign, emit, setup } from 'xstate';
import { explore } from '../../explore/explore.js';

/** Nodes that take the command `call`. */
const calling = (
  machine: AnyStateMachine,
  more: Pick<ProtocolDefinition<Message, Command>, 'messages' | 'properties'>,
) =>
  defineProtocol<Message, Command>({
    id: 'X1',
    name: 'calls',
    title: 'Calls',
    problem: 'test',
    citation: 'none',
    topology: needs.complete,
    channels: { order: 'any', loss: false, duplication: false },
    roles: { node: { machine, input: () => ({}) } },
    commands: { call: { kind: 'optional', meaning: 'call' } },
    waiting: false,
    ...more,
  });

it('takes no step more often for five step properties than for one', () => {
  let taken = 0;
  const machine = setup({}).createMachine({
    on: {
      call: {
        actions: [
          assign(() => {
            taken++; // no result depends on it
            return {};
          }),
        ],
      },
    },
  });
  const protocol = calling(machine, { messages: {}, properties: [] });
  const takenFor = (count: number) => {
    taken = 0;
    const properties = Array.from({ length: count }, (_, place) =>
      everyStep(`step ${place}`, ({ cause }) => cause.kind === 'command'),
    );
    expect(
      explore(protocol, complete(2), { commands: 2, properties })
        .properties.slice(0, count)
        .map(({ verdict }) => verdict),
    ).toEqual(Array.from({ length: count }, () => 'holds'));
    return taken;
  };
  expect(takenFor(1)).toBeGreaterThan(0);
  expect(takenFor(5)).toBe(takenFor(1));
});

it('finds a step by a message in exact time, too', () => {
  const machine = setup({}).createMachine({
    on: { call: { actions: emit(send('b', { type: 'ping' })) }, ping: {} },
  });
  const protocol = calling(machine, {
    messages: { ping: { meaning: 'hello' } },
    properties: [everyStep('no message comes', ({ cause }) => cause.kind !== 'message')],
  });
  for (const time of ['untimed', { kind: 'exact', delay: [1, 3] }] as const) {
    const [found] = explore(protocol, complete(2), { initiators: ['a'], time }).properties;
    expect([found?.verdict, found?.trace?.lines.length]).toEqual(['violated', 2]);
  }
});
