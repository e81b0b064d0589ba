import { badInput } from '../base/error.js';
import type { DecisionProcess } from './decision-process.js';

/** @throws {ConclaveError} for a choice without branches, and for a weight or cost that is none. */
export function checkProcess({ firstBranch, weights, costs }: DecisionProcess): void {
  for (let choice = 0; choice + 1 < firstBranch.length; choice++)
    if (firstBranch[choice] === firstBranch[choice + 1])
      throw badInput(`Choice ${choice} of the decision process has no branches`);
  for (let branch = 0; branch < weights.length; branch++) {
    const [weight, cost] = [weights[branch] as number, costs[branch] as number];
    if (!Number.isSafeInteger(weight) || weight < 1)
      throw badInput(
        `The weight ${weight} of branch ${branch} is not a positive whole number`,
        'Multiply the weights of its choice by a common denominator',
      );
    if (!Number.isSafeInteger(cost) || cost < 0)
      throw badInput(`The cost ${cost} of branch ${branch} is not a whole number from 0 on`);
  }
}
