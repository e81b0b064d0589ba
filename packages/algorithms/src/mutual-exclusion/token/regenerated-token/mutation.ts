import type { MutationSystem } from '@conclave/core/mutation';
import { ring } from '@conclave/core/topology';
import { because, type NotesByOptions } from '../../../mutation-notes.js';

/**
 * A long stay makes the coordinator regenerate blindly; two losses make it inquire, and inquire
 * again.
 */
const systems = (): readonly MutationSystem[] => [
  ...[{ commands: 1 }, { commands: 1, losses: 1 }, { commands: 1, losses: 2 }, { commands: 2 }].map(
    (budget): MutationSystem => ({ topology: ring(2), budget: { ...budget } }),
  ),
  { topology: ring(3), budget: { commands: 1 } },
];

const startingAgain = because(
  'A coordinator restarts only after a crash, which no system here has; assumptions.test.ts explores it on two nodes',
  'regenerator.off: always #2 drop-always',
  'regenerator.off: always #2 drop-target',
  'regenerator.off: always #2 to regenerator.asking retarget',
  'regenerator.off: always #2 to regenerator.inside retarget',
);

const withinBounds = {
  ...because(
    'Noticed only if a message is lost after a stay longer than the timeout, which the systems do not combine',
    'regenerator.watching: token #1 to regenerator.off retarget',
    'regenerator.watching: inquiry to regenerator.off retarget',
  ),
  ...because(
    'The coordinator then makes a token at each timeout, so epochs grow without bound: the search finds no violation within its limits',
    'regenerator.watching: token #3 drop-target',
  ),
};

/** The mutants of one reaction, by what they change. */
const each = (reaction: string, ...changes: readonly string[]) =>
  changes.map((change) => `${reaction} ${change}`);
const to = (...states: readonly string[]) => states.map((state) => `to election.${state} retarget`);
const ignored = ['delete-transition', 'ignore'];
const guarded = ['delete-transition', 'ignore', 'drop-guard', 'negate-guard', 'drop-target'];
const sending = (action: string) =>
  ['drop-action', 'duplicate-action', 'misdirect-send'].map(
    (change) => `election:${action} ${change}`,
  );

/** The systems on which its mutants are explored, and the reasons for those that survive. */
export const mutation: NotesByOptions = {
  '': {
    systems,
    states: 40_000,
    reasons: {
      ...startingAgain,
      ...withinBounds,
      ...because(
        'Every node is a candidate from its start, and is not told to elect again',
        ...each('election.passive.relaying: election-elect', ...ignored),
        ...each(
          'election.active: election-elect',
          ...ignored,
          ...to('passive', 'leader', 'follower'),
        ),
        ...each(
          'election.leader: election-elect',
          ...ignored,
          ...to('passive', 'active', 'follower'),
        ),
        ...each(
          'election.follower: election-elect',
          ...ignored,
          ...to('passive', 'active', 'leader'),
        ),
      ),
      ...because(
        'No candidacy reaches a node that has not started one, unless it restarts',
        ...each('election.passive.asleep: election-election', 'delete-transition', 'ignore'),
        ...each('election.passive.asleep: election-election #1', ...guarded, ...sending('forward')),
        ...each(
          'election.passive.asleep: election-election #2',
          ...guarded,
          ...sending('candidate'),
          ...to('passive', 'leader', 'follower'),
        ),
      ),
      ...because(
        'The machine is that of B3, whose properties notice it; here the first token makes up for it',
        ...each(
          'election.passive: election-elected',
          'delete-transition',
          'ignore',
          'drop-target',
          'election:forward drop-action',
          ...to('passive', 'active'),
        ),
        ...each(
          'election.passive.asleep: election-elect',
          'election:candidate drop-action',
          'election:candidate duplicate-action',
        ),
        ...each('election.passive.relaying: election:waiting', 'drop-tag'),
        ...each('election.passive.relaying: election-elect', ...to('passive.asleep')),
        ...each(
          'election.passive.relaying: election-election #1',
          'drop-guard',
          ...to('passive.asleep'),
        ),
        ...each('election.passive.relaying: election-election #2', ...to('passive.asleep')),
        ...each('election.active: election:waiting', 'drop-tag'),
        ...each(
          'election.active: election-election #1',
          'drop-target',
          'election:forward drop-action',
          ...to('passive.asleep'),
        ),
        ...each('election.active: election-election #3', 'election:announce drop-action'),
        ...each('election.leader: election:leader', 'drop-tag'),
        ...each('election.leader: election:decided', 'drop-tag'),
        ...each('election.leader: election-election', ...to('passive', 'active', 'follower')),
        ...each(
          'election.leader.announcing: election-elected',
          ...ignored,
          'ignore (2)',
          'negate-guard',
        ),
        ...each('election.leader.known: election:terminated', 'drop-tag'),
        ...each('election.follower: election:decided', 'drop-tag'),
        ...each('election.follower: election-election', ...to('passive', 'active')),
      ),
    },
  },
  'coordinator=a': {
    reasons: {
      ...startingAgain,
      ...because(
        'A start is no step, and of two tokens that it makes the older is discarded',
        'regenerator.off: always #1 makeToken duplicate-action',
      ),
      ...withinBounds,
    },
  },
};
