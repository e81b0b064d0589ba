/**
 * Loss and regeneration of the token on a one-way ring (after Le Lann, IFIP Congress 1977). A
 * coordinator that has seen no token for too long makes a new one, of the next epoch; a node that
 * has seen a later epoch discards a token of an earlier one. The cost is that of the token ring;
 * channels may lose messages, any order. Rules RT1–RT7, RT8–RT11 for the election, RT12 for
 * `cancel`: README.md
 */
import { and, stateIn } from 'xstate';
import { compose } from '../../../composition/composed.js';
import { extend } from '../../../composition/extended.js';
import { machine as lelannChangRoberts } from '../../../election/lelann-chang-roberts/lelann-chang-roberts.js';
import { type Context, type Input, member } from './actions.js';

export const client = member.createStateConfig({
  initial: 'released',
  states: {
    released: {
      on: {
        acquire: { target: 'wanted', description: 'RT2' },
        token: [
          { guard: 'isStale', description: 'RT4: discarded' },
          { actions: 'relayToken', description: 'RT2' },
        ],
      },
    },
    wanted: {
      tags: 'waiting',
      on: {
        token: [
          { guard: 'isStale', description: 'RT4: discarded' },
          { target: 'held', actions: ['takeToken', 'enter'], description: 'RT2' },
        ],
      },
    },
    held: {
      tags: ['critical', 'token'],
      on: {
        token: [
          { guard: 'isNewer', actions: 'takeToken', description: 'RT5' },
          { description: 'RT4: discarded' },
        ],
        release: { target: 'released', actions: 'passToken', description: 'RT2' },
      },
    },
  },
});

/**
 * A node that makes no tokens becomes the coordinator if it is appointed, and passes inquiries on.
 */
const appointable = member.createStateConfig({
  always: [
    {
      guard: and(['isCoordinator', 'noTokenYet']),
      target: 'watching',
      actions: 'makeToken',
      description: 'RT1',
    },
    { guard: 'isCoordinator', target: 'watching', description: 'RT7' },
  ],
  on: {
    inquiry: [
      { guard: 'isHeld', description: 'RT6: stopped, the token is here' },
      { actions: 'inquire', description: 'RT6' },
    ],
  },
});

const electable = member.createStateConfig({
  ...appointable,
  always: [...appointable.always, { guard: 'isElected', actions: 'assume', description: 'RT9' }],
});

/** The coordinator watches for the token, and inquires before it makes too many new ones. */
const coordinating = {
  watching: member.createStateConfig({
    tags: 'coordinator',
    on: {
      token: [
        { guard: 'isStale', description: 'RT4' },
        { guard: 'isWanted', target: 'inside', actions: 'resetBlind', description: 'RT3' },
        { target: 'watching', reenter: true, actions: 'resetBlind', description: 'RT3' },
      ],
      inquiry: { description: 'RT6: too late' },
    },
    after: {
      timeout: [
        {
          guard: 'mayRegenerate',
          target: 'watching',
          reenter: true,
          actions: ['countBlind', 'makeToken'],
          description: 'RT3',
        },
        { target: 'asking', actions: 'inquire', description: 'RT6' },
      ],
    },
  }),
  asking: member.createStateConfig({
    tags: 'coordinator',
    on: {
      token: [
        { guard: 'isStale', description: 'RT4' },
        { guard: 'isWanted', target: 'inside', actions: 'resetBlind', description: 'RT6' },
        { target: 'watching', actions: 'resetBlind', description: 'RT6' },
      ],
      inquiry: { target: 'watching', actions: 'makeToken', description: 'RT6' },
    },
    after: {
      timeout: {
        target: 'asking',
        reenter: true,
        actions: ['report', 'inquire'],
        description: 'RT6',
      },
    },
  }),
  inside: member.createStateConfig({
    tags: 'coordinator',
    on: {
      release: { target: 'watching', description: 'RT3' },
      inquiry: { description: 'RT6: too late' },
    },
  }),
};

/** Whether the election is still open, for a node that may be elected. */
const candidacy = member.createStateConfig({
  initial: 'starting',
  states: {
    starting: {
      always: [
        { guard: 'noTokenYet', target: 'electing', actions: 'elect', description: 'RT8' },
        { target: 'settled', description: 'RT7' },
      ],
    },
    electing: {
      on: {
        token: { target: 'settled', description: 'RT11' },
        'election-elected': { description: 'RT11: this node has restarted, its election is over' },
      },
      after: {
        timeout: [
          {
            guard: 'isCandidate',
            target: 'electing',
            reenter: true,
            actions: 'candidateAgain',
            description: 'RT10',
          },
          { target: 'settled', description: 'RT10' },
        ],
      },
    },
    settled: {
      on: {
        'election-election': { description: 'RT11: there is a coordinator' },
        'election-elected': { description: 'RT11: there is a coordinator' },
      },
    },
  },
});

export const context = ({ input }: { readonly input: Input }): Context => ({
  ...input,
  entries: 0,
  fence: 0,
  madeBlindly: 0,
});

/** A node of a ring with an appointed coordinator. */
export const machine = member.createMachine({
  id: 'regenerated-token',
  type: 'parallel',
  context,
  states: {
    client,
    regenerator: { initial: 'off', states: { off: appointable, ...coordinating } },
  },
});

/**
 * A node of a ring that elects its coordinator by LeLann–Chang–Roberts, whose machine is one more
 * region.
 */
export const electingMachine = compose(
  member
    .createMachine({
      id: 'electing-regenerated-token',
      type: 'parallel',
      context,
      states: {
        client,
        regenerator: { initial: 'off', states: { off: electable, ...coordinating } },
        candidacy,
      },
    })
    .provide({
      guards: { isElected: stateIn('#election.leader'), isCandidate: stateIn('#election.active') },
    }),
  { election: lelannChangRoberts },
);

/** The option `cancel`: a node needs the token no longer. */
const unlessCancelled = {
  client: member.createStateConfig({
    states: { wanted: { on: { cancel: { target: 'released', description: 'RT12' } } } },
  }),
};

export const cancellableMachine = extend('cancellable-regenerated-token', machine, unlessCancelled);

export const cancellableElectingMachine = extend(
  'cancellable-electing-regenerated-token',
  electingMachine,
  unlessCancelled,
);
