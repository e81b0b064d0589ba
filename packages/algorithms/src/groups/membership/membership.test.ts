import { complete } from '@conclave/core/topology';
import { describe } from 'vitest';
import { everyInterleaving } from '../../contract/explored.contract.js';
import { withMachine, withState } from '../../contract/mutant.js';
import { machine } from './membership.js';
import { membership } from './protocol.js';

const protocol = membership();
const crash = { crashes: 1, unsent: true } as const;
const data = [{ type: 'multicast', data: 'x' }] as const;
const [join, leave] = [{ type: 'join' }, { type: 'leave' }] as const;

/** One node may join the first two. */
const withOutsider = membership({ founders: 2 });

const mutant = (refuted: string, changed: Parameters<typeof withMachine>[1], of = protocol) => ({
  protocol: withMachine(of, changed),
  refuted,
});
const onOf = (state: 'open' | 'flushing' | 'collecting') => machine.config.states?.[state]?.on;

describe('C5 membership: every interleaving', () => {
  everyInterleaving(
    protocol,
    [
      {
        what: '2 and 3 members, one of them multicasts and leaves, a crash',
        systems: [
          { topology: complete(2), budget: { ...crash, inputs: [...data, leave], initiators: ['b'] } },
          { topology: complete(3), budget: { ...crash, inputs: [...data, leave], initiators: ['b'] } },
        ],
        states: 0,
      },
      {
        what: '3 members, two of them multicast, a crash',
        systems: [{ topology: complete(3), budget: { ...crash, inputs: data, initiators: ['b', 'c'] } }],
        states: 0,
      },
    ],
    {
      'a coordinator does not wait for the answers': mutant('', machine.provide({ guards: { allAnswered: () => true } })),
      'a coordinator does not wait for the last answer': mutant(
        '',
        machine.provide({ guards: { allAnswered: ({ context }) => context.awaiting.length <= 1 } }),
      ),
      'a message of the view before is delivered in this one': mutant('', machine.provide({ guards: { isOutdated: () => false } })),
      'a member installs a view without it': mutant('', machine.provide({ guards: { isInNextView: () => true } })),
      'a member multicasts during the flush': mutant(
        '',
        withState(machine, ['flushing'], { on: { ...onOf('flushing'), multicast: { actions: 'multicast' } } }),
      ),
      'a member follows a coordinator that was replaced': mutant(
        '',
        machine.provide({ guards: { isNextView: ({ context, event }) => 'number' in event && event.number > context.number } }),
      ),
      'a coordinator ignores that a member has the next view': mutant(
        '',
        withState(machine, ['collecting'], { on: { ...onOf('collecting'), 'new-view': {} } }),
      ),
    },
  );
});

describe('C5 membership: nodes join', () => {
  everyInterleaving(
    withOutsider,
    [
      {
        what: '2 members, one of them multicasts; a node joins; a crash',
        systems: [{ topology: complete(3), budget: { ...crash, inputs: [join, ...data], initiators: ['b', 'c'] } }],
        states: 0,
      },
      {
        what: '2 members leave, and join again',
        systems: [{ topology: complete(2), budget: { inputs: [join, leave] } }],
        states: 0,
      },
    ],
    {
      'a newcomer does not take part in the flush': mutant('', machine.provide({ guards: { isUnasked: () => false } }), withOutsider),
    },
  );
});
