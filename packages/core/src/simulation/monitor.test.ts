import { describe, expect, it } from 'vitest';
import { centralLock } from '../protocol/examples.contract.js';
import {
  always,
  alwaysEventually,
  eventually,
  increases,
  leadsTo,
  type NodeView,
  never,
  overtaken,
  type Property,
  type SystemView,
  sometimes,
} from '../protocol/property.js';
import { Monitor } from './monitor.js';

const node = (
  id: string,
  ...tags: string[]
): NodeView & { tags: Set<string>; crashed: boolean } => ({
  id,
  role: 'node',
  value: 'x',
  context: {},
  tags: new Set(tags),
  crashed: false,
});

/** A system of two nodes; properties read `flag` and the tags. */
function bench(...properties: Property[]) {
  const nodes = [node('a'), node('b')] as const;
  const system: SystemView & { flag: boolean } = {
    flag: false,
    nodes,
    live: 2,
    node: (id) => nodes[id === 'a' ? 0 : 1],
    count: (tag) => nodes.filter(({ tags }) => tags.has(tag)).length,
    tagged: (tag) => nodes.filter(({ tags }) => tags.has(tag)),
    distinct: () => [],
    inFlight: () => [],
  };
  const monitor = new Monitor(centralLock, properties, system);
  const flagIs = (flag: boolean) => {
    system.flag = flag;
    step(monitor, nodes[0]);
  };
  return { monitor, system, flagIs, a: nodes[0], b: nodes[1], begin: () => monitor.begin() };
}

const step = (monitor: Monitor, node: NodeView) => {
  monitor.look();
  monitor.changed(node);
};
const flag = (system: SystemView) => 'flag' in system && system.flag === true;
const verdict = (monitor: Monitor, complete: boolean) =>
  monitor.finish(complete).map(({ verdict }) => verdict)[0];

describe('verdicts', () => {
  it.each([
    ['always', 'always so', always, [true, true], 'holds', 'incomplete'],
    ['always', 'once not so', always, [true, false, true], 'violated', 'violated'],
    ['never', 'never so', never, [false, false], 'holds', 'incomplete'],
    ['never', 'once so', never, [false, true, false], 'violated', 'violated'],
    ['sometimes', 'once so', sometimes, [false, true, false], 'reached', 'reached'],
    ['sometimes', 'never so', sometimes, [false, false], 'unreached', 'incomplete'],
    ['eventually', 'once so', eventually, [false, true, false], 'holds', 'holds'],
    ['eventually', 'never so', eventually, [false, false], 'violated', 'incomplete'],
    [
      'alwaysEventually',
      'so at the end',
      alwaysEventually,
      [true, false, true],
      'holds',
      'incomplete',
    ],
    [
      'alwaysEventually',
      'not so at the end',
      alwaysEventually,
      [false, true, false],
      'violated',
      'incomplete',
    ],
  ] as const)('%s, %s', (kind, name, make, flags, atRest, cutShort) => {
    for (const [complete, expected] of [
      [true, atRest],
      [false, cutShort],
    ] as const) {
      const { monitor, system, flagIs, begin } = bench(make(name, flag));
      system.flag = flags[0];
      begin();
      for (const value of flags.slice(1)) flagIs(value);
      expect(monitor.finish(complete)).toEqual([{ name, kind, verdict: expected }]);
      expect(monitor.violated?.name).toBe(
        expected === 'violated' && !kind.endsWith('ventually') ? name : undefined,
      );
    }
  });

  const waitingEnters = leadsTo(
    'a waiting node enters',
    ({ tags }) => tags.has('waiting'),
    ({ tags }) => tags.has('critical'),
  );

  it.each([
    ['', 'holds'],
    ['a waiting, a critical', 'holds'],
    ['a waiting, a', 'violated'],
    ['a waiting, b critical', 'violated'],
    ['a waiting, a critical, a waiting', 'violated'],
    ['a waiting critical', 'holds'],
    ['a waiting, a crash', 'holds'],
    ['a waiting, b waiting, a crash', 'violated'],
  ])('leadsTo, after %j: %s', (history, expected) => {
    for (const complete of [true, false]) {
      const { monitor, begin, a, b } = bench(waitingEnters);
      begin();
      for (const moment of history.split(', ').filter(Boolean)) {
        const [who, ...tags] = moment.split(' ');
        const node = who === 'a' ? a : b;
        Object.assign(
          node,
          tags[0] === 'crash' ? { tags: new Set(), crashed: true } : { tags: new Set(tags) },
        );
        step(monitor, node);
      }
      expect(verdict(monitor, complete)).toBe(complete ? expected : 'incomplete');
      expect(monitor.violated).toBeUndefined();
    }
  });
});

describe('increases', () => {
  /** The verdict after a and b have had these numbers, such as `a1 a0 b2`; 0: none. */
  const watched = (steps: string) => {
    const numbers = { a: 0, b: 0 };
    const property = increases(
      'numbers grow',
      ({ id }) => numbers[id === 'a' ? 'a' : 'b'] || undefined,
    );
    const { monitor, a, b, begin } = bench(property);
    begin();
    for (const one of steps.split(' ')) {
      const node = one.startsWith('a') ? a : b;
      numbers[node === a ? 'a' : 'b'] = Number(one.slice(1));
      step(monitor, node);
    }
    return monitor;
  };

  it.each([
    ['each larger than all before', 'a1 a0 b2 b0 a3', 'holds'],
    ['one that stays does not count twice', 'a1 a1 b2 a1', 'holds'],
    ['the same again', 'a1 a0 a1', 'violated'],
    ['the same elsewhere', 'a1 b1', 'violated'],
    ['less elsewhere', 'a5 a0 b4', 'violated'],
    ['a value that is not a number', 'aInfinity bInfinity', 'violated'],
  ])('%s', (_what, steps, expected) => {
    expect(verdict(watched(steps), true)).toBe(expected);
    if (expected === 'holds') expect(verdict(watched(steps), false)).toBe('incomplete');
  });

  it('ignores initial numbers, but not those after them', () => {
    const numbers = { a: 5, b: 4 };
    const { monitor, b, begin } = bench(
      increases('numbers grow', ({ id }) => numbers[id === 'a' ? 'a' : 'b']),
    );
    begin();
    expect(verdict(monitor, true)).toBe('holds');
    numbers.b = 5;
    step(monitor, b);
    expect(verdict(monitor, true)).toBe('violated');
  });

  it('is violated by a first number that is NaN, as in the explorer', () => {
    const { monitor, begin } = bench(increases('numbers grow', () => Number.NaN));
    begin();
    expect(verdict(monitor, true)).toBe('violated');
  });

  it('ignores a crashed node', () => {
    const { monitor, a, b, begin } = bench(
      increases('numbers grow', ({ id }) => (id === 'a' ? 5 : 4)),
    );
    a.crashed = true;
    begin();
    step(monitor, b);
    expect(verdict(monitor, true)).toBe('holds');
  });
});

describe('overtaken', () => {
  const inside = (node: NodeView) => node.tags.has('critical');
  const once = overtaken(0, { inside, name: 'no other one enters' });

  it('does not count a node that starts inside, as the explorer does not', () => {
    const { monitor, a, b, begin } = bench(once);
    a.tags.add('critical');
    b.tags.add('waiting');
    begin();
    step(monitor, a);
    expect(verdict(monitor, true)).toBe('holds');
    a.tags.delete('critical');
    step(monitor, a);
    a.tags.add('critical');
    step(monitor, a);
    expect(verdict(monitor, true)).toBe('violated');
  });

  it('counts from the beginning of a wait, and not the entries of the waiting node', () => {
    const { monitor, a, b, begin } = bench(once);
    begin();
    for (const tags of [['critical'], [], ['waiting'], ['critical', 'waiting']]) {
      Object.assign(a, { tags: new Set(tags) });
      step(monitor, a);
    }
    expect(verdict(monitor, true)).toBe('holds');
    b.tags.add('critical');
    step(monitor, b);
    expect(verdict(monitor, true)).toBe('violated');
  });
});
