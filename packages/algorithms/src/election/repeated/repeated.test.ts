import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { everyStep, type LocalState, type Protocol, send } from '@conclave/core/protocol';
import { ring, type Topology } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, type EventObject, raise } from 'xstate';
import { rings } from '../../checks/networks.js';
import { propertyNamed } from '../../contract/findings.contract.js';
import {
  takeAll,
  withHastyLeader,
  withMachine,
  withoutSteps,
  withState,
} from '../../contract/machines.contract.js';
import {
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../mutual-exclusion/outcome.contract.js';
import { ricartAgrawala } from '../../mutual-exclusion/permission/ricart-agrawala/protocol.js';
import { collectedIdsAcknowledged } from '../collected-ids/protocol.js';
import { dolevKlaweRodeh } from '../dolev-klawe-rodeh/protocol.js';
import { machine } from '../lelann-chang-roberts/lelann-chang-roberts.js';
import { lelannChangRoberts } from '../lelann-chang-roberts/protocol.js';
import { repeated } from './protocol.js';

const again = repeated(lelannChangRoberts);
const whole = (again.roles.node ?? { machine }).machine;
const growing = 'each leader has a larger term than every leader before it';
const oneLeader = 'at most one node is the leader of each term';
const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

/**
 * The first violation that the explorer finds: its property or fault, and the length of the
 * shortest trace.
 */
function refutation(protocol: Protocol, topology: Topology, budget: object): string {
  const found = explore(protocol, topology, { ...budget, all: false });
  const wrong = found.properties.find(({ verdict }) => verdict === 'violated');
  if (!wrong?.trace) return 'not at all';
  expect(replay(protocol, topology, wrong.trace)).toEqual({ steps: wrong.trace.lines.length });
  const [what] = (wrong.trace.header.get('fault') ?? wrong.name).split('. ');
  return `${wrong.trace.lines.length} steps: ${what}`;
}

/** The states of each of two elections, held again, on all rings of n; every property holds. */
const statesOf = (n: number, budget: object, options = {}): readonly number[] =>
  [lelannChangRoberts, dolevKlaweRodeh].map((protocol) =>
    rings(n).reduce((sum, topology) => {
      const found = explore(repeated(protocol, options), topology, budget);
      expect(found.complete).toBe(true);
      for (const { name, verdict } of found.properties)
        expect([name, verdict]).toEqual([name, expect.stringMatching(/holds|reached/)]);
      return sum + found.states;
    }, 0),
  );

describe('repeated rules', () => {
  const first: LocalState = start(whole, 'm', { self: 'm', next: 'n' }).state;
  const after = (...events: EventObject[]) => takeAll(whole, 'm', first, events);
  const elect = { type: 'elect' };
  const election = (id: string, term: number) => ({ type: 'election', id, term, from: 'l' });
  const elected = (id: string, term: number) => ({ type: 'elected', id, term, from: 'l' });

  it('[TM1] a node begins in term 1, and each message carries the term', () => {
    expect(first.context).toMatchObject({ term: 1, leader: null });
    expect(after(elect).effects).toEqual([send('n', { type: 'election', id: 'm', term: 1 })]);
  });

  it('[TM2] elect at a node that knows the leader starts the election of the next term', () => {
    for (const decided of [
      [elected('z', 1)],
      [elect, election('m', 1)],
      [elect, election('m', 1), elected('m', 1)],
    ]) {
      const { state, effects } = after(...decided, elect);
      expect(state).toMatchObject({
        value: { election: 'active' },
        context: { term: 2, leader: null },
      });
      expect(effects).toEqual([send('n', { type: 'election', id: 'm', term: 2 })]);
    }
  });

  it('[TM2] elect at a node that does not know the leader yet is part of the present election', () => {
    expect(after(elect, elect).state).toEqual(after(elect).state);
    expect(after(election('z', 1), elect).state.context).toMatchObject({ term: 1 });
  });

  it('[TM3] a message of a later term makes a node begin there, and is handled there', () => {
    for (const before of [[], [elect], [elected('z', 1)], [elect, election('m', 1)]]) {
      const { state, effects } = after(...before, election('a', 5));
      expect(state).toMatchObject({
        value: { election: 'active' },
        context: { term: 5, leader: null },
      });
      expect(effects).toEqual([send('n', { type: 'election', id: 'm', term: 5 })]);
      expect(after(...before, elected('y', 5)).state).toMatchObject({
        value: { election: 'follower' },
        context: { term: 5, leader: 'y' },
      });
    }
  });

  it('[TM3] a message of a later term that a beginning node does not handle is an error, and so is one of this term', () => {
    expect(() => after(election('m', 1))).toThrow("does not handle 'election'");
    expect(() => after(election('m', 2))).toThrow("does not handle 'election'");
  });

  it('[TM4] a message of an earlier term is ignored', () => {
    const later = after(elected('z', 5));
    for (const event of [election('zz', 4), elected('y', 1)])
      expect(step(whole, 'm', later.state, event)).toEqual({ state: later.state, effects: [] });
  });

  it('[TM5] a node that restarts begins in the term after its last one', () => {
    expect(again.roles.node?.stable).toEqual(['term']);
    expect(start(whole, 'm', { self: 'm', next: 'n', term: 7 }).state.context).toMatchObject({
      term: 8,
      leader: null,
      self: 'm',
    });
  });
});

it('[TM1] a message that the election hands to its own node belongs to the present term', () => {
  const { machine: alone } = repeated(collectedIdsAcknowledged()).roles.node ?? { machine };
  const input = { self: 'm', ring: [], timeout: 1000 };
  const { state } = step(alone, 'm', start(alone, 'm', input).state, { type: 'elect' });
  expect(state.value).toEqual({ election: { link: 'quiet', member: { leader: 'sure' } } });
});

describe('repeated with abandon', () => {
  const [role] = Object.values(repeated(lelannChangRoberts, { abandon: true }).roles);
  const waiting = step(
    role?.machine ?? whole,
    'm',
    start(role?.machine ?? whole, 'm', { self: 'm', next: 'n' }).state,
    { type: 'elect' },
  );

  it('[TM6] a node that waits abandons the election and starts the next one', () => {
    const { state, effects } = step(role?.machine ?? whole, 'm', waiting.state, {
      type: 'abandon',
    });
    expect(state).toMatchObject({ value: { election: 'active' }, context: { term: 2 } });
    expect(effects).toEqual([send('n', { type: 'election', id: 'm', term: 2 })]);
    expect(() => step(whole, 'm', waiting.state, { type: 'abandon' })).toThrow(
      "does not handle 'abandon'",
    );
  });

  it.each([
    ['rings of 2', 2, {}, 1_949, 550],
    ['rings of 3, a starts', 3, { initiators: ['a'] }, 144, 156],
  ])(
    'its properties hold in every interleaving: %s, one command of each kind',
    (_what, n, budget, lcr, dkr) => {
      expect(statesOf(n, budget, { abandon: true })).toEqual([lcr, dkr]);
    },
  );
});

describe('repeated', () => {
  proof.each([lelannChangRoberts, dolevKlaweRodeh])(
    'has the worlds and steps of the single election while there is one: $name',
    (protocol) => {
      for (const topology of [...rings(2), ...rings(3), ...rings(4)]) {
        const counts = (whose: Protocol) => {
          const { states, transitions, depth, complete } = explore(whose, topology, {
            initiators: ['a'],
          });
          return { states, transitions, depth, complete };
        };
        expect(counts(repeated(protocol))).toEqual(counts(protocol));
      }
    },
  );

  it.each([
    ['rings of 2, 2 commands each', 2, { commands: 2 }, 698, 245],
    ['rings of 3, 2 commands for a and b', 3, { commands: 2, initiators: ['a', 'b'] }, 3_170, 994],
  ])('its properties hold in every interleaving: %s', (_what, n, budget, lcr, dkr) => {
    expect(statesOf(n, budget)).toEqual([lcr, dkr]);
  });

  const provided = (implementations: object) => withMachine(again, whole.provide(implementations));
  const handling = (on: object) =>
    withMachine(again, withState(whole, [], { on: { ...whole.config.on, ...on } }));
  const earlier = { guard: 'isOfEarlierTerm' };
  const later = { guard: 'isOfLaterTerm', actions: ['enterItsTerm', 'again'] };
  it.each([
    [
      'a message of an earlier term counts',
      provided({ guards: { isOfThisTerm: () => true, isOfEarlierTerm: () => false } }),
      "5 steps: Node b in 'election.active' does not handle 'elected' (from a)",
    ],
    [
      'a later message is lost where a node moves on',
      provided({ actions: { again: raise({ type: 'nothing' }) } }),
      '8 steps: no node waits in a quiescent state',
    ],
    [
      'the next election has the same term',
      provided({ actions: { enterNextTerm: assign({ leader: null }) } }),
      '4 steps: a node forgets the leader only for a later term',
    ],
    [
      'a node moves on and stays in its state',
      handling({ election: [earlier, later], elected: [earlier, later] }),
      '6 steps: a node that is the leader knows itself as the leader',
    ],
    [
      'elect does not begin afresh',
      handling({ elect: { guard: 'isDecided', actions: ['enterNextTerm'] } }),
      '4 steps: a node that is the leader knows itself as the leader',
    ],
  ])('the explorer refutes the mutant: %s', (_name, mutant, refuted) => {
    expect(refutation(mutant, ring(2), { commands: 2 })).toBe(refuted);
  });

  it('the explorer refutes the mutant: a node that moves on keeps the context of the earlier term', () => {
    const other = repeated(dolevKlaweRodeh);
    const [role] = Object.values(other.roles);
    const keeping = (role?.machine ?? machine).provide({
      actions: { enterItsTerm: assign({ term: ({ event }) => event.term }) },
    });
    expect(refutation(withMachine(other, keeping), ring(2), { commands: 2 })).toBe(
      "12 steps: Node a in 'election.active.awaitingSecond' does not handle 'elected' (from b)",
    );
  });

  it('a leader that terminates too early is refuted, in each term', () => {
    const hasty = withHastyLeader(machine);
    const early =
      'a node has terminated while another one does not know the leader of its term, or a later term';
    expect(refutation(repeated(withMachine(lelannChangRoberts, hasty)), ring(2), {})).toBe(
      `3 steps: ${early}`,
    );
  });

  it('asks a property of steps of the single election about no ignored message of an earlier term', () => {
    const learns = everyStep(
      'a node that gets elected knows the leader',
      ({ after, cause }) =>
        cause.kind !== 'message' || cause.message.type !== 'elected' || after.tags.has('decided'),
    );
    const { properties } = explore(
      repeated({ ...lelannChangRoberts, properties: [learns] }),
      ring(2),
      { commands: 2 },
    );
    expect(propertyNamed(properties, learns.name).verdict).toBe('holds');
    const asked = explore({ ...again, properties: [learns] }, ring(2), { commands: 2 });
    // such messages come
    expect(propertyNamed(asked.properties, learns.name).verdict).toBe('violated');
  });

  it('checks the properties of the single election in the latest term', () => {
    const forward = machine.provide({
      guards: { larger: ({ context, event }) => 'id' in event && event.id !== context.self },
    });
    const { properties } = explore(repeated(withMachine(lelannChangRoberts, forward)), ring(2), {
      commands: 2,
    });
    const { verdict, trace } = propertyNamed(
      properties,
      'no node sends or passes on a candidate smaller than itself',
    );
    expect([verdict, trace?.lines.length]).toEqual(['violated', 2]);
  });
});

describe('repeated assumptions', () => {
  const restarting = repeated(ignoringUnexpected(lelannChangRoberts));

  it.each([
    [2, { crashes: 1, restarts: 1, commands: 2 }, 7_822],
    [3, { crashes: 1, restarts: 1 }, 7_226],
  ])('after a restart no two leaders have one term: a ring of %i', (n, budget, states) => {
    const found = explore(withoutSteps(restarting), ring(n), budget);
    expect(found.complete).toBe(true);
    expect(found.states).toBe(states);
    for (const name of [oneLeader, growing])
      expect(propertyNamed(found.properties, name).verdict).toBe('holds');
  });

  it('[TM5] a node that begins again in its last term may become leader twice in that term: the page shows the shortest run', () => {
    const inItsLastTerm = (input: unknown) => ({
      ...Object(input),
      term: (Object(input).term ?? 1) - 1,
    });
    const { context } = whole.config;
    const forgetful = withState(whole, [], {
      context: ({ input }: { readonly input: unknown }) =>
        typeof context === 'function' ? context({ input: inItsLastTerm(input) }) : {},
    });
    const { verdicts, traces } = outcomeOf(withMachine(restarting, forgetful), ring(2), {
      crashes: 1,
      restarts: 1,
      commands: 2,
    });
    expect(verdicts[growing]).toBe('violated in 8');
    expect(page).toContain(traces[growing]);
  });

  it('after a lost message a node may wait forever: it knows no leader, so elect does not start the next election', () => {
    const { verdicts, traces } = outcomeOf(again, ring(2), { losses: 1 });
    expect(verdicts).toMatchObject({
      [oneLeader]: 'holds',
      [growing]: 'holds',
      [quiescence]: 'violated in 4',
    });
    expect(page).toContain(traces[quiescence]);
  });
});

describe('repeated refuses', () => {
  it('a protocol for another problem, and elections that have terms', () => {
    expect(() => repeated(ricartAgrawala)).toThrow(
      "repeated: Ricart–Agrawala solves 'mutual-exclusion'. Give a protocol for 'election', such as lelannChangRoberts.",
    );
    expect(() => repeated(again)).toThrow(
      'repeated: LeLann–Chang–Roberts, held again holds elections again by itself. Use it as it is.',
    );
  });

  it('elections whose nodes never know that they are over', () => {
    const strip = (changed: AnyStateMachine) =>
      withState(withState(changed, ['leader'], { tags: 'leader' }), ['follower'], { tags: [] });
    expect(() =>
      repeated({ ...withMachine(lelannChangRoberts, strip(machine)), properties: [] }),
    ).toThrow(
      "Machine 'lelann-chang-roberts' cannot be a region 'election': it has no state tagged 'decided'. Tag the states that it describes.",
    );
  });

  it('a protocol with a history variable, which would see the steps of all terms', () => {
    expect(() =>
      repeated({
        ...lelannChangRoberts,
        history: { initial: () => 0, after: (count: number) => count + 1 },
      }),
    ).toThrow(
      'repeated: LeLann–Chang–Roberts has a history variable, which a part cannot have. Give the history to the whole.',
    );
  });

  it('a protocol without the command', () => {
    expect(() => repeated({ ...lelannChangRoberts, commands: {} })).toThrow(
      "repeated: LeLann–Chang–Roberts has no command 'elect'. Give it one, which starts the election.",
    );
  });
});
