/**
 * The faults of a simulated run, as data: what happens, when and with which probability. They are
 * checked against the network, and planned before the nodes start. All that is random comes from
 * the seed, so that a run can be repeated.
 */
import { badInput } from '../base/error.js';
import type { Random } from '../base/random.js';
import type { Conditions } from '../channel/conditions.js';
import type { NodeId } from '../protocol/node.js';
import type { Topology } from '../topology/topology.js';

/** A fault, and when it happens. */
export type Fault = {
  /** When, in virtual milliseconds. */
  readonly at: number;
  /** The probability that it happens at all; drawn from the seed. Default 1. */
  readonly probability?: number;
} & (
  | {
      /**
       * A node goes down; what it has stored, and what has left it, stays. A node that is down
       * already stays down.
       */
      readonly kind: 'crash';
      readonly node: NodeId;
      /** Back so many milliseconds after the crash itself; default never. */
      readonly restartAfter?: number;
      /**
       * Where the crash falls. `true`: in the middle of the first step that the node takes at `at`
       * or later. It has stored the state after that step, and any part of what the step sends is
       * lost, drawn from the seed: with `fifo` order the newest messages of each channel. If the
       * node takes no step any more, it crashes when nothing else is to come; a run that reaches a
       * limit before is a run without this crash. `false`: at `at`, between two steps. Default: the
       * seed decides, with equal chance.
       */
      readonly inside?: boolean;
    }
  | {
      /**
       * Every channel between different groups is cut, until `until` (default for good). Nodes in
       * no group stay connected to all.
       */
      readonly kind: 'partition';
      readonly groups: readonly (readonly NodeId[])[];
      readonly until?: number;
    }
  | { readonly kind: 'conditions'; readonly change: Partial<Conditions> }
);

/**
 * A crash as the command line writes it: `c@100`, with `+50` for a restart 50 ms later, and with
 * `:inside` or `:between` where it is fixed whether it falls into a step or between two.
 *
 * @throws {ConclaveError} `bad-input`.
 * @example parseCrash('c@100+50:inside') // { kind: 'crash', node: 'c', at: 100, restartAfter: 50,
 * inside: true }
 */
export function parseCrash(text: string): Extract<Fault, { readonly kind: 'crash' }> {
  const [, node, at, restartAfter, where] =
    /^(.+)@(\d*\.?\d+)(?:\+(\d*\.?\d+))?(?::(inside|between))?$/.exec(text) ?? [];
  if (node === undefined)
    throw badInput(
      `'${text}' is no crash`,
      'Write c@100, or c@100+50 for a restart 50 ms later; after it :inside for a crash in the middle of the next step, or :between for one between two.',
    );
  return {
    kind: 'crash',
    node,
    at: Number(at),
    ...(restartAfter !== undefined && { restartAfter: Number(restartAfter) }),
    ...(where !== undefined && { inside: where === 'inside' }),
  };
}

/**
 * @throws {ConclaveError} `bad-input` for a fault that is impossible in `topology`. The schema has
 * checked its values.
 */
export function checkFaults(faults: readonly Fault[], topology: Topology): void {
  for (const [index, fault] of faults.entries()) {
    const refuse = (what: string, cure: string) => {
      throw badInput(`Fault ${index + 1} (${fault.kind}): ${what}`, cure);
    };
    const named =
      fault.kind === 'crash' ? [fault.node] : fault.kind === 'partition' ? fault.groups.flat() : [];
    for (const id of named)
      if (!topology.has(id))
        refuse(`'${id}' is no node of '${topology.spec}'`, 'Name nodes of the network.');
    if (new Set(named).size < named.length)
      refuse('a node stands in two groups', 'Name each node once.');
    if (fault.kind === 'partition' && fault.until !== undefined && !(fault.until > fault.at))
      refuse(
        `it ends at ${fault.until} ms, not after it begins`,
        'Give a later time, or leave out until: the cut then lasts.',
      );
  }
}

/** Whether a partition into `groups` cuts the channel `from`→`to`. */
export function separates(
  groups: readonly (readonly NodeId[])[],
  from: NodeId,
  to: NodeId,
): boolean {
  const groupOf = (id: NodeId) => groups.findIndex((group) => group.includes(id));
  return groupOf(from) >= 0 && groupOf(to) >= 0 && groupOf(from) !== groupOf(to);
}

/** What faults act on: the running system. */
interface FaultTarget {
  plan(act: () => void, ms: number): void;
  change(change: Partial<Conditions>): void;
  /** `isInside`: in the middle of the next step. */
  crash(node: NodeId, restartAfter: number | undefined, isInside: boolean): void;
  partition(groups: readonly (readonly NodeId[])[], cut: boolean): void;
}

/**
 * Plans the faults, each with its probability. Call it before the nodes start: a crash in the
 * middle of a step at 0 ms may fall into a start.
 */
export function planFaults(faults: readonly Fault[], random: Random, system: FaultTarget): void {
  const places = random.fork('inside'); // a stream of its own: `inside` changes no other draw
  for (const fault of faults) {
    const isInside = fault.kind === 'crash' && (fault.inside ?? places.chance(0.5));
    if (!random.chance(fault.probability ?? 1)) continue;
    const act = () => {
      if (fault.kind === 'conditions') system.change(fault.change);
      else if (fault.kind === 'crash') system.crash(fault.node, fault.restartAfter, isInside);
      else {
        system.partition(fault.groups, true);
        if (fault.until !== undefined)
          system.plan(() => system.partition(fault.groups, false), fault.until - fault.at);
      }
    };
    if (isInside && fault.at === 0) act();
    else system.plan(act, fault.at);
  }
}
