import { heartbeat } from '@conclave/algorithms/heartbeat';

/** The election of a process, by leases or by messages. Only what it needs is loaded. */
export async function openElection(by, options, embedding) {
  const { election } = await import('@conclave/coordination/election');
  if (by === 'lease') return election({ by, ...embedding, ...options });
  const { bully } = await import('@conclave/algorithms/bully');
  const detector = heartbeat(options.heartbeat);
  return election(bully(options.bully), { ...embedding, detector });
}
