/** Seeded randomness of core: the same words give the same numbers. */
import { Random } from '@conclave/core/simulation';

export const randomOf = (...words) => new Random(1).fork(words.join(' '));

/** Evenly distributed from `least` to `most`. */
export const between = (random, least, most) => least + random.unit() * (most - least);

/** In milliseconds. */
export const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
