import { grouped } from './grouped.mjs';
import { nodesOf } from './read.mjs';

/**
 * A change of voters that is done leaves those that were added, and none that was removed. At the
 * end some of the voters that a process names are named by a majority of themselves.
 */
export function checkVoters({ options, written, changes }, found) {
  if (!options.protocol.options?.voters) return;
  const { violations, missing } = found;
  const all = { done: 0, given: 0, cut: 0 };
  for (const { process, name, add, remove, how, voters } of changes) {
    all[{ changed: 'done', unchanged: 'given', open: 'cut' }[how]]++;
    if (how !== 'changed') continue;
    if (add.some((node) => !voters.includes(node)) || remove.some((node) => voters.includes(node)))
      violations.push(
        `${name}: ${process} adds ${add.join(',') || 'none'} and removes ${remove.join(',') || 'none'}, and then ${voters.join(',')} vote`,
      );
  }
  const last = written.filter(({ words }) => words[0] === 'voters').map(({ words }) => words);
  const byName = grouped(last, ([, , , name]) => name);
  for (const name of options.names) {
    if (!changes.some((change) => change.name === name && change.how === 'changed'))
      missing.push(`The voters of ${name} never changed`);
    const named = new Map((byName.get(name) ?? []).map(([, node, , , text]) => [node, text]));
    const isKnown = (text) => {
      const voters = nodesOf(text);
      return voters.filter((node) => named.get(node) === text).length > voters.length / 2;
    };
    if (![...named.values()].some(isKnown))
      violations.push(`${name}: no voters are known to a majority of them at the end`);
  }
  found.changes = all;
}
