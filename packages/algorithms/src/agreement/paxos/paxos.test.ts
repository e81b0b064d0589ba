import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { type Protocol, send } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign, type EventObject } from 'xstate';
import { expectTight } from '../../contract/cost.contract.js';
import { propertyNamed } from '../../contract/findings.contract.js';
import { mutantOf, takeAll } from '../../contract/machines.contract.js';
import { problemContract, shownRun } from '../../contract/problem.contract.js';
import { acceptorMachine, proposerMachine } from './paxos.js';
import { paxos } from './protocol.js';

const protocol = paxos();
const agreement = propertyNamed(
  protocol.properties,
  'nodes learn no two different values, not even one before and one after a crash',
);
const [ofProposer, ofAcceptor] = ['proposer', 'acceptor'].map((role) =>
  mutantOf(protocol, role),
) as [ReturnType<typeof mutantOf>, ReturnType<typeof mutantOf>];
const fault = { crashes: 1, restarts: 1 };
const propose = (value: string) => ({ type: 'propose', value });

/** The three classic slips, and what is wrong with each machine. */
const unkept = acceptorMachine.provide({ guards: { isAllowed: () => true } });
const unadopted = proposerMachine.provide({
  actions: { adopt: assign({ answered: [], latest: null }) },
});
const sharing: Protocol = {
  ...protocol,
  roles: {
    ...protocol.roles,
    proposer: {
      ...protocol.roles.proposer,
      input: (self, topology) => ({
        ...Object(protocol.roles.proposer?.input(self, topology)),
        ballot: 0,
        step: 1,
      }),
    } as Protocol['roles'][string],
  },
};

problemContract({
  protocol,
  topologies: [3, 4, 5, 7].map(complete),
  workload: () => oneShot(propose('x'), { after: { kind: 'exponential', mean: 30 } }),
  small: [{ topology: complete(3), budget: {} }],
  explored: [
    [complete(3), {}, 223],
    [complete(4), {}, 2_163],
    [complete(3), fault, 2_359],
    [complete(3), { ...fault, losses: 1, duplications: 1 }, 35_015],
    [complete(5), {}, 988_251],
  ],
  mutants: {
    'an acceptor keeps no promise': ofAcceptor(
      'complete:3, 10 steps: nodes learn no two different values, not even one before and one after a crash',
      unkept,
    ),
    'a proposer does not adopt what was accepted': ofProposer(
      'complete:3, 10 steps: nodes learn no two different values, not even one before and one after a crash',
      unadopted,
    ),
  },
});

describe('Paxos rules', () => {
  const input = { acceptors: ['p', 'q', 'r'], others: ['b'], ballot: 1, step: 2 };
  const proposer = (...events: EventObject[]) =>
    takeAll(proposerMachine, 'a', start(proposerMachine, 'a', input).state, events);
  const acceptor = (...events: EventObject[]) =>
    takeAll(
      acceptorMachine,
      'p',
      start(acceptorMachine, 'p', { promised: 0, accepted: null }).state,
      events,
    );
  const from = (sender: string, type: string, fields: object) =>
    ({ type, ...fields, from: sender }) as EventObject;
  const promise = (sender: string, accepted: object | null, ballot = 3) =>
    from(sender, 'promise', { ballot, accepted });
  const accepted = (sender: string, ballot = 3) => from(sender, 'accepted', { ballot });
  const toAll = (message: { readonly type: string }) =>
    input.acceptors.map((id) => send(id, message));
  const old = { ballot: 1, value: 'old' };
  const older = { ballot: 0.5, value: 'older' };

  it('[PX1] a proposer takes its next ballot and asks all acceptors', () => {
    const { state, effects } = proposer(propose('x'));
    expect(effects).toEqual(toAll({ type: 'prepare', ballot: 3 } as { type: string }));
    expect(state).toMatchObject({ value: 'preparing', context: { ballot: 3, value: 'x' } });
    expect(proposer(propose('x'), propose('y')).state.context).toMatchObject({ ballot: 5 });
  });

  it('[PX2] an acceptor promises, and tells what it has accepted', () => {
    const promised = acceptor(from('a', 'prepare', { ballot: 3 }));
    expect(promised.effects).toEqual([
      send('a', { type: 'promise', ballot: 3, accepted: null } as { type: string }),
    ]);
    const again = acceptor(from('b', 'accept', old), from('a', 'prepare', { ballot: 3 }));
    expect(again.effects).toEqual([
      send('a', { type: 'promise', ballot: 3, accepted: old } as { type: string }),
    ]);
    expect(again.state.context).toEqual({ promised: 3, accepted: old });
  });

  it('[PX3] an acceptor ignores what is of an earlier ballot than it has promised', () => {
    const before = from('a', 'prepare', { ballot: 3 });
    for (const late of [from('b', 'prepare', { ballot: 2 }), from('b', 'accept', old)]) {
      const { state, effects } = acceptor(before, late);
      expect([state.context, effects]).toEqual([{ promised: 3, accepted: null }, []]);
    }
  });

  it('[PX4] with promises of a majority a proposer adopts the latest accepted value, or keeps its own', () => {
    const first = promise('p', older);
    expect(proposer(propose('x'), first, first).state.value).toBe('preparing');
    const own = proposer(propose('x'), promise('q', null), promise('p', null));
    expect(own.effects).toEqual(
      toAll({ type: 'accept', ballot: 3, value: 'x' } as { type: string }),
    );
    const adopted = proposer(propose('x'), promise('q', old), first);
    expect(adopted.effects).toEqual(
      toAll({ type: 'accept', ballot: 3, value: 'old' } as { type: string }),
    );
    expect(proposer(propose('x'), first, promise('q', null, 1)).state.value).toBe('preparing');
  });

  it('[PX5] an acceptor accepts what is not of an earlier ballot than it has promised', () => {
    const { state, effects } = acceptor(
      from('a', 'prepare', { ballot: 3 }),
      from('a', 'accept', { ballot: 3, value: 'x' }),
    );
    expect(effects).toEqual([send('a', { type: 'accepted', ballot: 3 } as { type: string })]);
    expect(state.context).toEqual({ promised: 3, accepted: { ballot: 3, value: 'x' } });
  });

  it('[PX6] a value that a majority has accepted is chosen, and the other proposers are told', () => {
    const asked = [propose('x'), promise('q', null), promise('p', null)];
    expect(proposer(...asked, accepted('r'), accepted('q', 1)).state.value).toBe('accepting');
    const { state, effects } = proposer(...asked, accepted('r'), accepted('q'));
    expect(effects).toEqual([send('b', { type: 'learned', value: 'x' } as { type: string })]);
    expect(state.value).toBe('decided');
  });

  it('[PX7] a proposer that is told the value learns it', () => {
    const told = from('b', 'learned', { value: 'y' });
    for (const before of [[], [propose('x')]]) {
      const { state } = proposer(...before, told);
      expect(state).toMatchObject({ value: 'decided', context: { value: 'y' } });
    }
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

describe('Paxos assumptions', () => {
  /** The shortest run in which two values are learned. */
  const disagreement = (wrong: Protocol, budget: ExploreOptions = {}): string => {
    const { properties } = explore(wrong, complete(3), {
      ...budget,
      properties: [agreement],
      all: false,
    });
    const trace = properties.find(({ name }) => name === agreement.name)?.trace;
    expect(trace && replay(wrong, complete(3), trace)).toEqual({ steps: trace?.lines.length });
    return shownRun(linesText(trace?.lines ?? []));
  };
  const steps = (run: string): number => run.split('\n').length;

  it('without the promise two values are learned: the shortest run', () => {
    const run = disagreement(ofAcceptor('', unkept).protocol);
    expect(page).toContain(run);
  });

  it('without adoption, or with shared ballots, too', () => {
    expect(steps(disagreement(ofProposer('', unadopted).protocol))).toBe(10);
    expect(steps(disagreement(sharing))).toBe(10);
  });

  it('an acceptor that forgets in a crash has the same effect', () => {
    const { acceptor } = protocol.roles;
    const forgetful = {
      ...protocol,
      roles: { ...protocol.roles, acceptor: { ...acceptor, stable: [] } },
    } as unknown as Protocol;
    expect(steps(disagreement(forgetful, fault))).toBe(12);
  });

  proof('with whatever crashes and is lost no two values are learned', () => {
    const { properties, complete: isComplete } = explore(protocol, complete(4), {
      ...{ ...fault, losses: 1, properties: [agreement] },
    });
    expect([isComplete, properties[0]?.verdict]).toEqual([true, 'holds']);
  });
});

describe('Paxos cost', () => {
  proof('is at most 4a + p − 1 in every interleaving, and in some run as much', () => {
    for (const n of [3, 4]) expectTight(protocol, complete(n), {}, 4 * (n - 2) + 1, 'propose');
  });

  it('is 4a if one of one proposers proposes', () => {
    const workload = oneShot(propose('x'));
    for (const n of [2, 4, 6])
      expect(
        totalMessages(
          simulate({ protocol: paxos({ proposers: 1 }), topology: complete(n), workload }),
        ),
      ).toBe(4 * (n - 1));
  });
});
