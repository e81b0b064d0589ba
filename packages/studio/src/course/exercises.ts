import type { Link } from '../link/link.js';
import type { StudioBudget } from '../model/system.js';
import type { Text } from '../texts/say.js';

/** A system in which an assumption is broken, and a property that does not survive it. */
export interface Exercise {
  readonly link: Link & Required<Pick<Link, 'goal'>>;
  /** What may happen there that the protocol does not expect. */
  readonly broken: Text;
}

/** Exercises on one topic. */
export interface Lab {
  readonly title: Text;
  /** What somebody knows afterwards. */
  readonly aim: Text;
  readonly minutes: number;
  readonly exercises: readonly Exercise[];
}

const exclusion = 'at most one node is in the critical section';
const noDeadlock = 'no node waits in a quiescent state';
const oneLeader = 'at most one node is the leader';
const noSuspicion = 'no node is suspected before it crashes';

/** @param within a few more steps than the shortest way takes */
function violate(
  protocol: string,
  property: string,
  within: number,
  [broken, budget]: readonly [Text, StudioBudget],
  more: Partial<Pick<Link['setup'], 'options' | 'topology'>> = {},
): Exercise {
  const setup = { protocol, options: {}, budget, ...more };
  return {
    broken,
    link: {
      ...{ setup, view: 'world', steps: [], goal: { property, within } },
      notes: { 0: broken },
    },
  };
}

const lost = ['One message may be lost.', { losses: 1 }] as const;
const doubled = ['One message may arrive twice.', { duplications: 1 }] as const;
const overtaken = ['Messages may overtake each other.', { order: 'any' }] as const;
const crashed = ['One node may crash.', { crashes: 1 }] as const;
const returned = [
  'One node may crash, and start again without what it knew.',
  { crashes: 1, restarts: 1 },
] as const;
const split = ['The network may split.', { partitions: 1 }] as const;
const anyTime = ['Timers may fire at any moment.', { time: 'untimed' }] as const;

/** Exercises in code by their places in the course: behind those of their labs that are links. */
export function numbered<T extends { readonly lab: number }>(
  codes: readonly T[],
): readonly { readonly number: string; readonly exercise: T }[] {
  const used = new Map<number, number>();
  return codes.map((exercise) => {
    const { exercises = [] } = labs[exercise.lab - 1] ?? {};
    const place = (used.get(exercise.lab) ?? exercises.length) + 1;
    used.set(exercise.lab, place);
    return { number: `${exercise.lab}.${place}`, exercise };
  });
}

/** In the order of a course. Each exercise is solved by the explorer in a test. */
export const labs: readonly Lab[] = [
  {
    title: 'Locks: ask everyone',
    aim: 'why time stamps alone do not exclude, and what the order of channels is for',
    minutes: 30,
    exercises: [
      violate('lamport', exclusion, 8, overtaken),
      violate('lamport', exclusion, 9, lost),
      violate('ricart-agrawala', noDeadlock, 8, crashed),
    ],
  },
  {
    title: 'Locks: a coordinator, and votes',
    aim: 'what one node must not forget, and how votes block each other',
    minutes: 30,
    exercises: [
      violate('central-coordinator', noDeadlock, 6, lost),
      violate('central-coordinator', exclusion, 9, returned),
      violate('maekawa', noDeadlock, 8, ['Nobody gives a vote back.', {}], {
        options: { naive: true },
      }),
    ],
  },
  {
    title: 'Locks: a token',
    aim: 'what a token is worth that is lost, doubled or forgotten',
    minutes: 30,
    exercises: [
      violate('token-ring', exclusion, 7, doubled),
      violate('raymond', noDeadlock, 9, lost),
      violate('naimi-trehel', exclusion, 7, returned),
    ],
  },
  {
    title: 'Elections on a ring',
    aim: 'why each node has to hear of each other one',
    minutes: 30,
    exercises: [
      violate('lelann-chang-roberts', noDeadlock, 8, lost),
      violate('full-circulation', 'all nodes that know a leader know the same one', 10, overtaken),
      violate('full-circulation', 'the leader has the largest id', 9, returned),
    ],
  },
  {
    title: 'Elections and time',
    aim: 'that an election is as good as its timers',
    minutes: 40,
    exercises: [
      violate('bully', oneLeader, 4, anyTime),
      violate('bully', oneLeader, 11, lost),
      violate('bully', oneLeader, 11, split),
    ],
  },
  {
    title: 'Waves and trees',
    aim: 'what the end of a wave says, and what it rests on',
    minutes: 30,
    exercises: [
      violate('echo', 'when the initiator is done, each node knows its children', 8, doubled),
      violate('echo', 'the initiator is done only after every node has been reached', 8, returned),
      violate('tree-wave', 'all nodes that know a leader know the same one', 6, doubled),
    ],
  },
  {
    title: 'Groups: order and agreement',
    aim: 'which order a multicast gives, and who has to be there for it',
    minutes: 40,
    exercises: [
      violate('group-lock', exclusion, 5, overtaken),
      violate('total-multicast', noDeadlock, 5, crashed),
      violate(
        'causal-multicast',
        'a member delivers each message after all that its sender had multicast or delivered before',
        8,
        returned,
      ),
    ],
  },
  {
    title: 'Failures and clocks',
    aim: 'that a node which is slow looks like one that has crashed',
    minutes: 40,
    exercises: [
      violate('heartbeat', noSuspicion, 4, [
        'Clocks may be wrong by half.',
        { time: { kind: 'exact', delay: [50, 100], drift: 0.5 } },
      ]),
      violate('heartbeat', noSuspicion, 9, [
        'Messages may take a second.',
        { time: { kind: 'exact', delay: [50, 1000] } },
      ]),
      violate('leased-majority', exclusion, 8, anyTime),
    ],
  },
];
