/**
 * The ordinary mistakes of operation, each by real processes. A mistake is refused, where a process
 * says by name what is wrong and takes no part; or the others wait for a node, which they name; or
 * it is tolerated, where all enter. In no case two are inside at once, or a token comes twice.
 */
import { byLease, byMessages, late, restarts } from './elections.mjs';
import { inSession } from './in-session.mjs';
import { says } from './says.mjs';

const leased = {
  protocol: 'leased-majority',
  options: { lease: 800 },
  stores: true,
  nodes: ['a', 'b', 'c'],
  think: 5,
};
const token = {
  protocol: 'naimi-trehel',
  options: {},
  reliable: true,
  nodes: ['a', 'b', 'c'],
  think: 5,
};
const group = { ...token, protocol: 'group-lock', detector: { period: 200, timeout: 2000 } };
const five = ['a', 'b', 'c', 'd', 'e'];
/** By its peers; or, where a relay knows each connection by its name, by the relay. */
const isRefused = (site, label) =>
  says(site, label, 'another storage') ||
  says(site, label, 'a newer connection of this node replaces it');

/**
 * Each is a run of its own. `run` tells, by name, whether what must happen has happened. `short`:
 * also in `npm test`.
 */
export const mistakes = [
  {
    number: 1,
    name: 'a node has another option from the start',
    common: leased,
    async run(site) {
      await site.startAll(['a', 'b', 'c'], (node) =>
        node === 'a' ? { options: { lease: 4000 } } : {},
      );
      const refused = await site.until(
        () =>
          says(site, 'a', "its 'options'") &&
          // who may end before the other starts
          ['b', 'c'].some((node) => says(site, node, "its 'options'")),
      );
      return { 'refused by name': refused, 'nobody enters': site.judged().entries === 0 };
    },
  },
  {
    number: 1,
    name: 'a node has another option after a restart',
    short: true,
    common: leased,
    async run(site) {
      await site.startAll(['a', 'b', 'c']);
      const begun = await site.entered(['a', 'b', 'c']);
      await site.kill('a');
      await site.start('a', { options: { lease: 4000 } });
      const refused = await site.until(() => says(site, 'a', 'other terms in epoch 1'));
      return {
        'all enter before': begun,
        'refused by name': refused,
        'the others go on': await site.entered(['b', 'c']),
      };
    },
  },
  {
    number: 1,
    name: 'an option is changed in a rolling restart, with a new epoch',
    common: { ...leased, reliable: true },
    async run(site) {
      await site.startAll(['a', 'b', 'c']);
      const begun = await site.entered(['a', 'b', 'c']);
      let between = true;
      for (const node of ['a', 'b', 'c']) {
        await site.kill(node);
        await site.start(node, { options: { lease: 2000 }, epoch: 2 });
        if (node === 'a') between = await site.entered(['b', 'c']);
      }
      return {
        'all enter before': begun,
        'the others go on meanwhile': between,
        'all enter after': await site.entered(['a', 'b', 'c']),
      };
    },
  },
  {
    number: 2,
    name: 'two processes with one name from the start',
    common: leased,
    async run(site) {
      await site.startAll(['a', 'b']);
      await site.start('a', { label: 'a2' });
      await site.start('c');
      const refused = () => ['a', 'a2'].some((label) => isRefused(site, label));
      await site.until(refused);
      const one = ['a', 'a2'].filter((label) => site.entriesOf(label) > 0);
      return { 'refused by name': refused(), 'not both enter': one.length < 2 };
    },
  },
  {
    number: 2,
    name: 'a second process with one name',
    short: true,
    common: leased,
    async run(site) {
      await site.startAll(['a', 'b', 'c']);
      const begun = await site.entered(['a', 'b', 'c']);
      await site.start('a', { label: 'a2' });
      const refused = await site.until(
        () =>
          isRefused(site, 'a2') &&
          (says(site, 'b', 'another storage') || says(site, 'c', 'another storage')),
      );
      return {
        'all enter before': begun,
        'refused by name': refused,
        'the others go on': await site.entered(['b', 'c']),
        'it never enters': site.entriesOf('a2') === 0,
      };
    },
  },
  {
    number: 3,
    name: 'three nodes become five in a rolling restart, without a new epoch',
    common: leased,
    async run(site) {
      await site.startAll(['a', 'b', 'c']);
      const begun = await site.entered(['a', 'b', 'c']);
      await site.kill('a');
      await site.startAll(['a', 'd', 'e'], () => ({ nodes: five }));
      const refused = await site.until(() => says(site, 'a', "its 'network'"));
      return {
        'all enter before': begun,
        'refused by name': refused,
        'the others go on': await site.entered(['b', 'c']),
      };
    },
  },
  {
    number: 3,
    name: 'three nodes become five in a rolling restart, with a new epoch',
    short: true,
    common: leased,
    async run(site) {
      await site.startAll(['a', 'b', 'c']);
      const begun = await site.entered(['a', 'b', 'c']);
      const next = () => ({ nodes: five, epoch: 2 });
      await site.startAll(['d', 'e'], next);
      for (const node of ['a', 'b', 'c']) {
        await site.kill(node);
        await site.start(node, next());
      }
      return { 'all enter before': begun, 'all five enter after': await site.entered(five) };
    },
  },
  {
    number: 3,
    name: 'three nodes become five, and one of them is forgotten',
    common: leased,
    async run(site) {
      await site.startAll(['a', 'b', 'c']);
      const begun = await site.entered(['a', 'b', 'c']);
      const next = () => ({ nodes: five, epoch: 2 });
      for (const node of ['a', 'b']) await site.kill(node);
      await site.startAll(['a', 'b', 'd', 'e'], next);
      const waits = await site.until(() =>
        site
          .lines()
          .some(
            ([, what, label, text]) =>
              what === 'late' && label === 'a' && /\bc\b/.test(text.replaceAll('_', ' ')),
          ),
      );
      return { 'all enter before': begun, 'waits, and names it': waits };
    },
  },
  {
    number: 4,
    name: 'the holder is killed and comes back',
    common: leased,
    async run(site) {
      await site.startAll(['a', 'b', 'c']);
      const begun = await site.entered(['a', 'b', 'c']);
      await site.kill('c');
      const between = await site.entered(['a', 'b']);
      await site.start('c');
      return {
        'all enter before': begun,
        'the others go on': between,
        'it enters again': await site.entered(['a', 'b', 'c']),
      };
    },
  },
  ...inSession(token, { holder: 'c' }),
  ...inSession(group, { window: 4 }),
  restarts(byLease, true),
  restarts(byMessages),
  {
    number: 4,
    name: 'the leader is killed and comes back without its storage',
    common: byLease,
    async run(site) {
      await site.startAll(['a', 'b', 'c']);
      const leader = await site.agreed(['a', 'b', 'c']);
      if (leader === undefined) return { 'one leads before': false };
      await site.kill(leader);
      await site.start(leader, { label: `${leader}2` });
      const refused = await site.until(() => isRefused(site, `${leader}2`));
      const next = await site.agreed(['a', 'b', 'c'].filter((node) => node !== leader));
      return {
        'refused by name': refused,
        'it never leads': site.entriesOf(`${leader}2`) === 0,
        'another one leads': next !== undefined,
      };
    },
  },
  late(byLease),
  late(byMessages),
  ...[token, group, leased].map((common) => ({
    number: 6,
    name: 'five programs that enter without a pause',
    short: common === token,
    common: { ...common, nodes: five, think: 0 },
    async run(site, { short }) {
      await site.startAll(five);
      const begun = await site.entered(five, 1);
      await new Promise((resolve) => setTimeout(resolve, short ? 1000 : 5000));
      const counts = five.map((node) => site.entriesOf(node));
      const stalls = site
        .lines()
        .filter(([, what]) => what === 'stall')
        .map((line) => Number(line[3]));
      const [least, most] = [Math.min(...counts), Math.max(...counts)];
      return {
        'all enter': begun,
        'each has its turn': least * 20 > most,
        'timers fire': Math.max(...stalls) < 2000,
      };
    },
  })),
  ...[token, group, leased].map((common) => ({
    number: 8,
    name: 'a wrong name',
    short: common === leased,
    common,
    async run(site) {
      await site.start('z');
      const refused = await site.until(() => says(site, 'z', 'is none of the nodes a, b, c'));
      await site.startAll(['a', 'b', 'c']);
      return {
        'refused by name': refused,
        'the others enter': await site.entered(['a', 'b', 'c']),
      };
    },
  })),
  {
    number: 8,
    name: 'a wrong name in its own list',
    common: leased,
    async run(site) {
      await site.startAll(['a', 'b', 'c']);
      const begun = await site.entered(['a', 'b', 'c']);
      await site.start('Z', { nodes: ['Z', 'b', 'c'] });
      const reported = await site.until(() =>
        ['b', 'c'].some((label) =>
          site.told(label).some((told) => told.includes('"Z"') || told.includes("'Z'")),
        ),
      );
      return {
        'all enter before': begun,
        'refused by name': reported,
        'it never enters': site.entriesOf('Z') === 0,
        'the others go on': await site.entered(['a', 'b', 'c']),
      };
    },
  },
];
