import { Approximation } from './approximation.js';
import { boundValues } from './bounds.js';
import { Component } from './component.js';
import { type Components, componentsOf } from './components.js';
import type { Equations } from './equations.js';
import { Means } from './means.js';
import { iteratePolicies } from './policy-iteration.js';
import type { Value } from './question.js';
import { recoverValues } from './recovery.js';
import { at } from './scope.js';
import { Values } from './values.js';

/** Components of more states are approximated first. */
const small = 100;

/** The value of the initial state: component by component, those that others lead to first. */
export function solve(equations: Equations, watch: { tick(weight?: number): void }): Value {
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
    if (!solveExactly(component, values, means, watch))
      boundValues(component, values, means, watch);
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

function solveExactly(
  component: Component,
  values: Values,
  means: Means,
  watch: { tick(weight?: number): void },
): boolean {
  if (!component.leadsToExact((state) => values.isExact(state))) return false;
  if (component.members.length <= small) return iteratePolicies(component, values, means, watch);
  const approximation = new Approximation(component, values.least, watch);
  return recoverValues(component, approximation.iterate(), values, means);
}

const membersOf = ({ members, first }: Components, index: number): Int32Array =>
  members.subarray(at(first, index), at(first, index + 1));
