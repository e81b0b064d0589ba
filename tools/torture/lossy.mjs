import { tap } from 'rxjs';
import { between } from './random.mjs';

/** A transport that loses, duplicates and delays what is sent over it, with counters. */
export function lossy(transport, { loss, duplication, delay }, random) {
  const counts = { sent: 0, received: 0, lost: 0, duplicated: 0, delayed: 0 };
  let closed = false;
  const hand = (to, message) => {
    if (closed) return;
    if (random.chance(delay)) {
      counts.delayed++; // later messages overtake it
      setTimeout(() => !closed && transport.send(to, message), between(random, 1, 20));
    } else transport.send(to, message);
  };
  const lossyTransport = {
    self: transport.self,
    guarantees: { ...transport.guarantees, order: 'any', loss: true, duplication: true },
    received$: transport.received$.pipe(tap(() => counts.received++)),
    errors$: transport.errors$,
    status$: transport.status$,
    peers$: transport.peers$,
    get refused() {
      return transport.refused;
    },
    admitted: transport.admitted,
    clients: transport.clients,
    send(to, message) {
      counts.sent++;
      if (random.chance(loss)) {
        counts.lost++;
        return;
      }
      hand(to, message);
      if (random.chance(duplication)) {
        counts.duplicated++;
        hand(to, message);
      }
    },
    close() {
      closed = true;
      return transport.close();
    },
    [Symbol.asyncDispose]: () => lossyTransport.close(),
  };
  return { transport: lossyTransport, counts };
}
