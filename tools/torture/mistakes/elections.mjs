/** Mistakes with the processes of an election, as those of mistakes.mjs. */
import { electionOptions } from '../plan.mjs';
import { pause } from '../random.mjs';

export const three = ['a', 'b', 'c'];
export const short = (mistake) => ({ ...mistake, short: true });

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
  return (await site.agreed(three)) !== undefined && three.every((node) => !site.told(node).length);
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

export const ofElections = [
  short(restarts(byLease)),
  restarts(byMessages),
  {
    ...{ number: 4, name: 'the leader is killed and comes back without its storage' },
    common: byLease,
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
