import { reliable } from '../reliable.js';
import { allowedWhileUp, type Check, require } from './check.js';
import { Endpoint } from './endpoint.js';
import { allArrived, judge, judgeSenders } from './judge.js';
import type { TestNetwork } from './test-network.js';

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
