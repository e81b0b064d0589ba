/** Groups in one process, for tests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { membership } from '@conclave/algorithms/membership';
import { Inbox, memoryNetwork, type Transport } from '@conclave/core/embedding';
import type { NodeId } from '@conclave/core/protocol';
import { type Group, group } from './group.js';

type GroupOptions = Parameters<typeof group>[1];

/**
 * A network within this process that reports a node whose transport is closed to all others;
 * `report` says so of one that is not.
 */
export function reportingNetwork(ids: readonly NodeId[]) {
  const network = memoryNetwork(ids);
  const inboxes = new Map<NodeId, Inbox>();
  const report = (id: NodeId, to: readonly NodeId[] = ids) => {
    for (const other of to)
      if (other !== id) inboxes.get(other)?.put({ from: id, message: { type: 'down' } });
  };
  const made = (id: NodeId): Transport => {
    const inner = network.transport(id);
    const inbox = new Inbox();
    inboxes.set(id, inbox);
    inner.received$.subscribe((incoming) => inbox.put(incoming));
    const close = async () => {
      await inner.close();
      setTimeout(() => report(id)); // behind all that it has sent
    };
    return {
      ...inner,
      guarantees: { ...inner.guarantees, crashes: 'reported' },
      received$: inbox.items$,
      close,
    };
  };
  /** What comes before a node has started is kept for it. */
  const first = new Map(ids.map((id) => [id, made(id)]));
  const transport = (id: NodeId): Transport => {
    const one = first.get(id) ?? made(id);
    first.delete(id);
    return one;
  };
  return { transport, report };
}

/** Members a, b and c, and what each has delivered: `a1 hello`. */
export function three(
  options: Partial<GroupOptions> = {},
  ids: readonly NodeId[] = ['a', 'b', 'c'],
  founders = ids.length,
  protocol = membership({ founders }),
) {
  const network = reportingNetwork(ids);
  const delivered: Record<NodeId, string[]> = {};
  const on = (self: NodeId, more: Partial<GroupOptions> = {}): Group => {
    const peers = ids.filter((id) => id !== self);
    const one = group(protocol, {
      self,
      peers,
      transport: network.transport(self),
      ...options,
      ...more,
    } as GroupOptions);
    const texts: string[] = [];
    delivered[self] = texts;
    one.deliveries$.subscribe(({ from, sequence, data }) =>
      texts.push(`${from}${sequence} ${String(data)}`),
    );
    return one;
  };
  return { network, on, delivered };
}

/** Until all messages in this process have arrived. */
export const settle = (): Promise<void> => sleep(5);

export const membersOf = (one: Group): string => one.view?.members.join('') ?? 'none';

export const closeAll = async (...groups: readonly Group[]): Promise<void> => {
  for (const one of groups) await one.close();
};
