/**
 * The third command of a lock, `cancel`: the application withdraws its request. Which locks take
 * it, and what it costs: cancel.md
 */
import {
  defineProtocol,
  everyStep,
  type FencedProtocol,
  leadsTo,
  type Message,
  type NodeView,
  type Property,
  type Protocol,
  type ProtocolDefinition,
} from '@conclave/core/protocol';
import type { AnyStateMachine } from 'xstate';
import { isCommanded } from '../steps.js';
import {
  type Command,
  entersEventually,
  inCriticalSection,
  isIdle,
  waits,
  waitsUntilEntry,
} from './mutual-exclusion.js';

export type CancellableCommand = Command | { readonly type: 'cancel' };

const isWithdrawing = ({ tags }: NodeView): boolean => tags.has('withdrawing');

const entersUnlessCancelled = leadsTo(
  'every node that wants to enter eventually enters, unless its application cancels',
  waits,
  (node) => !waits(node),
);

const waitsUntilEntryOrCancel = everyStep(
  'a node that waits keeps waiting until it enters or its application cancels',
  (step) =>
    !waits(step.before) ||
    waits(step.after) ||
    inCriticalSection(step.after) ||
    isCommanded('cancel', step),
);

/** That it enters only after another `acquire` is a property of every lock. */
const stopsWaiting = everyStep(
  'a node whose application cancels waits no more, and does not enter',
  (step) => !isCommanded('cancel', step) || (!waits(step.after) && !inCriticalSection(step.after)),
);

const withdrawalRules: readonly Property[] = [
  everyStep(
    'a node withdraws a request only if its application cancels',
    (step) =>
      !isWithdrawing(step.after) || isWithdrawing(step.before) || isCommanded('cancel', step),
  ),
  leadsTo(
    'a node that withdraws a request can eventually request again',
    isWithdrawing,
    (node) => !isWithdrawing(node),
    {
      vacuous: 'its application never cancels',
    },
  ),
];

const replacements = new Map<Property, Property>([
  [entersEventually, entersUnlessCancelled],
  [waitsUntilEntry, waitsUntilEntryOrCancel],
]);

interface Cancelling {
  /** The machines, by role. */
  readonly machines: Readonly<Record<string, AnyStateMachine>>;
  /**
   * Whether the machines have states tagged `withdrawing`, in which a node has cancelled and cannot
   * request entry yet.
   */
  readonly withdraws: boolean;
}

/**
 * A lock whose application may withdraw a request while the node waits: `definition`, with the
 * option `cancel` and these machines.
 */
export function withCancel<M extends Message>(
  definition: ProtocolDefinition<M, Command>,
  { machines, withdraws }: Cancelling,
): ProtocolDefinition<M, CancellableCommand> {
  const { acquire, ...others } = definition.commands;
  const mayAcquire = (node: NodeView): boolean => isIdle(node) && !isWithdrawing(node);
  const withMachine = ([name, role]: [string, Protocol['roles'][string]]) => [
    name,
    { ...role, machine: machines[name] ?? role.machine },
  ];
  return {
    ...definition,
    options: { ...definition.options, cancel: true },
    roles: Object.fromEntries(Object.entries(definition.roles).map(withMachine)),
    commands: {
      acquire: withdraws ? { ...acquire, when: mayAcquire } : acquire,
      ...others,
      cancel: { kind: 'optional', meaning: 'the application withdraws its request', when: waits },
    },
    properties: [
      ...definition.properties.map((property) => replacements.get(property) ?? property),
      stopsWaiting,
      ...(withdraws ? withdrawalRules : []),
    ],
  };
}

/** Each lock of the catalogue has fencing tokens, which its definition does not say once changed. */
export function fenced<C extends { readonly type: string }>(
  protocol: Protocol<C>,
): FencedProtocol<C> {
  const { fence } = protocol;
  if (!fence) throw new Error(`unreachable: ${protocol.name} has a fence`);
  return { ...protocol, fence };
}

/** The lock of these nodes; with `cancel`, of nodes with `machine`, which withdraw at once. */
export const defineLock = <M extends Message>(
  definition: ProtocolDefinition<M, Command>,
  cancel: boolean,
  machine: AnyStateMachine,
): FencedProtocol<CancellableCommand> =>
  fenced(
    cancel
      ? defineProtocol(withCancel(definition, { machines: { node: machine }, withdraws: false }))
      : defineProtocol(definition),
  );
