import type { Exploration } from '@conclave/check';
import { noDeadlock } from '@conclave/check/internal';
import type { TraceLine } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import type { CheckBudget } from '../input/environment.js';
import { whatToTry } from './hints.js';

type Circumstances = Parameters<typeof whatToTry>[0];
type PropertyFinding = Exploration['properties'][number];
type Event = TraceLine['event'];

const strict = {
  title: 'Lock',
  channels: { order: 'fifo', loss: false, duplication: false },
} as const;
const lax = { title: 'Link', channels: { order: 'any', loss: true, duplication: true } } as const;
const limited = { title: 'Link', channels: { ...lax.channels, losses: 1 } } as const;
const timed = {
  title: 'Detector',
  channels: { ...strict.channels, time: { kind: 'exact', delay: [50, 100] } },
} as const;
const budget: CheckBudget = {
  ...{ commands: 1, order: 'fifo', losses: 1, duplications: 1, crashes: 1, restarts: 1 },
  ...{ partitions: 0, time: 'untimed' },
};

const start: Event = { kind: 'start' };
const crash: Event = { kind: 'crash' };
const drop: Event = { kind: 'drop', call: 'ask', from: 'a' };
const duplicate: Event = { kind: 'duplicate', call: 'ask', from: 'a' };
const timeout: Event = { kind: 'timeout', timer: 'retry' };
const violated = (...events: readonly Event[]): PropertyFinding => ({
  ...{ name: 'safe', kind: 'always', verdict: 'violated' },
  trace: { header: new Map(), lines: events.map((event) => ({ node: 'b', event, effects: [] })) },
});
const vacuous = (name: string, kind: PropertyFinding['kind'] = 'leadsTo'): PropertyFinding => ({
  ...{ name, kind, verdict: 'vacuous' },
});

/** The hints after a check of `protocol`, with `more` in its budget. */
const hintsOf = (
  findings: readonly PropertyFinding[],
  protocol: Circumstances['protocol'] = strict,
  more: Partial<CheckBudget> = {},
  others: Partial<Circumstances> = {},
): readonly string[] =>
  whatToTry(
    { options: {}, fairness: 'weak', protocol, budget: { ...budget, ...more }, ...others },
    findings,
  )
    .split('\n  ')
    .slice(1)
    .map((hint) => hint.trim());

describe('what to try', () => {
  const exact = (least: number, most: number) =>
    ({ time: { kind: 'exact', delay: [least, most] } }) as const;

  it.each([
    [
      'a split',
      hintsOf([violated({ kind: 'cut', from: 'a' })]),
      'The network splits here, which loses messages; Lock assumes channels that lose nothing: try without --partition.',
    ],
    [
      'a loss',
      hintsOf([violated(drop)]),
      'A message is lost here; Lock assumes channels that lose nothing: try without --loss, or reliable() of @conclave/core/embedding.',
    ],
    [
      'a loss that the protocol tolerates',
      hintsOf([violated(drop)], lax),
      'A message is lost here, which Link should tolerate: what should send it again?',
    ],
    [
      'more losses than the protocol tolerates',
      hintsOf([violated(drop)], limited, { losses: 2 }),
      'Messages are lost here; Link assumes channels that lose at most 1: try a smaller --loss.',
    ],
    [
      'a loss that the budget does not allow: a message lost with its node',
      hintsOf([violated(drop)], strict, { losses: 0 }),
      'Every assumption of Lock is met',
    ],
    [
      'a duplicate',
      hintsOf([violated(duplicate)]),
      'A message is duplicated here; Lock assumes channels that duplicate nothing: try without --duplicate, or reliable()',
    ],
    [
      'a duplicate that the protocol tolerates',
      hintsOf([violated(duplicate)], lax),
      'A message is duplicated here, which Link should tolerate: what should tell',
    ],
    [
      'overtaking',
      hintsOf([violated(start)], strict, { order: 'any' }),
      'Messages may overtake each other here; Lock assumes channels that keep the order: try --order fifo.',
    ],
    [
      'a restart',
      hintsOf([violated({ kind: 'restart' })]),
      'A node restarts here: declare the fields that must survive that as stable.',
    ],
    [
      'a timer',
      hintsOf([violated(timeout)]),
      'A timer fires here at any moment: with --time exact --delay 1:4 it fires at its time.',
    ],
    ['a timer of a bare machine', hintsOf([violated(timeout)], { ...strict, drawn: {} }), ''],
    [
      'a timer where the protocol assumes exact time',
      hintsOf([violated(timeout)], timed),
      'A timer fires here. Detector assumes that a message takes 50–100 ms; untimed, it takes any time. Try without --time.',
    ],
    [
      'a timer where messages are slower than the protocol assumes',
      hintsOf([violated(timeout)], timed, exact(50, 400)),
      'A timer fires here. Detector assumes that a message takes 50–100 ms; with --delay it takes 50–400 ms. Try without --delay.',
    ],
    [
      'a timer in the time that the protocol assumes',
      hintsOf([violated(timeout)], timed, exact(50, 100)),
      'Every assumption of Detector is met',
    ],
    [
      'a timer in exact time',
      hintsOf([violated(timeout)], strict, exact(1, 2)),
      'Every assumption of Lock is met',
    ],
    [
      'a deadlock without a fault',
      hintsOf([{ ...violated(start), name: noDeadlock }]),
      'Nothing can happen in the last state, and a node waits there: which message is missing, and which node should send it?',
    ],
    [
      'timers that drift apart and share a clock',
      hintsOf([{ ...violated(start), clocksApart: ['a', 'c'] }]),
      'The timers of a, c drift apart here, as those of one clock cannot at these moments: perhaps no real run is like this.',
    ],
    [
      'a state that nothing reaches',
      hintsOf([{ name: 'done', kind: 'sometimes', verdict: 'unreached' }]),
      "Nothing reaches 'done': allow more, with --entries, --initiators or a larger --topology.",
    ],
  ])('has a hint after %s', (_, hints, hint) => {
    expect(hints).toEqual([expect.stringContaining(hint)]);
  });

  it.each([
    ['none', 'No step is fair here: with --fair weak, a step that stays possible happens'],
    ['weak', 'With --fair strong, a step that is possible again and again happens'],
    ['strong', 'Every assumption of Lock is met: look for a step that should have happened and'],
  ] as const)('has a hint after a run that repeats forever, with fairness %s', (fairness, hint) => {
    const run = { ...violated(start), kind: 'leadsTo', loopsFrom: 0 } as const;
    expect(hintsOf([run], strict, {}, { fairness })).toEqual([expect.stringContaining(hint)]);
  });

  it('names the crash notice, where the network reports crashes', () => {
    const reported = { ...strict, crashNotice: 'down' };
    const reportedCrash =
      "A node crashes here, which the network reports by 'down': what should the others do then?";
    expect(hintsOf([violated(crash)], reported)).toEqual([reportedCrash]);
    expect(hintsOf([violated(crash)], reported, { unsent: true })).toEqual([
      reportedCrash,
      'Without --unsent, what a node sent in earlier steps arrives after its crash.',
    ]);
    expect(hintsOf([vacuous('one')], reported, { crashes: 0 })).toEqual([
      "Nothing to check for: 'one'. Allow more, with --crash 1, --entries, --initiators or --topology.",
    ]);
  });

  it('says where a node crashes in the middle of a step; no channel loses what it has not sent', () => {
    const finding = violated(timeout, crash, drop);
    const [step, crashed, lost] = finding.trace?.lines ?? [];
    if (!step || !crashed || !lost) throw new Error('no lines');
    const hints = (call: string) => {
      const sending: TraceLine = { ...step, node: 'a', effects: [{ kind: 'send', to: 'b', call }] };
      const trace = { header: new Map(), lines: [sending, { ...crashed, node: 'a' }, lost] };
      return hintsOf([{ ...finding, trace }], strict, exact(1, 2));
    };
    const crashes =
      'A node crashes here: try without --crash. To tolerate it, the others must detect it, as by a timeout.';
    expect(hints('ask')).toEqual([
      crashes,
      'It crashes in the middle of a step, when it has sent some of its messages: with --atomic-steps, it sends all or none.',
    ]);
    expect(hints('answer')).toEqual([
      expect.stringContaining('A message is lost here; Lock assumes'),
      crashes,
    ]);
  });

  it('gives each hint once, however many properties are violated', () => {
    expect(hintsOf([violated(drop), violated(drop, duplicate)])).toHaveLength(2);
  });

  it('says which option makes runs long', () => {
    const options = { search: 'depth' } as const;
    expect(hintsOf([violated(start)], strict, {}, { options })).toEqual([
      expect.stringContaining('Every assumption of Lock is met'),
      'Without --search depth each run to a single state is a shortest one.',
    ]);
    const held: PropertyFinding = { name: 'safe', kind: 'always', verdict: 'holds' };
    expect(hintsOf([held], strict, {}, { options })).toEqual([]);
  });

  it('has no hint where the fault says what to try', () => {
    const trace = { header: new Map([['fault', 'unhandled']]), lines: [] };
    expect(hintsOf([{ ...violated(drop), trace }])).toEqual([]);
  });

  it('lists vacuous properties in one line, and says how deadlocks are found', () => {
    const findings = [
      ...[vacuous('one'), vacuous(noDeadlock, 'always'), vacuous('two')],
      ...[vacuous('three', 'never'), vacuous('four', 'eventually')],
    ];
    expect(hintsOf(findings)).toEqual([
      'No node ever waits here, so no deadlock could be found: mark waiting nodes with the tag waiting or with waiting: (node) => …, or give waiting: false.',
      "Nothing in the system makes this true or false: 'three', 'four'. Is the name of a field misspelt? Give a flag its first value at the start.",
      "Nothing to check for: 'one', 'two'. Allow more, with --entries, --initiators or --topology.",
    ]);
  });
});
