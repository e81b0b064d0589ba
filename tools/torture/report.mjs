/**
 * The results as tables, and as the pages docs/torture.md, docs/torture-elections.md and
 * docs/mistakes.md.
 */

/** @param columns each a title, and what a run has there */
function tableOf(columns, runs) {
  const rows = [
    columns.map(([title]) => title),
    ...runs.map((run) => columns.map(([, of]) => String(of(run) ?? '–'))),
  ];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`,
  );
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return lines.join('\n');
}

const machineText = ({ date, machine: { cores, cpu, node, platform } }) =>
  `Recorded on ${date.slice(0, 10)}: ${cores} cores (${cpu}), Node ${node}, ${platform}.`;

const slashed = (...counts) => counts.join(' / ');
const lockColumns = [
  ['transport', ({ medium }) => medium],
  ['lock', ({ protocol }) => protocol],
];

/** Of the locks, a table for each question; a run stands where it has something to say. */
const lockTables = {
  Faults: [
    ['killed inside / waiting / idle', ({ faults }) => slashed(...killsOf(faults))],
    ['paused', ({ stops }) => stops],
    ['partitions', ({ faults }) => sum(faults, 'cut-')],
    ['broker restarts', ({ faults, hasBroker }) => (hasBroker ? sum(faults, 'broker') : undefined)],
    ['messages lost', ({ messages, messagesLost }) => `${messagesLost} of ${messages}`],
  ],
  Entries: [
    ['entries', ({ entries }) => entries],
    ['entries/s', ({ entries, seconds }) => Math.round(entries / seconds)],
    ['longest wait, ms', ({ longestWait }) => longestWait],
    ['after the last fault, ms', ({ longestWaitAfterFaults }) => longestWaitAfterFaults],
    ['journal steps repeated', ({ journals }) => journals?.steps],
    ['violations', ({ violations }) => violations.length],
  ],
  'Losses and refusals': [
    ['losses seen', ({ lossesTold }) => lossesTold],
    ['overlaps', ({ overlaps }) => overlaps],
    ['stale writes refused', ({ staleWritesRefused }) => staleWritesRefused],
    ['restarts refused', ({ refusals }) => refusals],
  ],
  'Jobs, busy threads, clients and voters': [
    ['ticks / cut short / refused', ({ ticks: t }) => t && slashed(t.done, t.cut, t.refused)],
    ['kept / lost while busy', ({ spins: t }) => t && slashed(t.kept, t.lost)],
    ['clients killed / left', ({ faults }) => clientsOf(faults)],
    ['voters changed / given up / cut', ({ changes: t }) => t && slashed(t.done, t.given, t.cut)],
  ],
};

const sum = (faults = {}, prefix) =>
  Object.entries(faults).reduce(
    (total, [kind, count]) => total + (kind.startsWith(prefix) ? count : 0),
    0,
  );
const killsOf = (faults) =>
  ['inside', 'waiting', 'idle'].map((where) => sum(faults, `kill-${where}`));
const clientsOf = ({ 'kill-client': killed = 0, 'leave-client': left }) =>
  left === undefined ? undefined : slashed(killed, left);

export const resultsTables = ({ runs }) =>
  Object.entries(lockTables)
    .flatMap(([title, columns]) => {
      const some = runs.filter((run) => columns.some(([, of]) => (of(run) ?? '–') !== '–'));
      return some.length === 0 ? [] : `${title}:\n\n${tableOf([...lockColumns, ...columns], some)}`;
    })
    .join('\n\n');

/** Of leases in rows: one table. */
const rowsTable = (runs) =>
  tableOf(
    [
      ['store', ({ medium }) => medium.replace('-row', '')],
      ...lockTables.Faults.slice(0, 3),
      ['store down', ({ faults }) => sum(faults, 'broker')],
      ['clocks shifted', ({ faults }) => sum(faults, 'clock')],
      ...lockTables.Entries.filter(([title]) => !title.startsWith('journal')),
      ...lockTables['Losses and refusals'].slice(0, 3),
    ],
    runs,
  );

export function rowsPage({ command, runs, ...head }) {
  const servers = runs.flatMap(({ server }) => server ?? []).join(', ');
  const of = (name) => runs.reduce((total, run) => total + (run[name] ?? 0), 0);
  const without = [...new Set(runs.flatMap(({ leftOut = [] }) => leftOut))].map((why) => ` ${why}`);
  return `# Torture of a lease in one row

<!-- Written by npm run torture -- --protocols row --record -->

Five processes share eight locks, \`lock({ store, name, lease: 400 })\`, and count in another store that checks fencing tokens. Meanwhile the harness kills processes with SIGKILL and pauses them; it moves the wall clocks of processes by 20 seconds, ahead and back; and it takes the store down: it kills a server and restarts it with its disk, moves the folder of \`fileStore\` away and back, or kills a program in the middle of the transaction by which it has locked the database of SQLite. The harness cuts, holds back and slows down the connections of processes to servers. [tools/torture/README.md](../tools/torture/README.md) lists the faults and the checks.

${of('entries')} entries: the store loses no update, no token comes twice, and each process enters after the faults. ${of('overlaps')} times a process was still inside when another one entered: each time the harness had paused it, or the machine had no time for it; after a write of the new holder the store accepted no write of the old holder.

${machineText(head)} Servers: ${servers}.${without.join('')}

\`\`\`
${command}
\`\`\`

${rowsTable(runs)}

In this run no store loses a confirmed write. Redis may lose one in a failover; two programs may then have the same token.
`;
}

const clientsChecked =
  '**Clients** report the leader that they know, every 10 ms. Each client shows only a real leader of its term, never an earlier term after a later one, and no leader after the next one has begun. With each kill of the leader the harness also kills, pauses or cuts off a client, or kills the NATS broker; a killed client comes back as a new client.';

const electionsPart = (elections) =>
  elections.length > 0
    ? `
Beside the locks, the harness runs an election with clients that follow it, and kills its leader again and again.

${electionsTable(elections)}

- ${clientsChecked}
`
    : '';

export function resultsPage(results) {
  const { command, runs, elections } = results;
  const of = (name) => runs.reduce((total, run) => total + (run[name] ?? 0), 0);
  const minutes = Math.round(of('seconds') / 60);
  const steps = runs.reduce((total, { journals }) => total + (journals?.steps ?? 0), 0);
  const ticks = (name) => runs.reduce((total, run) => total + (run.ticks?.[name] ?? 0), 0);
  const servers =
    [...new Set(runs.map(({ server }) => server).filter(Boolean))].join(', ') || 'none';
  return `# Torture

<!-- Written by npm run torture -- --record -->

Five processes share locks over each transport, and count in a store that checks fencing tokens. The harness kills and pauses processes, kills brokers and cuts connections; it loses 20 % of the messages, duplicates 2 % and reorders 5 %. A checker reads the logs. [tools/torture/README.md](../tools/torture/README.md) lists the faults and the checks.

${of('entries')} entries in ${minutes} minutes: the store loses no update and refuses each write with an old token, each process enters after the faults, and no process is left over. Of ${ticks('done')} ticks of jobs, no tick runs twice, and faults cut ${ticks('cut')} short. ${of('overlaps')} times a process was still inside when another one entered: the harness had paused it, or the machine had no time for it (${of('overlapsByStall')} times). ${of('lossesTold')} holders learned that they had lost their lock. The checker repeats ${steps} steps from the journals with the statecharts; all conform.

${machineText(results)} Servers: ${servers}.

\`\`\`
${command}
\`\`\`

The seed fixes the faults, their order and their victims. The operating system decides how the processes interleave.

${resultsTables(results)}

- **Lock**: \`leased\` is \`leasedMajority\`, directly over the lossy transport, without \`reliable()\`. Its lease is 400 ms, and it tolerates kills. \`kept\` also has the option \`keep\`. \`watched\` has its node in a worker thread, with a lease of 1000 ms and a limit of five leases, and one lock. \`clients\` has three servers, two clients and one lock. \`voters\` has four locks, and changes the voting processes. The other locks run over \`reliable()\`, and tolerate no crash: at the end the harness kills one process and starts it again, and the others must refuse it.
- **Killed**: the place of the process, by its own log. **Longest wait**: in the whole run, faults included. **After the last fault**: the time from the end of this fault until each process has entered the lock of each name.
- **Ticks**: the harness has two jobs, each due twenty times a second; *refused*: the store refused the fencing token of an earlier leader.
- **While busy**: the number of times that a process kept or lost the lock, after its thread had been busy for three leases, or for longer than the limit.
- **Clients**: each client that comes back is a new client; the three servers also enter. **Changes of voters**: three to five of the five nodes vote; *given up*: the node lost the lock, or too few nodes answered in time; *cut*: the harness killed the process meanwhile.
- **Stale writes refused**: writes with an old token, by a process that slept inside and did not look at its signal in time.
${electionsPart(elections)}
This run does not show three faults: drifting clocks, since all processes share one clock; a lost disk, since storage may lie in a file system in memory; and a killed IPC hub, since the hub lives in the parent, which closes it and opens another one. The nodes write journals for ${runs[0]?.journals?.names ?? 0} of ${runs[0]?.names ?? 0} names.
`;
}

const textOf = ({ kind, by, options }) =>
  by === 'lease'
    ? `\`election({ by: 'lease', lease: ${options.lease} })\`${kind === 'followers' ? ', three servers, two clients' : ''}`
    : `\`bully({ timeout: ${options.bully.timeout}, electAtStart: true })\`, \`heartbeat({ period: ${options.heartbeat.period}, timeout: ${options.heartbeat.timeout} })\``;

/** The time that so large a part of the takeovers did not exceed, in milliseconds. */
const quantile =
  (part) =>
  ({ takeovers }) =>
    Math.round(
      takeovers.toSorted((a, b) => a - b)[Math.ceil(part * takeovers.length) - 1] ?? Number.NaN,
    );

export const electionsTable = (runs) =>
  tableOf(
    [
      ['election', textOf],
      ['transport', ({ medium }) => medium],
      ['kills of the leader', ({ takeovers }) => takeovers.length],
      ['p50, ms', quantile(0.5)],
      ['p99, ms', quantile(0.99)],
      ['longest, ms', quantile(1)],
      ['bound, ms', ({ bound }) => bound],
      ['beyond it', ({ late }) => late],
      ['paused or cut off', ({ interruptions }) => interruptions || '–'],
      ['leaders', ({ leaders }) => leaders],
      ['ticks', ({ ticks }) => ticks],
      ['ticks refused', ({ refused }) => refused],
      ['looks of clients', ({ shown }) => shown || '–'],
      ['violations', ({ violations }) => violations.length],
    ],
    runs,
  );

export function electionsPage(results) {
  const { kills, slack } = results;
  return `# Torture of elections

<!-- Written by npm run torture -- --elections --record -->

Five processes elect a leader, which ticks every 10 ms; in two rows three processes elect it, and two clients only follow. When all know the leader, the harness kills it with SIGKILL, measures the time until another process ticks, and restarts the killed process with its storage. It kills ${kills} times in each election. In the rows without clients the harness also disturbs the leader after each fourth kill. It pauses the leader, alone or with another node, or cuts it off from the others. This lasts for up to three time-outs of the detector, or three leases.

${machineText(results)}

${electionsTable(results.runs)}

- **Bound**: for \`bully()\` the time-outs of the detector and of one election; for leases the lease; plus ${slack} ms for the machine.
- **Checked**: nobody ticks with the term or token of another node; with leases, the store accepts no tick with a smaller token than before; no node reports an error; after each restart, pause and cut all five know one leader again; no process is left.
- ${clientsChecked}
- **Ticks refused**: with leases, the store refuses a token that is smaller than the largest so far.
- With \`bully()\` the largest node leads again when it is back, so there are about two leaders for each kill.

\`bully()\` may have two leaders during a pause or a partition; this run does not show that. [Choosing an election](choosing-an-election.md) has the promises of each election.
`;
}

/** Numbers that are not judged are in brackets. */
const judged = (what) => (run) => (run.judges?.includes(what) ? run[what] : `(${run[what]})`);

/** For the terminal: a row for each run. */
export const mistakesTable = (runs) =>
  tableOf(
    [
      ['', ({ number }) => number],
      ['mistake', ({ mistake }) => mistake],
      ['lock or election', ({ of }) => of],
      ['transport', ({ medium }) => medium],
      ['outcome', ({ outcome }) => outcome],
      ['entries', ({ entries }) => entries],
      ['overlaps', judged('overlaps')],
      ['tokens repeated', judged('repeated')],
      ['tokens smaller', judged('smaller')],
    ],
    runs,
  );

/** A row for each mistake, a column for each lock or election. */
export function mistakesMatrix(runs) {
  const kinds = [...new Set(runs.map(({ of }) => of))];
  const cellOf = (kind) => (its) => {
    const own = its.filter(({ of }) => of === kind);
    return [...new Set(own.map(({ outcome }) => outcome))]
      .map((outcome) => {
        const same = own.filter((run) => run.outcome === outcome);
        const where = same.length === own.length ? '' : `${same.map(({ medium }) => medium)}: `;
        return `${where}${outcome} (${same.map(({ entries }) => entries).join(', ')})`;
      })
      .join('; ');
  };
  const noticesOf = (its) => [...new Set(its.flatMap(({ notice }) => notice ?? []))].join(' or ');
  const byMistake = [...new Set(runs.map(({ mistake }) => mistake))]
    .map((mistake) => runs.filter((run) => run.mistake === mistake))
    .sort(([one], [other]) => one.number - other.number);
  return tableOf(
    [
      ['', ([{ number }]) => number],
      ['mistake', ([{ mistake }]) => mistake],
      ...kinds.map((kind) => [kind, (its) => cellOf(kind)(its) || '–']),
      ['noticed by', (its) => noticesOf(its) || '–'],
    ],
    byMistake,
  );
}

export const mistakesPage = ({
  date,
  machine: { cores, cpu, node },
  command,
  runs,
}) => `# Mistakes of operation

Real processes made each mistake over TCP, NATS and WebSocket. A cell has the outcome and, in parentheses, the entries over each transport (a single number is only for TCP or message ports). A dash means that nobody tried it, or that there is nothing to notice. In each run at most one node was inside at a time. Each token was larger than the token before; for \`bully\`, whose terms are not fencing tokens, and for mistake 7, the run only checks that no token came twice.

- *Refused*: a process named the mistake, and took no part.
- *Waits*: one node, or every node, did not enter, and its errors named the nodes that it waited for.
- *Tolerated*: all nodes entered eventually.

*Noticed by* is a part of the error that the run waited for. [Operations](operations.md) gives the remedies.

${mistakesMatrix(runs)}

Recorded by \`${command}\` on ${date.slice(0, 10)}, do not edit: ${cores} cores (${cpu}), Node ${node}.
${runs.map(underProbe).join('')}`;

/** What the supervisor of probe.mjs has seen, as a section. */
const underProbe = ({ operated }) =>
  operated
    ? `
## Under a probe

Three nodes ran the [program of operations.md](operations.md#a-program) over TCP for ${operated.minutes} ${operated.minutes === 1 ? 'minute' : 'minutes'} or more. A supervisor restarted each process that answered 503 three times in a row, or ended. In ${operated.rounds} rounds the program got ${operated.frames} stray frames, ${operated.strangers} strangers (in each round two nodes outside its list, two with other options, a twin of a node, and a node without its disk) and ${operated.epochs} changes of the epoch, each as a rolling restart. All three nodes entered after each round. Restarts of healthy nodes: ${operated.restarts}.
`
    : '';
