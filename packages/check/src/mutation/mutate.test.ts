import { always, eventually, everyStep, never, send, sometimes } from '@conclave/core/protocol';
import { complete, star } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign, createMachine, emit, setup } from 'xstate';
import {
  calls,
  centralLock,
  minimalProtocol,
  type Self,
} from '../../../core/src/protocol/examples.contract.js';
import { mutate } from './mutate.js';
import { openQuestions } from './report.js';

/** A node that shuts its door tells its peer; no property reads `tries`. */
const door = setup({
  types: {} as {
    input: Self;
    context: Self & { tries: number };
    events: { type: 'shut' } | { type: 'told' };
  },
  actions: {
    tell: emit(({ context }) => send(context.peers[0] ?? '', { type: 'told' })),
    count: assign({ tries: 1 }),
  },
}).createMachine({
  id: 'door',
  context: ({ input }) => ({ ...input, tries: 0 }),
  initial: 'open',
  states: {
    open: { on: { shut: { target: 'shut', actions: ['count', 'tell'] }, told: 'shut' } },
    shut: { tags: 'shut', on: { shut: {}, told: {} } },
  },
});

const doors = minimalProtocol(door, {
  messages: { told: { meaning: 'it is shut' } },
  commands: { shut: { kind: 'optional', meaning: 'shut it' } },
  properties: [
    sometimes('a door is shut', (system) => system.count('shut') > 0),
    never(
      'one door is shut and no message is in flight',
      (system) => system.count('shut') === 1 && system.inFlight().length === 0,
    ),
  ],
});

const fatesOf = (report: ReturnType<typeof mutate>) =>
  report.mutants.map(({ id, fate, by, steps }) =>
    [id, fate, ...(by === undefined ? [] : [by]), ...(steps === undefined ? [] : [steps])].join(
      ', ',
    ),
  );

const onTwo = { systems: [{ topology: complete(2) }] };
const everyMessageHandled = 'every message is handled or explicitly ignored';
const told = 'one door is shut and no message is in flight';

/** A node that tells two others, one after the other. */
const teller = setup({
  types: {} as { input: Self; context: Self; events: { type: 'tell' } | { type: 'told' } },
  actions: {
    tellFirst: emit(({ context }) => send(context.peers[0] ?? '', { type: 'told' })),
    tellSecond: emit(({ context }) => send(context.peers[1] ?? '', { type: 'told' })),
  },
}).createMachine({
  id: 'teller',
  context: ({ input }) => input,
  initial: 'silent',
  states: {
    silent: {
      on: { tell: { target: 'done', actions: ['tellFirst', 'tellSecond'] }, told: 'done' },
    },
    done: { tags: 'done', on: { told: {} } },
  },
});

describe('walks through a larger system', () => {
  const systems = [{ topology: star(2) }];
  const operators = ['delete-transition', 'drop-action', 'drop-guard'] as const;
  const alone = mutate(centralLock, { systems, operators });
  const walks = [{ topology: star(4), budget: { commands: 2 }, walks: 40, steps: 60 }];
  const walked = mutate(centralLock, { systems, operators, walks });
  const of = ({ mutants }: typeof alone, id: string) => mutants.find((one) => one.id === id);

  it('kill mutants that the small systems leave open, and change no other fate', () => {
    const open = ['unreached', 'survived', 'inconclusive'];
    const name = 'star:4, commands 2, 40 walks of 60 steps';
    expect(walked.walks).toEqual([{ name, steps: walked.walks[0]?.steps }]);
    let killed = 0;
    for (const { id, ...before } of alone.mutants) {
      const { id: _, ...after } = of(walked, id) ?? expect.fail(id);
      if (open.includes(before.fate) && after.system === name) {
        expect(['killed', 'unhandled']).toContain(after.fate);
        killed++;
      } else if (before.fate === 'unreached')
        expect(['unreached', 'survived']).toContain(after.fate);
      else expect(after).toEqual(before);
    }
    expect(killed).toBeGreaterThan(0);
    expect(walked.score).toBeGreaterThan(alone.score);
    expect(walked.fingerprint).not.toBe(alone.fingerprint);
  });

  it('leave a mutant that they reach and do not kill as a survivor', () => {
    const protocol = { ...doors, properties: doors.properties.slice(1) };
    const still = { systems: [{ topology: complete(2), budget: { commands: 0 } }] };
    const id = 'open: shut count drop-action'; // no property reads what it counts
    const fate = (report: typeof alone) => of(report, id)?.fate;
    expect(fate(mutate(protocol, still))).toBe('unreached');
    const moving = [{ topology: complete(2), walks: 3, steps: 9 }];
    expect(fate(mutate(protocol, { ...still, walks: moving }))).toBe('survived');
  });

  it('are the same each time', () => {
    const { seconds: _, ...again } = mutate(centralLock, { systems, operators, walks });
    expect(walked).toMatchObject(again);
  });

  it('refuse a protocol that does not pass itself there', () => {
    const crowded = never('two wait', (system) => system.count('waiting') === 2);
    const protocol = { ...centralLock, properties: [...centralLock.properties, crowded] };
    expect(() => mutate(protocol, { systems, walks })).toThrow(
      "does not pass itself: in walks through star:4, commands 2, 40 walks of 60 steps, 'two wait' is violated",
    );
  });
});

describe('the fates of mutants', () => {
  it('are the same for what leaves in another order, also where a crash may lose a part of it', () => {
    const tellers = minimalProtocol(teller, {
      messages: { told: { meaning: 'be told' } },
      commands: { tell: { kind: 'optional', meaning: 'tell them' } },
      properties: [
        sometimes(
          'one of two live nodes is told',
          (system) => system.live === 2 && system.count('done') === 2,
        ),
      ],
    });
    const systems = [{ topology: complete(3), budget: { crashes: 1, initiators: ['a'] } }];
    expect(fatesOf(mutate(tellers, { systems, operators: ['swap-actions'] }))).toEqual([
      'silent: tell tellFirst, tellSecond swap-actions, equivalent',
    ]);
  });

  it('are known for a small protocol, one by one', () => {
    const report = mutate(doors, onTwo);
    expect(fatesOf(report)).toEqual([
      'open: shut delete-transition, killed, a door is shut',
      'open: shut ignore, killed, a door is shut',
      `open: shut drop-target, killed, ${told}, 2`,
      'open: shut count drop-action, equivalent',
      'open: shut count duplicate-action, equivalent',
      'open: shut count, tell swap-actions, equivalent',
      `open: shut tell drop-action, killed, ${told}, 1`,
      'open: shut tell duplicate-action, survived',
      'open: shut tell misdirect-send, equivalent', // there is one neighbour only
      `open: told delete-transition, unhandled, ${everyMessageHandled}, 1`,
      `open: told ignore, killed, ${told}, 2`,
      "shut: shut drop-tag, killed, its definition: Property 'a door is shut': no state of 'tiny' carries the tag 'shut'",
      'shut: shut delete-transition, survived',
      `shut: shut to open retarget, killed, ${told}, 3`,
      `shut: told delete-transition, unhandled, ${everyMessageHandled}, 2`,
      'shut: told to open retarget, survived',
      `channels lose, killed, ${told}, 2`,
      'channels repeat, survived',
    ]);
    expect(report).toMatchObject({
      protocol: 'tiny',
      title: 'Tiny',
      systems: [{ name: 'complete:2', states: 11 }],
      leftOut: [],
    });
    expect(report.counts).toEqual({
      killed: 8,
      unhandled: 2,
      rejected: 0,
      equivalent: 4,
      unreached: 0,
      survived: 4,
      inconclusive: 0,
    });
    expect(report.score).toBe(10 / 14);
    expect(
      report.operators.find(({ operator }) => operator === 'duplicate-action')?.counts,
    ).toMatchObject({ equivalent: 1, survived: 1 });
  });

  it('a machine that fails is no unhandled message', () => {
    const guarded = setup({ guards: { mayTurn: () => false } }).createMachine({
      context: {},
      initial: 'here',
      states: {
        here: { on: { go: 'there' } },
        there: { always: { guard: 'mayTurn', target: 'between' }, on: { go: 'here' } },
        between: { always: 'there' },
      },
    });
    const wanderer = minimalProtocol(guarded, {
      messages: {},
      commands: { go: { kind: 'optional', meaning: 'go' } },
      properties: [],
    });
    const report = mutate(wanderer, { ...onTwo, operators: ['negate-guard'] });
    expect(fatesOf(report)).toEqual(['there: always negate-guard, killed, no step fails, 0']);
  });

  proof('a survivor has a shortest run on which it differs, and an open question', () => {
    const { mutants, ...report } = mutate(doors, onTwo);
    const differenceAt = (id: string) => mutants.find((mutant) => mutant.id === id)?.difference;
    expect(differenceAt('shut: told to open retarget')).toEqual({
      system: 'complete:2',
      run: [
        '  a  shut         open → shut  ⇒ b: told',
        '  b  shut         open → shut  ⇒ a: told',
        '- a  told from b  shut',
        '+ a  told from b  shut → open',
      ],
      differs: 'a is in shut «shut», in the mutant in open without tags',
    });
    const withoutTag = mutate({ ...doors, properties: [] }, { ...onTwo, operators: ['drop-tag'] });
    expect(withoutTag.mutants[0]?.difference?.differs).toBe(
      'a is «shut», in the mutant without tags',
    );
    expect(differenceAt('shut: shut delete-transition')).toEqual({
      system: 'complete:2',
      run: [
        '  a  shut         open → shut  ⇒ b: told',
        '  b  told from a  open → shut',
        '- b  shut         shut',
      ],
      differs: 'only the original can go on so',
    });
    expect(differenceAt('open: shut tell duplicate-action')).toEqual({
      system: 'complete:2',
      run: ['- a  shut  open → shut  ⇒ b: told', '+ a  shut  open → shut  ⇒ b: told, b: told'],
      differs: 'the messages in flight differ',
    });
    expect(
      openQuestions({ ...report, mutants }).map(({ question, mutants }) => [
        question,
        mutants.length,
      ]),
    ).toEqual([
      ['A rule may be missing', 1],
      ['A transition may lead to another state', 1],
      ['An action may be done twice', 1],
      ['A message may come twice', 1],
    ]);
  });

  it('steps are compared only by what properties read: an unread field makes no difference', () => {
    const stays = everyStep(
      'a door that is shut stays so',
      ({ before, after }) => !before.tags.has('shut') || after.tags.has('shut'),
    );
    const { mutants } = mutate({ ...doors, properties: [...doors.properties, stays] }, onTwo);
    expect(mutants.filter(({ fate }) => fate === 'equivalent').map(({ id }) => id)).toEqual([
      'open: shut count drop-action',
      'open: shut count duplicate-action',
      'open: shut count, tell swap-actions',
      'open: shut tell misdirect-send',
    ]);
    expect(mutants.find(({ id }) => id === 'shut: told to open retarget')).toMatchObject({
      fate: 'killed',
      by: stays.name,
    });
  });

  it('without bisimulation, an equivalent mutant counts as a survivor', () => {
    const { counts } = mutate(doors, { ...onTwo, bisimulation: false });
    expect(counts).toMatchObject({ killed: 8, unhandled: 2, equivalent: 0, survived: 8 });
  });

  it('a mutant that no system reaches is unreached', () => {
    const { mutants } = mutate(doors, {
      systems: [{ topology: complete(2), budget: { initiators: ['a'] } }],
    });
    expect(mutants.filter(({ fate }) => fate === 'unreached').map(({ id }) => id)).toEqual([
      'shut: shut delete-transition',
      'shut: shut to open retarget',
      'shut: told delete-transition',
      'shut: told to open retarget',
    ]);
  });

  it('a mutant that defineProtocol refuses is rejected', () => {
    const { mutants } = mutate(centralLock, {
      systems: [{ topology: star(2) }],
      operators: ['delete-transition'],
    });
    expect(
      mutants.filter(({ fate }) => fate === 'rejected').map(({ id, by }) => [id, by]),
    ).toContainEqual([
      'client idle: acquire delete-transition',
      "Protocol 'central-lock': the command 'acquire' is handled in no state",
    ]);
  });

  proof('a mutant with infinitely many worlds is inconclusive, unless it is killed', () => {
    const systems = [{ topology: complete(2), budget: { initiators: ['a'] } }];
    const report = mutate(calls, { systems, limits: { states: 200 } });
    const inconclusive = report.mutants.filter(({ fate }) => fate === 'inconclusive');
    expect(inconclusive.length).toBeGreaterThan(0);
    for (const { limit, system } of inconclusive)
      expect({ limit, system }).toEqual({ limit: 'states', system: report.systems[0]?.name });
    expect(report.counts.killed + report.counts.unhandled).toBeGreaterThan(0);
  });

  it('a mutant that throws is killed', () => {
    const strict = {
      ...doors,
      properties: [
        ...doors.properties,
        always('tries are counted', ({ nodes }) => {
          if (
            nodes.some(
              ({ tags, context }) => tags.has('shut') && context.tries === 0 && tags.size > 9,
            )
          )
            return false;
          if (
            nodes.every(({ value }) => value === 'shut') &&
            nodes.every(({ context }) => context.tries === 0)
          )
            throw new Error('no tries');
          return true;
        }),
      ],
    };
    const { mutants } = mutate(strict, { ...onTwo, operators: ['drop-action'] });
    expect(mutants.find(({ id }) => id === 'open: shut count drop-action')).toMatchObject({
      fate: 'killed',
      by: expect.stringContaining('no tries'),
    });
  });
});

describe('the original protocol', () => {
  it('must have properties that hold', () => {
    const wrong = {
      ...doors,
      properties: [never('a door is shut', (system) => system.count('shut') > 0)],
    };
    expect(() => mutate(wrong, onTwo)).toThrow(
      "Tiny does not pass itself: on complete:2, 'a door is shut' is violated",
    );
  });

  it('may violate what a system says that it violates: the other properties judge its mutants', () => {
    const shut = never('no door is ever shut', (system) => system.count('shut') > 0);
    const mixed = { ...doors, properties: [shut, ...doors.properties] };
    const on = (...violates: string[]) => ({ systems: [{ topology: complete(2), violates }] });
    const killers = (...given: Parameters<typeof mutate>) =>
      mutate(...given).mutants.map(({ id, fate, by }) => [
        id,
        fate,
        by?.startsWith('its definition') ? 'its definition' : by,
      ]);
    const judged = killers(mixed, on(shut.name));
    expect(judged).toEqual(killers(doors, { systems: [{ topology: complete(2) }] }));
    expect(judged.filter(([, fate]) => fate === 'killed').length).toBeGreaterThan(0);
    const [other = ''] = doors.properties.map(({ name }) => name);
    expect(() => mutate(mixed, on(shut.name, other))).toThrow(`'${other}' is not violated`);
  });

  it('must reach each sometimes property on some system', () => {
    const unseen = {
      ...doors,
      properties: [
        sometimes('two tries', ({ nodes }) => nodes.some(({ context }) => context.tries === 2)),
      ],
    };
    expect(() => mutate(unseen, onTwo)).toThrow(
      "Tiny does not pass itself: 'two tries' is not reached on complete:2",
    );
    const both = {
      ...doors,
      properties: [sometimes('both are shut', (system) => system.count('shut') === 2)],
    };
    const systems = [{ topology: complete(2), budget: { commands: 0 } }, { topology: complete(2) }];
    expect(mutate(both, { systems, operators: ['ignore'] }).mutants).toMatchObject([
      { fate: 'killed', system: 'complete:2' },
      {},
    ]);
  });

  it('must have small enough systems', () => {
    expect(() => mutate(doors, { ...onTwo, limits: { states: 3 } })).toThrow(
      'Tiny has more than 3 states on complete:2. Give a smaller system',
    );
    const { leftOut, systems } = mutate(doors, { limits: { states: 30 }, operators: ['drop-tag'] });
    expect(leftOut.length).toBeGreaterThan(0);
    expect(systems[0]?.name).toBe('complete:2, commands 1');
  });

  it('is explored with strong fairness by default', () => {
    const lamp = createMachine({
      initial: 'on',
      states: {
        on: { tags: 'lit', after: { 5: 'off' }, on: { stop: 'stopped' } },
        off: { after: { 5: 'on' } },
        stopped: { tags: 'stopped' },
      },
    });
    const blinking = minimalProtocol(lamp, {
      commands: {
        stop: { kind: 'obligatory', meaning: 'stop', when: ({ tags }) => tags.has('lit') },
      },
      properties: [eventually('it stops', (system) => system.count('stopped') === system.live)],
    });
    const { systems } = mutate(blinking, { operators: ['drop-tag'] });
    expect(systems.map(({ name }) => name)).toContain('complete:2, commands 1, fairness strong');
    const weak = [{ topology: complete(2), fairness: 'weak' } as const];
    expect(() => mutate(blinking, { systems: weak })).toThrow(
      "does not pass itself: on complete:2, fairness weak, 'it stops' is violated",
    );
  });
});

describe('the options', () => {
  it('an unknown operator is refused', () => {
    const operators = ['drop-everything'] as never; // as an untyped caller might
    expect(() => mutate(doors, { ...onTwo, operators })).toThrow(
      "There is no mutation operator 'drop-everything'. There are ignore, ",
    );
  });

  it('at the time limit, the remaining mutants are inconclusive', () => {
    const report = mutate(doors, { ...onTwo, limits: { seconds: 0 } });
    expect(new Set(report.mutants.map(({ fate, limit }) => `${fate} ${limit}`))).toEqual(
      new Set(['inconclusive seconds']),
    );
    expect(report.score).toBe(0);
  });

  proof('at stop, the results so far are kept', () => {
    let asked = 0;
    const { mutants } = mutate(doors, onTwo);
    const cut = mutate(doors, { ...onTwo, limits: { stop: () => ++asked > 40 } });
    const judged = cut.mutants.filter(({ limit }) => limit !== 'interrupted');
    expect(judged.length).toBeGreaterThan(0);
    expect(judged.length).toBeLessThan(mutants.length);
    expect(cut.mutants.slice(0, judged.length)).toEqual(mutants.slice(0, judged.length));
    expect(cut.limit).toBe('interrupted');
    expect(mutate(doors, onTwo).limit).toBe(undefined);
  });

  it('the original is explored within the same limit', () => {
    const systems = [{ topology: complete(2) }, { topology: complete(3) }];
    let asked = 0;
    const one = mutate(doors, { systems, limits: { stop: () => ++asked > 10 } });
    expect(one).toMatchObject({
      systems: [{ name: 'complete:2' }],
      leftOut: ['complete:3'],
      limit: 'interrupted',
    });
    expect(one.counts.inconclusive).toBe(one.mutants.length);
    const endless = [{ topology: complete(2), budget: { commands: 1_000_000 } }];
    const none = mutate(calls, { systems: endless, limits: { seconds: 0.05, states: Infinity } });
    expect(none).toMatchObject({
      systems: [],
      leftOut: ['complete:2, commands 1000000'],
      limit: 'seconds',
    });
    expect(none.seconds).toBeLessThan(60);
  });

  it('progress is reported after each mutant', () => {
    const told: number[] = [];
    const { mutants } = mutate(doors, {
      ...onTwo,
      onProgress: (done, all) => told.push(done / all),
    });
    expect(told).toEqual(mutants.map((_, index) => (index + 1) / mutants.length));
  });
});

it('leaves out the mutants of the states that another protocol mutates, and of those below', () => {
  const systems = [{ topology: star(2) }];
  const states = (leaveOut: readonly string[]) =>
    new Set(
      mutate(centralLock, { systems, leaveOut, limits: { seconds: 0 } }).mutants.map(
        ({ state }) => state,
      ),
    );
  const all = states([]);
  const [first = ''] = [...all].flatMap((state) => state ?? []);
  const isIn = (state: string | undefined) => state === first || state?.startsWith(`${first}.`);
  expect([...states([first])]).toEqual([...all].filter((state) => !isIn(state)));
  expect(() => states(['nowhere'])).toThrow(
    "mutate: leaveOut names 'nowhere', a state without mutants",
  );
});
