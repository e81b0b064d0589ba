import { always, type NodeView, type Property, sometimes } from '@conclave/core/protocol';

const membersOf = ({ context }: NodeView): readonly unknown[] => [context.members].flat();

export const properties: readonly Property[] = [
  always('a member is in its view', (system) => system.tagged('member').every((node) => membersOf(node).includes(node.id))),
  always('when no message is left, all live members have the same view, of exactly the live members', (system) => {
    if (system.inFlight().length > 0 || system.count('handover') > 0) return true;
    const live = system.tagged('member');
    const ids = live.map(({ id }) => id).sort();
    return live.every((node) => node.context.number === live[0]?.context.number && membersOf(node).join() === ids.join());
  }),
  always(
    'when no message is left, no node waits to become a member while there is one',
    (system) =>
      system.inFlight().length > 0 || system.count('handover') > 0 || system.count('joining') === 0 || system.count('member') === 0,
  ),
  sometimes('a node has view 2', (system) => system.nodes.some((node) => Number(node.context.number) > 1)),
];
