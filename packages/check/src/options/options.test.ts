/** Every function of this package with options refuses unknown and impossible ones. */

import { choices } from '@conclave/core/internal';
import { always } from '@conclave/core/protocol';
import { star } from '@conclave/core/topology';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { centralLock } from '../../../core/src/protocol/examples.contract.js';
import type { Schema } from '../../../core/src/schema/check.js';
import { explore } from '../explore/explore.js';
import type { ExploreOptions, WalkOptions } from '../explore/options.js';
import type { OvertakingOptions } from '../explore/overtaking.js';
import { model } from '../model/model.js';
import type { PlainOptions } from '../plain/plain-options.js';
import { walk } from '../walk/walk.js';
import type { Budget } from '../worlds/budget.js';
import { Worlds } from '../worlds/worlds.js';
import {
  budgetOptions,
  exploreOptions,
  limits,
  overtakingOptions,
  plainOptions,
  walkOptions,
} from './options.js';

/** Values that the compiler would refuse. */
type Loose = Readonly<Record<string, unknown>>;

const refused = (run: () => unknown, message: string | RegExp) => {
  expect(run).toThrow(message);
  expect(run).toThrow(expect.objectContaining({ code: 'bad-input' }));
};

describe('explore', () => {
  const run = (options: Loose) => () => explore(centralLock, star(3), options as ExploreOptions);

  it.each<[Loose, string]>([
    [
      { comands: 2 },
      "explore: there is no option 'comands'. Did you mean 'commands'? It knows commands, ",
    ],
    [{ loses: 1 }, "explore: there is no option 'loses'. Did you mean 'losses'?"],
    [{ colour: 1 }, "explore: there is no option 'colour'. It knows commands, "],
    [{ fairness: 'Weak' }, "explore: fairness is 'Weak'. Give one of 'none', 'weak', 'strong'."],
    [{ order: 'lifo' }, "explore: order is 'lifo'. Give one of 'fifo', 'any'."],
    [{ search: 'bredth' }, "explore: search is 'bredth'. Give one of 'breadth', 'depth'."],
    [
      { commands: Infinity },
      "explore: commands is Infinity. Give a whole number, 0 or more, or 'unlimited'.",
    ],
    [
      { limits: { states: NaN } },
      'explore: limits.states is NaN. Give a whole number, 0 or more, or Infinity.',
    ],
    [{ limits: { states: 1.5 } }, 'explore: limits.states is 1.5. '],
    [
      { limits: { seconds: -1 } },
      'explore: limits.seconds is -1. Give a number of seconds, 0 or more, or Infinity.',
    ],
    [
      { limits: { second: 1 } },
      "explore: there is no option 'limits.second'. Did you mean 'seconds'?",
    ],
    [
      { limits: 5 },
      'explore: limits is 5. Give an object with some of states, memory, seconds, depth, stop.',
    ],
    [{ initiators: 'a' }, "explore: initiators is 'a'. Give a list of node ids."],
    [{ inputs: [5] }, "explore: inputs.0 is 5. Give a command, such as { type: 'acquire' }."],
    [{ all: 'yes' }, "explore: all is 'yes'. Give true or false."],
    [{ onProgress: 5 }, 'explore: onProgress is 5. Give a function.'],
    [
      { mayCrash: true },
      'explore: mayCrash is true. Give a function, or a list of tags and roles.',
    ],
    [
      { properties: [always] },
      'explore: properties.0 is the function always. Give a property: call it, as in always(…).',
    ],
    [
      { properties: [{ kind: 'allways', name: 'x' }] },
      "explore: properties.0.kind is 'allways'. Give one of always, never, ",
    ],
  ])('refuses %o', (options, message) => refused(run(options), message));

  it('accepts undefined options, and every allowed word', () => {
    expect(
      run({ commands: undefined, limits: { states: Infinity, seconds: undefined } }),
    ).not.toThrow();
    for (const fairness of choices.fairness) expect(run({ fairness })).not.toThrow();
    for (const order of choices.order) expect(run({ order })).not.toThrow();
  });

  it('explains what to do with a function that makes a protocol or a network', () => {
    const naimiTrehel = () => centralLock;
    const loose = explore as (protocol: unknown, topology: unknown) => unknown;
    refused(
      () => loose(naimiTrehel, star(3)),
      'explore: protocol is the function naimiTrehel. Give a protocol: call it, as in naimiTrehel(…).',
    );
    refused(
      () => loose(centralLock, 'star:3'),
      "explore: topology is 'star:3'. Give a network, such as topology('ring:3').",
    );
    refused(
      () => (model as typeof loose)(naimiTrehel, star(3)),
      'model: protocol is the function naimiTrehel.',
    );
    refused(
      () => (walk as typeof loose)(undefined, star(3)),
      'walk: protocol is undefined. Give a protocol, made by defineProtocol.',
    );
  });
});

it('an invalid budget is refused by every function with a budget', () => {
  const budget: Loose = { comands: 2 };
  for (const run of [
    () => new Worlds(centralLock, star(3), budget),
    () => model(centralLock, star(3), budget),
  ])
    refused(run, "Budget: there is no option 'comands'. Did you mean 'commands'?");
});

it('walk refuses what is unknown, missing or wrong', () => {
  const run = (options: Loose) => () =>
    walk(centralLock, star(3), options as unknown as WalkOptions);
  refused(
    run({ seed: 1, walks: 1, step: 5 }),
    "walk: there is no option 'step'. Did you mean 'steps'?",
  );
  refused(run({ seed: 1, walks: 1 }), 'walk: steps is missing. It knows commands, ');
  refused(run({ seed: 1.5, walks: 1, steps: 1 }), 'walk: seed is 1.5. Give a whole number.');
  expect(run({ seed: -1, walks: 1, steps: 1 })).not.toThrow();
});

// The schemas name exactly the fields of the interfaces that they check. The compiler decides.

const keysOf = <T>(_schema: Schema<T>) => expectTypeOf<keyof T>();

it('exploration', () => {
  keysOf(budgetOptions).toEqualTypeOf<keyof Budget>();
  keysOf(exploreOptions).toEqualTypeOf<keyof ExploreOptions>();
  keysOf(limits).toEqualTypeOf<keyof NonNullable<ExploreOptions['limits']>>();
  keysOf(plainOptions).toEqualTypeOf<keyof PlainOptions<number>>();
  keysOf(overtakingOptions).toEqualTypeOf<keyof OvertakingOptions>();
  keysOf(walkOptions).toEqualTypeOf<keyof WalkOptions>();
});
