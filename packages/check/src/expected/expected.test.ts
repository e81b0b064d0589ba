import type { Json } from '@conclave/core/protocol';
import { complete, star } from '@conclave/core/topology';
import { assertRuns, proof } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { centralLock } from '../../../core/src/protocol/examples.contract.js';
import { explore } from '../explore/explore.js';
import {
  contention,
  hermanTokens,
  sharedCoin,
  synchronousElection,
} from '../plain/chance.contract.js';
import { expectedOfSystem, type PlainExpectedOptions } from '../plain/plain-expectation.js';
import type { PlainSystem } from '../plain/plain-system.js';
import {
  fraction,
  type PlainProcess,
  plus,
  processOf,
  textOf,
  times,
} from '../probability/plain-solver.contract.js';
import { type ExpectedOptions, expected } from './expected.js';
import type { Extremes, Figure } from './figures.js';
import { type CostGraph, drnText, type GraphTexts, prismTexts } from './graph-texts.js';
import {
  judged,
  type ReadChoice,
  type ReadGraph,
  readDrn,
  readPrism,
  requireSound,
} from './read-graph.contract.js';
import { tosser } from './toss.contract.js';

const pair = complete(2);
const alone: ExpectedOptions = { initiators: ['a'] };

const figureText = (figure: Figure<unknown> | undefined) =>
  figure?.kind === 'exact' ? figure.fraction : figure?.kind;
const both = (figures: { least: Figure<unknown>; greatest: Figure<unknown> } | undefined) => [
  figureText(figures?.least),
  figureText(figures?.greatest),
];

describe('a coin that is tossed until it is heads', () => {
  const fair = tosser({ heads: 1, tails: 1 });

  it.each([
    ['a fair one', { heads: 1, tails: 1 }, '2'],
    ['one that is mostly tails', { heads: 1, tails: 6 }, '7'],
    ['one of odd weights', { heads: 355, tails: 113 }, '468/355'],
    ['one without tails', { heads: 1, tails: 0 }, '1'],
  ])('%s', (_, coin, tosses) => {
    const found = expected(tosser(coin), pair, { ...alone, cost: 'tosses' });
    expect(both(found.expectation)).toEqual([tosses, tosses]);
    expect(both(found.probability)).toEqual(['1', '1']);
    expect(found).toMatchObject({ complete: true, cost: 'tosses', protocol: 'tosser' });
  });

  it.each<[string, ExpectedOptions['cost'], string]>([
    ['messages by default', undefined, '4'],
    ['messages of one type', 'toss', '2'],
    ['what a function says', ({ cause }) => (cause.kind === 'timeout' ? 3 : 0), '3'],
    // a command, two tosses, four deliveries and a pause
    ['steps', 'steps', '8'],
  ])('counts %s', (_, cost, least) => {
    const found = expected(fair, pair, { ...alone, ...(cost === undefined ? {} : { cost }) });
    expect(both(found.expectation)).toEqual([least, least]);
  });

  it('adds what two nodes cost, whatever the order', () => {
    expect(both(expected(fair, pair).expectation)).toEqual(['8', '8']);
  });

  it('measures time, in milliseconds', () => {
    const time = { kind: 'exact', delay: [1, 3] } as const;
    const slow = tosser({ heads: 1, tails: 1, pause: 2.5 });
    const found = expected(slow, pair, { ...alone, time, cost: 'time', within: 6.5 });
    // a pause on average, and four messages
    expect(both(found.expectation)).toEqual(['13/2', '29/2']);
    // messages of 1 ms leave time for a second toss, those of 3 ms do not
    expect(both(found.within)).toEqual(['1/2', '3/4']);
    expect(found.tick).toBe(0.5);
  });

  it('tells how likely a run ends within a cost', () => {
    const within = (most: number) =>
      both(expected(fair, pair, { ...alone, cost: 'tosses', within: most }).within);
    expect([0, 1, 2, 5].map((most) => within(most)[0])).toEqual(['0', '1/2', '3/4', '31/32']);
    expect(within(5)).toEqual(['31/32', '31/32']);
  });

  it('goes on until a state of the system', () => {
    const until = (system: { count(tag: string): number }) => system.count('done') > 0;
    const found = expected(fair, pair, { until, cost: 'tosses' });
    expect(both(found.expectation)).toEqual(['2', '2']);
    // The last answer comes after it. With two coins: 1 message, half of the time a second one by
    // the other node, and after two times tails 2 messages a toss.
    expect(both(expected(fair, pair, { until }).expectation)).toEqual(['5/2', '3']);
  });

  it('ends with probability 1, and not always', () => {
    const { properties } = explore(fair, pair, alone);
    expect(properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual(['holds', 'violated']);
  });
});

describe('a coin of which nothing is known', () => {
  const unknown = tosser({ heads: 1, tails: 1, unknown: true });

  it('may never be heads: the run goes around', () => {
    const { expectation, probability, draws } = expected(unknown, pair, alone);
    expect(draws).toBe(0);
    expect(both(expectation)).toEqual(['2', 'infinite']);
    expect(both(probability)).toEqual(['0', '1']);
    const { greatest } = expectation ?? {};
    if (greatest?.kind !== 'infinite') return expect.unreachable();
    const { trace, loopsFrom, loopsFromStep, steps } = greatest.run;
    const loop = trace.lines.slice(loopsFrom).map(({ event }) => event);
    expect(loop).toContainEqual({ kind: 'chosen', value: 'tails' });
    expect(loopsFromStep).toBeLessThan(steps.length);
  });

  it('is not heads almost surely', () => {
    const { properties } = explore(unknown, pair, alone);
    expect(properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual(['violated', 'violated']);
    expect(properties[0]?.loopsFrom).toBeLessThan(properties[0]?.trace?.lines.length ?? 0);
  });

  it('is no lock: without draws, least and greatest are the shortest and the longest run', () => {
    const found = expected(centralLock, star(3));
    expect(both(found.expectation)).toEqual(['6', '6']);
    expect(found.draws).toBe(0);
  });
});

describe('what it says of its figures', () => {
  const fair = tosser({ heads: 1, tails: 1 });

  it('assumes no fairness, all commands, and crashes between steps', () => {
    const { assumptions } = expected(fair, pair, { ...alone, crashes: 1 });
    expect(assumptions.slice(0, 3)).toEqual([
      'that whoever decides what happens next may do as it likes, also be unfair; only draws are random',
      'that every optional command is given before the run ends',
      'that nodes crash between steps only, not while they send',
    ]);
    const until = () => true;
    expect(expected(fair, pair, { ...alone, until }).assumptions).not.toContain(assumptions[1]);
  });

  it('has none after an incomplete search', () => {
    const found = expected(fair, pair, { limits: { states: 3 } });
    expect(found).toMatchObject({ complete: false, limit: 'states' });
    expect(found.expectation).toBeUndefined();
  });

  it.each([
    [{ cost: 'tosess' }, "Tosser has no cost 'tosess'", 'messages, steps, time, tosses, toss'],
    [{ cost: 'time' }, 'this system has no exact time', "Give time: { kind: 'exact'"],
    [{ cost: () => 0.5 }, "The cost 'cost' of a step is 0.5", 'Count in units'],
    [{ cost: () => -1 }, "The cost 'cost' of a step is -1", 'from 0 on'],
    [{ cost: 3 }, 'cost is 3', 'Give a name, or a function.'],
    [{ within: -1 }, 'within is -1', 'a number of units of the cost'],
    [{ properties: [] }, "there is no option 'properties'", 'It knows'],
    [{ until: () => 1 }, "Property 'until' answers 1", 'neither true nor false'],
  ])('refuses %o', (options, what, cure) => {
    const compute = () => expected(fair, pair, options as unknown as ExpectedOptions);
    expect(compute).toThrow(what);
    expect(compute).toThrow(cure);
  });
});

// What is written for other model checkers says what was solved: it is read, and judged anew.

const read = (texts: GraphTexts | undefined): ReadGraph =>
  texts?.['.drn'] === undefined ? readPrism(texts ?? {}) : readDrn(texts['.drn']);

/** What was computed, and what the judge says of the files. */
function agrees(
  found: (graph: 'drn' | 'prism') => {
    readonly expectation?: Extremes<unknown>;
    readonly graph?: GraphTexts;
  },
  formats: readonly ('drn' | 'prism')[] = ['drn', 'prism'],
): ReadGraph {
  let last: ReadGraph | undefined;
  for (const format of formats) {
    const { expectation, graph } = found(format);
    last = read(graph);
    for (const extreme of ['least', 'greatest'] as const) {
      const fraction = textOf(judged(last, extreme));
      expect(expectation?.[extreme]).toMatchObject({ kind: 'exact', fraction });
    }
  }
  if (!last) throw new Error('unreachable: there are formats');
  return last;
}

const systemGraph =
  <S extends Json, A extends Json>(
    system: PlainSystem<S, A>,
    options: PlainExpectedOptions<S, A>,
  ) =>
  (graph: 'drn' | 'prism') =>
    expectedOfSystem(system, { ...options, graph });

describe('the graph of a plain system', () => {
  const flips = ({ action: [what] }: { readonly action: readonly [string, number] }) =>
    what === 'flip' ? 0 : 1;
  const picks = ({ state }: { readonly state: { readonly phase: string } }) =>
    state.phase === 'pick' ? 3 : 0;

  it('of rounds with another coin: for PRISM what is no binary fraction has 17 digits', () => {
    const coin = contention({ short: 1, long: 2 });
    const graph = agrees(systemGraph(coin, {}), ['drn']);
    expect(graph.choices[0]?.[0]?.branches).toEqual([
      [0, [5n, 9n]],
      [1, [4n, 9n]],
    ]);
    expect(graph).toMatchObject({ name: 'steps', initial: [0], goal: [false, true] });
    const { '.tra': text } = expectedOfSystem(coin, { graph: 'prism' }).graph ?? {};
    expect(text).toMatch(/^2 2 3\n0 0 0 0\.55555555555555558\n0 0 1 0\.44444444444444442\n/);
  });

  it('of many initial states: a state more chooses among them', () => {
    const graph = agrees(systemGraph(hermanTokens(7), {}), ['drn', 'prism']);
    expect(graph.initial).toEqual([10]);
    expect(graph.choices[10]).toHaveLength(10);
  });

  it('of a chain of 61 states', () => {
    const graph = agrees(systemGraph(synchronousElection(4, 2), { cost: picks }), ['drn']);
    expect([graph.choices.length, graph.name]).toEqual([61, 'picks']);
  });

  proof('of processes that a scheduler decides about', () => {
    const until = ({ places }: { readonly places: readonly string[] }) =>
      places.every((place) => place === 'finished');
    const graph = agrees(systemGraph(sharedCoin(2, 1), { cost: flips, until }));
    expect(graph.choices.length).toBeLessThan(300);
  });
});

describe('the graph of a protocol', () => {
  const protocolGraph =
    (options: ExpectedOptions, pause = 10) =>
    (graph: 'drn' | 'prism') =>
      expected(tosser({ heads: 1, tails: 1, pause }), complete(2), { ...options, graph });

  it('has the costs of its steps', () => {
    const graph = agrees(protocolGraph({ cost: 'tosses', initiators: ['a'] }));
    expect(graph.name).toBe('tosses');
  });

  it('has times in milliseconds', () => {
    const time = { kind: 'exact', delay: [1, 2] } as const;
    agrees(protocolGraph({ cost: 'time', initiators: ['a'], time }, 2.5));
  });

  it('goes until what is asked for', () => {
    agrees(protocolGraph({ until: (system) => system.count('done') > 0 }));
  });

  it('is absent where nobody asks for it, and after an incomplete search', () => {
    const found = (options: ExpectedOptions) =>
      expected(tosser({ heads: 1, tails: 1 }), complete(2), options);
    expect(found({}).graph).toBeUndefined();
    expect(found({ graph: 'drn', limits: { states: 3 } })).not.toHaveProperty('graph');
    expect(() => found({ graph: 'dot' as 'drn' })).toThrow("'dot'");
  });
});

const graphOf = (
  plain: PlainProcess,
  { before = 0, unit = 1, cost = 'cost' }: Partial<CostGraph> = {},
): CostGraph => {
  const process = processOf(plain);
  const goal = Uint8Array.from(plain, (_, state) => (state % 3 === 1 ? 1 : 0));
  const actions = new Int32Array(process.targets.length);
  return { process: { ...process, actions, initial: 0, draws: 0 }, goal, before, unit, cost };
};

describe('a graph as it is written', () => {
  const branch = (to: number, weight = 1, cost = 0) => ({ to, weight, cost });
  // a draw whose branches cost differently and lead to one state twice; an end
  const plain = [[[branch(1, 1, 3), branch(0, 2), branch(1, 1)], [branch(0, 1, 1)]], []];

  it('for Storm', () => {
    expect(
      drnText(graphOf(plain, { cost: 'be-my-parent' })),
    ).toBe(`// Solve R{"be_my_parent"}min=? [F "goal"] and R{"be_my_parent"}max=? [F "goal"].
// A state that has no successor in the system has a loop of cost 0.
// A number is a decimal where that is exact, else a fraction.
// What an action costs is the mean over its draw.
@type: MDP
@parameters

@reward_models
be_my_parent
@nr_states
2
@nr_choices
3
@model
state 0 [0] init
\taction 0 [0.75]
\t\t0 : 0.5
\t\t1 : 0.5
\taction 1 [1]
\t\t0 : 1
state 1 [0] goal
\taction 0 [0]
\t\t1 : 1
`);
  });

  it('for PRISM', () => {
    expect(prismTexts(graphOf(plain, { cost: '2nd' }))).toEqual({
      '.tra': '2 3 4\n0 0 0 0.5\n0 0 1 0.5\n0 1 0 1\n1 0 1 1\n',
      '.lab': '0="init" 1="goal"\n0: 0\n1: 1\n',
      '.trew': `# Reward structure "_2nd"
# Transition rewards
# Solve R{"_2nd"}min=? [F "goal"] and R{"_2nd"}max=? [F "goal"].
# A state that has no successor in the system has a loop of cost 0.
# A number that is no finite binary fraction has 17 digits.
# What a choice costs is the mean over its draw.
2 3 3
0 0 0 0.75
0 0 1 0.75
0 1 0 1
`,
    });
  });

  it('begins with what the starts cost', () => {
    const graph = readDrn(drnText(graphOf(plain, { before: 5, unit: 10 })));
    expect(graph.initial).toEqual([2]);
    expect(graph.choices[2]).toEqual([{ cost: [1n, 2n], branches: [[0, [1n, 1n]]] }]);
    expect(graph.choices[0]?.map(({ cost }) => textOf(cost))).toEqual(['3/40', '1/10']);
  });

  const anyBranch = (states: number) =>
    fc.record({
      to: fc.nat(states - 1),
      weight: fc.constantFrom(1, 1, 2, 3, 2 ** 40),
      cost: fc.constantFrom(0, 0, 1, 5),
    });
  const anyProcess = fc
    .integer({ min: 1, max: 6 })
    .chain((states) =>
      fc.array(
        fc.array(fc.array(anyBranch(states), { minLength: 1, maxLength: 4 }), { maxLength: 3 }),
        { minLength: states, maxLength: states },
      ),
    );

  /** What a choice costs on average, and how likely it leads where. */
  function meant(branches: PlainProcess[number][number]): ReadChoice {
    const total = branches.reduce((sum, { weight }) => sum + weight, 0);
    const share = ({ weight }: { readonly weight: number }) =>
      fraction(BigInt(weight), BigInt(total));
    const targets = [...new Set(branches.map(({ to }) => to))].sort((a, b) => a - b);
    return {
      cost: branches.map((one) => times(share(one), [BigInt(one.cost), 1n])).reduce(plus),
      branches: targets.map((target) => [
        target,
        branches
          .filter(({ to }) => to === target)
          .map(share)
          .reduce(plus),
      ]),
    };
  }
  const numbersOf = ({ cost, branches }: ReadChoice) =>
    [cost, ...branches.map(([, share]) => share)].map(
      ([above, below]) => Number(above) / Number(below),
    );

  it('says the same of random processes, exactly for Storm, and for PRISM to 14 digits', () => {
    assertRuns(
      fc.property(anyProcess, (plain) => {
        const [drn, prism] = [
          readDrn(drnText(graphOf(plain))),
          readPrism(prismTexts(graphOf(plain))),
        ];
        const choices = plain.map((all, state) =>
          (all.length === 0 ? [[branch(state)]] : all).map(meant),
        );
        expect(drn.choices).toEqual(choices);
        for (const graph of [drn, prism]) {
          requireSound(graph);
          expect(graph.goal).toEqual(plain.map((_, state) => state % 3 === 1));
        }
        const written = prism.choices.flat();
        for (const [place, choice] of choices.flat().entries()) {
          const numbers = numbersOf(written[place] ?? { cost: [0n, 1n], branches: [] });
          for (const [at, number] of numbersOf(choice).entries())
            expect(Math.abs((numbers[at] ?? -1) - number)).toBeLessThanOrEqual(1e-14 * number);
        }
      }),
      13,
      2_000,
    );
  });
});
