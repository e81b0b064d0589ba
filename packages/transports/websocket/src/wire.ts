import type { NodeId } from '@conclave/core/protocol';

/** The version of what goes over the socket. */
export const wireVersion = '1';

/** The query parameters by which a node says who it is. */
export const parameters = { network: 'network', node: 'node', version: 'conclave' } as const;

/** Why the relay closes a connection, beside the codes of RFC 6455. */
export const closeCodes = { replaced: 4001, refused: 4003, silent: 4008 } as const;

/** What the relay tells a node. */
export type News =
  | { readonly type: 'welcome'; readonly heartbeat: number; readonly peers: readonly NodeId[] }
  | {
      readonly type: 'peer';
      readonly node: NodeId;
      readonly reachable: boolean;
      readonly reason?: string;
    };

/** Sent to ask for the same as an answer: both sides see that the other one is alive. */
export const heartbeat = '\n';

/**
 * A message: one line with the node that it goes to, or comes from at its receiver, as JSON; then
 * the frame. News have an empty first line. JSON never contains a line break.
 */
export const lineOf = (node: NodeId): string => `${JSON.stringify(node)}\n`;

export const newsText = (news: News): string => `\n${JSON.stringify(news)}`;

/** What the first line of a message says: a node, `news`, or nothing that makes sense. */
export function lineFrom(line: string): { readonly node: NodeId } | 'news' | undefined {
  if (line === '') return 'news';
  const node = parsed(line);
  return typeof node === 'string' ? { node } : undefined;
}

export function newsFrom(text: string): News | undefined {
  const value = parsed(text);
  return isNews(value) ? value : undefined;
}

function isNews(value: unknown): value is News {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  if (value.type === 'welcome')
    return (
      'heartbeat' in value &&
      typeof value.heartbeat === 'number' &&
      'peers' in value &&
      Array.isArray(value.peers) &&
      value.peers.every((peer) => typeof peer === 'string')
    );
  return (
    value.type === 'peer' &&
    'node' in value &&
    typeof value.node === 'string' &&
    'reachable' in value &&
    typeof value.reachable === 'boolean'
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
