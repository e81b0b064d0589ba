import { entryOf } from '../../entry.js';
import { twoPhaseCommit } from './protocol.js';
import { twoPhaseCommitOptions } from './two-phase-commit.js';

export const entry = entryOf('agreement', twoPhaseCommit, twoPhaseCommitOptions);
