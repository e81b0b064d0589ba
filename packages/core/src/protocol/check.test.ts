import { describe, expect, it } from 'vitest';
import {
  type AnyStateMachine,
  and,
  assign,
  createMachine,
  emit,
  enqueueActions,
  forwardTo,
  fromPromise,
  not,
  raise,
  sendParent,
  setup,
  spawnChild,
  stopChild,
} from 'xstate';
import { ring } from '../topology/index.js';
import * as needs from '../topology/needs.js';
import { defineProtocol } from './define-protocol.js';
import { minimalProtocol, selfAndPeers } from './examples.contract.js';
import { type Json, send } from './node.js';
import { always, never } from './property.js';
import type { Protocol } from './protocol.js';
import { stateNodes } from './regions.js';

const noise = fromPromise(async () => 1);
const oneMachine = 'A node is one machine; let it emit(send(…)) and wait by after.';
const plain = 'Use numbers, strings, booleans, null, arrays and objects of them.';
const acts = 'A node acts by assign, emit, raise and cancel only; the host does the rest.';
/** Only the untyped form of `createMachine` compiles with a deliberately wrong configuration. */
const machine = (config: object): AnyStateMachine => createMachine(config);
const fine = machine({ on: { go: {} } });
const go = { commands: { go: { kind: 'optional', meaning: 'go' } } } as const;
const withContext = (context: object) => minimalProtocol(machine({ context: () => context }));
const withRoles = (one: AnyStateMachine, two: AnyStateMachine, roleOf?: () => string) =>
  minimalProtocol(one, {
    roles: {
      one: { machine: one, input: selfAndPeers },
      two: { machine: two, input: selfAndPeers },
    },
    ...(roleOf ? { roleOf } : {}),
  });

const noObject =
  "role 'node' declares stable fields, but its input is no object that could carry them after a restart";
const withStable = (input: Json) => {
  const counting = machine({ context: { epoch: 0 } });
  return minimalProtocol(counting, {
    roles: { node: { machine: counting, input: () => input, stable: ['epoch'] } },
  });
};

const mistakes: Record<string, [() => unknown, string]> = {
  'a name not in kebab-case': [
    () => minimalProtocol(fine, { ...go, name: 'RicartAgrawala' }),
    "its name is not in kebab-case. Write it like 'ricart-agrawala'.",
  ],
  'no role': [
    () => minimalProtocol(fine, { roles: {} }),
    'it has no role. Give it roles: { node: { machine, input } }.',
  ],
  'several roles without roleOf': [
    () => withRoles(fine, fine),
    'it has several roles but no roleOf. Give it roleOf: (node, topology) => the name of the role that the node plays.',
  ],
  'a role that no node can have': [
    () => withRoles(machine({}), machine({}), () => 'three'),
    "roleOf(a) is 'three', which is not one of its roles. It has one, two.",
  ],
  'a role that every object has': [
    () => withRoles(machine({}), machine({}), () => 'toString'),
    "roleOf(a) is 'toString', which is not one of its roles. It has one, two.",
  ],
  'two properties of one name': [
    () =>
      minimalProtocol(fine, {
        ...go,
        properties: [always('it is so', () => true), never('it is so', () => false)],
      }),
    'two of its properties have the same name. Rename one of them.',
  ],
  'a name for a message and a command': [
    () => minimalProtocol(fine, { ...go, messages: { go: { meaning: 'go' } } }),
    "'go' is both a message and a command. Rename one of them.",
  ],
  'a field called from': [
    () =>
      minimalProtocol(fine, {
        commands: { go: { kind: 'optional', fields: ['from'], meaning: 'go' } },
      }),
    "'go' has a field 'from', a name that the host uses itself. Rename the field.",
  ],
  'a field called type': [
    () => minimalProtocol(fine, { messages: { go: { fields: ['x', 'type'], meaning: 'go' } } }),
    "'go' has a field 'type', a name that the host uses itself. Rename the field.",
  ],
  'actors in setup': [
    () => minimalProtocol(setup({ actors: { noise } }).createMachine({})),
    `role 'node' brings actors of its own. ${oneMachine}`,
  ],
  'an invoked actor': [
    () =>
      minimalProtocol(
        machine({ id: 'm', initial: 'a', states: { a: { invoke: { src: noise } } } }),
      ),
    `role 'node', state 'm.a' invokes an actor. ${oneMachine}`,
  ],
  'a spawning entry action': [
    () => minimalProtocol(machine({ id: 'm', entry: spawnChild(noise) })),
    "role 'node', state 'm' uses xstate.spawnChild. A node is one machine; let it emit(send(…)).",
  ],
  'a spawning action in setup': [
    () =>
      minimalProtocol(setup({ actions: { breed: spawnChild(noise) } }).createMachine({ id: 'm' })),
    "role 'node', action 'breed' uses xstate.spawnChild. A node is one machine; let it emit(send(…)).",
  ],
  'a transition that sends to an actor': [
    () => minimalProtocol(machine({ id: 'm', on: { go: { actions: forwardTo('x') } } }), go),
    "role 'node', state 'm' uses xstate.sendTo. A node is one machine; let it emit(send(…)).",
  ],
  'an exit action that sends to the parent': [
    () =>
      minimalProtocol(
        machine({ id: 'm', initial: 'a', states: { a: { exit: sendParent({ type: 'x' }) } } }),
      ),
    "role 'node', state 'm.a' uses xstate.sendTo. A node is one machine; let it emit(send(…)).",
  ],
  'an always that stops an actor': [
    () =>
      minimalProtocol(
        machine({
          id: 'm',
          initial: 'a',
          states: { a: { always: { target: 'b', actions: stopChild('x') } }, b: {} },
        }),
      ),
    "role 'node', state 'm.a' uses xstate.stopChild. A node is one machine; let it emit(send(…)).",
  ],
  'a plain function on a transition': [
    () => minimalProtocol(machine({ id: 'm', on: { go: { actions: () => {} } } }), go),
    `role 'node', state 'm' runs a plain function. ${acts}`,
  ],
  'a plain function on an initial transition': [
    () =>
      minimalProtocol(
        machine({ id: 'm', initial: { target: 'a', actions: () => {} }, states: { a: {} } }),
      ),
    `role 'node', state 'm' runs a plain function. ${acts}`,
  ],
  'a plain function in setup': [
    () => minimalProtocol(setup({ actions: { print: () => {} } }).createMachine({ id: 'm' })),
    `role 'node', action 'print' runs a plain function. ${acts}`,
  ],
  'an action that does not exist': [
    () => minimalProtocol(machine({ id: 'm', initial: 'a', states: { a: { entry: 'stamp' } } })),
    "role 'node', state 'm.a' runs the action 'stamp', which does not exist. Give it in setup({ actions }).",
  ],
  'an action with parameters that does not exist': [
    () =>
      minimalProtocol(
        machine({ id: 'm', on: { go: { actions: { type: 'toString', params: { x: 1 } } } } }),
        go,
      ),
    "role 'node', state 'm' runs the action 'toString', which does not exist. Give it in setup({ actions }).",
  ],
  'a guard that does not exist': [
    () => minimalProtocol(machine({ id: 'm', on: { go: { guard: 'mayGo' } } }), go),
    "role 'node', state 'm' uses the guard 'mayGo', which does not exist. Give it in setup({ guards }).",
  ],
  'a guard with parameters that does not exist': [
    () =>
      minimalProtocol(
        machine({
          id: 'm',
          initial: 'a',
          states: { a: { always: { guard: { type: 'is', params: 1 }, target: 'b' } }, b: {} },
        }),
      ),
    "role 'node', state 'm.a' uses the guard 'is', which does not exist. Give it in setup({ guards }).",
  ],
  'a guard that does not exist inside others': [
    () =>
      minimalProtocol(
        machine({ id: 'm', on: { go: { guard: and([() => true, not('mayNot')]) } } }),
        go,
      ),
    "role 'node', state 'm' uses the guard 'mayNot', which does not exist. Give it in setup({ guards }).",
  ],
  'a delay that does not exist': [
    () =>
      minimalProtocol(machine({ id: 'm', initial: 'a', states: { a: { after: { retry: 'a' } } } })),
    "role 'node', state 'm.a' waits for the delay 'retry', which does not exist. Give it in setup({ delays }).",
  ],
  'a delayed raise without an id': [
    () =>
      minimalProtocol(
        machine({ id: 'm', entry: raise({ type: 'go' }, { delay: 5 }), on: { go: {} } }),
        go,
      ),
    "role 'node', state 'm' raises 'go' after a delay, but without an id. Give the delayed raise one: raise(event, { delay, id }).",
  ],
  'a key under on that is no message': [
    () =>
      minimalProtocol(
        machine({ id: 'm', initial: 'a', on: { go: {} }, states: { a: { on: { replay: {} } } } }),
        { ...go, messages: {} },
      ),
    "role 'node', state 'm.a' handles 'replay', which is neither a message nor a command. It knows go, chosen.",
  ],
  'a key under on that is no message, though the machine raises another': [
    () =>
      minimalProtocol(
        machine({ id: 'm', entry: raise({ type: 'ready' }), on: { ready: {}, reedy: {} } }),
      ),
    "role 'node', state 'm' handles 'reedy', which is neither a message nor a command. It knows chosen.",
  ],
  'a key under on that a state does not list among the events that it raises': [
    () =>
      minimalProtocol(
        machine({ id: 'm', meta: { raises: ['ready'] }, on: { ready: {}, reedy: {} } }),
      ),
    "role 'node', state 'm' handles 'reedy', which is neither a message nor a command. It knows chosen.",
  ],
  'a key under on that an assign cannot raise': [
    () => minimalProtocol(machine({ id: 'm', entry: assign(() => ({})), on: { ready: {} } })),
    "role 'node', state 'm' handles 'ready', which is neither a message nor a command. It knows chosen.",
  ],
  'a message that no role handles': [
    () => minimalProtocol(fine, { ...go, messages: { reply: { meaning: 'yes' } } }),
    "the message 'reply' is handled in no state. List it under on, or take it out of messages.",
  ],
  'a command that no role handles': [
    () => minimalProtocol(machine({}), go),
    "the command 'go' is handled in no state. List it under on, or take it out of commands.",
  ],
  'an example network that it refuses itself': [
    () =>
      minimalProtocol(fine, { ...go, topology: { ...needs.complete, example: (n) => ring(n) } }),
    'its topology refuses its own example: the link c→a has no way back',
  ],
  'a Map in the context': [
    () => withContext({ a: { queue: [1, new Map()] } }),
    `role 'node': Node a: context.a.queue[1] (an instance of Map) is not plain data. ${plain}`,
  ],
  'an undefined item in the context': [
    () => withContext({ leaders: [undefined] }),
    `role 'node': Node a: context.leaders[0] (undefined) is not plain data. ${plain}`,
  ],
  'an input that is not plain': [
    () =>
      minimalProtocol(machine({}), {
        roles: { node: { machine: machine({}), input: () => ({ at: NaN }) } },
      }),
    `role 'node': input.at (NaN) is not plain data. ${plain}`,
  ],
  'a stable field that does not exist': [
    () =>
      minimalProtocol(machine({}), {
        roles: { node: { machine: machine({}), input: selfAndPeers, stable: ['epoch'] } },
      }),
    "role 'node' declares 'epoch' stable, but its context has no such field",
  ],
  'stable fields with an id for input': [() => withStable('a'), noObject],
  'stable fields with a list for input': [() => withStable(['a']), noObject],
  'stable fields with nothing for input': [() => withStable(null), noObject],
};

describe('defineProtocol refuses', () => {
  it.each(Object.entries(mistakes))('%s', (_mistake, [define, what]) => {
    expect(define).toThrow(
      expect.objectContaining({ name: 'ConclaveError', code: 'bad-protocol' }),
    );
    const name = /kebab/.test(what) ? 'RicartAgrawala' : 'tiny';
    expect(define).toThrow(
      new RegExp(`^${`Protocol '${name}': ${what}`.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`),
    );
  });

  it.each([
    [
      machine({ entry: emit({ type: 'shout' }) }),
      'Node a emits {"type":"shout"}: there is no such effect. A node emits send(to, message), notify(notification), choose(option, …) or draw(options).',
    ],
    [
      machine({ entry: enqueueActions(({ enqueue }) => enqueue('stamp')) }),
      "Node a runs the action 'stamp'; a node acts by assign, emit, raise and cancel only",
    ],
    [
      machine({
        entry: assign(({ spawn }) => {
          spawn(noise);
          return {};
        }),
      }),
      'Node a spawned an actor; a node is one machine',
    ],
    [
      machine({
        context: () => {
          throw new Error('no input');
        },
      }),
      'Node a failed: no input',
    ],
  ])('a machine whose start breaks the node contract (%#)', (broken, message) => {
    expect(() => minimalProtocol(broken)).toThrow(
      expect.objectContaining({
        code: 'bad-protocol',
        message: `Protocol 'tiny': role 'node': ${message}`,
      }),
    );
  });

  it('leaves an unknown target to XState, which reports it when the machine is created', () => {
    expect(() => machine({ id: 'm', initial: 'a', states: { a: { on: { go: 'b' } } } })).toThrow(
      "Invalid transition definition for state node 'm.a':\nChild state 'b' does not exist on 'm'",
    );
  });
});

it('defineProtocol refuses an obligatory command with fields that no example fills in, since it would never come', () => {
  const pay = { kind: 'obligatory', meaning: 'pay', fields: ['sum'], when: () => true } as const;
  const define = (examples?: readonly { readonly sum: number }[]) =>
    minimalProtocol(machine({ on: { pay: {} } }), {
      commands: { pay: { ...pay, ...(examples && { examples }) } },
    });
  for (const examples of [undefined, []])
    expect(() => define(examples)).toThrow(
      "the obligatory command 'pay' has fields, but no example of them: it would never come",
    );
  expect(define([{ sum: 3 }]).name).toBe('tiny');
});

describe('defineProtocol accepts', () => {
  it.each<[string, () => Protocol]>([
    [
      'wildcards, which cover messages and commands',
      () =>
        minimalProtocol(machine({ on: { '*': {} } }), {
          ...go,
          messages: { reply: { meaning: 'yes' } },
        }),
    ],
    [
      'wildcards of a part',
      () =>
        minimalProtocol(machine({ on: { 'go.*': {} } }), {
          commands: { 'go.on': { kind: 'optional', meaning: 'go' } },
        }),
    ],
    [
      'events that the machine raises itself',
      () => minimalProtocol(machine({ entry: raise({ type: 'ready' }), on: { ready: {} } })),
    ],
    [
      'events that an always or an initial transition raises',
      () =>
        minimalProtocol(
          machine({
            initial: { target: 'a', actions: raise({ type: 'first' }) },
            states: { a: { always: { target: 'b', actions: raise({ type: 'second' }) } }, b: {} },
            on: { first: {}, second: {} },
          }),
        ),
    ],
    [
      'events that it raises later, by name',
      () =>
        minimalProtocol(
          machine({ entry: raise({ type: 'late' }, { delay: 5, id: 'late' }), on: { late: {} } }),
        ),
    ],
    [
      'events that it raises by a function',
      () =>
        minimalProtocol(machine({ entry: raise(() => ({ type: 'found' })), on: { found: {} } })),
    ],
    ['answers to its choices', () => minimalProtocol(machine({ on: { chosen: {} } }))],
    [
      'the end of a state',
      () =>
        minimalProtocol(
          machine({
            initial: 'a',
            states: { a: { initial: 'x', states: { x: { type: 'final' } }, onDone: 'b' }, b: {} },
          }),
        ),
    ],
    [
      'guards made of others',
      () =>
        minimalProtocol(
          setup({ guards: { yes: () => true } }).createMachine({
            always: { guard: and(['yes', not(() => true)]), actions: assign({}) },
          }),
        ),
    ],
    [
      'effects of all kinds',
      () => minimalProtocol(machine({ entry: emit(send('b', { type: 'hello' })) })),
    ],
  ])('%s', (_what, define) => {
    expect(define().name).toBe('tiny');
  });

  it('a command with the name of a method of Object', () => {
    const protocol = minimalProtocol(machine({ on: { toString: {} } }), {
      messages: {},
      commands: { toString: { kind: 'optional' as const, meaning: 'print' } },
    });
    expect(Object.keys(protocol.commands)).toEqual(['toString']);
  });
});

it('stateNodes lists all of them, outermost first', () => {
  const nested = machine({
    id: 'm',
    type: 'parallel',
    states: { a: { initial: 'x', states: { x: {}, y: {} } }, b: {} },
  });
  expect(stateNodes(nested).map(({ id }) => id)).toEqual(['m', 'm.a', 'm.a.x', 'm.a.y', 'm.b']);
});

describe('defineProtocol refuses, as the compiler does,', () => {
  const meaning = 'go';
  it.each<[string, unknown, string]>([
    ['a misspelt field', { chanels: {} }, "there is no field 'chanels'. Did you mean 'channels'?"],
    ['no network', { topology: undefined }, 'topology is undefined. Give a network that it needs'],
    [
      'an order of channels that there is none of',
      { channels: { order: 'lifo', loss: false, duplication: false } },
      "channels.order is 'lifo'. Give one of 'fifo', 'any'.",
    ],
    [
      'a role without an input',
      { roles: { node: { machine: fine } } },
      'roles.node.input is missing. It knows machine, input, stable, counters.',
    ],
    ['a command of no kind', { commands: { go: { meaning } } }, 'commands.go.kind is missing.'],
    [
      'a property without its function',
      { properties: [{ kind: 'always', name: 'all is well' }] },
      'properties.0.holds is missing.',
    ],
    [
      'a property without its bound',
      { properties: [{ kind: 'overtaken', name: 'fair', waits: Boolean, inside: Boolean }] },
      'properties.0.most is missing.',
    ],
    [
      'a property of no kind',
      { properties: [{ kind: 'alway', name: 'all is well', holds: Boolean }] },
      "properties.0.kind is 'alway'. Give one of always,",
    ],
    [
      'a misspelt field of a property',
      { properties: [{ kind: 'always', name: 'all is well', holds: Boolean, vacous: 'no' }] },
      "there is no field 'properties.0.vacous'. Did you mean 'vacuous'?",
    ],
    ['a list of messages', { messages: [] }, 'messages is a list. Give the messages by type.'],
    [
      'a Map of roles',
      { roles: new Map([['node', { machine: fine, input: selfAndPeers }]]) },
      'roles is an object. Give the roles by name',
    ],
    [
      'a role whose input is inherited',
      { roles: { node: Object.create({ machine: fine, input: selfAndPeers }) } },
      'roles.node.machine is missing.',
    ],
    [
      'an example of a command without its fields',
      { commands: { go: { kind: 'optional', meaning, fields: ['by'], examples: [{ b: 1 }] } } },
      "an example of the command 'go' has the fields 'b'. Give 'by'.",
    ],
    [
      'an example of a command that is no object',
      { commands: { go: { kind: 'optional', meaning, fields: ['by'], examples: [1] } } },
      'commands.go.examples.0 is 1. Give an object with the values of its fields.',
    ],
    [
      'an example with a function',
      { commands: { go: { kind: 'optional', meaning, examples: [{ by: () => 1 }] } } },
      "the command 'go': example.by (a function) is not plain data.",
    ],
    [
      'an example network that is none',
      { topology: { ...needs.complete, example: () => 5 } },
      'the example of its topology is no network.',
    ],
  ])('%s', (_, fields, what) => {
    const define = () => minimalProtocol(fine, { ...go, ...(fields as object) } as never);
    expect(define).toThrow(expect.objectContaining({ code: 'bad-protocol' }));
    expect(define).toThrow(`Protocol 'tiny': ${what}`);
  });

  it('what is no definition', () => {
    expect(() => defineProtocol(undefined as never)).toThrow('The protocol: it is given undefined');
    expect(() => defineProtocol((() => go) as never)).toThrow(
      'The protocol: it is given a function',
    );
  });
});
