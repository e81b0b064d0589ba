/** The voters of a lock that has some: leasedMajority({ voters }). */

import type { LeaseCommand } from '@conclave/algorithms/leased-majority';
import type { Embedded } from '@conclave/core/embedding';
import { checkOptions, schemas } from '@conclave/core/internal';
import { ConclaveError, type Message, type NodeId } from '@conclave/core/protocol';
import type { WaitOptions } from '../waits.js';
import type { Held } from './lock-held.js';
import type { Lock, NodeLockOptions } from './lock-types.js';

/** What its machine knows of the voters. */
interface Known {
  readonly configuration?: { readonly voters: readonly NodeId[] };
  /** That this node makes; `known`: a majority of the new voters knows it. */
  readonly change?: { readonly phase: 'asked' | 'proposed' | 'decided' | 'known' } | null;
}

/** Which nodes begin to vote, and which vote no longer. */
type VoterChange = Parameters<Lock['changeVoters']>[0];

const { optional, optionsOf, nodeIds } = schemas;
const changeOptions = optionsOf<VoterChange>({ add: optional(nodeIds), remove: optional(nodeIds) });

export abstract class VotingLock implements AsyncDisposable {
  constructor(protected readonly options: NodeLockOptions) {}

  abstract run<T>(critical: (held: Held) => T | Promise<T>, options?: WaitOptions): Promise<T>;
  abstract close(): Promise<void>;

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get voters(): readonly NodeId[] | undefined {
    return configurationOf(this.options.node)?.voters;
  }

  async changeVoters(change: VoterChange, options: WaitOptions = {}): Promise<readonly NodeId[]> {
    checkOptions('changeVoters', changeOptions, change);
    const { node, clock } = this.options;
    this.#require(change);
    let late: (error: ConclaveError) => void = () => {};
    const isLate = new Promise<never>((_, reject) => {
      late = reject;
    });
    isLate.catch(() => {}); // also where nothing waits for it
    const { waitFor } = options;
    const timer =
      waitFor === undefined
        ? undefined
        : clock.setTimeout(() => late(tooLate(node, waitFor)), waitFor);
    try {
      for (;;) {
        const voters = await this.run((held) => changed(node, held, change, isLate), options);
        if (voters) return voters;
      }
    } finally {
      if (timer !== undefined) clock.clearTimeout(timer);
    }
  }

  /** @throws {ConclaveError} `bad-input` for a change that this lock cannot make. */
  #require({ add = [], remove = [] }: VoterChange): void {
    const { node, protocol, nodes } = this.options;
    if (!('change' in protocol.commands))
      throw new ConclaveError(
        'bad-input',
        `${protocol.title} of node ${node.id} was made without voters that can change`,
        'Name the first voters, at all nodes, as in leasedMajority({ voters: [...] }).',
      );
    const stranger = [...add, ...remove].find((id) => !nodes.includes(id));
    if (stranger !== undefined)
      throw new ConclaveError(
        'bad-input',
        `changeVoters: ${stranger} is none of the nodes ${nodes.join(', ')}`,
        'Name nodes of the lock; other ones need another epoch.',
      );
    const both = add.find((id) => remove.includes(id));
    if (both !== undefined)
      throw new ConclaveError('bad-input', `changeVoters: ${both} is to be added and removed`);
  }
}

/**
 * The voters after `change`, which the node makes while it has the lock; undefined where it has
 * completed the change of another node instead.
 */
async function changed(
  node: Embedded,
  { signal }: Held,
  { add = [], remove = [] }: VoterChange,
  isLate: Promise<never>,
): Promise<readonly NodeId[] | undefined> {
  let lost = () => {};
  const isKnown = new Promise<Message>((resolve, reject) => {
    const subscription = node.notifications$.subscribe((told) => {
      if (told.type === 'changed') resolve(told);
    });
    lost = () => {
      subscription.unsubscribe();
      reject(signal.reason);
    };
  });
  isKnown.catch(() => {}); // it is lost at the end, too
  signal.addEventListener('abort', lost);
  try {
    const present = configurationOf(node)?.voters ?? [];
    const isBegun = pendingOf(node) !== undefined;
    const voters = [
      ...present.filter((id) => !remove.includes(id)),
      ...add.filter((id) => !present.includes(id)),
    ];
    if (!isBegun && voters.length === 0)
      throw new ConclaveError('bad-input', 'changeVoters: no voter would be left', 'Keep one.');
    if (!isBegun && voters.length === present.length && voters.every((id) => present.includes(id)))
      return present;
    const command: LeaseCommand = { type: 'change', voters };
    if (!isBegun) node.send(command);
    await Promise.race([isKnown, isLate]);
    return isBegun ? undefined : configurationOf(node)?.voters;
  } finally {
    signal.removeEventListener('abort', lost);
    lost();
  }
}

/** Of this protocol. */
const knownTo = ({ state }: Embedded): Known => state.context;
const configurationOf = (node: Embedded) => knownTo(node).configuration;

const pendingOf = (node: Embedded) => {
  const { change } = knownTo(node);
  return change && change.phase !== 'known' ? change : undefined;
};

const tooLate = ({ id }: Embedded, waitFor: number): ConclaveError =>
  new ConclaveError(
    'timed-out',
    `Node ${id} did not change the voters within ${waitFor} ms: majorities of the voters before and after must answer`,
    'Are they up? The next holder completes a change that some of them have accepted.',
  );
