import { entryOf } from '../../entry.js';
import { lelannChangRoberts } from './protocol.js';

export const entry = entryOf('election', () => lelannChangRoberts);
