/** Predicates of properties that answer something else than true or false, or fail. */
import {
  always,
  eventually,
  leadsTo,
  never,
  type Property,
  sometimes,
} from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { conform } from '../conform/index.js';
import { mutate } from '../mutation/mutate.js';
import { exploreSystem } from '../plain/plain.js';
import { walk } from '../walk/walk.js';
import { explore } from './explore.js';
import { collector, impure } from './impure.contract.js';

describe('a predicate that returns neither true nor false', () => {
  const one = {
    initial: { owner: null as string | null, a: 1, b: 1 },
    actions: () => [],
    next: () => ({ owner: null, a: 1, b: 1 }),
  };
  type State = typeof one.initial;
  const loose = (predicate: (state: State) => unknown) => predicate as (state: State) => boolean;

  it('is named, with its result, in every host', () => {
    const cases = [
      never<State>(
        'both',
        loose(({ a, b }) => a && b),
      ),
      always<State>(
        'owned',
        loose(({ owner }) => owner),
      ),
      sometimes<State>(
        'found',
        loose(({ owner }) => [owner].find((it) => it === 'x')),
      ),
      eventually<State>(
        'text',
        loose(() => 'yes'),
      ),
      leadsTo<State>(
        'leads',
        loose(() => 1),
        () => true,
      ),
    ];
    const told = cases.map((property) => {
      try {
        exploreSystem(one, { properties: [property] });
        return 'nothing';
      } catch (error) {
        return (error as Error).message;
      }
    });
    expect(told.map((text) => text.replace(/, in the state.*/, ''))).toEqual([
      "Property 'both' answers 1, which is neither true nor false",
      "Property 'owned' answers null, which is neither true nor false",
      "Property 'found' answers undefined, which is neither true nor false",
      'Property \'text\' answers "yes", which is neither true nor false',
      "Property 'leads' answers 1, which is neither true nor false",
    ]);
    const truthy = always('truthy', ({ nodes }) => nodes.length as unknown as boolean);
    const message =
      "Property 'truthy' answers 2, which is neither true nor false. Compare, as in context.owner !== null, or write Boolean(…).";
    const protocol = collector({ keep: () => {} });
    const properties = [truthy];
    for (const run of [
      () => explore(protocol, complete(2), { properties }),
      () => walk(protocol, complete(2), { properties, seed: 1, walks: 1, steps: 1 }),
      () => simulate({ protocol, topology: complete(2), properties }),
    ])
      expect(run).toThrow(expect.objectContaining({ code: 'bad-input', message }));
  });

  it('an error names the guard, condition of the budget or fairness class that throws', () => {
    const fails = (): never => {
      throw new Error('oops');
    };
    const { properties } = explore(collector({ keep: () => {} }, fails), complete(2));
    const faults = properties.flatMap(({ trace }) => trace?.header.get('fault') ?? []);
    expect(faults).toEqual([
      expect.stringMatching(/^Node a failed: Unable to evaluate guard 'passes'/),
    ]);
    const fine = collector({ keep: () => {} });
    expect(() => explore(fine, complete(2), { crashes: 1, mayCrash: fails })).toThrow(
      /^Property 'mayCrash' fails: oops/,
    );
    const moving = {
      initial: 0,
      actions: (n: number) => (n < 3 ? ['up'] : []),
      next: (n: number) => n + 1,
    };
    expect(() => exploreSystem({ ...moving, fair: fails }, { properties: [] })).toThrow(
      /^fair fails for the action "up": oops/,
    );
    const fair = () => (Math.random() < 2 ? 'up' : undefined);
    expect(() => exploreSystem({ ...moving, fair }, { properties: [] })).toThrow(
      impure(/^fair asks Math\.random/),
    );
  });

  it('a predicate that throws is named, too', () => {
    const failing = always(
      'fails',
      (system) => system.nodes[5]?.context.queue === (undefined as unknown as { x: number }).x,
    );
    expect(() =>
      explore(collector({ keep: () => {} }), complete(2), { properties: [failing] }),
    ).toThrow(/^Property 'fails' fails: Cannot read properties/);
  });

  it('one of no kind is refused, also in a protocol that was changed by hand', () => {
    const odd = { kind: 'mostly', name: 'odd', holds: () => true } as unknown as Property;
    const protocol = { ...collector({ keep: () => {} }), properties: [odd] };
    for (const run of [
      () => explore(protocol, complete(2)),
      () => mutate(protocol, { systems: [{ topology: complete(2) }] }),
      () => conform(collector({ keep: () => {} }), complete(2), [], { properties: [odd] }),
    ])
      expect(run).toThrow(/^A property has the kind 'mostly'\. Give one of always, never/);
  });

  it('one that takes a function out of the system is told to leave it there', () => {
    const apart = always('quiet', ({ inFlight }) => inFlight('hi').length === 0);
    expect(() =>
      explore(collector({ keep: () => {} }), complete(2), { properties: [apart] }),
    ).toThrow(/Ask the system itself, as in \(system\) => system\.inFlight\(…\)/);
  });
});
