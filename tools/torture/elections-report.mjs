/**
 * The results of `npm run torture -- --elections` as a table, and as the page
 * docs/torture-elections.md.
 */
const options = ({ kind, by, times }) =>
  by === 'lease'
    ? `\`election({ by: 'lease', lease: ${times.lease} })\`${kind === 'followers' ? ', three servers, two clients' : ''}`
    : `\`bully({ timeout: ${times.answer}, electAtStart: true })\`, \`heartbeat({ period: ${times.period}, timeout: ${times.silence} })\``;

/** The time that so large a part of the takeovers did not exceed, in milliseconds. */
const quantile = (takeovers, part) =>
  Math.round(
    takeovers.toSorted((a, b) => a - b)[Math.ceil(part * takeovers.length) - 1] ?? Number.NaN,
  );

export function electionsTable(runs) {
  const head =
    '| election | transport | kills of the leader | p50, ms | p99, ms | longest, ms | bound, ms | beyond it | paused or cut off | leaders | ticks | ticks refused | looks of clients | violations |';
  const rows = runs.map((run) => {
    const { medium, takeovers, bound, late, leaders, ticks, refused, shown, violations } = run;
    const interruptions = run.interruptions || '–';
    const times = [0.5, 0.99, 1].map((part) => quantile(takeovers, part));
    const cells = [options(run), medium, takeovers.length, ...times, bound, late, interruptions];
    return `| ${[...cells, leaders, ticks, refused, shown || '–', violations.length].join(' | ')} |`;
  });
  return [head, `|${'---|'.repeat(14)}`, ...rows].join('\n');
}

export const clientsChecked =
  '**Clients** look each 10 ms. Each shows only who has led in that term, never an earlier term after a later one, and none whose term is over: it looks before another one leads in a later term. With each kill of the leader a client is killed, paused or cut off, or over NATS the broker is killed after it; a client that is killed comes back as a new one.';

export function electionsPage(results) {
  const { date, machine, kills, slack } = results;
  return `# Torture of elections

<!-- Written by npm run torture -- --elections --record -->

Five processes elect a leader, which ticks each 10 ms; or three do, and two are their clients, which only follow. Each time that all know the leader, the harness kills it with SIGKILL, measures how long it takes until another process ticks, and starts the killed one again with its storage. ${kills} kills for each election. After each fourth one the leader, alone or with another node, is paused, or cut off from the others, for up to three times what the detector or a lease takes.

Recorded on ${date.slice(0, 10)}: ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, ${machine.platform}.

${electionsTable(results.runs)}

- **Bound**: by \`bully()\` the time-outs of the detector and of one election, by leases the lease; and ${slack} ms for the machine.
- **Checked**: nobody ticks with the term or token of another node; by leases no tick that the store accepts has a smaller token than one before; no node reports an error; after each restart, pause and cut all five know one leader again; no process is left.
- ${clientsChecked}
- **Ticks refused**: by leases, the store refuses a token that is smaller than one it has seen.
- By \`bully()\` the largest node leads again when it is back, so there are about two leaders for each kill.

What this run does not show: that there may be two leaders by \`bully()\` while one is paused or cut off. [Choosing an election](choosing-an-election.md) says which election promises what.
`;
}
