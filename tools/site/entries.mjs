/** The public entries of the packages, as source files. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInternal } from '../packages/api-of.mjs';
import { packageFolders } from '../packages/packages.mjs';
import { SiteProblem } from './problem.mjs';

/**
 * The entry of an algorithm by itself is left out: it has nothing that the entry of all has not.
 *
 * @returns {readonly { name: string, file: string }[]} `name`: what is imported, such as
 * `@conclave/core/trace`; `file`: from the root
 */
export function publicEntries(root) {
  return packageFolders.flatMap((folder) => {
    const { name, exports = {} } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    );
    const listed = Object.entries(exports).filter(
      ([entry, { types }]) => !types.endsWith('/protocol.d.ts') && !isInternal(entry),
    );
    return listed.map(([entry, { types }]) => {
      const file = `${folder}/${types
        .slice(2)
        .replace(/^dist\//, 'src/')
        .replace(/\.d\.ts$/, '.ts')}`;
      if (!existsSync(join(root, file)))
        throw new SiteProblem(`${folder}/package.json exports ${entry}, but there is no ${file}`);
      return { name: name + entry.slice(1), file };
    });
  });
}
