import type { Exploration } from '@conclave/check';
import { standardProperties } from '@conclave/check/internal';
import type { TraceLine } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import type { CheckBudget } from '../input/environment.js';
import { whatToTry } from './hints.js';

type PropertyFinding = Exploration['properties'][number];

const strict = {
  title: 'Lock',
  channels: { order: 'fifo', loss: false, duplication: false },
} as const;
const lax = { title: 'Link', channels: { order: 'any', loss: true, duplication: true } } as const;
const limited = { title: 'Link', channels: { ...lax.channels, losses: 0 } } as const;
const timed = {
  title: 'Detector',
  channels: { ...strict.channels, time: { kind: 'exact', delay: [50, 100] } },
} as const;
const budget: CheckBudget = {
  ...{
    commands: 1,
    order: 'fifo',
    losses: 1,
    duplications: 1,
    crashes: 1,
    restarts: 1,
    partitions: 0,
    time: 'untimed',
  },
};

const usual = { options: {}, fairness: 'weak' } as const;

const drop: TraceLine['event'] = { kind: 'drop', call: 'ask', from: 'a' };
const duplicate: TraceLine['event'] = { kind: 'duplicate', call: 'ask', from: 'a' };
const timeout: TraceLine['event'] = { kind: 'timeout', timer: 'retry' };

const violated = (...events: readonly TraceLine['event'][]): PropertyFinding => ({
  ...{ name: 'safe', kind: 'always', verdict: 'violated' },
  trace: { header: new Map(), lines: events.map((event) => ({ node: 'b', event, effects: [] })) },
});

const hintsIn = (text: string) =>
  text
    .split('\n  ')
    .slice(1)
    .map((hint) => hint.trim());

describe('what to try', () => {
  it.each<
    [
      string,
      typeof strict | typeof lax | typeof limited | typeof timed,
      Partial<CheckBudget>,
      TraceLine['event'],
      string,
    ]
  >([
    [
      'a duplicate',
      strict,
      {},
      duplicate,
      'A message is duplicated here; Lock assumes channels that deliver once: try without --duplicate, or reliable()',
    ],
    [
      'a duplicate that the protocol tolerates',
      lax,
      {},
      duplicate,
      'A message is duplicated here, which Link should tolerate: what should tell',
    ],
    [
      'more losses than the protocol tolerates',
      limited,
      {},
      drop,
      'Messages are lost here; Link assumes channels that lose at most 0: try a smaller --loss.',
    ],
    [
      'a loss that the protocol tolerates',
      lax,
      {},
      drop,
      'A message is lost here, which Link should tolerate: what should send it again?',
    ],
    [
      'overtaking',
      strict,
      { order: 'any' },
      { kind: 'start' },
      'Messages may overtake each other here; Lock assumes channels that keep the order: try --order fifo.',
    ],
    [
      'a restart',
      strict,
      {},
      { kind: 'restart' },
      'A node restarts here: declare the fields that must survive that as stable.',
    ],
    [
      'a timer',
      strict,
      {},
      timeout,
      'A timer fires here at any moment: with --time exact --delay 1:4 it fires at its time.',
    ],
    [
      'a timer where the protocol assumes exact time',
      timed,
      {},
      timeout,
      'A timer fires here. Detector assumes that a message takes 50–100 ms; untimed, it takes any time. Try without --time.',
    ],
    [
      'a timer where messages are slower than the protocol assumes',
      timed,
      { time: { kind: 'exact', delay: [50, 400] } },
      timeout,
      'A timer fires here. Detector assumes that a message takes 50–100 ms; with --delay it takes 50–400 ms. Try without --delay.',
    ],
    [
      'a timer in the time that the protocol assumes',
      timed,
      { time: timed.channels.time },
      timeout,
      'Every assumption of Detector is met',
    ],
    [
      'a timer in exact time',
      strict,
      { time: { kind: 'exact', delay: [1, 2] } },
      timeout,
      'Every assumption of Lock is met',
    ],
    [
      'a loss that the budget does not allow: a message lost with its node',
      strict,
      { losses: 0 },
      drop,
      'Every assumption of Lock is met',
    ],
  ])('has a hint after %s', (_, protocol, more, event, hint) => {
    const hints = hintsIn(
      whatToTry({ ...usual, protocol, budget: { ...budget, ...more } }, [violated(event)]),
    );
    expect(hints).toEqual([expect.stringContaining(hint)]);
  });

  it('names the crash notice, where the network reports crashes', () => {
    const reported = { ...strict, crashNotice: 'down' };
    const hint = (more: Partial<CheckBudget>) =>
      hintsIn(
        whatToTry({ ...usual, protocol: reported, budget: { ...budget, ...more } }, [
          violated({ kind: 'crash' }),
        ]),
      );
    const reportedCrash =
      "A node crashes here, which the network reports by 'down': what should the others do then?";
    expect(hint({})).toEqual([reportedCrash]);
    expect(hint({ unsent: true })).toEqual([
      reportedCrash,
      'Without --unsent, what a node sent in earlier steps arrives after its crash.',
    ]);
    const vacuous: PropertyFinding = { name: 'one', kind: 'leadsTo', verdict: 'vacuous' };
    expect(
      hintsIn(
        whatToTry({ ...usual, protocol: reported, budget: { ...budget, crashes: 0 } }, [vacuous]),
      ),
    ).toEqual([
      "Nothing to check for: 'one'. Allow more, with --crash 1, --entries, --initiators or --topology.",
    ]);
  });

  it('says where a node crashes in the middle of a step; no channel loses what it has not sent', () => {
    const finding = violated({ kind: 'timeout', timer: 'retry' }, { kind: 'crash' }, drop);
    const [step, crash, lost] = finding.trace?.lines ?? [];
    if (!step || !crash || !lost) throw new Error('no lines');
    const hints = (call: string) => {
      const sending: TraceLine = { ...step, node: 'a', effects: [{ kind: 'send', to: 'b', call }] };
      const trace = { header: new Map(), lines: [sending, { ...crash, node: 'a' }, lost] };
      return hintsIn(
        whatToTry(
          {
            ...usual,
            protocol: strict,
            budget: { ...budget, time: { kind: 'exact', delay: [1, 2] } },
          },
          [{ ...finding, trace }],
        ),
      );
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

  it('says where timers drift apart that share a clock', () => {
    const hints = hintsIn(
      whatToTry({ ...usual, protocol: strict, budget }, [
        { ...violated({ kind: 'start' }), clocksApart: ['a', 'c'] },
      ]),
    );
    expect(hints).toEqual([
      'The timers of a, c drift apart here, as those of one clock cannot at these moments: perhaps no real run is like this.',
    ]);
  });

  it('has a hint after a deadlock without a fault', () => {
    const [, name = ''] = standardProperties;
    const hints = hintsIn(
      whatToTry({ ...usual, protocol: strict, budget }, [{ ...violated({ kind: 'start' }), name }]),
    );
    expect(hints).toEqual([
      'Nothing can happen in the last state, and a node waits there: which message is missing, and which node should send it?',
    ]);
  });

  it('gives each hint once, however many properties are violated', () => {
    expect(
      hintsIn(
        whatToTry({ ...usual, protocol: strict, budget }, [
          violated(drop),
          violated(drop, duplicate),
        ]),
      ),
    ).toHaveLength(2);
  });

  it('says which option makes runs long', () => {
    const options = { search: 'depth' } as const;
    const hints = hintsIn(
      whatToTry({ ...usual, protocol: strict, budget, options }, [violated({ kind: 'start' })]),
    );
    expect(hints).toEqual([
      expect.stringContaining('Every assumption of Lock is met'),
      'Without --search depth each run to a single state is a shortest one.',
    ]);
  });

  it('has no hint where nothing is violated, or where the fault says what to try', () => {
    const fault: PropertyFinding = {
      ...violated(drop),
      trace: { header: new Map([['fault', 'unhandled']]), lines: [] },
    };
    expect(whatToTry({ ...usual, protocol: strict, budget }, [fault])).toBe('');
    expect(
      whatToTry({ ...usual, protocol: strict, budget, options: { search: 'depth' } }, [
        { name: 'safe', kind: 'always', verdict: 'holds' },
      ]),
    ).toBe('');
  });

  it('lists vacuous properties in one line, and says how deadlocks are found', () => {
    const [, noDeadlock = ''] = standardProperties;
    const vacuous = (name: string, kind: PropertyFinding['kind'] = 'leadsTo'): PropertyFinding => ({
      name,
      kind,
      verdict: 'vacuous',
    });
    const findings = [
      vacuous('one'),
      vacuous(noDeadlock, 'always'),
      vacuous('two'),
      vacuous('three', 'never'),
      vacuous('four', 'eventually'),
    ];
    expect(hintsIn(whatToTry({ ...usual, protocol: strict, budget }, findings))).toEqual([
      'No node ever waits here, so no deadlock could be found: mark waiting nodes with the tag waiting or with waiting: (node) => …, or give waiting: false.',
      "Nothing in the system makes this true or false: 'three', 'four'. Is the name of a field misspelt? Give a flag its first value at the start.",
      "Nothing to check for: 'one', 'two'. Allow more, with --entries, --initiators or --topology.",
    ]);
  });
});
