import { readFileSync } from 'node:fs';
import { fire, start } from '@conclave/core/internal';
import { type Protocol, send } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { star } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine, EventObject } from 'xstate';
import { expectTight } from '../../contract/cost.contract.js';
import { mutantOf, takeAll, withState } from '../../contract/machines.contract.js';
import { problemContract, shownRun } from '../../contract/problem.contract.js';
import { outcomeOf } from '../../mutual-exclusion/outcome.contract.js';
import { agreement, progress, validity } from '../commit.js';
import { twoPhaseCommit } from './protocol.js';
import { coordinator, participant } from './two-phase-commit.js';

const protocol = twoPhaseCommit();
const ofCoordinator = mutantOf(protocol, 'coordinator');
const ofParticipant = mutantOf(protocol, 'participant');
const participantRestarts = { crashes: 1, restarts: 1, mayCrash: ['participant'] };
const begin = () => oneShot({ type: 'begin' });

problemContract({
  protocol,
  topologies: [star(2), star(3), star(5), star(8)],
  workload: begin,
  small: [
    { topology: star(2), budget: {} },
    { topology: star(3), budget: {} },
  ],
  explored: [
    ['2 and 3 nodes', [star(2), star(3)], {}, 138],
    [star(4), {}, 927],
    [star(3), { duplications: 1 }, 684],
    [star(3), participantRestarts, 850],
  ],
  mutants: {
    'a coordinator that waits too long commits': ofCoordinator(
      'star:2, 3 steps: the transaction is committed only if every participant has voted yes',
      withState(coordinator, ['collecting'], {
        after: { timeout: { target: 'committed', actions: ['logCommit', 'commitAll'] } },
      }),
    ),
    'a prepared participant gives up after a while': ofParticipant(
      'star:2, 6 steps: no node commits the transaction that another one aborts, crashed nodes included',
      withState(participant, ['prepared'], {
        after: { timeout: { target: 'aborted', actions: 'logAbort' } },
      }),
    ),
  },
});

describe('two-phase commit rules', () => {
  /** The last step of a node that starts with what it has logged, and takes these events. */
  const after = (machine: AnyStateMachine, log: string, ...events: EventObject[]) => {
    const peers = machine === coordinator ? ['b', 'c'] : ['a'];
    const begun = start(machine, 'm', { peers, timeout: 100, log });
    return events.length === 0 ? begun : takeAll(machine, 'm', begun.state, events);
  };
  const from = (sender: string, type: string) => ({ type, from: sender }) as EventObject;
  /** A participant is asked, and draws its vote. */
  const vote = (value: string) => [from('a', 'prepare'), { type: 'chosen', value } as EventObject];
  const sends = (type: string, ...receivers: string[]) =>
    receivers.map((id) => send(id, { type } as { type: string }));
  const sent = ({ effects }: ReturnType<typeof after>) =>
    effects.filter(({ type }) => type === 'send');
  /** The step in which its timer fires. */
  const timedOut = (machine: AnyStateMachine, ...events: EventObject[]) => {
    const { state } = after(machine, 'none', ...events);
    return fire(machine, 'm', state, state.timers[0]?.id ?? '');
  };
  const command = { type: 'begin' };

  it('[TPC1] the coordinator logs that it begins, and asks all participants', () => {
    const begun = after(coordinator, 'none', command);
    expect(sent(begun)).toEqual(sends('prepare', 'b', 'c'));
    expect(begun.state).toMatchObject({ value: 'collecting', context: { log: 'begun' } });
  });

  it('[TPC2] a participant votes; a yes is logged before it is sent', () => {
    const [yes, no] = ['yes', 'no'].map((value) => after(participant, 'none', ...vote(value)));
    expect(yes && sent(yes)).toEqual(sends('yes', 'a'));
    expect(yes?.state).toMatchObject({ value: 'prepared', context: { log: 'prepared' } });
    expect(no && sent(no)).toEqual(sends('no', 'a'));
    expect(no?.state).toMatchObject({ value: 'aborted', context: { log: 'aborted' } });
  });

  it('[TPC3] with the last yes the coordinator commits', () => {
    const one = after(coordinator, 'none', command, from('c', 'yes'), from('c', 'yes'));
    expect(one.state).toMatchObject({ value: 'collecting', context: { awaiting: ['b'] } });
    const all = after(coordinator, 'none', command, from('c', 'yes'), from('b', 'yes'));
    expect(sent(all)).toEqual(sends('commit', 'b', 'c'));
    expect(all.state).toMatchObject({ value: 'committed', context: { log: 'committed' } });
  });

  it('[TPC4] with a no the coordinator aborts, and tells those that have voted yes', () => {
    const refused = after(coordinator, 'none', command, from('c', 'yes'), from('b', 'no'));
    expect(sent(refused)).toEqual(sends('abort', 'c'));
    expect(refused.state).toMatchObject({ value: 'aborted', context: { log: 'aborted' } });
  });

  it('[TPC5] a coordinator that has waited long enough for votes aborts', () => {
    const late = timedOut(coordinator, command, from('b', 'yes'));
    expect(sent(late)).toEqual(sends('abort', 'b'));
    expect(late.state).toMatchObject({ value: 'aborted', context: { log: 'aborted' } });
  });

  it('[TPC6] a prepared participant follows the decision', () => {
    for (const [type, value] of [
      ['commit', 'committed'],
      ['abort', 'aborted'],
    ] as const) {
      const { state, effects } = after(participant, 'none', ...vote('yes'), from('a', type));
      expect([state.value, state.context, effects]).toMatchObject([value, { log: value }, []]);
    }
  });

  it('[TPC7] a participant that is not asked in time aborts, and votes no when it is asked', () => {
    const { state } = timedOut(participant);
    expect(state).toMatchObject({ value: 'aborted', context: { log: 'aborted' } });
    const asked = takeAll(participant, 'm', state, [from('a', 'prepare')]);
    expect(sent(asked)).toEqual(sends('no', 'a'));
  });

  it('[TPC8] a node that comes back repeats what it has logged; a coordinator without a decision aborts', () => {
    const returned = [
      after(coordinator, 'none'),
      after(coordinator, 'begun'),
      after(coordinator, 'committed'),
      after(participant, 'prepared'),
      after(participant, 'committed'),
      after(participant, 'aborted'),
    ].map((step) => [step.state.value, sent(step)]);
    expect(returned).toEqual([
      ['initial', []],
      ['aborted', sends('abort', 'b', 'c')],
      ['committed', sends('commit', 'b', 'c')],
      ['prepared', sends('yes', 'a')],
      ['committed', []],
      ['aborted', []],
    ]);
  });

  it('[TPC9] a coordinator that has decided answers a yes', () => {
    for (const [log, type] of [
      ['committed', 'commit'],
      ['begun', 'abort'],
    ] as const)
      expect(sent(after(coordinator, log, from('c', 'yes')))).toEqual(sends(type, 'c'));
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

describe('two-phase commit assumptions', () => {
  it('a coordinator that crashes blocks those that have voted yes: the shortest run', () => {
    const { verdicts, traces } = outcomeOf(protocol, star(2), { crashes: 1 });
    expect(verdicts).toMatchObject({ [progress.name]: 'violated in 5', [agreement.name]: 'holds' });
    expect(page).toContain(shownRun(traces[progress.name]));
    expect(shownRun(traces[progress.name]).split('\n')).toHaveLength(4);
  });

  it('a lost message blocks, too', () => {
    const { verdicts } = outcomeOf(protocol, star(2), { losses: 1 });
    expect(verdicts).toMatchObject({ [progress.name]: 'violated in 6', [agreement.name]: 'holds' });
  });

  it('whatever crashes and comes back, is lost or duplicated, or splits: no two nodes decide otherwise', () => {
    for (const [budget, states] of [
      [{ crashes: 2, restarts: 2 }, 5_789],
      [{ crashes: 1, restarts: 1, losses: 1, duplications: 1 }, 12_374],
      [{ partitions: 1 }, 866],
    ] as const) {
      const found = outcomeOf(protocol, star(3), budget);
      expect(found.verdicts).toMatchObject({
        [agreement.name]: 'holds',
        [validity.name]: 'holds',
      });
      expect([budget, found.states]).toEqual([budget, states]);
    }
  });

  it('without stable storage a node that comes back forgets its vote', () => {
    const { roles } = protocol;
    const forgetful: Protocol = {
      ...protocol,
      roles: Object.fromEntries(
        Object.entries(roles).map(([name, { machine, input }]) => [name, { machine, input }]),
      ),
    };
    const { verdicts, traces } = outcomeOf(forgetful, star(2), { crashes: 1, restarts: 1 });
    expect(verdicts).toMatchObject({ [agreement.name]: 'violated in 8' });
    expect(page).toContain(shownRun(traces[agreement.name]));
  });
});

describe('two-phase commit cost', () => {
  proof('is at most 3(n−1) in every interleaving, and in some run as much', () => {
    for (const n of [2, 3, 4]) expectTight(protocol, star(n), {}, 3 * (n - 1), 'begin');
  });

  it('is 2(n−1) if all vote no', () => {
    const isYes = () => false;
    const refused = ofParticipant('', participant.provide({ guards: { isYes } })).protocol;
    const run = simulate({
      protocol: { ...refused, properties: [] },
      topology: star(5),
      workload: begin(),
    });
    expect(totalMessages(run)).toBe(8);
  });
});
