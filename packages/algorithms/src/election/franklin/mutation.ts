import { because, type NotesByOptions } from '../../mutation-notes.js';
import { twoWayRings } from '../mutation.js';

/** The systems on which its mutants are explored, and the reason for the one that survives. */
export const mutation: NotesByOptions = {
  '': {
    systems: twoWayRings,
    reasons: because(
      'The announcement may go around in either direction',
      'active: always #1 announce misdirect-send',
    ),
  },
};
