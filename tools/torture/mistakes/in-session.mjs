import { says } from './says.mjs';

/**
 * A lock that does not tolerate restarts is refused in its session: nobody goes on without one of
 * its nodes.
 */
export const inSession = (common, changed) => [
  {
    number: 1,
    name: 'a node has another option from the start',
    common,
    async run(site) {
      await site.startAll(['a', 'b', 'c'], (node) => (node === 'c' ? { options: changed } : {}));
      await site.until(() => says(site, 'c', "its 'options'"));
      return {
        'refused by name': says(site, 'c', "its 'options'"),
        'nobody enters': site.judged().entries === 0,
      };
    },
  },
  {
    number: 2,
    name: 'a second process with one name',
    common,
    async run(site) {
      await site.startAll(['a', 'b', 'c']);
      const begun = await site.entered(['a', 'b', 'c']);
      await site.start('a', { label: 'a2' });
      const refused = await site.until(() =>
        ['a', 'a2', 'b', 'c'].some((label) => says(site, label, 'of node a')),
      );
      return {
        'all enter before': begun,
        'refused by name': refused,
        'it never enters': site.entriesOf('a2') === 0,
      };
    },
  },
  {
    number: 3,
    name: 'a node has another list of nodes from the start',
    common,
    async run(site) {
      await site.startAll(['a', 'b', 'c', 'd'], (node) =>
        node > 'b' ? { nodes: ['a', 'b', 'c', 'd'] } : {},
      );
      const refused = await site.until(() => says(site, 'c', "its 'network'"));
      return { 'refused by name': refused, 'nobody enters': site.judged().entries === 0 };
    },
  },
  {
    number: 4,
    name: 'a node is killed and comes back',
    common,
    async run(site) {
      await site.startAll(['a', 'b', 'c']);
      const begun = await site.entered(['a', 'b', 'c']);
      await site.kill('c');
      const entries = site.entriesOf('c');
      await site.start('c');
      const refused = await site.until(() => says(site, 'c', 'of node c'));
      return {
        'all enter before': begun,
        'refused by name': refused,
        'it never enters': site.entriesOf('c') === entries,
      };
    },
  },
];
