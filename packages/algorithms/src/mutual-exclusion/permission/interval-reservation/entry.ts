import { entryOf } from '../../../entry.js';
import { intervalReservation } from './protocol.js';

export const entry = entryOf('mutual-exclusion/permission', () => intervalReservation());
