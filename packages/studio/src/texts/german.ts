/** The table: what the page says in German. A key is the English text, `{name}` a place in both. */
import { model } from './german/model.js';
import { talks } from './german/talks.js';
import { views } from './german/views.js';

export const german = { ...talks, ...model, ...views };
