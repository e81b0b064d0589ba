import { Approximation, boundValues, type Guess } from './approximation.js';
import { type Components, componentsOf } from './components.js';
import { at, type Value } from './decision-process.js';
import { Component, type Equations } from './equations.js';
import { byElimination, byLifting, iteratePolicies } from './evaluation.js';
import { Means } from './means.js';
import { Values } from './values.js';

/** How components are solved; others than the usual ways are for tests. */
interface Ways {
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
      if (means.findBest(state, state) === -1) means.setBounds(state, state);
      else means.setValue(state);
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

/** How close a fraction has to be to an approximation: several, since it has to prove itself. */
const tolerances = [2 ** -45, 2 ** -42, 2 ** -38, 2 ** -34, 2 ** -48];

/**
 * Takes the simplest fractions near the approximate values of a component, and proves them: they
 * are its values if they solve all of its equations. False if that fails.
 */
function recoverValues(
  { members }: Component,
  approximate: Float64Array,
  values: Values,
  means: Means,
): boolean {
  return tolerances.some((tolerance) => {
    for (const [place, state] of members.entries()) {
      const value = at(approximate, place);
      const fraction = simplestBetween(value * (1 - tolerance), value * (1 + tolerance));
      if (fraction === undefined) return false;
      values.setSmall(state, ...fraction);
    }
    return isSolution(members, means);
  });
}

/** Whether the exact values of these states are the best means of their choices. */
const isSolution = (members: Int32Array, means: Means): boolean =>
  members.every((state) => means.findBest(state) !== -1 && means.compareToValue(state) === 0);

/**
 * The fraction with the smallest denominator between two numbers that are not negative, by their
 * continued fractions (Hardy & Wright: The Theory of Numbers, chapter 10). Undefined if it has no
 * safe integers.
 */
export function simplestBetween(
  low: number,
  high: number,
): readonly [numerator: number, denominator: number] | undefined {
  let [least, most] = [low, high];
  let [numerator, denominator] = [1, 0];
  let [numeratorBefore, denominatorBefore] = [0, 1];
  for (;;) {
    const whole = Math.floor(least);
    const isLast = whole === least || whole + 1 <= most;
    const part = isLast && whole !== least ? whole + 1 : whole;
    [numerator, numeratorBefore] = [part * numerator + numeratorBefore, numerator];
    [denominator, denominatorBefore] = [part * denominator + denominatorBefore, denominator];
    if (!(numerator <= Number.MAX_SAFE_INTEGER && denominator <= Number.MAX_SAFE_INTEGER))
      return undefined;
    if (isLast) return [numerator, denominator];
    [least, most] = [1 / (most - whole), 1 / (least - whole)];
  }
}
