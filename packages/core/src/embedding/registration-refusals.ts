import { ConclaveError } from '../base/error.js';
import type { NodeId } from '../protocol/node.js';
import type { RegistrationRefusal } from './registration-frames.js';

import { alike, alone, difference } from './session-refusals.js';
import type { Terms } from './terms.js';

const oneStorage = `${alone.slice(0, -1)}, always on its storage. Where a storage is lost, start all nodes with the next epoch.`;

/**
 * Node `refused` is refused by node `by`. `self`, the one that reports it, is one of them; `ours`
 * are its terms.
 */
interface Refusal {
  readonly self: NodeId;
  readonly by: NodeId;
  readonly refused: NodeId;
  readonly reason: RegistrationRefusal;
  readonly ours: Terms;
  readonly theirs: Terms;
}

export function registrationRefused({
  self,
  by,
  refused,
  reason,
  ours,
  theirs,
}: Refusal): ConclaveError {
  const what =
    self === by ? `Node ${by} refuses node ${refused}` : `Node ${refused} is refused by node ${by}`;
  if (reason === 'different')
    return new ConclaveError(
      'refused',
      `${what}: ${difference(self, ours, self === by ? refused : by, theirs)}`,
      alike,
    );
  if (reason === 'replaced')
    return new ConclaveError(
      'refused',
      `${what}: a later process with its storage has replaced it`,
      alone,
    );
  return new ConclaveError(
    'refused',
    `${what}: ${by} knows a node ${refused} with another storage`,
    oneStorage,
  );
}
