import * as v from 'valibot';
import type { Fault } from '../simulation/faults.js';
import type { LinkLayerOptions } from '../simulation/link-layer.js';
import type { SimulationOptions } from '../simulation/options.js';
import type { LoopOptions, PoissonOptions } from '../simulation/workload.js';
import { conditionChanges, delay } from './channel.js';
import { optionsOf, type Schema } from './check.js';
import { command, network, properties, protocol } from './things.js';
import { bound, callback, count, flag, listOf, milliseconds, nodeIds, optional, positive, probability, seed, text } from './values.js';

const ms = milliseconds;
const timed = { at: ms, probability: optional(probability) };

type Of<K extends Fault['kind']> = Extract<Fault, { kind: K }>;

const faults = {
  crash: optionsOf<Of<'crash'>>({ ...timed, kind: text, node: text, restartAfter: optional(ms) }),
  partition: optionsOf<Of<'partition'>>({
    ...timed,
    kind: text,
    groups: listOf(nodeIds, 'a list of groups, each a list of node ids'),
    until: optional(ms),
  }),
  conditions: optionsOf<Of<'conditions'>>({ ...timed, kind: text, change: conditionChanges }),
} satisfies Readonly<Record<Fault['kind'], Schema>>;

const isKind = (name: unknown): name is Fault['kind'] => typeof name === 'string' && Object.hasOwn(faults, name);
const anyFault = v.looseObject(
  { kind: v.custom(isKind, `one of ${Object.keys(faults).join(', ')}`) },
  "a fault, such as { kind: 'crash', node: 'a', at: 100 }",
);

export const fault: Schema = v.lazy((given) => {
  const name = typeof given === 'object' && given !== null && 'kind' in given ? given.kind : undefined;
  return isKind(name) ? faults[name] : anyFault;
});

const linkLayer = optionsOf<LinkLayerOptions>({ retransmitAfter: optional(positive), window: optional(positive) });

export const simulationOptions = optionsOf<SimulationOptions>({
  protocol,
  topology: network,
  seed: optional(seed),
  conditions: optional(conditionChanges),
  workload: optional(callback),
  faults: optional(listOf(fault, 'a list of faults')),
  reliable: optional(v.lazy((given) => (typeof given === 'object' ? linkLayer : flag))),
  until: optional(
    optionsOf<NonNullable<SimulationOptions['until']>>({
      steps: optional(bound()),
      time: optional(bound('milliseconds')),
      stepsAtOnce: optional(bound()),
      stop: optional(callback),
    }),
  ),
  properties: optional(properties),
  record: optional(flag),
  onProgress: optional(callback),
});

const giving = {
  entries: optional(count),
  hold: optional(delay),
  nodes: optional(nodeIds),
  inputs: optional(listOf(command, 'a list of commands')),
};
export const loopOptions = optionsOf<LoopOptions>({ ...giving, think: optional(delay) });
export const poissonOptions = optionsOf<PoissonOptions>({ ...giving, mean: ms });
export const oneShotOptions = optionsOf<{ readonly nodes?: unknown; readonly after?: unknown }>({
  nodes: optional(nodeIds),
  after: optional(delay),
});
