/** Random tests without a seed of their own draw the same runs all day. */
import fc from 'fast-check';
import { sampleDay } from './tier.js';

fc.configureGlobal({ seed: sampleDay });
