import { Component } from './component.js';
import { type Components, componentsOf } from './components.js';
import type { Equations } from './equations.js';
import { Means } from './means.js';
import { iteratePolicies } from './policy-iteration.js';
import type { Value } from './question.js';
import { at } from './scope.js';
import { Values } from './values.js';

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
    if (!iteratePolicies(component, values, means, watch))
      for (const member of members) values.setBounds(member, 0, Infinity);
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

const membersOf = ({ members, first }: Components, index: number): Int32Array =>
  members.subarray(at(first, index), at(first, index + 1));
