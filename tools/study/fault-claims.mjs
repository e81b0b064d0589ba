/**
 * What documents 002 and 003 say about faults, beside what was computed. Each discussion was written
 * for the marks that it lists: a run that computes another one fails.
 */

/**
 * `found`: row, column, and the mark that the discussion is about; `who` where the column has
 * several.
 */
export const claims = [
  {
    document: '003',
    says: 'None of the algorithms described tolerates the loss of a message.',
    found: [
      ['A1', 'loss', '○'],
      ['A3', 'loss', '○'],
      ['A11', 'loss', '○'],
      ['B1', 'loss', '✗'],
      ['B2', 'loss', '○'],
    ],
    verdict: 'agrees, and says too little',
    discussion:
      'The three locks stop, and stay exclusive. The bully algorithm does worse: it takes silence for a crash, so one lost message makes a second leader.',
  },
  {
    document: '003',
    says: 'Central solution: the crash of a client that neither has the token nor has asked for it is tolerated.',
    found: [
      ['A1', 'idle', '✓'],
      ['A1 mid-release', undefined, '○'],
    ],
    verdict: 'agrees, between two steps',
    discussion:
      'A client that crashes in the middle of its release is idle by its state, and its message to the coordinator is not sent: all others wait forever.',
  },
  {
    document: '003',
    says: 'Central solution: the crash of a client in its critical section, or a lost message, may lead to a deadlock.',
    found: [
      ['A1', 'inside', '○'],
      ['A1', 'waiting', '○'],
      ['A1', 'loss', '○'],
    ],
    verdict: 'agrees',
    discussion:
      'The crash of a waiting client does the same: the coordinator grants it the lock, which never comes back.',
  },
  {
    document: '003',
    says: 'Central solution: the coordinator is a single point of failure.',
    found: [['A1', 'special', '○', 'coordinator']],
    verdict: 'agrees',
    discussion: 'Clients wait for it forever; exclusion holds.',
  },
  {
    document: '003',
    says: 'Distributed solution: n points of failure in place of one; if one process stops, the system stops.',
    found: [
      ['A3', 'idle', '○'],
      ['A3', 'waiting', '○'],
      ['A3', 'inside', '○'],
    ],
    verdict: 'agrees',
    discussion:
      'Also the crash of a node that wants nothing stops the others: they need its reply. Here the central solution stands more.',
  },
  {
    document: '003',
    says: 'Distributed solution: it tolerates a crash if a request–reply protocol is used: a process that does not acknowledge is not active.',
    found: [
      ['A3 acknowledged', 'idle', '✓'],
      ['A3 acknowledged', 'waiting', '✓'],
      ['A3 acknowledged', 'inside', '✓'],
      ['A3 acknowledged', 'step', '✓'],
      ['A3 acknowledged', 'loss', '✗'],
      ['A3 acknowledged', 'restart', '✗'],
    ],
    verdict: 'agrees, at a price',
    discussion:
      'It needs bounded delays, a second inquiry for nodes that crash after they acknowledged (rule RA8), and channels that lose nothing: without acknowledgements a lost message only stops nodes, with them it lets two nodes in. A node that comes back breaks it as well.',
  },
  {
    document: '003',
    says: 'Token ring: no process may crash.',
    found: [
      ['A11', 'idle', '○'],
      ['A11', 'waiting', '○'],
      ['A11', 'inside', '○'],
    ],
    verdict: 'agrees',
    discussion: 'The token is lost with a node that has it, or is sent to one that is down.',
  },
  {
    document: '003',
    says: 'Token ring: a coordinator must generate a lost token anew; the loss is hard to recognise, since it may be a long stay in the critical section.',
    found: [
      ['A11', 'loss', '○'],
      ['A14', 'loss', '✓'],
      ['A14', 'inside', '○'],
      ['A14', 'restart', '✓'],
      ['A14 exclusion', undefined, '✗'],
    ],
    verdict: 'agrees',
    discussion:
      'A14 makes a new token after a timeout, also for a node that crashed with the token; but no token passes a node that stays down, so the ring goes on only when that node is back. It cannot tell a loss from a long stay: without any fault, two nodes can be inside with tokens of different epochs. What holds is exclusion within an epoch, and the epoch is in the fencing token.',
  },
  {
    document: '002',
    says: 'Token-based solutions: safety is trivial.',
    found: [
      ['A11', 'duplication', '✗'],
      ['A4', 'duplication', '✗'],
      ['A5', 'duplication', '✗'],
      ['A6', 'duplication', '✗'],
      ['A7', 'duplication', '✗'],
      ['A8', 'duplication', '✗'],
      ['A9', 'duplication', '✗'],
      ['A10', 'duplication', '✗'],
      ['A3', 'duplication', '✗'],
    ],
    verdict: 'differs where a message is doubled',
    discussion:
      'It is trivial as long as the token is one: a token in a message that is delivered twice is two. A restart of its owner makes a second one as well, but for A9. Solutions by permission are no better there: in A3 a reply that comes twice counts for the next request.',
  },
  {
    document: '002',
    says: 'Token-based solutions: how to notice that the token is lost, and who may generate a new one?',
    found: [
      ['A4', 'loss', '○'],
      ['A7', 'loss', '○'],
      ['A8', 'loss', '○'],
      ['A10', 'loss', '○'],
      ['A7', 'special', '○', 'token holder'],
    ],
    verdict: 'agrees: it is the open question',
    discussion:
      'A lost token, or the crash of its holder, stops every one of these locks, and never lets two nodes in: there is no second token unless somebody makes one.',
  },
  {
    document: '002',
    says: 'Token on a directed tree: is it a problem if messages overtake each other, such as a request the token?',
    found: [['A7', 'order', '✓']],
    verdict: 'no',
    discussion: 'A request that arrives before the token waits in the queue of the node.',
  },
  {
    document: '002',
    says: 'Hunted token on a ring: are FIFO channels necessary?',
    found: [['A10', 'order', '✓']],
    verdict: 'no',
    discussion: 'The table of the locks shows which others need them.',
  },
  {
    document: '003',
    says: 'Bully algorithm: after the crash of the coordinator it finds the active process with the largest id; a process that restarts joins again.',
    found: [
      ['B1', 'special', '✓', 'leader'],
      ['B1', 'step', '✓'],
      ['B1', 'restart', '✓'],
    ],
    verdict: 'agrees',
    discussion:
      'In bounded time, with terms, and with the term on stable storage; without losses (above).',
  },
  {
    document: '003',
    says: 'Ring algorithm: a process knows further nodes of the ring, so that it can skip a successor that it does not reach; no faults occur.',
    found: [
      ['B2', 'idle', '○'],
      ['B2', 'waiting', '○'],
      ['B2 acknowledged', 'idle', '✓'],
      ['B2 acknowledged', 'waiting', '✓'],
      ['B2 acknowledged', 'loss', '✗'],
      ['B2 acknowledged', 'restart', '✗'],
    ],
    verdict: 'agrees, with acknowledgements',
    discussion:
      'The two assumptions exclude each other: who skips a silent successor expects crashes. With acknowledgements in bounded time each crash is tolerated; after a lost message, or where a node comes back, which the same document asks for, the leader ends the election while another node does not know it.',
  },
];
