import type { Protocol } from '@conclave/core/protocol';

/** `protocol` with clients that ask so often: otherwise the numbers of questions have no end. */
export function withQuestions(protocol: Protocol, questions: number): Protocol {
  const { client } = protocol.roles;
  if (!client) throw new Error(`${protocol.name} has no role 'client'`);
  const input: typeof client.input = (...of) => ({ ...Object(client.input(...of)), questions });
  return { ...protocol, roles: { ...protocol.roles, client: { ...client, input } } };
}
