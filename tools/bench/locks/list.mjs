/** What `npm run bench -- lock` measures, in the order of its table. */

/** A lock of this repository. `more` may have `options` of its protocol. */
const ours = (tool, protocol, medium, more = {}) => ({
  ...{ tool, open: 'conclave', protocol, medium, ...more },
  majority: protocol === 'leasedMajority',
  servers: medium === 'nats' ? ['nats'] : [],
});

const lossless = { isReliable: true };
const disk = { isDurable: true };
/** Longer than a measurement: only another node that asks ends it. */
const keep = 60_000;
/** How often in a row a node may enter before others. */
const greedy = 50;

export const locks = [
  { tool: 'redis-semaphore', open: 'redis-semaphore', servers: ['redis'] },
  { tool: 'redlock, one server', open: 'redlock', servers: ['redis'] },
  { tool: 'Postgres advisory lock', open: 'postgres', servers: ['postgres'] },
  { tool: 'etcd', open: 'etcd', servers: ['etcd'] },
  { tool: 'NATS KV', open: 'nats-kv', servers: ['nats'] },
  ours('naimiTrehel over tcp', 'naimiTrehel', 'tcp', lossless),
  ours(`naimiTrehel over tcp, greedy ${greedy}`, 'naimiTrehel', 'tcp', {
    ...lossless,
    options: { greedy },
  }),
  ours('raymond over tcp', 'raymond', 'tcp', { ...lossless, isStar: true }),
  ours('ricartAgrawala over tcp', 'ricartAgrawala', 'tcp', lossless),
  ours('leasedMajority over tcp', 'leasedMajority', 'tcp'),
  ours('leasedMajority over tcp, on disk', 'leasedMajority', 'tcp', disk),
  ours('leasedMajority over tcp, on disk, with a journal', 'leasedMajority', 'tcp', {
    ...disk,
    hasJournal: true,
  }),
  ours('leasedMajority over nats, on disk', 'leasedMajority', 'nats', disk),
  ours('leasedMajority over tcp, on disk, keep', 'leasedMajority', 'tcp', {
    ...disk,
    options: { keep },
  }),
  ours(`leasedMajority over tcp, on disk, keep, greedy ${greedy}`, 'leasedMajority', 'tcp', {
    ...disk,
    options: { keep, greedy },
  }),
  { ...ours('lockClient over tcp, on disk', 'leasedMajority', 'tcp', disk), open: 'client' },
];
