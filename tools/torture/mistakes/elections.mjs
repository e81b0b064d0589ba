/** What may happen to a leader, by leases and by messages. */

export const byLease = {
  protocol: 'lease',
  options: { lease: 800 },
  stores: true,
  nodes: ['a', 'b', 'c'],
};
/**
 * Its terms are no fencing tokens, and late messages make two leaders: only that no two share a
 * term is judged.
 */
export const byMessages = {
  protocol: 'bully',
  options: {
    bully: { timeout: 250, electAtStart: true },
    heartbeat: { period: 100, timeout: 600 },
  },
  ...{ stores: true, reliable: true, nodes: ['a', 'b', 'c'], judges: ['repeated'] },
};

/** The leader is killed and started again `times` times. */
async function killed(site, times) {
  for (let time = 0; time < times; time++) {
    const leader = await site.agreed(['a', 'b', 'c']);
    if (leader === undefined) return false;
    await site.kill(leader);
    const next = await site.agreed(['a', 'b', 'c'].filter((node) => node !== leader));
    await site.start(leader);
    if (next === undefined) return false;
  }
  return (
    (await site.agreed(['a', 'b', 'c'])) !== undefined &&
    ['a', 'b', 'c'].every((node) => site.told(node).length === 0)
  );
}

export const restarts = (common, short) => ({
  number: 4,
  name: 'the leader is killed and comes back',
  short,
  common,
  run: async (site) => {
    await site.startAll(['a', 'b', 'c']);
    return { 'another one leads each time, and nobody is refused': await killed(site, 3) };
  },
});

export const late = (common) => ({
  number: 5,
  name: 'processes start one after the other',
  common,
  run: async (site) => {
    for (const node of ['a', 'b', 'c']) {
      await site.start(node);
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
    return { 'another one leads each time, and nobody is refused': await killed(site, 2) };
  },
});
