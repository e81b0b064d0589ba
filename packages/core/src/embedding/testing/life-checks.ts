import type { NodeId } from '../../protocol/node.js';
import { reliable } from '../reliable.js';
import { allowedWhileUp, type Check, require, requireError } from './check.js';
import { allArrived, Endpoint, judge, judgeSenders } from './endpoint.js';
import type { TestNetwork } from './test-network.js';

const closeWhileSending: Check = {
  name: 'delivers what was sent before close',
  needs: [],
  run: async ({ open, declared }) => {
    const [a, b, c] = [await open('a'), await open('b'), await open('c')];
    a.sendNumbered('b', 1000);
    await a.close();
    const allowed = allowedWhileUp(a.transport.guarantees, declared);
    if (!allowed.loss) await allArrived('a', b, 1000);
    await c.flush(b);
    judge('a', b, 1000, allowed);
  },
};

const closed: Check = {
  name: "delivers nothing after close, refuses to send with the error 'closed', completes, and may be closed twice",
  needs: [],
  run: async ({ open }) => {
    const [a, b, c] = [await open('a'), await open('b'), await open('c')];
    b.sendNumbered('a', 5);
    await b.flush(a);
    const before = a.received.length;
    const ends = [a.transport.close(), a.transport.close()];
    requireError('closed', 'send after close', () => a.transport.send('b', { type: 'late' }));
    await Promise.all(ends);
    await a.transport[Symbol.asyncDispose]();
    requireError('closed', 'send after close has ended', () =>
      a.transport.send('b', { type: 'late' }),
    );
    const arrived = a.received.length; // the closing node may take what arrives meanwhile
    require(arrived ===
      before, 'A message arrived while the transport was closing, and none was sent');
    try {
      b.sendNumbered('a', 5, 5);
    } catch {
      // a medium may know that there is no such node
    }
    await Promise.all([b.flush(c), c.flush(b)]);
    require(a.received.length === arrived, 'A message arrived after close');
    require(b.received.length === 0, 'A message that was sent after close arrived');
    await a.until('the end of received$', () => a.completed.has('received'));
    let late = false;
    a.transport.received$.subscribe({ complete: () => (late = true) });
    require(late, 'received$ does not complete at once for a subscriber after close');
  },
};

const reopened: Check = {
  name: 'can be closed and opened again while its peers stay',
  needs: ['reopen'],
  run: async ({ open }) => {
    const a = await open('a');
    for (let round = 0; round < 3; round++) {
      const b = await open('b');
      await a.flush(b);
      await b.flush(a);
      await b.close();
    }
    judgeSenders(a);
  },
};

const status: Check = {
  name: "tells its status: 'up' at once, 'closed' with a reason at the end, then it completes",
  needs: ['status'],
  run: async ({ open }) => {
    const a = await open('a');
    require(a.statuses.length > 0, 'status$ does not begin with the present status');
    await a.until("the status 'up' or 'resumed'", () =>
      ['up', 'resumed'].includes(a.statuses.at(-1)?.state ?? ''),
    );
    const late: unknown[] = [];
    a.transport.status$?.subscribe((now) => late.push(now));
    require(late.length ===
      1, 'A later subscriber of status$ does not get the present status alone');
    await a.close();
    await a.until('the end of status$', () => a.completed.has('status'));
    const last = a.statuses.at(-1);
    require(last?.state === 'closed' &&
      last.reason !==
        '', `The last status is ${JSON.stringify(last)}, and not 'closed' with a reason`);
    require(a.statuses.filter(({ state }) => state === 'closed').length ===
      1, "The status 'closed' comes twice");
    const after: unknown[] = [];
    a.transport.status$?.subscribe({
      next: (now) => after.push(now),
      complete: () => after.push('complete'),
    });
    require(after.length === 2 &&
      after[0] === last, "A subscriber of status$ after the end does not get 'closed' and its end");
  },
};

const peers: Check = {
  name: 'tells when a peer was never there, goes and comes back, and completes at the end',
  needs: ['peers', 'reopen'],
  run: async ({ open }) => {
    const [c, b] = [await open('c'), await open('b')];
    /** A medium may learn it only when it sends. */
    const learns = async (id: NodeId, reachable: boolean) => {
      const trying = setInterval(() => c.transport.send(id, { type: 'there?' }), 50);
      const told = () => c.peers.findLast(({ peer }) => peer === id)?.reachable === reachable;
      try {
        await c.until(`the news that ${id} ${reachable ? 'can' : 'cannot'} be reached`, told);
      } finally {
        clearInterval(trying);
      }
    };
    await learns('a', false);
    await c.flush(b);
    await b.close();
    await learns('b', false);
    const again = await open('b');
    await learns('b', true);
    await c.flush(again);
    await c.close();
    await c.until('the end of peers$', () => c.completed.has('peers'));
    require(c.peers.every(({ peer }) =>
      ['a', 'b'].includes(peer),
    ), `peers$ names others than the peers: ${JSON.stringify(c.peers)}`);
  },
};

export const lifeChecks: readonly Check[] = [closeWhileSending, closed, reopened, status, peers];

/** The faults of a network that can make them. */
const faultsOf = ({ interrupt, resume }: TestNetwork) => {
  require(interrupt !== undefined &&
    resume !== undefined, 'A network that can be interrupted needs interrupt and resume');
  return { interrupt, resume };
};

const isDown = (endpoint: Endpoint) => endpoint.statuses.at(-1)?.state === 'down';
const isBack = (endpoint: Endpoint) =>
  ['resumed', 'up'].includes(endpoint.statuses.at(-1)?.state ?? '');

const interruption: Check = {
  name: "tells of an interruption by 'down' with a reason and 'resumed' with its gap, comes back without help, and loses what it declares at most",
  needs: ['interrupt', 'status'],
  run: async ({ network, open, declared }) => {
    const { interrupt, resume } = faultsOf(network);
    const [a, b] = [await open('a'), await open('b')];
    const { guarantees } = a.transport;
    a.sendNumbered('b', 100);
    b.sendNumbered('a', 100);
    if (!allowedWhileUp(guarantees, declared).loss)
      await Promise.all([allArrived('a', b, 100), allArrived('b', a, 100)]);
    await interrupt.call(network);
    await Promise.all(
      [a, b].map((endpoint) => endpoint.until("the status 'down'", () => isDown(endpoint))),
    );
    a.sendNumbered('b', 100, 100); // these may get lost
    b.sendNumbered('a', 100, 100);
    await resume.call(network);
    await Promise.all(
      [a, b].map((endpoint) => endpoint.until("the status 'resumed'", () => isBack(endpoint))),
    );
    await Promise.all([a.flush(b), b.flush(a)]);
    a.sendNumbered('b', 100, 200);
    b.sendNumbered('a', 100, 200);
    if (!guarantees.loss) await Promise.all([allArrived('a', b, 300), allArrived('b', a, 300)]);
    await Promise.all([a.flush(b), b.flush(a)]);
    judge('a', b, 300, guarantees);
    judge('b', a, 300, guarantees);
    for (const endpoint of [a, b]) {
      judgeSenders(endpoint);
      const down = endpoint.statuses.find(({ state }) => state === 'down');
      require(down?.state === 'down' && down.reason !== '', "The status 'down' has no reason");
      const resumed = endpoint.statuses.find(({ state }) => state === 'resumed');
      require(resumed?.state ===
        'resumed', `Node ${endpoint.id} was down, and was never 'resumed': ${JSON.stringify(endpoint.statuses)}`);
      require(resumed.gap ||
        !guarantees.loss, "The status 'resumed' has no gap, although the transport declares loss");
      require(guarantees.loss ||
        !resumed.gap, "The status 'resumed' has a gap, although the transport declares no loss");
    }
  },
};

const bySession: Check = {
  name: 'under reliable(), delivers everything once and in order across two interruptions',
  needs: ['interrupt'],
  run: async ({ network, declared: { patience = 20_000 } }) => {
    const { interrupt, resume } = faultsOf(network);
    const [a, b] = await Promise.all(
      ['a', 'b'].map(
        async (id) =>
          new Endpoint(reliable(await network.transport(id), { mostTimeout: 100 }), patience),
      ),
    );
    require(a !== undefined && b !== undefined, 'unreachable');
    try {
      let sent = 0;
      const more = (count: number) => {
        a.sendNumbered('b', count, sent);
        b.sendNumbered('a', count, sent);
        sent += count;
      };
      for (let round = 0; round < 2; round++) {
        more(50);
        await Promise.all([allArrived('a', b, sent), allArrived('b', a, sent)]);
        more(50); // in flight when it breaks
        await interrupt.call(network);
        more(50);
        await resume.call(network);
        more(50);
      }
      await Promise.all([allArrived('a', b, sent), allArrived('b', a, sent)]);
      await Promise.all([a.flush(b), b.flush(a)]);
      const exactly = { order: 'fifo', loss: false, duplication: false } as const;
      judge('a', b, sent, exactly);
      judge('b', a, sent, exactly);
    } finally {
      await Promise.all([a.close(), b.close()]);
    }
  },
};

export const faultChecks: readonly Check[] = [interruption, bySession];
