/** The results as a table, and as the page docs/torture.md. */
import { clientsChecked, electionsTable } from './elections-report.mjs';

const columns = [
  ['transport', ({ medium }) => medium],
  ['lock', ({ protocol }) => protocol],
  ['entries', ({ entries }) => entries],
  ['entries/s', ({ entries, seconds }) => Math.round(entries / seconds)],
  [
    'killed inside / waiting / idle',
    ({ faults }) =>
      `${kills(faults, 'inside')} / ${kills(faults, 'waiting')} / ${kills(faults, 'idle')}`,
  ],
  ['paused', ({ stops }) => stops],
  ['partitions', ({ faults }) => sum(faults, 'cut-')],
  ['broker restarts', ({ faults, hasBroker }) => (hasBroker ? sum(faults, 'broker') : '–')],
  ['messages lost', ({ messages, messagesLost }) => `${messagesLost} of ${messages}`],
  ['losses told', ({ lossesTold }) => lossesTold],
  ['stale writes refused', ({ staleWritesRefused }) => staleWritesRefused],
  ['restarts refused', ({ refusals }) => refusals ?? '–'],
  ['overlaps', ({ overlaps }) => overlaps],
  [
    'ticks / cut short / refused',
    ({ ticks }) => (ticks ? `${ticks.done} / ${ticks.cut} / ${ticks.refused}` : '–'),
  ],
  ['kept / lost while busy', ({ spins }) => (spins ? `${spins.kept} / ${spins.lost}` : '–')],
  [
    'clients killed / left',
    ({ faults }) =>
      'leave-client' in faults ? `${faults['kill-client'] ?? 0} / ${faults['leave-client']}` : '–',
  ],
  [
    'changes of voters / given up / cut short',
    ({ changes }) => (changes ? `${changes.done} / ${changes.given} / ${changes.cut}` : '–'),
  ],
  ['longest wait, ms', ({ longestWait }) => longestWait],
  ['after the last fault, ms', ({ longestWaitAfterFaults }) => longestWaitAfterFaults],
  ['journal steps repeated', ({ journals }) => journals?.steps],
  ['violations', ({ violations }) => violations.length],
];

const sum = (faults = {}, prefix) =>
  Object.entries(faults).reduce(
    (total, [kind, count]) => total + (kind.startsWith(prefix) ? count : 0),
    0,
  );
const kills = (faults, where) => sum(faults, `kill-${where}`);

export function resultsTable({ runs }) {
  const rows = [
    columns.map(([title]) => title),
    ...runs.map((run) => columns.map(([, of]) => String(of(run) ?? '?'))),
  ];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`,
  );
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return lines.join('\n');
}

const electionsPart = (elections) =>
  elections.length > 0
    ? `
Beside the locks, an election whose clients follow it: its leader is killed again and again.

${electionsTable(elections)}

- ${clientsChecked}
`
    : '';

export function resultsPage(results) {
  const { date, machine, command, runs, elections } = results;
  const of = (name) => runs.reduce((total, run) => total + (run[name] ?? 0), 0);
  const minutes = Math.round(of('seconds') / 60);
  const steps = runs.reduce((total, { journals }) => total + (journals?.steps ?? 0), 0);
  const ticks = (name) => runs.reduce((total, run) => total + (run.ticks?.[name] ?? 0), 0);
  const servers =
    [...new Set(runs.map(({ server }) => server).filter(Boolean))].join(', ') || 'none';
  return `# Torture

<!-- Written by npm run torture -- --record -->

Five processes share locks over each transport, and count in a store that checks fencing tokens. Meanwhile processes are killed and paused, brokers are killed, and connections are cut; 20 % of the messages are lost, 2 % are duplicated, and 5 % are overtaken. A checker reads the logs. [tools/torture/README.md](../tools/torture/README.md) says what is done and what is checked.

${of('entries')} entries in ${minutes} minutes: no update is lost, the store refuses each write with an old token, each process enters after the faults, no process is left over, and of ${ticks('done')} ticks of jobs none is done twice, and none lost but ${ticks('cut')} that a fault has cut short. ${of('overlaps')} times a process was still inside when another one entered: each time it had been paused, or the machine had no time for it (${of('overlapsByStall')} times); ${of('lossesTold')} times a holder was told that it had lost its lock. ${steps} steps from the journals were repeated on the machines, and conform.

Recorded on ${date.slice(0, 10)}: ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, ${machine.platform}. Servers: ${servers}.

\`\`\`
${command}
\`\`\`

The seed fixes which faults come, in which order, and whom they hit. How the processes interleave is up to the machine.

${resultsTable(results)}

- **Lock**: \`leased\` is \`leasedMajority\`, which needs no \`reliable()\`: the loss is right below it. Its lease is 400 ms, and it tolerates kills. \`kept\` is the same with the option \`keep\`. \`watched\` has its node in a worker thread, with a lease of 1000 ms and a limit of five leases, and one lock. By \`clients\`, three processes are servers and two their clients, with one lock; by \`voters\`, the processes change who votes, with four. The others run over \`reliable()\`, and tolerate no crash; at the end one of their processes is killed and started again, and must be refused.
- **Killed**: where the process was by its own log. **Longest wait**: with all faults; **after the last fault**: from the moment when the last one healed until each process has entered under each name.
- **Ticks**: of two jobs beside the entries, each due twenty times a second, under a store of ticks; *refused*: by the fencing token of a process that has led.
- **While busy**: how often a process still had the lock, by its own look, when its thread had been busy for three leases, or for longer than the limit.
- **Clients**: of three servers, which vote and enter, too; each client that comes is a new one. **Changes of voters**: while the run goes on, three to five of the five nodes vote; *given up*: the lock was lost, or too many did not answer in time; *cut short*: its process was killed in it.
- **Stale writes refused**: writes with an old token, by a process that was paused inside and did not look at its signal, or looked too late.
${electionsPart(elections)}
What this run does not show: clocks that drift apart, since all processes share one; the loss of a disk, since storage lies in memory where the machine has a file system for that; an IPC hub that is killed, since it lives in the parent: it is closed, and another one takes its place. Journals are written for ${runs[0]?.journals?.names ?? 0} of ${runs[0]?.names ?? 0} names.
`;
}
