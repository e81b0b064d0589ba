import { loadProtocol } from '@conclave/algorithms/load';
import { catalogue } from '@conclave/tools/catalogue';
import { describe, expect, it } from 'vitest';
import { leafPaths, looksOf } from './looks.js';

const of = async (name: string) => looksOf(await loadProtocol(name));

describe('looks', () => {
  it('gives critical and leading states strong looks, those of the start none, waiting ones the same in each protocol, and the others numbers in the order of the chart', async () => {
    const lock = await of('raymond');
    expect(
      ['released.away', 'released.here', 'released.asked', 'wanted', 'held'].map((text) =>
        lock.state(text),
      ),
    ).toEqual(['initial', 'initial', 'state-1', 'state-0', 'strong-0']);
    const election = await of('lelann-chang-roberts');
    expect(
      ['passive.asleep', 'active', 'leader.known', 'follower'].map((text) => election.state(text)),
    ).toEqual(['initial', 'state-0', 'strong-0', 'strong-1']);
  });

  it('looks at the region that matters among parallel ones', async () => {
    const { state } = await of('maekawa');
    const [wanted, free, locked] = [
      state('client.wanted.hoping & voter.free'),
      'voter.free',
      'voter.locked',
    ];
    expect(state(`client.released & ${free}`)).toBe('initial');
    expect(state(`client.wanted.hoping & ${locked}`)).toBe(wanted);
    expect(state(`client.held & ${locked}`)).toBe('strong-0');
    expect(state(`client.released & ${locked}`)).not.toBe(wanted);
    expect(state(`client.released & ${locked}`)).toMatch(/^state-/);
  });

  it('gives every state and message of the catalogue a look that the page has, whatever is asked first', () => {
    for (const { make } of catalogue) {
      const protocol = make();
      const { state, message } = looksOf(protocol);
      for (const type of Object.keys(protocol.messages))
        expect(message(type)).toMatch(/^message-[0-4]$/);
      const texts = Object.values(protocol.roles).flatMap(({ machine }) =>
        Object.keys(machine.states),
      );
      const backwards = looksOf(make());
      const reversed = texts.toReversed().map((text) => backwards.state(text));
      expect(texts.map((text) => state(text))).toEqual(reversed.reverse());
      for (const text of texts) expect(state(text)).toMatch(/^(initial|state-[0-5]|strong-[0-2])$/);
    }
  });

  it('reads the innermost states of a text', () => {
    expect(leafPaths('a.(b.c & d.(e & f.g)) & h')).toEqual(['a.b.c', 'a.d.e', 'a.d.f.g', 'h']);
  });
});
