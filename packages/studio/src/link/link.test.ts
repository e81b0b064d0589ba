import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Link, linkText, parseLink } from './link.js';

const counts = fc.option(fc.nat(1000), { nil: undefined });
const exactTime = { kind: 'exact' as const, delay: [1, 4] as const };
const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);

/** Without the fields that are undefined, as `parseLink` gives them. */
const plain = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

const link: fc.Arbitrary<Link> = fc
  .record({
    protocol: fc.oneof(word, fc.string({ minLength: 1 })),
    options: fc.dictionary(word, fc.oneof(fc.boolean(), fc.integer(), fc.string()), { maxKeys: 3 }),
    topology: fc.option(
      fc.constantFrom('ring:3', 'edges:a-b,b-c', 'random:20:0.2:7', 'complete:ä,b c'),
      { nil: undefined },
    ),
    budget: fc.record({
      commands: counts,
      losses: counts,
      duplications: counts,
      crashes: counts,
      restarts: counts,
      partitions: counts,
      initiators: fc.option(fc.array(word, { minLength: 1, maxLength: 3 }), { nil: undefined }),
      inputs: fc.constantFrom(undefined, [{ type: 'send', value: 'a&b=c#d' }]),
      mayCrash: fc.constantFrom(undefined, ['critical', '!role']),
      unexpected: fc.constantFrom(undefined, 'discard' as const),
      atomicSteps: fc.constantFrom(undefined, true),
      unsent: fc.constantFrom(undefined, true),
      order: fc.constantFrom(undefined, 'fifo' as const, 'any' as const),
      time: fc.constantFrom(undefined, 'untimed' as const, exactTime, {
        ...exactTime,
        stays: { critical: [0, Infinity] as const },
        tick: 0.5,
      }),
    }),
    view: fc.constantFrom(
      'world' as const,
      'specification' as const,
      'check' as const,
      'paths' as const,
    ),
    steps: fc.array(fc.nat(400), { maxLength: 30 }),
    node: fc.option(word, { nil: undefined }),
    timed: fc.boolean(),
    part: fc.nat(30),
    loops: fc.boolean(),
    as: fc.constantFrom(undefined, 'presentation' as const, 'embed' as const),
    panels: fc.constantFrom(undefined, ['chart', 'space-time'] as const),
    script: fc.constantFrom(undefined, {
      station: 1,
      links: ['A3?notes=%3B', '%C3%A4%3B?steps=0.1'],
    }),
    goal: fc.option(fc.record({ property: fc.string({ minLength: 1 }), within: fc.nat(99) }), {
      nil: undefined,
    }),
    predict: fc.option(fc.array(fc.nat(40), { maxLength: 4 }), { nil: undefined }),
    notes: fc.option(
      fc.dictionary(fc.nat(99).map(String), fc.string(), { minKeys: 1, maxKeys: 3 }),
      { nil: undefined },
    ),
  })
  .map(
    ({ protocol, options, topology, budget, view, steps, node, timed, part, loops, ...frame }) => {
      const some = Math.min(part, steps.length);
      return plain({
        setup: plain({ protocol, options, topology, budget: plain(budget) }),
        view,
        steps,
        at: some === steps.length ? undefined : some,
        times: timed ? steps.map((_, index) => index / 8) : undefined,
        loopsFrom: loops ? some : undefined,
        node,
        ...frame,
      }) as Link;
    },
  );

describe('a link', () => {
  it('holds all that it was given', () => {
    fc.assert(
      fc.property(link, (one) => {
        fc.pre(!one.setup.protocol.startsWith('#') && !one.setup.protocol.startsWith('/'));
        const text = linkText(one);
        expect(text).toMatch(/^[\x21-\x7e]*$/); // no blank, no line break: it survives a mail
        expect(parseLink(text)).toEqual(one);
        expect(parseLink(`#${text}`)).toEqual(one);
        // a browser leaves it as it is
        expect(new URL(`file:///studio.html#${text}`).hash).toBe(`#${text}`);
      }),
      { seed: 15 },
    );
  });

  it('is readable', () => {
    const setup = {
      protocol: 'raymond',
      options: { greedy: 1 },
      topology: 'tree:2:3',
      budget: { losses: 1 },
    };
    const text = linkText({ setup, view: 'world', steps: [0, 3, 2], at: 2, node: 'b' });
    expect(text).toBe(
      'raymond?topology=tree:2:3&options=%7B%22greedy%22:1%7D&losses=1&steps=0.3.2&at=2&node=b',
    );
  });

  it('without a protocol is none', () => {
    for (const text of ['', '#', '#/']) expect(parseLink(text)).toBe(undefined);
  });

  it.each([
    ['raymond?steps=0.x', "'steps=x' is no whole number"],
    ['raymond?steps=0.-1', "'steps=-1' is no whole number"],
    ['raymond?steps=0..1', "'steps=' is no whole number"],
    ['raymond?losses=many', "'losses=many' is no whole number"],
    ['raymond?losses=1e9', "'losses=1e9' is no whole number"],
    ['raymond?options={greedy', "'options={greedy' is no JSON"],
    ['raymond?view=moon', "'view=moon' is none of world, specification, check, paths"],
    ['raymond?stpes=1', "'stpes' means nothing there"],
    ['raymond?steps=1.2&at=3', "'at=3' is behind the last of its steps, 2"],
    ['raymond?steps=1.2&loop=3', "'loop=3' is behind the last of its steps, 2"],
    ['raymond?steps=1.2&times=5,1', 'its times go back'],
    ['raymond?losses=1&losses=2', "'losses' is given twice"],
    ['raymond?unsent=maybe', "'unsent=maybe' is none of true, false"],
    ['raymond?atomicSteps=1', "'atomicSteps=1' is none of true, false"],
    ['raymond?steps=1.2&times=1', 'it has 2 steps and 1 times'],
    ['raymond?steps=1&times=soon', "'soon' is no time in milliseconds"],
    ['raymond?options=[1]', "'options=[1]' is no object"],
    ['raymond?time=yesterday', "'time=yesterday' is no JSON"],
    ['raymond?order=random', "'order=random' is none of fifo, any"],
    ['raymond?as=poster', "'as=poster' is none of presentation, embed"],
    [
      'raymond?panels=chart,map',
      "'panels=map' is none of network, chart, space-time, trace, actions, properties, tried",
    ],
    ['raymond?notes={"x":"y"}', 'its notes are not texts by number of steps'],
    ['raymond?notes={"1":2}', 'its notes are not texts by number of steps'],
    ['raymond?goal=at most one', "'goal' and 'within' need each other"],
    ['raymond?within=3', "'goal' and 'within' need each other"],
    ['%zz?steps=1', "'%zz' is no text of a URL"],
  ])('%s is refused', (text, what) => {
    expect(() => parseLink(text)).toThrow(
      `The link cannot be read: ${what}. Was it cut off? Copy it again.`,
    );
  });
});
