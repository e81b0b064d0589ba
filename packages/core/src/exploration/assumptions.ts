import { nodesAccepting } from '../protocol/nodes-accepting.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import type { Budget } from './worlds/budget.js';
import { timeOf } from './worlds/time.js';

const counted = (count: number, one: string, many = `${one}s`): string[] => (count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]);

/** What an exploration assumes because of its budget and its model of time; each text completes the sentence 'It assumes …'. */
export function assumptionsOf(protocol: Protocol, topology: Topology, budget: Budget): readonly string[] {
  const { losses = 0, duplications = 0, crashes = 0, restarts = 0, partitions = 0, mayCrash, delay = 100 } = budget;
  const faults = [
    ...counted(losses, 'message lost', 'messages lost'),
    ...counted(duplications, 'message duplicated', 'messages duplicated'),
    ...counted(crashes, 'crash', 'crashes'),
    ...counted(restarts, 'restart'),
    ...counted(partitions, 'split of the network', 'splits of the network'),
  ];
  const free = Object.entries(protocol.commands).flatMap(([type, { kind, when }]) =>
    kind === 'optional' && !when && nodesAccepting(protocol, topology, type).length > 0 ? [type] : [],
  );
  return [
    ...(faults.length === 0 ? [] : [`that no more fails than this: at most ${faults.join(', ')}`]),
    ...(crashes > 0 && mayCrash ? ['that nodes crash only where mayCrash lets them'] : []),
    ...(timeOf(protocol, budget) === 'bounded'
      ? [`bounded time by rule of thumb: messages take up to ${delay} ms, and some real orders of time-outs are left out`]
      : []),
    ...free.map((type) => `that '${type}' comes only where the machine takes it, since the command does not say when it may come`),
  ];
}
