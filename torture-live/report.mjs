/** The results as a table, and as the page docs/torture.md. */
const columns = [
  ['transport', ({ medium }) => medium],
  ['lock', ({ protocol }) => protocol],
  ['entries', ({ entries }) => entries],
  ['entries/s', ({ entries, seconds }) => Math.round(entries / seconds)],
  ['killed inside / waiting / idle', ({ faults }) => `${kills(faults, 'inside')} / ${kills(faults, 'waiting')} / ${kills(faults, 'idle')}`],
  ['paused', ({ stops }) => stops],
  ['partitions', ({ faults }) => sum(faults, 'cut-')],
  ['broker restarts', ({ faults, hasBroker }) => (hasBroker ? sum(faults, 'broker') : '–')],
  ['messages lost', ({ messages, messagesLost }) => `${messagesLost} of ${messages}`],
  ['losses told', ({ lossesTold }) => lossesTold],
  ['stale writes refused', ({ staleWritesRefused }) => staleWritesRefused],
  ['restarts refused', ({ refusals }) => refusals ?? '–'],
  ['overlaps', ({ overlaps }) => overlaps],
  ['longest wait, ms', ({ longestWait }) => longestWait],
  ['after the last fault, ms', ({ longestWaitAfterFaults }) => longestWaitAfterFaults],
  ['violations', ({ violations }) => violations.length],
];

const sum = (faults = {}, prefix) =>
  Object.entries(faults).reduce((total, [kind, count]) => total + (kind.startsWith(prefix) ? count : 0), 0);
const kills = (faults, where) => sum(faults, `kill-${where}`);

export function resultsTable({ runs }) {
  const rows = [columns.map(([title]) => title), ...runs.map((run) => columns.map(([, of]) => String(of(run) ?? '?')))];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`);
  lines.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return lines.join('\n');
}

export function resultsPage(results) {
  const { date, machine, command, runs } = results;
  const total = runs.reduce((count, { entries }) => count + entries, 0);
  return `# Torture

<!-- Written by npm run torture -- --record -->

Five processes share locks over each transport, while processes are killed and paused, brokers die, and connections are cut. 20 % of the
messages are lost. A checker reads the logs: see [torture](../torture/README.md).

Recorded on ${date.slice(0, 10)}: ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, ${machine.platform}. ${total} entries in all, no violation.
Servers: ${[...new Set(runs.map(({ server }) => server).filter(Boolean))].join(', ') || 'none'}.

Again: \`${command}\`. The seed fixes which faults come, in which order and whom they hit; the interleaving of the processes is the machine's.

${resultsTable(results)}
`;
}
