/** The paper's 5(K−1) is not a bound: a run with as many returned votes as possible. */

import { roleOf, start, step } from '@conclave/core/internal/protocol';
import type { LocalState, Message, Received } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { maekawa } from './protocol.js';

type Step = ReturnType<typeof step>;

const received = (message: Message, from: string): Received<Message> => ({ ...message, from });

/**
 * Entries and messages of n nodes with majority quorums that all request entry once, at the same
 * time; the first is the oldest.
 */
function played(n: number): { readonly entries: number; readonly messages: number } {
  const protocol = maekawa({ quorums: 'majority' });
  const topology = complete(
    Array.from({ length: n }, (_, place) => `n${String(place).padStart(2, '0')}`),
  );
  const ids = topology.nodes;
  const states = new Map<string, LocalState>();
  const channels = new Map<string, Message[]>();
  let [entries, messages] = [0, 0];

  const take = (id: string, { state, effects }: Step) => {
    states.set(id, state);
    for (const effect of effects) {
      if (effect.type !== 'send') continue;
      messages++;
      const channel = `${id} ${effect.to}`;
      channels.set(channel, [...(channels.get(channel) ?? []), effect.message]);
    }
  };
  const { machine, input } = roleOf(protocol, 'n00', topology);
  const give = (id: string, event: Message) => {
    const state = states.get(id);
    if (state) take(id, step(machine, id, state, event));
  };
  const deliver = (channel: string) => {
    const [message, ...rest] = channels.get(channel) ?? [];
    const [from = '', to = ''] = channel.split(' ');
    channels.set(channel, rest);
    if (message) give(to, received(message, from));
  };
  const next = (which: (message: Message) => boolean) =>
    [...channels].find(([, [message]]) => message && which(message))?.[0];
  /** Delivers all messages except requests. */
  const settle = () => {
    for (
      let channel = next(({ type }) => type !== 'request');
      channel;
      channel = next(({ type }) => type !== 'request')
    )
      deliver(channel);
  };
  const request = (from: number, to: number) => {
    const channel = `${ids[from]} ${ids[to % n]}`;
    if (channels.get(channel)?.[0]?.type !== 'request') return;
    deliver(channel);
    settle();
  };

  for (const id of ids) take(id, start(machine, id, input(id, topology)));
  for (const id of ids) give(id, { type: 'acquire' });
  for (let client = n - 1; client >= 0; client--) {
    request(client, client + 2);
    if (client + 2 < n) request(client + 1, client + 2); // it is younger, and is refused
    for (let other = 3; other < (n + 1) / 2; other++) request(client, client + other);
    if (client === 0 || client > (n - 1) / 2) request(client, client + 1);
  }
  for (;;) {
    const channel = next(() => true);
    const holder = ids.find((id) => Object(states.get(id)?.value).client === 'held');
    if (channel) deliver(channel);
    else if (holder) give(holder, { type: 'release' });
    else return { entries, messages };
    if (!channel) entries++;
    settle();
  }
}

describe('maekawa cost, worst case', () => {
  it.each([
    [13, 378],
    [17, 680],
    [21, 1_070],
  ])('majorities of %i nodes: %i messages for an entry each', (n, most) => {
    const { entries, messages } = played(n);
    expect([entries, messages]).toEqual([n, most]);
    const perEntry = messages / entries;
    const size = (n + 1) / 2;
    expect(Math.sign(perEntry - 5 * (size - 1))).toBe(Math.sign(n - 17));
    expect(perEntry).toBeLessThan(6 * size - 3);
  });
});
