/** The script of the page. The same text runs in the page and, from a blob, in its worker. */
import { shareModules } from './model/page-modules.js';
import { page } from './view/page.js';
import { work } from './worker/work.js';

shareModules();
if (typeof document === 'undefined') work();
else page();
