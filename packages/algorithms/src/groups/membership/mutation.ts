import { mutantsOf } from '@conclave/core/internal/mutation';
import type { MutationSystem } from '@conclave/core/mutation';
import { complete } from '@conclave/core/topology';
import { because, type NotesByOptions } from '../../mutation-notes.js';
import { unasked, untaken } from './mutation-unreached.js';
import { membership } from './protocol.js';

const crash = { crashes: 1, unsent: true } as const;
const multicast = { type: 'multicast', data: 'x' } as const;
const [join, leave] = [{ type: 'join' }, { type: 'leave' }] as const;

/** Every message takes 100 ms: far fewer interleavings. */
const fixed = { time: { kind: 'exact', delay: [100, 100] } } as const;

const systems = (): readonly MutationSystem[] => [
  { topology: complete(2), budget: { ...crash, inputs: [multicast, leave], initiators: ['b'] } },
  { topology: complete(2), budget: { ...crash, restarts: 1, inputs: [multicast, join] } },
  { topology: complete(3), budget: { inputs: [leave, join], initiators: ['a'] } },
  {
    topology: complete(3),
    budget: { inputs: [multicast, leave, join], initiators: ['c'], ...fixed },
  },
  { topology: complete(3), budget: { ...crash, inputs: [multicast], initiators: ['c'] } },
  { topology: complete(3), budget: { ...crash, inputs: [leave], initiators: ['b'] } },
];

/** The state and the event of a mutant's id, with the number of the transition. */
const transitionOf = (id: string): string => id.match(/^\w+: [\w-]+( #\d+)?/)?.[0] ?? id;

const unreached = mutantsOf(membership({ window: 1, stateTransfer: true }))
  .filter(
    ({ id, site }) =>
      site !== undefined && (site.by === 'asking' ? unasked : untaken).includes(transitionOf(id)),
  )
  .map(({ id }) => id);

export const mutation: NotesByOptions = {
  'window=1 stateTransfer=true': {
    instead: true,
    systems,
    reasons: {
      ...because(
        'No system that is small enough for all mutants takes this transition',
        ...unreached,
      ),
      ...because(
        'A restarted node has no view to flush: it is told that it is excluded, and is outside',
        'starting: always #2 to collecting retarget',
      ),
      ...because(
        'The coordinator is still the one that must act: it asks for the flush again, which takes longer',
        'collecting: leave to open retarget',
        'collecting: submit #3 to open retarget',
        'collecting: acknowledge #3 to open retarget',
      ),
      ...because(
        'A message that is kept for no reason is of an earlier view when it is read, and ignored',
        'flushing: message #1 drop-guard',
        'flushing: message #1 negate-guard',
        'collecting: submit #1 drop-guard',
        'collecting: submit #1 negate-guard',
        'collecting: acknowledge #1 drop-guard',
        'collecting: acknowledge #1 negate-guard',
      ),
    },
  },
};
