/**
 * The ordinary mistakes of operation, each by real processes. A mistake is refused, where a process
 * says by name what is wrong and takes no part; or the others wait for a node, which they name; or
 * it is tolerated, where all enter. In no case two are inside at once, or a token comes twice.
 */
import { join } from 'node:path';
import { electionOptions } from '../plan.mjs';
import { pause } from '../random.mjs';
import { underProbe } from './probe.mjs';
import { ports, Site } from './site.mjs';

const three = ['a', 'b', 'c'];
const five = [...three, 'd', 'e'];
const leased = {
  ...{ protocol: 'leased-majority', options: { lease: 800 }, stores: true },
  ...{ nodes: three, think: 5 },
};
const token = {
  ...{ protocol: 'naimi-trehel', options: {}, reliable: true, nodes: three, think: 5 },
};
const group = { ...token, protocol: 'group-lock', detector: { period: 200, timeout: 2000 } };
/** Also in a short run. */
const short = (mistake) => ({ ...mistake, short: true });
/** What the error of a process says; the page docs/mistakes.md shows it beside the outcome. */
const notices = {
  options: "its 'options'",
  terms: 'other terms in epoch 1',
  network: "its 'network'",
  storage: 'another storage',
  stranger: 'is none of the nodes a, b, c',
  notAdmitted: 'is not admitted after 5000 ms: it waits for',
};
const incarnation = (node) => `of node ${node} is refused by`;
const quoted = (text) => `\`${text}\``;
const noticed = (notice, mistake) => ({ ...mistake, notice });
const nobodyEnters = (site) => ({ 'nobody enters': site.judgement().entries === 0 });
const neverEnters = (site, label) => ({ 'it never enters': site.entriesOf(label) === 0 });
const othersGoOn = async (site, labels = ['b', 'c']) => ({
  'the others go on': await site.entered(labels),
});

/** All three have entered before `then`. */
const afterEntries = (number, name, common, then) => ({
  ...{ number, name, common },
  async run(site) {
    await site.startAll(three);
    const begun = await site.entered(three);
    return { 'all enter before': begun, ...(await then(site)) };
  },
});

/** One of those that start has other options, which it says, and one of its `peers`. */
const otherOptions = (common, odd, options, peers = [odd]) => ({
  ...{ number: 1, name: 'a node has another option from the start', common },
  notice: quoted(notices.options),
  async run(site) {
    await site.startAll(three, (node) => (node === odd ? { options } : {}));
    const says = (labels) => site.says(labels, notices.options);
    const refused = await site.until(() => says([odd]) && says(peers));
    return { 'refused by name': refused, ...nobodyEnters(site) };
  },
});

/**
 * A lock that does not tolerate restarts is refused in its session: nobody goes on without one of
 * its nodes.
 */
const inSession = (common, changed) => [
  otherOptions(common, 'c', changed),
  noticed(
    quoted(incarnation('a')),
    afterEntries(2, 'a second process with one name', common, async (site) => {
      await site.start('a', { label: 'a2' });
      const refused = await site.until(() => site.says(['a', 'a2', 'b', 'c'], incarnation('a')));
      return { 'refused by name': refused, ...neverEnters(site, 'a2') };
    }),
  ),
  {
    ...{ number: 3, name: 'a node has another list of nodes from the start', common },
    notice: quoted(notices.network),
    async run(site) {
      const four = five.slice(0, 4);
      await site.startAll(four, (node) => (node > 'b' ? { nodes: four } : {}));
      const refused = await site.until(() => site.says(['c'], notices.network));
      return { 'refused by name': refused, ...nobodyEnters(site) };
    },
  },
  noticed(
    quoted(incarnation('c')),
    afterEntries(4, 'a node is killed and comes back', common, async (site) => {
      await site.kill('c');
      const entries = site.entriesOf('c');
      await site.start('c');
      const refused = await site.until(() => site.says(['c'], incarnation('c')));
      return { 'refused by name': refused, 'it never enters': site.entriesOf('c') === entries };
    }),
  ),
];

/** What a node that nobody admits says of itself. */
const waits = (site, label, others) =>
  site.says([label], `${notices.notAdmitted} ${others.join(', ')}`);

const withoutPause = (common) => ({
  ...{ number: 6, name: 'five programs that enter without a pause' },
  common: { ...common, nodes: five, think: 0 },
  async run(site, { short }) {
    await site.startAll(five);
    const begun = await site.entered(five, 1);
    await pause(short ? 1000 : 5000);
    const counts = five.map((node) => site.entriesOf(node));
    const stalls = site.lines().flatMap(([, what, , ms]) => (what === 'stall' ? Number(ms) : []));
    return {
      'all enter': begun,
      'each has its turn': Math.min(...counts) * 20 > Math.max(...counts),
      'timers fire': Math.max(...stalls) < 2000,
    };
  },
});

const wrongName = (common) => ({
  ...{ number: 8, name: 'a wrong name', common, notice: quoted(notices.stranger) },
  async run(site) {
    await site.start('z');
    const refused = await site.until(() => site.says(['z'], notices.stranger));
    await site.startAll(three);
    return { 'refused by name': refused, 'the others enter': await site.entered(three) };
  },
});

// Mistakes with the processes of an election.

const byLease = {
  ...{ protocol: 'lease', options: electionOptions.lease, stores: true, nodes: three },
};
/**
 * Its terms are no fencing tokens, and late messages make two leaders: only that no two share a
 * term is judged.
 */
const byMessages = {
  ...{ protocol: 'bully', options: electionOptions.bully, stores: true, reliable: true },
  ...{ nodes: three, judges: ['repeated'] },
};

/** Whether another one leads each time that the leader is killed and started again. */
async function survives(site, times) {
  for (let time = 0; time < times; time++) {
    const leader = await site.agreed(three);
    if (leader === undefined) return false;
    await site.kill(leader);
    const next = await site.agreed(three.filter((node) => node !== leader));
    await site.start(leader);
    if (next === undefined) return false;
  }
  return (
    (await site.agreed(three)) !== undefined && three.every((node) => !site.reportsOf(node).length)
  );
}

/** The leader is killed so many times; the processes start with such a delay. */
const leaderKilled = (number, name, common, times, delay) => ({
  ...{ number, name, common },
  async run(site) {
    for (const node of three) {
      await site.start(node);
      await pause(delay);
    }
    return { 'another one leads each time, and nobody is refused': await survives(site, times) };
  },
});
const restarts = (common) => leaderKilled(4, 'the leader is killed and comes back', common, 3, 0);
const late = (common) => leaderKilled(5, 'processes start one after the other', common, 2, 700);

const ofElections = [
  short(restarts(byLease)),
  restarts(byMessages),
  {
    ...{ number: 4, name: 'the leader is killed and comes back without its storage' },
    ...{ common: byLease, notice: quoted(notices.storage) },
    async run(site) {
      await site.startAll(three);
      const leader = await site.agreed(three);
      if (leader === undefined) return { 'one leads before': false };
      const again = `${leader}2`;
      await site.kill(leader);
      await site.start(leader, { label: again });
      const refused = await site.until(() => site.isRefused(again));
      const other = await site.agreed(three.filter((node) => node !== leader));
      return {
        'refused by name': refused,
        'it never leads': site.entriesOf(again) === 0,
        'another one leads': other !== undefined,
      };
    },
  },
  late(byLease),
  late(byMessages),
];

const next = { nodes: five, epoch: 2 };

/**
 * Each is a run of its own. `run` tells, by name, whether what must happen has happened. `short`:
 * also in `npm test`.
 */
const mistakes = [
  // the others may end before it starts
  otherOptions(leased, 'a', { lease: 4000 }, ['b', 'c']),
  noticed(
    quoted(notices.terms),
    short(
      afterEntries(1, 'a node has another option after a restart', leased, async (site) => {
        await site.kill('a');
        await site.start('a', { options: { lease: 4000 } });
        const refused = await site.until(() => site.says(['a'], notices.terms));
        return { 'refused by name': refused, ...(await othersGoOn(site)) };
      }),
    ),
  ),
  afterEntries(
    ...[1, 'an option is changed in a rolling restart, with a new epoch'],
    ...[{ ...leased, reliable: true }],
    async (site) => {
      let between = true;
      for (const node of three) {
        await site.kill(node);
        await site.start(node, { options: { lease: 2000 }, epoch: 2 });
        if (node === 'a') between = await site.entered(['b', 'c']);
      }
      return {
        'the others go on meanwhile': between,
        'all enter after': await site.entered(three),
      };
    },
  ),
  {
    ...{ number: 2, name: 'two processes with one name from the start', common: leased },
    notice: quoted(notices.storage),
    async run(site) {
      await site.startAll(['a', 'b']);
      await site.start('a', { label: 'a2' });
      await site.start('c');
      const refused = await site.until(() => site.isRefused('a', 'a2'));
      const both = ['a', 'a2'].every((label) => site.entriesOf(label) > 0);
      return { 'refused by name': refused, 'not both enter': !both };
    },
  },
  noticed(
    quoted(notices.storage),
    short(
      afterEntries(2, 'a second process with one name', leased, async (site) => {
        await site.start('a', { label: 'a2' });
        const refused = await site.until(
          () => site.isRefused('a2') && site.says(['b', 'c'], notices.storage),
        );
        return {
          'refused by name': refused,
          ...(await othersGoOn(site)),
          ...neverEnters(site, 'a2'),
        };
      }),
    ),
  ),
  noticed(
    quoted(notices.network),
    afterEntries(
      ...[3, 'three nodes become five in a rolling restart, without a new epoch', leased],
      async (site) => {
        await site.kill('a');
        await site.startAll(['a', 'd', 'e'], () => ({ nodes: five }));
        const refused = await site.until(() => site.says(['a'], notices.network));
        return { 'refused by name': refused, ...(await othersGoOn(site)) };
      },
    ),
  ),
  short(
    afterEntries(
      ...[3, 'three nodes become five in a rolling restart, with a new epoch', leased],
      async (site) => {
        await site.startAll(['d', 'e'], () => next);
        for (const node of three) {
          await site.kill(node);
          await site.start(node, next);
        }
        return { 'all five enter after': await site.entered(five) };
      },
    ),
  ),
  noticed(
    'the error of `acquire` names c',
    afterEntries(
      ...[3, 'three nodes become five, and one of them is forgotten', leased],
      async (site) => {
        for (const node of ['a', 'b']) await site.kill(node);
        await site.startAll(['a', 'b', 'd', 'e'], () => next);
        const names = ([, what, label, text]) =>
          what === 'late' && label === 'a' && /\bc\b/.test(text.replaceAll('_', ' '));
        return { 'waits, and names it': await site.until(() => site.lines().some(names)) };
      },
    ),
  ),
  noticed(
    quoted(notices.notAdmitted),
    afterEntries(...[3, 'a fourth node beside three that do not list it', leased], async (site) => {
      await site.start('d', { nodes: five.slice(0, 4) });
      const says = await site.until(() => waits(site, 'd', three));
      return {
        ...{ 'waits, and names it': says, ...neverEnters(site, 'd') },
        ...(await othersGoOn(site, three)),
      };
    }),
  ),
  {
    ...{ number: 9, name: 'another network at one node', common: leased },
    notice: quoted(notices.notAdmitted),
    async run(site) {
      await site.startAll(three, (node) => (node === 'c' ? { network: 'arena' } : {}));
      const says = await site.until(
        () => waits(site, 'c', ['a', 'b']) && ['a', 'b'].every((node) => waits(site, node, ['c'])),
      );
      return { 'waits, and names it': says, ...nobodyEnters(site) };
    },
  },
  short({
    ...{ number: 1, name: 'unequal options over message ports', media: [ports] },
    ...{ common: { ...leased, stores: false }, notice: quoted(notices.options) },
    async run(site) {
      site.startThreads(three, (node) => (node === 'b' ? { options: { lease: 4000 } } : {}));
      const refused = await site.until(() =>
        three.every((node) => site.says([node], notices.options)),
      );
      return {
        ...{ 'refused by name': refused, ...neverEnters(site, 'b') },
        ...(await othersGoOn(site, ['a', 'c'])),
      };
    },
  }),
  afterEntries(4, 'the holder is killed and comes back', leased, async (site) => {
    await site.kill('c');
    const goOn = await othersGoOn(site, ['a', 'b']);
    await site.start('c');
    return { ...goOn, 'it enters again': await site.entered(three) };
  }),
  ...inSession(token, { holder: 'c' }),
  ...inSession(group, { window: 4 }),
  ...ofElections,
  ...[short(withoutPause(token)), withoutPause(group), withoutPause(leased)],
  short(underProbe),
  ...[wrongName(token), wrongName(group), short(wrongName(leased))],
  noticed(
    'an error of the others names Z',
    afterEntries(8, 'a wrong name in its own list', leased, async (site) => {
      await site.start('Z', { nodes: ['Z', 'b', 'c'] });
      const reported = await site.until(() => site.says(['b', 'c'], '"Z"', "'Z'"));
      return {
        'refused by name': reported,
        ...neverEnters(site, 'Z'),
        ...(await othersGoOn(site, three)),
      };
    }),
  ),
];

// Runs each mistake over each transport.

/** The transports over which they run, where none are named. */
const usual = ['tcp', 'nats', 'websocket'];

/** By what must happen. */
const outcomes = { 'refused by name': 'refused', 'waits, and names it': 'waits' };

/** Those that are meant; `numbers`: only these. */
export const chosenMistakes = ({ short, numbers }) =>
  mistakes.filter(
    (mistake) => (!short || mistake.short) && (numbers?.includes(mistake.number) ?? true),
  );

/** @param chosen the transports that were named, if any */
export async function runMistakes({ chosen, short, numbers, minutes, folder, show }) {
  const runs = [];
  for (const medium of chosen ?? [...usual, ports])
    for (const mistake of chosenMistakes({ short, numbers })) {
      const { number, name, common, notice, media = chosen ?? usual } = mistake;
      if (!media.includes(medium)) continue;
      const title = `${medium}, ${common.protocol}: ${name}`;
      show(title);
      const its = join(folder, `mistake-${runs.length}`);
      const found = await outcome(mistake, medium, its, { short, minutes });
      runs.push({ medium, number, of: common.protocol, mistake: name, notice, ...found });
      for (const missing of found.missing) console.error(`${title}: missing: ${missing}`);
    }
  return runs;
}

async function outcome({ common, run }, medium, folder, options) {
  const site = new Site(medium, folder, common);
  try {
    await site.open(['Z', 'a', 'b', 'c', 'd', 'e', 'z']);
    const expected = await run(site, options);
    return {
      ...{ ...site.judgement(), operated: site.operated },
      judges: common.judges ?? ['overlaps', 'repeated', 'smaller'],
      missing: Object.keys(expected).filter((what) => !expected[what]),
      outcome: Object.entries(outcomes).find(([what]) => what in expected)?.[1] ?? 'tolerated',
    };
  } catch (error) {
    return {
      entries: 0,
      overlaps: 0,
      repeated: 0,
      smaller: 0,
      missing: [error.stack ?? String(error)],
      outcome: 'failed',
    };
  } finally {
    await site.close();
  }
}

/** Whether all has happened that must, and nothing else. */
export const isGood = ({ judges = [], missing, ...found }) =>
  missing.length === 0 && judges.every((what) => found[what] === 0);
