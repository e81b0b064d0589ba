/** Lost updates and fencing tokens, by the log of the store and what the processes say. */
export function checkStore({ operations, counters, visits }, found) {
  const claim = (holds, text) => {
    if (!holds) found.violations.push(text);
  };
  const { cells, owners, writes, refused } = repeated(operations, [...counters.keys()], claim);
  let total = 0;
  for (const [name, { value, entries }] of cells) {
    total += entries;
    const accepted = `${name}: ${entries} writes were accepted`;
    claim(value === entries, `${accepted}, and the store says ${value}`);
    const counter = counters.get(name);
    claim(counter === entries, `${accepted}, and its file says ${counter}`);
  }
  const entered = new Set();
  for (const { process, name, token, written } of visits) {
    const key = `${name} ${token}`;
    entered.add(`${process} ${key}`);
    claim(
      !/^\d+$/.test(written ?? '') || (writes.has(key) && owners.get(key) === process),
      `${name}: ${process} was told that its write with the token ${token} is accepted; the store does not know it`,
    );
  }
  for (const [key, process] of owners)
    claim(entered.has(`${process} ${key}`), `${process} uses the token of ${key} without an entry`);
  claim(total > 0, 'Nothing was counted');
  Object.assign(found, { entries: total, visits: visits.length, staleWritesRefused: refused });
}

/**
 * What the operations of the store lead to. By name: `cells`; by name and token: which process is
 * its owner, and what was written.
 */
function repeated(operations, names, claim) {
  const cells = new Map(
    names.map((name) => [name, { value: 0, token: Number.NEGATIVE_INFINITY, entries: 0 }]),
  );
  const owners = new Map();
  const writes = new Set();
  const reads = new Map();
  let refused = 0;
  for (const { op, process, name, accepted, token, value } of operations) {
    const cell = cells.get(name);
    claim(cell, `The store has no counter ${name}`);
    if (!cell) continue;
    const key = `${name} ${token}`;
    const owner = owners.get(key) ?? process;
    claim(owner === process, `${name}: the token ${token} is used by ${owner} and by ${process}`);
    owners.set(key, process);
    const answer = accepted ? 'accepted' : 'refused';
    claim(
      accepted === token >= cell.token,
      `${name}: the store has ${answer} ${token} after ${cell.token}`,
    );
    if (!accepted) {
      refused += op === 'write' ? 1 : 0;
      continue;
    }
    cell.token = token;
    if (op === 'read') {
      reads.set(key, value);
      continue;
    }
    const { value: last } = cell;
    claim(
      value === last + 1,
      `${name}: an update is lost: ${process} writes ${value} after ${last}`,
    );
    const read = reads.get(key);
    claim(read === value - 1, `${name}: ${process} writes ${value}, but has read ${read}`);
    claim(!writes.has(key), `${name}: two writes with the token ${token}`);
    writes.add(key);
    cell.value = value;
    cell.entries++;
  }
  return { cells, owners, writes, refused };
}
