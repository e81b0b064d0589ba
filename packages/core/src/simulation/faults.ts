import { type Conditions, conditions } from '../channel/conditions.js';
import { ConclaveError } from '../protocol/error.js';
import type { NodeId } from '../protocol/node.js';
import { isTime } from '../protocol/time.js';
import type { Topology } from '../topology/topology.js';

interface Timed {
  /** When, in virtual milliseconds. */
  readonly at: number;
  /** How likely it is to happen at all; drawn from the seed. Default 1. */
  readonly probability?: number;
}

/** What goes wrong, and when. */
export type Fault = Timed &
  (
    | { readonly kind: 'crash'; readonly node: NodeId /** Back after so many ms; default never. */; readonly restartAfter?: number }
    /** Every channel between different groups is cut, until `until` (default for good). Nodes in no group stay connected to all. */
    | { readonly kind: 'partition'; readonly groups: readonly (readonly NodeId[])[]; readonly until?: number }
    | { readonly kind: 'conditions'; readonly change: Partial<Conditions> }
  );

/** @throws {ConclaveError} `bad-input` for a fault that cannot happen in `topology`. */
export function checkFaults(faults: readonly Fault[], topology: Topology): void {
  for (const [index, fault] of faults.entries()) {
    const refuse = (what: string, cure: string) => {
      throw new ConclaveError('bad-input', `Fault ${index + 1} (${fault.kind}): ${what}`, cure);
    };
    if (!isTime(fault.at)) refuse(`it happens at ${fault.at} ms`, 'Give a time from 0 to 1e12 ms.');
    const { probability = 1 } = fault;
    if (!(probability >= 0 && probability <= 1)) refuse(`${probability} is no probability`, 'Give a number from 0 to 1.');
    const named = fault.kind === 'crash' ? [fault.node] : fault.kind === 'partition' ? fault.groups.flat() : [];
    for (const id of named) if (!topology.has(id)) refuse(`'${id}' is no node of '${topology.spec}'`, 'Name nodes of the network.');
    if (new Set(named).size < named.length) refuse('a node stands in two groups', 'Name each node once.');
    if (fault.kind === 'crash' && fault.restartAfter !== undefined && !isTime(fault.restartAfter))
      refuse(`it restarts after ${fault.restartAfter} ms`, 'Give 0 to 1e12 ms.');
    if (fault.kind === 'partition' && fault.until !== undefined && !(fault.until > fault.at && isTime(fault.until)))
      refuse(`it ends at ${fault.until} ms, not after it begins`, 'Give a later time, or none for a cut that is never healed.');
    if (fault.kind === 'conditions') conditions(fault.change);
  }
}

/** Whether a partition into `groups` cuts the channel `from`→`to`. */
export function separates(groups: readonly (readonly NodeId[])[], from: NodeId, to: NodeId): boolean {
  const of = (id: NodeId) => groups.findIndex((group) => group.includes(id));
  return of(from) >= 0 && of(to) >= 0 && of(from) !== of(to);
}
