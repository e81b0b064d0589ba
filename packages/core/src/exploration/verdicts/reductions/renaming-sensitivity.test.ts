import { describe, expect, it } from 'vitest';
import type { SystemView } from '../../../protocol/property.js';
import { star } from '../../../topology/generators.js';
import { lock } from '../../fixtures/symmetric-systems.contract.js';
import { viewOf } from '../../worlds/view.js';
import { Worlds } from '../../worlds/worlds.js';
import { RenamingSensitiveView, RenamingSensitivity } from './renaming-sensitivity.js';

const worlds = new Worlds(lock, star(3));
const world = worlds
  .actions(worlds.initial)
  .reduce((before, action) => worlds.next(before, action), worlds.initial);
const view = viewOf(lock, star(3), world);

/** What a view notes during a question; the answer must be the one for the system itself. */
function noted(question: (system: SystemView) => unknown): readonly string[] {
  const asked = new RenamingSensitivity();
  expect(question(new RenamingSensitiveView(view, asked))).toEqual(question(view));
  const { dependsOnNames: forNames, dependsOnMessages: forMessages } = asked;
  asked.clear();
  expect(asked).toEqual(new RenamingSensitivity());
  return [...(forNames ? ['names'] : []), ...(forMessages ? ['messages'] : [])];
}

describe('a view notes', () => {
  it.each<[string, (system: SystemView) => unknown]>([
    ['how many are live', ({ live }) => live],
    ['how many carry a tag', (system) => system.count('waiting')],
    ['how many are listed with a tag', (system) => system.tagged('waiting').length],
    ['how many nodes there are', ({ nodes }) => nodes.length],
    [
      'how many different values there are',
      (system) => system.distinct('waiting', 'centre').length,
    ],
  ])('nothing for a number: %s', (_what, question) => {
    expect(noted(question)).toEqual([]);
  });

  it.each<[string, (system: SystemView) => unknown]>([
    ['one node', (system) => system.node('b').value],
    ['the nodes', ({ nodes }) => nodes.map(({ value }) => value)],
    ['the first node', ({ nodes }) => nodes[0]?.crashed],
    ['nodes with a tag', (system) => system.tagged('waiting').some(({ id }) => id === 'c')],
    [
      'a node by the descriptor of its index',
      ({ nodes }) => Object.getOwnPropertyDescriptor(nodes, 1)?.value.id,
    ],
    ['different values', (system) => system.distinct('waiting', 'centre')[0]],
  ])('names for %s', (_what, question) => {
    expect(noted(question)).toEqual(['names']);
  });

  it('messages, and names if a question reads which', () => {
    expect(noted((system) => system.inFlight('request').length)).toEqual(['messages']);
    expect(noted((system) => system.inFlight().some(({ from }) => from === 'c'))).toEqual([
      'names',
      'messages',
    ]);
  });

  it('names for a number of values that are compared by identity', () => {
    const lists: SystemView = { ...view, distinct: () => [[1], [1]] };
    const asked = new RenamingSensitivity();
    expect(new RenamingSensitiveView(lists, asked).distinct('waiting', 'list')).toHaveLength(2);
    expect(asked.dependsOnNames).toBe(true);
  });
});
