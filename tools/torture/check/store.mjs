/** Lost updates and fencing tokens, by the log of the store and what the processes say. */
export function checkStore({ operations, counters, visits }, found) {
  const { violations } = found;
  const cells = new Map(
    [...counters.keys()].map((name) => [
      name,
      { value: 0, token: Number.NEGATIVE_INFINITY, entries: 0 },
    ]),
  );
  const owners = new Map();
  const writes = new Set();
  const reads = new Map();
  let refused = 0;
  for (const { op, process, name, accepted, token, value } of operations) {
    const cell = cells.get(name);
    if (!cell) {
      violations.push(`The store has no counter ${name}`);
      continue;
    }
    const key = `${name} ${token}`;
    if (owners.has(key) && owners.get(key) !== process)
      violations.push(
        `${name}: the token ${token} is used by ${owners.get(key)} and by ${process}`,
      );
    owners.set(key, process);
    if (accepted !== token >= cell.token)
      violations.push(
        `${name}: the store has ${accepted ? 'accepted' : 'refused'} ${token} after ${cell.token}`,
      );
    if (!accepted) {
      refused += op === 'write' ? 1 : 0;
      continue;
    }
    cell.token = token;
    if (op === 'read') reads.set(key, value);
    else {
      if (value !== cell.value + 1)
        violations.push(
          `${name}: an update is lost: ${process} writes ${value} after ${cell.value}`,
        );
      if (reads.get(key) !== value - 1)
        violations.push(`${name}: ${process} writes ${value}, but has read ${reads.get(key)}`);
      if (writes.has(key)) violations.push(`${name}: two writes with the token ${token}`);
      writes.add(key);
      cell.value = value;
      cell.entries++;
    }
  }
  let total = 0;
  for (const [name, { value, entries }] of cells) {
    total += entries;
    if (value !== entries)
      violations.push(`${name}: ${entries} writes were accepted, and the store says ${value}`);
    if (counters.get(name) !== entries)
      violations.push(
        `${name}: ${entries} writes were accepted, and its file says ${counters.get(name)}`,
      );
  }
  for (const { process, name, token, written } of visits)
    if (
      /^\d+$/.test(written ?? '') &&
      !(writes.has(`${name} ${token}`) && owners.get(`${name} ${token}`) === process)
    )
      violations.push(
        `${name}: ${process} was told that its write with the token ${token} is accepted; the store does not know it`,
      );
  const entered = new Set(visits.map(({ process, name, token }) => `${process} ${name} ${token}`));
  for (const [key, process] of owners)
    if (!entered.has(`${process} ${key}`))
      violations.push(`${process} uses the token of ${key} without an entry`);
  if (total === 0) violations.push('Nothing was counted');
  Object.assign(found, { entries: total, visits: visits.length, staleWritesRefused: refused });
}
