import { defineProtocol } from '../protocol/define-protocol.js';
import type { Command, NodeId } from '../protocol/node.js';
import { always, type NodeView, sometimes } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import * as needs from '../topology/needs.js';
import type { Topology } from '../topology/topology.js';
import {
  machine,
  type RegistrationContext,
  type RegistrationInput,
  type RegistrationMessage,
} from './registration-machine.js';

/** The first input of each node; by default each has its id as its name and as its storage. */
type Inputs = (self: NodeId, topology: Topology) => Partial<RegistrationInput>;

const contextOf = (node: NodeView): RegistrationContext =>
  node.context as unknown as RegistrationContext; // the one machine of this protocol

const isRegistered = (node: NodeView): boolean =>
  node.value === 'registered' && contextOf(node).storage !== '';

const properties = [
  always('no two storages are registered under one name', ({ nodes }) => {
    const names = nodes.filter(isRegistered).map((node) => contextOf(node).name);
    return new Set(names).size === names.length;
  }),
  always('a node is registered when a storage of its terms is noted under each name', ({ nodes }) =>
    nodes.filter(isRegistered).every((node) => {
      const { name, names, storage, terms } = contextOf(node);
      return names.every((other) =>
        nodes.some((one) => {
          const its = contextOf(one);
          return (
            its.name === other && its.noted[name] === storage && its.terms.epoch === terms.epoch
          );
        }),
      );
    }),
  ),
  sometimes('all nodes are registered', ({ nodes }) => nodes.every(isRegistered)),
];

/**
 * The registration of nodes for an epoch, as a protocol of its own. Its rules:
 * registration-machine.ts.
 */
export function registrationProtocol(inputs: Inputs = () => ({})): Protocol<Command> {
  return defineProtocol<RegistrationMessage, Command>({
    name: 'registration',
    title: 'Registration',
    problem: 'registration',
    citation:
      'as the first configuration of a replicated state machine; a name belongs to the storage that all others have noted first',
    topology: needs.complete,
    channels: { order: 'any', loss: true, duplication: true },
    roles: {
      node: {
        machine,
        input: (self, topology) => {
          const names = topology.nodes.filter((id) => id !== self);
          return {
            name: self,
            storage: self,
            incarnation: 1,
            terms: {},
            noted: {},
            kept: null,
            registered: false,
            peers: names,
            names,
            helloAfter: 200,
            repeats: 0,
            lapseAfter: 0,
            ...inputs(self, topology),
          };
        },
        stable: ['noted', 'registered'],
      },
    },
    messages: {
      hello: {
        fields: ['name', 'storage', 'incarnation', 'terms', 'kept'],
        meaning: 'this start of this storage wants to be registered under this name',
      },
      welcome: {
        fields: ['name', 'storage', 'kept', 'addressed'],
        meaning: 'that storage is noted here under its name',
      },
      refusal: {
        fields: ['name', 'addressed', 'reason', 'terms'],
        meaning: 'that start of that storage may not take part',
      },
    },
    commands: {},
    properties,
    waiting: false,
  });
}
