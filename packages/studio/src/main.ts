/** The script of the page. The same text runs in the page and, from a blob, in its worker. */
import { shareModules } from './model/page-modules.js';
import { work } from './worker/work.js';

shareModules();
if (typeof document === 'undefined') work();
else void import('./view/page.js').then(({ page }) => page()); // bundled, too, and not evaluated in a worker, where there is nothing to draw on
