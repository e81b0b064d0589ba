/** The table: what the page says in German. A key is the English text, `{name}` a place in both. */
import { check } from './german/check.js';
import { errors } from './german/errors.js';
import { model } from './german/model.js';
import { page } from './german/page.js';
import { play } from './german/play.js';
import { talks } from './german/talks.js';
import { world } from './german/world.js';

export const german = { ...talks, ...errors, ...model, ...check, ...world, ...page, ...play };
