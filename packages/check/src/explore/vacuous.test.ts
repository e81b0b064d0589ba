/**
 * A property that holds because it saw nothing: `vacuous` where no value of it depends on a world;
 * `holds` with a remark where all that it reads stays as it was at the start; an error where it reads
 * a name that the protocol does not have.
 */

import {
  always,
  atMost,
  defineProtocol,
  eventually,
  everyStep,
  increases,
  leadsTo,
  type NodeView,
  never,
  overtaken,
  type Property,
  sometimes,
} from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import { complete, star } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { centralLock, minimalProtocol } from '../../../core/src/protocol/examples.contract.js';
import { finding } from '../fixtures/explored.contract.js';
import { exploreSystem } from '../plain/plain.js';
import { noDeadlock } from '../worlds/standard-properties.js';
import { explore } from './explore.js';
import type { ExploreOptions } from './options.js';

/** What an exploration of a lock says of one property. */
const findingOf = (property: Property, options: ExploreOptions = {}) =>
  explore(centralLock, star(3), { ...options, properties: [property] }).properties[0];
const verdictOf = (...given: Parameters<typeof findingOf>) => findingOf(...given)?.verdict;

describe('a tag that no state carries', () => {
  const cure = "Did you mean 'critical'? It has critical, waiting.";
  it.each([
    ['count', never('two', (system) => system.count('critcal') > 1)],
    ['tagged', never('two', (system) => system.tagged('critcal').length > 1)],
    ['distinct', never('two', (system) => system.distinct('critcal', 'queue').length > 1)],
    [
      'a node',
      leadsTo(
        'two',
        ({ tags }) => tags.has('critcal'),
        () => true,
      ),
    ],
    [
      'a node, behind another condition',
      leadsTo(
        'two',
        ({ tags }) => tags.has('critical') && tags.has('critcal'),
        () => true,
      ),
    ],
    ['a number', increases('two', ({ tags }) => (tags.has('critcal') ? 1 : undefined))],
    ['a step', everyStep('two', ({ after }) => !after.tags.has('critcal'))],
    ['overtaking', overtaken(1, { name: 'two', waits: ({ tags }) => tags.has('critcal') })],
  ])(
    'is an error where a property reads it by %s: in a definition, an exploration, a simulation',
    (_, property) => {
      const message = `Property 'two': no state of 'central-lock' carries the tag 'critcal'. ${cure}`;
      const properties = [property];
      for (const run of [
        () => defineProtocol({ ...centralLock, properties }),
        () => explore(centralLock, star(2), { properties }),
        () => simulate({ protocol: centralLock, topology: star(2), properties }),
      ])
        expect(run).toThrow(expect.objectContaining({ code: 'bad-input', message }));
    },
  );

  it('is detected also where it is read late, and so is an unknown message type', () => {
    const late = never(
      'late',
      (system) => system.inFlight('grant').length > 0 && system.count('critcal') > 0,
    );
    expect(() => explore(centralLock, star(2), { properties: [late] })).toThrow(
      /carries the tag 'critcal'/,
    );
    const lost = never('lost', (system) => system.inFlight('grnat').length > 3);
    expect(() => explore(centralLock, star(2), { properties: [lost] })).toThrow(
      "Property 'lost': 'central-lock' has no message 'grnat'. Did you mean 'grant'?",
    );
  });
});

describe('vacuous', () => {
  const entry = leadsTo(
    'enters',
    ({ tags }) => tags.has('waiting'),
    ({ tags }) => tags.has('critical'),
  );

  it.each([
    ['leadsTo whose trigger never came', entry],
    ['never that looks at nothing at all', never('no', () => false)],
    [
      'a field that no node has',
      never('no', (system) => system.nodes.some(({ context }) => context.epoch === 3)),
    ],
    ['always about the network only', always('three', (system) => system.nodes.length === 3)],
    ['eventually that looks at nothing at all', eventually('yes', () => true)],
    [
      'increases without a number',
      increases('grows', ({ tags }) => (tags.has('critical') ? 1 : undefined)),
    ],
    ['overtaken where no node waits', overtaken(1)],
    ['everyStep without a step', everyStep('any', () => true)],
    ['atMost without a command', atMost(3, { per: 'acquire' })],
  ])('%s, where no node issues a command', (_, property) => {
    expect(verdictOf(property, { commands: 0 })).toBe('vacuous');
  });

  it.each([
    entry,
    always('safe', (system) => system.count('critical') <= 1),
    never('two grants in flight', (system) => system.inFlight('grant').length > 1),
    overtaken(1),
    everyStep('any', ({ before, after }) => before.id === after.id),
    atMost(3, { per: 'acquire' }),
  ])('does not apply to a property that saw something relevant: $name', (property) => {
    expect(verdictOf(property)).toBe('holds');
  });

  it('does not apply to an incomplete search, a violated property, or one that is declared vacuous, which is reported', () => {
    // there is only one world
    expect(verdictOf(entry, { commands: 0, limits: { depth: 0 } })).toBe('vacuous');
    expect(verdictOf(entry, { limits: { depth: 0 } })).toBe('incomplete');
    expect(verdictOf(never('never', () => true))).toBe('violated');
    expect(verdictOf(sometimes('never', () => false))).toBe('unreached');
    const meant = { ...entry, vacuous: 'no node issues a command here' };
    expect(findingOf(meant, { commands: 0 })).toEqual({
      name: 'enters',
      kind: 'leadsTo',
      verdict: 'holds',
      vacuous: 'no node issues a command here',
    });
  });

  it('is said of the deadlock check where neither a tag nor a predicate says which nodes wait', () => {
    const greeting = minimalProtocol(createMachine({ on: { go: {} } }), {
      commands: { go: { kind: 'optional', meaning: 'go' } },
    });
    expect(finding(explore(greeting, complete(2)), noDeadlock).verdict).toBe('vacuous');
    const byState = { ...centralLock, waiting: ({ value }: NodeView) => value === 'waiting' };
    for (const protocol of [centralLock, byState])
      expect(finding(explore(protocol, star(2), { losses: 1 }), noDeadlock).verdict).toBe(
        'violated',
      );
    const noneWaits = { ...centralLock, waiting: false as const };
    expect(explore(noneWaits, star(2)).properties.map(({ name }) => name)).not.toContain(
      noDeadlock,
    );
  });

  it('of plain systems: by the parts of the state that are read', () => {
    const system = {
      initial: { n: 0, mode: 'on', queue: [1] },
      actions: ({ n }: { n: number }) => (n < 3 ? ['up'] : []),
      next: (s: { n: number; mode: string; queue: number[] }) => ({ ...s, n: s.n + 1 }),
    };
    type State = typeof system.initial;
    const verdicts = exploreSystem(system, {
      properties: [
        always<State>('small', ({ n }) => n <= 3),
        always<State>('on', ({ mode }) => mode === 'on'),
        never<State>('misspelt', (state) => (state as unknown as { nn: number }).nn > 2),
        never<State>('long', ({ queue }) => queue.length > 4),
        leadsTo<State>(
          'late',
          ({ n }) => n > 7,
          ({ n }) => n === 0,
        ),
        always<State>('all of it', (state) => JSON.stringify(state).length < 99),
      ],
    }).properties.map(({ verdict }) => verdict);
    expect(verdicts).toEqual(['holds', 'holds', 'vacuous', 'holds', 'vacuous', 'holds', 'holds']);
    const held = {
      initial: { held: {} as Record<string, number> },
      actions: ({ held }: { held: Record<string, number> }) => ('a' in held ? [] : ['take']),
      next: () => ({ held: { a: 1 } }),
    };
    const owned = never<{ held: Record<string, number> }>('owned', (state) =>
      Object.hasOwn(state.held, 'b'),
    );
    expect(exploreSystem(held, { properties: [owned] }).properties[0]?.verdict).toBe('holds');
  });
});

describe('what holds because nothing that it looks at changes has a remark', () => {
  const remarkOf = (...given: Parameters<typeof findingOf>) => {
    const { verdict, remark } = findingOf(...given) ?? {};
    return `${verdict}: ${remark}`;
  };
  const still = 'holds: nothing that it looks at changes: ';

  it.each<[Property, string]>([
    [
      never('two', (system) => system.count('critical') > 1),
      `${still}no state with the tag 'critical' is entered`,
    ],
    [
      never('queued', (system) => system.node('a').context.queue !== undefined && system.live < 3),
      `${still}context.queue never changes; no node crashes`,
    ],
    [
      always('silent', (system) => system.inFlight('grant').length === 0),
      `${still}no message 'grant' is sent`,
    ],
    [
      eventually('quiet', (system) => system.count('critical') === 0),
      `${still}no state with the tag 'critical' is entered`,
    ],
    [
      always('all as ever', ({ nodes }) =>
        nodes.every(
          ({ value, tags, context }) =>
            Boolean(value) && tags.size < 9 && Object.keys(context).length < 9,
        ),
      ),
      `${still}the state of each node never changes; the set of tags of each node never changes; and 3 more`,
    ],
    [
      never('a field that is there, and one that is not', ({ nodes }) =>
        nodes.some(({ context }) => context.epoch === 3 || context.queue === 3),
      ),
      `${still}context.queue never changes`,
    ],
  ])('$name, where no node issues a command', (property, expected) => {
    expect(remarkOf(property, { commands: 0 })).toBe(expected);
    const declared = { ...property, vacuous: 'no node issues a command here' };
    expect(findingOf(declared, { commands: 0 })).toEqual({
      ...{ name: property.name, kind: property.kind, verdict: 'holds' },
      vacuous: 'no node issues a command here',
    });
  });

  it('a bound for which nothing is counted has one, too', () => {
    const idle = overtaken(0, { name: 'idle', inside: () => false });
    expect(remarkOf(idle)).toBe('holds: no node ever enters');
    expect(
      remarkOf(atMost(0, { per: 'acquire', of: ['grant'], name: 'none' }), { initiators: [] }),
    ).toBe('vacuous: undefined');
    const silent = minimalProtocol(createMachine({ on: { go: {}, hi: {} } }), {
      messages: { hi: { meaning: 'hi' } },
      commands: { go: { kind: 'optional', meaning: 'go' } },
      waiting: false,
    });
    const [bound] = explore(silent, complete(2), {
      properties: [atMost(0, { per: 'go' })],
    }).properties;
    expect(bound).toMatchObject({ verdict: 'holds', remark: 'no message that it counts is sent' });
  });

  it('what looks at something that changes has none', () => {
    const exclusive = never('two', (system) => system.count('critical') > 1);
    expect(remarkOf(exclusive)).toBe('holds: undefined');
    expect(remarkOf(exclusive, { commands: 0 })).toBe(
      `${still}no state with the tag 'critical' is entered`,
    );
  });

  /** A counter with a flag that nothing sets, and one that only the last state has. */
  const counting = (last: number) => ({
    initial: {
      n: 0,
      done: last === 0,
      error: false,
      log: [] as readonly string[],
      by: { id: 'a' },
    },
    actions: ({ n }: { n: number }) => (n < last ? ['up'] : []),
    next: (s: { n: number }) => ({
      ...s,
      n: s.n + 1,
      done: s.n + 1 === last,
      error: false,
      log: [],
      by: { id: 'a' },
    }),
    fair: () => 'step',
  });
  type Counting = ReturnType<typeof counting>['initial'];
  const remarkWhenCounting = (
    property: Parameters<typeof exploreSystem<Counting, string>>[1]['properties'][number],
    last: number,
  ) => {
    const { verdict, remark } =
      exploreSystem<Counting, string>(counting(last), { properties: [property] }).properties[0] ??
      {};
    return `${verdict}: ${remark}`;
  };

  proof.each([9_998, 9_999, 10_000, 20_001])(
    'in a plain system every state counts, also of more than 10,000: the last of %i',
    (last) => {
      expect(
        remarkWhenCounting(
          eventually('done', ({ done }) => done),
          last,
        ),
      ).toBe('holds: undefined');
      expect(
        remarkWhenCounting(
          never('error', ({ error }) => error),
          last,
        ),
      ).toBe(`${still}error is always false`);
      expect(
        remarkWhenCounting(
          never('misspelt', (state) => (state as unknown as { erorr: boolean }).erorr === true),
          last,
        ),
      ).toBe('vacuous: undefined');
      expect(
        remarkWhenCounting(
          never('nothing', () => false),
          last,
        ),
      ).toBe('vacuous: undefined');
    },
  );

  it.each<[string, (state: Counting) => boolean, string]>([
    ['a part of a part', ({ by }) => by.id === 'b', `${still}by.id is always "a"`],
    ['the length of a list', ({ log }) => log.length > 3, `${still}log.length is always 0`],
    [
      'an element of a list that is too short',
      ({ log }) => log[0] === 'x',
      `${still}log[0] is always missing`,
    ],
    ['that a part is there', ({ by }) => by === null, `${still}by is always an object`],
    ['all of a part', ({ by }) => 'name' in by, `${still}by is always {"id":"a"}`],
    [
      'a misspelt part of a part',
      ({ by }) => (by as unknown as { name: string }).name === 'a',
      'vacuous: undefined',
    ],
    [
      'four parts',
      ({ by, log, error }) => error || log.length > 0 || by.id === 'b' || log[0] === 'x',
      `${still}error is always false; log.length is always 0; and 2 more`,
    ],
  ])('it names what a predicate reads of a plain state: %s', (_, predicate, expected) => {
    expect(remarkWhenCounting(never('it', predicate), 3)).toBe(expected);
  });

  it('a plain system of one state is looked at like any other', () => {
    expect(
      remarkWhenCounting(
        never('error', ({ error }) => error),
        0,
      ),
    ).toBe(`${still}error is always false`);
    const pairs = {
      initial: { a: 1 } as { a: number } | null,
      actions: (s: unknown) => (s === null ? [] : ['end']),
      next: () => null,
    };
    const [there] = exploreSystem(pairs, {
      properties: [never('odd', (state) => state?.a === 2)],
    }).properties;
    // a state without it is another case
    expect(there).toEqual({ name: 'odd', kind: 'never', verdict: 'holds' });
  });
});
