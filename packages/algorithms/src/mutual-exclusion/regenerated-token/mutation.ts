import type { MutationSystem } from '@conclave/core/mutation';
import { ring } from '@conclave/core/topology';
import { because, type NotesByOptions } from '../../mutation-notes.js';

/** A long stay lets the coordinator guess; two losses, ask, and ask again. */
const systems = (): readonly MutationSystem[] => [
  ...[{ wishes: 1 }, { wishes: 1, losses: 1 }, { wishes: 1, losses: 2 }, { wishes: 2 }].map(
    (budget): MutationSystem => ({ topology: ring(2), budget: { ...budget, time: 'bounded' }, fairness: 'strong' }),
  ),
  { topology: ring(3), budget: { wishes: 1, time: 'bounded' }, fairness: 'strong' },
];

const startsAgain =
  'A coordinator starts again only after a crash, and then nobody need ever come back; on two nodes assumptions.test.ts has it explored';

/** Where its mutants are explored, and why those survive that do. */
export const mutation: NotesByOptions = {
  '': {
    systems,
    reasons: {
      ...because(
        startsAgain,
        'regenerator.off: always #2 drop-always',
        'regenerator.off: always #2 drop-target',
        'regenerator.off: always #2 to regenerator.asking retarget',
        'regenerator.off: always #2 to regenerator.inside retarget',
      ),
      ...because(
        'Every node is a candidate from its start, and nobody asks it to be one again',
        'election.passive.relaying: election-elect delete-transition',
        'election.passive.relaying: election-elect ignore',
        'election.passive.relaying: election-elect ignore (2)',
        'election.active: election-elect delete-transition',
        'election.active: election-elect ignore',
        'election.active: election-elect ignore (2)',
        'election.active: election-elect to election.passive retarget',
        'election.active: election-elect to election.leader retarget',
        'election.active: election-elect to election.follower retarget',
        'election.leader: election-elect delete-transition',
        'election.leader: election-elect ignore',
        'election.leader: election-elect ignore (2)',
        'election.leader: election-elect to election.passive retarget',
        'election.leader: election-elect to election.active retarget',
        'election.leader: election-elect to election.follower retarget',
        'election.follower: election-elect delete-transition',
        'election.follower: election-elect ignore',
        'election.follower: election-elect ignore (2)',
        'election.follower: election-elect to election.passive retarget',
        'election.follower: election-elect to election.active retarget',
        'election.follower: election-elect to election.leader retarget',
      ),
      ...because(
        'No candidacy comes to a node that has not started one, unless it starts again',
        'election.passive.asleep: election-election delete-transition',
        'election.passive.asleep: election-election ignore',
        'election.passive.asleep: election-election #1 delete-transition',
        'election.passive.asleep: election-election #1 ignore',
        'election.passive.asleep: election-election #1 drop-guard',
        'election.passive.asleep: election-election #1 negate-guard',
        'election.passive.asleep: election-election #1 drop-target',
        'election.passive.asleep: election-election #1 election:forward drop-action',
        'election.passive.asleep: election-election #1 election:forward duplicate-action',
        'election.passive.asleep: election-election #1 election:forward misdirect-send',
        'election.passive.asleep: election-election #2 delete-transition',
        'election.passive.asleep: election-election #2 ignore',
        'election.passive.asleep: election-election #2 drop-guard',
        'election.passive.asleep: election-election #2 negate-guard',
        'election.passive.asleep: election-election #2 drop-target',
        'election.passive.asleep: election-election #2 to election.passive retarget',
        'election.passive.asleep: election-election #2 to election.leader retarget',
        'election.passive.asleep: election-election #2 to election.follower retarget',
        'election.passive.asleep: election-election #2 election:candidate drop-action',
        'election.passive.asleep: election-election #2 election:candidate duplicate-action',
        'election.passive.asleep: election-election #2 election:candidate misdirect-send',
      ),
      ...because(
        'The machine is that of B3, of which this is asked; here the first token makes good for it',
        'election.passive: election-elected delete-transition',
        'election.passive: election-elected ignore',
        'election.passive: election-elected drop-target',
        'election.passive: election-elected to election.passive retarget',
        'election.passive: election-elected to election.active retarget',
        'election.passive: election-elected election:forward drop-action',
        'election.passive.asleep: election-elect election:candidate drop-action',
        'election.passive.asleep: election-elect election:candidate duplicate-action',
        'election.passive.relaying: election:waiting drop-tag',
        'election.passive.relaying: election-elect to election.passive.asleep retarget',
        'election.passive.relaying: election-election #1 drop-guard',
        'election.passive.relaying: election-election #1 to election.passive.asleep retarget',
        'election.passive.relaying: election-election #2 to election.passive.asleep retarget',
        'election.active: election:waiting drop-tag',
        'election.active: election-election #1 drop-target',
        'election.active: election-election #1 to election.passive.asleep retarget',
        'election.active: election-election #1 election:forward drop-action',
        'election.active: election-election #3 election:announce drop-action',
        'election.leader: election:leader drop-tag',
        'election.leader: election:decided drop-tag',
        'election.leader: election-election to election.passive retarget',
        'election.leader: election-election to election.active retarget',
        'election.leader: election-election to election.follower retarget',
        'election.leader.announcing: election-elected delete-transition',
        'election.leader.announcing: election-elected ignore',
        'election.leader.announcing: election-elected ignore (2)',
        'election.leader.announcing: election-elected negate-guard',
        'election.leader.known: election:terminated drop-tag',
        'election.follower: election:decided drop-tag',
        'election.follower: election-election to election.passive retarget',
        'election.follower: election-election to election.active retarget',
      ),
    },
  },
  'coordinator=a': {
    reasons: {
      ...because(
        startsAgain,
        'regenerator.off: always #2 drop-always',
        'regenerator.off: always #2 drop-target',
        'regenerator.off: always #2 to regenerator.asking retarget',
        'regenerator.off: always #2 to regenerator.inside retarget',
      ),
      ...because(
        'A start is no step, and of two tokens that it makes the older is discarded',
        'regenerator.off: always #1 makeToken duplicate-action',
      ),
      ...because('Untimed, the epochs have no end: nothing is violated as far as the search goes', 'channels untimed'),
    },
  },
};
