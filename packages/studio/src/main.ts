/** The script of the page. The same text runs in the page and, from a blob, in its worker. */
import { shareModules } from './model/page-modules.js';
import { work } from './worker/tasks.js';

/**
 * The build bundles what it loads, and it is evaluated where it is first asked for. A module that
 * is being evaluated cannot wait for `import`.
 */
declare const require: (module: '@conclave/algorithms') => object;

shareModules(() => require('@conclave/algorithms'));
if (typeof document === 'undefined') work();
else void import('./view/page.js').then(({ page }) => page()); // bundled, too, and not evaluated in a worker, where there is nothing to draw on
