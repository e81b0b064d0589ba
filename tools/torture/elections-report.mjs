/**
 * The results of `npm run torture -- --elections` as a table, and as the page
 * docs/torture-elections.md.
 */
const options = ({ by, times }) =>
  by === 'lease'
    ? `\`election({ by: 'lease', lease: ${times.lease} })\``
    : `\`bully({ timeout: ${times.answer}, electAtStart: true })\`, \`heartbeat({ period: ${times.period}, timeout: ${times.silence} })\``;

/** The time that so large a part of the takeovers did not exceed, in milliseconds. */
const quantile = (takeovers, part) =>
  Math.round(
    takeovers.toSorted((a, b) => a - b)[Math.ceil(part * takeovers.length) - 1] ?? Number.NaN,
  );

export function electionsTable({ runs }) {
  const head =
    '| election | kills of the leader | p50, ms | p99, ms | longest, ms | bound, ms | beyond it | leaders | ticks | ticks refused | violations |';
  const rows = runs.map((run) => {
    const { takeovers, bound, late, leaders, ticks, refused, violations } = run;
    const times = [0.5, 0.99, 1].map((part) => quantile(takeovers, part));
    return `| ${[options(run), takeovers.length, ...times, bound, late, leaders, ticks, refused, violations.length].join(' | ')} |`;
  });
  return [head, `|${'---|'.repeat(11)}`, ...rows].join('\n');
}

export function electionsPage(results) {
  const { date, machine, kills, slack } = results;
  return `# Torture of elections

<!-- Written by npm run torture -- --elections --record -->

Five processes over TCP elect a leader, which ticks each 10 ms. Each time that all know the leader, the harness kills it with SIGKILL, measures how long it takes until another process ticks, and starts the killed one again with its storage. ${kills} kills for each election.

Recorded on ${date.slice(0, 10)}: ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, ${machine.platform}.

${electionsTable(results)}

- **Bound**: by \`bully()\` the time-outs of the detector and of one election, by leases the lease; and ${slack} ms for the machine.
- **Checked**: nobody ticks with the term or token of another node; by leases no tick that the store accepts has a smaller token than one before; no node reports an error; after each restart all five know one leader again; no process is left.
- **Ticks refused**: by leases, the store refuses a token that is smaller than one it has seen.
- By \`bully()\` the largest node leads again when it is back, so there are about two leaders for each kill.

What this run does not show: pauses and partitions, under which \`bully()\` may have two leaders. [Choosing an election](choosing-an-election.md) says which election promises what.
`;
}
