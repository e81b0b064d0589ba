import { ConclaveError } from '../base/error.js';
import type { NodeId } from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import { epochOf } from './registration-machine.js';
import { difference } from './session-refusals.js';
import type { RegistrationRecord } from './storage.js';
import type { StoredNode } from './stored-node.js';
import { sameTerms, type Terms } from './terms.js';

interface Given {
  readonly self: NodeId;
  readonly nodes: readonly NodeId[];
  readonly terms: Terms;
  readonly stored: StoredNode;
  readonly succession: Protocol['succession'];
}

/**
 * As what a node starts with these terms: as what it is registered, or anew in a later epoch.
 *
 * @throws {ConclaveError} `refused` where it was registered with other terms in this epoch, or in a
 * later one, or where what it promised in the epoch before could be broken in this one.
 */
export function registrationOf(given: Given): RegistrationRecord {
  const { self, nodes, terms, stored, succession } = given;
  const { registration: last } = stored;
  const bindsFor = succession?.bindsFor ?? 0;
  const first = {
    node: self,
    storage: '',
    terms,
    nodes,
    noted: {},
    former: null,
    bindsFor,
    registered: true,
  };
  if (!stored.storage) return first;
  if (!last) return { ...first, storage: randomName(), registered: false };
  if (last.node !== self)
    throw new ConclaveError(
      'refused',
      `Node ${self} is given the storage of node ${last.node}`,
      'Give each node its own.',
    );
  if (sameTerms(last.terms, terms)) return last;
  const [before, now] = [epochOf(last.terms), epochOf(terms)];
  const refuse = (what: string, cure: string) =>
    new ConclaveError('refused', `Node ${self} ${what}`, cure);
  if (now < before)
    throw refuse(
      `was started in epoch ${before} before, and now in epoch ${now}`,
      `Give all nodes the epoch ${before}.`,
    );
  if (now === before && last.registered)
    throw refuse(
      `was registered with other terms in epoch ${now}: ${difference('its last start', last.terms, 'this one', terms)}`,
      `Start it as before, or stop all nodes, and start all of them with epoch ${now + 1}.`,
    );
  if (now === before) return { ...last, terms, nodes, bindsFor };
  const former = last.registered
    ? { nodes: last.nodes, fields: stored.fields ?? {}, bindsFor: last.bindsFor }
    : last.former;
  if (former) requireSuccession(given, former);
  return { ...first, storage: last.storage, former, registered: false };
}

function requireSuccession(
  { self, nodes, succession }: Given,
  former: NonNullable<RegistrationRecord['former']>,
): void {
  if (Object.keys(former.fields).length > 0 && !succession)
    throw new ConclaveError(
      'refused',
      `Node ${self} has kept ${Object.keys(former.fields).join(', ')}, which its protocol cannot take into another epoch`,
      'Stop all nodes, remove all of their storages, and start all of them.',
    );
  const staying = former.nodes.filter((id) => nodes.includes(id));
  if (2 * staying.length > former.nodes.length) return;
  throw new ConclaveError(
    'refused',
    `Of the ${former.nodes.length} nodes of its last epoch, node ${self} finds ${staying.length} in this one (${staying.join(', ') || 'none'}): the others could go on without them`,
    'Keep more than half of the nodes; replace the others in a later epoch.',
  );
}

/** Of 64 random bits, as 16 hexadecimal digits. */
function randomName(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
