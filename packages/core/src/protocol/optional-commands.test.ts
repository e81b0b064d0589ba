import { expect, it } from 'vitest';
import { setup } from 'xstate';
import { needs } from '../topology/index.js';
import { defineProtocol } from './define-protocol.js';
import { examplesOf, optionalCommands } from './handles.js';

const machine = setup({}).createMachine({ on: { elect: {}, book: {}, paint: {}, release: {} } });
const protocol = defineProtocol({
  name: 'many-commands',
  title: 'Many commands',
  problem: 'none',
  citation: 'none',
  topology: needs.complete,
  channels: { order: 'any', loss: false, duplication: false },
  roles: { node: { machine, input: () => ({}) } },
  messages: {},
  commands: {
    elect: { kind: 'optional', meaning: 'carries nothing' },
    book: {
      kind: 'optional',
      fields: ['seat'],
      meaning: 'with examples',
      examples: [{ seat: 3 }, { seat: 4 }],
    },
    paint: { kind: 'optional', fields: ['colour'], meaning: 'without examples' },
    release: { kind: 'obligatory', meaning: 'not optional', when: () => false },
  },
  properties: [],
});

it('a command without fields is used as it is, one with fields by all its examples, or not at all', () => {
  expect(optionalCommands(protocol)).toEqual([
    { type: 'elect' },
    { type: 'book', seat: 3 },
    { type: 'book', seat: 4 },
  ]);
});

it('the commands are all examples of one command', () => {
  expect(examplesOf(protocol, 'book')).toEqual([
    { type: 'book', seat: 3 },
    { type: 'book', seat: 4 },
  ]);
  expect(examplesOf(protocol, 'elect')).toEqual([{ type: 'elect' }]);
  expect(examplesOf(protocol, 'paint')).toEqual([]);
  expect(examplesOf(protocol, 'unknown')).toEqual([{ type: 'unknown' }]);
});
