import { describe, expect, it } from 'vitest';
import { ConclaveError } from '../base/error.js';
import { checkCosts } from './check-properties.js';
import { centralLock } from './examples.contract.js';
import { always, atMost } from './property.js';

describe('atMost', () => {
  it('names what it counts by default', () => {
    expect(atMost(4, { per: 'acquire' })).toEqual({
      kind: 'atMost',
      name: 'at most 4 messages per acquire',
      most: 4,
      per: 'acquire',
    });
    expect(atMost(1, { per: 'elect' }).name).toBe('at most 1 message per elect');
    expect(atMost(2, { per: 'acquire', of: ['request'] }).name).toBe(
      'at most 2 request messages per acquire',
    );
    expect(atMost(0, { per: 'acquire', of: ['request', 'reply'] }).name).toBe(
      'at most 0 request or reply messages per acquire',
    );
    expect(atMost(4, { per: 'acquire', name: 'it is cheap' }).name).toBe('it is cheap');
  });

  it('refuses values that are not counts, and an empty list', () => {
    for (const most of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => atMost(most, { per: 'acquire' })).toThrow(
        new ConclaveError(
          'bad-input',
          `At most ${most} messages per acquire: that is no count`,
          'Give a whole number, 0 or more.',
        ),
      );
    expect(() => atMost(1, { per: 'acquire', of: [] })).toThrow(
      "'at most 1 message per acquire' counts no messages. Name their types, or leave out of: then all count.",
    );
  });
});

describe('the cost properties of a protocol', () => {
  const refused = (property: ReturnType<typeof atMost>, protocol = centralLock) => {
    try {
      checkCosts(protocol, [property]);
    } catch (error) {
      return error instanceof ConclaveError ? `${error.code}: ${error.message}` : error;
    }
    return undefined;
  };

  it('count its own messages, per optional command of its own', () => {
    expect(refused(atMost(3, { per: 'acquire', of: ['request', 'free'] }))).toBeUndefined();
    expect(refused(atMost(3, { per: 'release', name: 'cheap' }))).toBe(
      "bad-input: Property 'cheap': 'release' is no optional command of 'central-lock'. It has acquire.",
    );
    expect(refused(atMost(3, { per: 'toString', name: 'cheap' }))).toContain(
      "'toString' is no optional command",
    );
    expect(refused(atMost(3, { per: 'acquire', of: ['toString'], name: 'cheap' }))).toBe(
      "bad-input: Property 'cheap': 'toString' is no message of 'central-lock'. It has request, grant, free.",
    );
    expect(
      refused(atMost(3, { per: 'acquire', name: 'cheap' }), { ...centralLock, commands: {} }),
    ).toContain('It has none.');
    expect(() => checkCosts(centralLock, [always('anything', () => true)])).not.toThrow();
  });
});
