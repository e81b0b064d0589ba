import { expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { type Command, defineProtocol, everyStep, type Message } from '../../protocol/index.js';
import { complete, needs } from '../../topology/index.js';
import { explore } from '../explore.js';

it('five step properties take each step as often as one does', () => {
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
  const protocol = defineProtocol<Message, Command>({
    id: 'X1',
    name: 'calls',
    title: 'Calls',
    problem: 'test',
    citation: 'none',
    topology: needs.complete,
    channels: { order: 'any', loss: false, duplication: false },
    roles: { node: { machine, input: () => ({}) } },
    messages: {},
    commands: { call: { kind: 'optional', meaning: 'call' } },
    waiting: false,
    properties: [],
  });
  const takenFor = (count: number) => {
    taken = 0;
    const properties = Array.from({ length: count }, (_, place) => everyStep(`step ${place}`, ({ cause }) => cause.kind === 'command'));
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
