import { Approximation } from './approximation.js';
import { boundValues, type Guess } from './bounds.js';
import { Component } from './component.js';
import { type Components, componentsOf } from './components.js';
import type { Equations } from './equations.js';
import { byElimination, byLifting } from './evaluation.js';
import { Means } from './means.js';
import { iteratePolicies } from './policy-iteration.js';
import type { Value } from './question.js';
import { recoverValues } from './recovery.js';
import { at } from './scope.js';
import { Values } from './values.js';

/** How components are solved; others than the usual ways are for tests. */
export interface Ways {
  /** Components of more states are approximated first. Default: 100. */
  readonly small?: number;
  /** False for bounds only. */
  readonly isExact?: boolean;
}

/** The value of the initial state: component by component, those that others lead to first. */
export function solve(
  equations: Equations,
  watch: { tick(weight?: number): void },
  ways: Ways = {},
): Value {
  const { unknown, initial } = equations;
  const values = new Values(equations.states);
  values.setSmall(unknown, 0, 1);
  values.setSmall(unknown + 1, 1, 1);
  const means = new Means(equations, values);
  const components = componentsOf(equations, watch);
  const places = new Int32Array(equations.states).fill(-1);
  for (let index = 0; index + 1 < components.first.length; index++) {
    watch.tick();
    const members = membersOf(components, index);
    const state = at(members, 0);
    if (state >= unknown) continue;
    if (members.length === 1) {
      if (means.best(state, state) === -1) means.setBounds(state, state);
      else means.keep(state);
      continue;
    }
    for (const [place, member] of members.entries()) places[member] = place;
    const component = new Component(equations, members, places);
    solveComponent(component, values, means, watch, ways);
    for (const member of members) places[member] = -1;
  }
  return values.isExact(initial)
    ? { kind: 'exact', value: values.exact(initial) }
    : {
        kind: 'interval',
        least: at(values.least, initial),
        greatest: at(values.greatest, initial),
      };
}

function solveComponent(
  component: Component,
  values: Values,
  means: Means,
  watch: { tick(weight?: number): void },
  { small = 100, isExact: isWanted = true }: Ways,
): void {
  const isExact = isWanted && component.leadsToExact((state) => values.isExact(state));
  if (isExact && component.members.length <= small) {
    const evaluate = byElimination(component, values, watch);
    const policy = component.leavingPolicy();
    if (iteratePolicies(component, policy, evaluate, values, means)) return;
  }
  const approximation = new Approximation(component, values.least, watch);
  const approximate = approximation.values();
  if (isExact) {
    if (recoverValues(component, approximate, values, means)) return;
    const evaluate = byLifting(component, values, watch);
    const policy = component.leavingPolicy(approximation.policy(approximate));
    if (iteratePolicies(component, policy, evaluate, values, means)) return;
  }
  const least = { approximation, approximate: approximation.improve(approximate) };
  if (isExact && recoverValues(component, least.approximate, values, means)) return;
  const greatest = isExact ? least : guessFrom(component, values.greatest, watch);
  boundValues(component, { least, greatest }, values, means, watch);
}

function guessFrom(
  component: Component,
  outside: Float64Array,
  watch: { tick(weight?: number): void },
): Guess {
  const approximation = new Approximation(component, outside, watch);
  return { approximation, approximate: approximation.improve(approximation.values()) };
}

const membersOf = ({ members, first }: Components, index: number): Int32Array =>
  members.subarray(at(first, index), at(first, index + 1));
