import { badInput } from '../../base/error.js';
import { amountFrom } from '../../protocol/answer.js';
import type { NodeStep } from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import type { HostEffect } from '../../protocol/step.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { DistinctStep } from '../search/tables/local-steps.js';
import { PairTable } from '../search/tables/pair-table.js';
import { stepView } from '../verdicts/properties/step-violation.js';
import { actorOf, isStep } from '../worlds/world.js';
import type { Worlds } from '../worlds/worlds.js';

/**
 * What a run costs: the number of its messages, of its steps, its time in milliseconds, one of the
 * protocol's rewards or the number of messages of one type, by name; or what a function says of
 * each step of a node, a whole number.
 */
export type Cost = string | ((step: NodeStep) => number);

/** What the steps of a system cost, in whole units. */
export interface Costs {
  /** What the starts of the nodes cost. */
  readonly starts: number;
  /** So many units are one of what was asked for. */
  readonly unit: number;
  /** The cost of an action in a world. */
  of(vector: Int32Array, action: number): number;
}

/** @throws {ConclaveError} `bad-input` for a cost that this system does not have. */
export function costsOf(compiled: CompiledWorlds, cost: Cost): Costs {
  const { protocol, clockwork } = compiled.worlds;
  if (cost === 'steps') {
    const { tick } = compiled.layout;
    return { starts: 0, unit: 1, of: (_, action) => (action === tick ? 0 : 1) };
  }
  if (cost === 'time') {
    if (!clockwork)
      throw badInput(
        'What takes how long is unknown: this system has no exact time',
        "Give time: { kind: 'exact', delay: [least, most] }.",
      );
    const microseconds = Math.round(clockwork.tick * 1000);
    const { tick } = compiled.layout;
    return { starts: 0, unit: 1000, of: (_, action) => (action === tick ? microseconds : 0) };
  }
  const rewardOf = rewardIn(protocol, cost);
  if (rewardOf) {
    const ofStep = (step: DistinctStep) => {
      const seen = stepView(compiled, step);
      return seen ? amountFrom(nameOf(cost), rewardOf, seen) : 0;
    };
    return new StepCosts(compiled, ofStep, 0);
  }
  const counts = (effect: HostEffect) =>
    effect.type === 'send' && (cost === 'messages' || effect.message.type === cost);
  const countOf = (effects: readonly HostEffect[]) => effects.filter(counts).length;
  return new StepCosts(
    compiled,
    ({ outcome }) => countOf(outcome.effects),
    startEffects(compiled.worlds).reduce((sum, effects) => sum + countOf(effects), 0),
  );
}

/** How a cost is called. */
export const nameOf = (cost: Cost): string =>
  typeof cost === 'string' ? cost : cost.name || 'a cost of steps';

const startEffects = (worlds: Worlds): readonly (readonly HostEffect[])[] =>
  worlds.topology.nodes.map((id) => worlds.startOf(id).effects);

/** The function of a cost that is none of the built-in ones and no type of messages. */
function rewardIn(
  { title, rewards = {}, messages }: Protocol,
  cost: Cost,
): ((step: NodeStep) => number) | undefined {
  if (typeof cost === 'function') return cost;
  if (Object.hasOwn(rewards, cost)) return rewards[cost];
  if (cost === 'messages' || Object.hasOwn(messages, cost)) return undefined;
  const known = ['messages', 'steps', 'time', ...Object.keys(rewards), ...Object.keys(messages)];
  throw badInput(`${title} has no cost '${cost}'`, `It has ${known.join(', ')}.`);
}

/** The costs of the distinct steps of the nodes. */
class StepCosts implements Costs {
  readonly unit = 1;
  /** By node: its costs above 0, by local state and action. */
  readonly #costs: readonly PairTable[];
  /** By action: the node that takes a step by it, −1 for none; undefined: not asked yet. */
  readonly #actors: (number | undefined)[] = [];

  constructor(
    private readonly compiled: CompiledWorlds,
    costOf: (step: DistinctStep) => number,
    readonly starts: number,
  ) {
    this.#costs = compiled.configurations.map(() => new PairTable());
    for (const step of compiled.distinctSteps()) {
      if (!isStep(step.action) || step.outcome.error) continue;
      const cost = costOf(step);
      if (cost > 0)
        this.#costs[step.index]?.add(step.number, compiled.actionNumber(step.action), cost);
    }
  }

  of(vector: Int32Array, action: number): number {
    const { compiled } = this;
    const node = this.#actorOf(action);
    if (node < 0) return 0;
    const state = compiled.configurations[node]?.stateOf(vector[node] as number) ?? -1;
    return Math.max(0, this.#costs[node]?.get(state, compiled.asTaken(action)) ?? 0);
  }

  #actorOf(action: number): number {
    const known = this.#actors[action];
    if (known !== undefined) return known;
    const taken = this.compiled.actionOf(action);
    const { nodes } = this.compiled.worlds.topology;
    const actor = isStep(taken) ? nodes.indexOf(actorOf(taken)) : -1;
    this.#actors[action] = actor;
    return actor;
  }
}
