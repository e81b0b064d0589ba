import { complete } from '@conclave/core/topology';
import { because, type NotesByOptions } from '../../mutation-notes.js';
import { late, threeNodes, twoRestarts } from './mutation-unreached.js';

/** Messages of exactly 100 ms: fewer states. */
const fixed = { kind: 'exact', delay: [100, 100], tick: 50 } as const;
const crash = { crashes: 1, restarts: 1 };

/** An id in the machine with a detector, where the election is a region. */
const inRegion = (id: string): string =>
  `election.${id.replace(/ to (\w+) retarget$/, ' to election.$1 retarget')}`;

const tooLate =
  'Within the bounds no announcement of an earlier term arrives, no answer is late, and no leader hears of a later term';
const twice = 'Two nodes must restart: then a term may come back';
const atStart = 'It holds an election at its first start, as with electAtStart';
const slower =
  'A restarted node asks all others, waits longer, and asks the larger ones again: slower, and as safe';
const unseen =
  'A start is no step, so no property looks at its messages; two questions get the same answer';
const notExplained = 'Not explained yet';
const duplicate = because('A duplicated message does no harm: bounds.test.ts', 'channels repeat');

export const mutation: NotesByOptions = {
  '': {
    systems: () => [
      { topology: complete(2), budget: {} },
      { topology: complete(2), budget: crash },
      { topology: complete(3), budget: {} },
      { topology: complete(3), budget: { ...crash, initiators: ['a'], time: fixed } },
      { topology: complete(3), budget: { crashes: 2, initiators: ['a'], time: fixed } },
    ],
    reasons: {
      ...duplicate,
      ...because(tooLate, ...late),
      ...because(twice, ...twoRestarts),
      ...because(
        atStart,
        'starting: always #1 drop-guard',
        'starting: always #2 to yielding retarget',
        'starting: always #2 to rejoining retarget',
      ),
      ...because(slower, 'starting: always #1 to yielding retarget'),
      ...because(
        unseen,
        'starting: always #1 askLower duplicate-action',
        'starting: always #1 askLower duplicate-send',
      ),
      ...because(notExplained, 'starting: always #1 askLower misdirect-send'),
    },
  },
  'detector=true': {
    systems: () => [
      { topology: complete(2), budget: { time: fixed } },
      { topology: complete(2), budget: { time: fixed, crashes: 1 } },
      { topology: complete(2), budget: { ...crash, initiators: ['a'], time: fixed } },
    ],
    reasons: {
      ...duplicate,
      ...because(tooLate, ...late.map(inRegion)),
      ...because(twice, ...twoRestarts.map(inRegion)),
      ...because(
        'Three nodes are too many with heartbeats; the row without the detector reaches it',
        ...threeNodes.map(inRegion),
      ),
      ...because(
        atStart,
        'election.starting: always #1 drop-guard',
        'election.starting: always #2 to election.yielding retarget',
        'election.starting: always #2 to election.rejoining retarget',
      ),
      ...because(slower, 'election.starting: always #1 to election.yielding retarget'),
      ...because(
        unseen,
        'election.starting: always #1 askLower duplicate-action',
        'election.starting: always #1 askLower duplicate-send',
      ),
      ...because(
        'It begins its return anew: slower, and as safe',
        'election.rejoining: elect to election.starting retarget',
        'election.rejoining: coordinator to election.starting retarget',
      ),
      ...because(
        'A node that crashes in its start is then not suspected; to miss it is no violation without a stopwatch: bounds.test.ts of C3',
        'detector.monitor: entry detector:watchAll drop-action',
      ),
      ...because(
        'A second heartbeat at once changes nothing; the row of C3 notices it',
        'detector.sender.beating: entry detector:beat duplicate-action',
        'detector.sender.beating: entry detector:beat duplicate-send',
      ),
      ...because(
        'A crash is then missed, or noticed twice. To miss it is no violation without a stopwatch: bounds.test.ts; C3 notices the rest',
        'detector.monitor: detector-overdue delete-transition',
        'detector.monitor: detector-overdue ignore',
        'detector.monitor: detector-overdue detector:suspect drop-action',
        'detector.monitor: detector-overdue detector:suspect duplicate-action',
      ),
    },
  },
};
