/** The errors of a node that another one refuses, or that refuses another one. */
import { ConclaveError } from '../base/error.js';
import { type NodeId, ofNode } from '../protocol/node.js';
import type { Admission, SessionContext } from './session-machine.js';
import { difference, type Terms } from './terms.js';

const together =
  'Stop all nodes, then start all of them, or take a protocol that tolerates a restart.';
export const oneProcessPerNode = 'Run one process for each node.';
export const sameOnAllNodes =
  'Start all nodes with the same protocol, options, messages and network.';

/** This node is told that it may not start, or not go on. */
export function refusedError(
  { self, incarnation, terms }: SessionContext,
  told: Extract<Admission, { readonly type: 'refused' }>,
): ConclaveError {
  const { by, reason, known } = told;
  if (reason === 'replaced')
    return replacedError(self, incarnation, by, ofNode(known, self) ?? incarnation);
  if (reason === 'different')
    return new ConclaveError(
      'refused',
      `Node ${self} is refused by ${by}: ${difference(self, terms, by, told.terms)}`,
      sameOnAllNodes,
    );
  const earlier = ofNode(known, self);
  const why =
    earlier === incarnation || earlier === undefined
      ? 'it knows other incarnations of the other nodes'
      : `it has started with incarnation ${earlier}, and the protocol does not tolerate a restart`;
  return new ConclaveError(
    'refused',
    `Incarnation ${incarnation} of node ${self} is refused by ${by}: ${why}`,
    together,
  );
}

/** Another incarnation of this node runs, or has run, as `by` knows. */
export const replacedError = (
  self: NodeId,
  incarnation: number,
  by: NodeId,
  later: number,
): ConclaveError =>
  new ConclaveError(
    'refused',
    `Incarnation ${incarnation} of node ${self} is refused by ${by}: incarnation ${later} has replaced it`,
    oneProcessPerNode,
  );

/** This node refuses another one. */
export function refusingError(
  { self, known, terms }: SessionContext,
  told: Extract<Admission, { readonly type: 'refuses' }>,
): ConclaveError {
  const { node, incarnation, reason } = told;
  const start = `Node ${self} refuses incarnation ${incarnation} of ${node}`;
  if (reason === 'different')
    return new ConclaveError(
      'refused',
      `${start}: ${difference(self, terms, node, told.terms)}`,
      sameOnAllNodes,
    );
  if (reason === 'replaced')
    return new ConclaveError(
      'refused',
      `${start}: incarnation ${ofNode(known, node)} has replaced it`,
      oneProcessPerNode,
    );
  const why =
    ofNode(known, node) === incarnation
      ? 'it knows a later incarnation of a node that has started'
      : `it has started with incarnation ${ofNode(known, node)}, and the protocol does not tolerate a restart`;
  return new ConclaveError('refused', `${start}: ${why}`, together);
}

/** This node has other terms than one that it meets where no process comes back. */
export const differentError = (self: NodeId, ours: Terms, other: NodeId, theirs: Terms) =>
  new ConclaveError(
    'refused',
    `Node ${self} refuses ${other}: ${difference(self, ours, other, theirs)}`,
    sameOnAllNodes,
  );
