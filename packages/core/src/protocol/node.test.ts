import { describe, expect, it } from 'vitest';
import { ConclaveError } from '../base/error.js';
import { choose, notify, send } from './node.js';

describe('effects', () => {
  it('are plain data', () => {
    expect(send('b', { type: 'request', ts: 1 })).toEqual({
      type: 'send',
      to: 'b',
      message: { type: 'request', ts: 1 },
    });
    expect(notify({ type: 'entered' })).toEqual({
      type: 'notify',
      notification: { type: 'entered' },
    });
    expect(choose(1, 'two', null)).toEqual({ type: 'choose', options: [1, 'two', null] });
  });
});

describe('ConclaveError', () => {
  it('says what is wrong, then what to try, and keeps both and the cause', () => {
    const cause = new Error('deep down');
    const error = new ConclaveError('bad-input', 'It is wrong', 'Do it right.', { cause });
    expect(error).toMatchObject({
      name: 'ConclaveError',
      code: 'bad-input',
      cure: 'Do it right.',
      cause,
    });
    expect(error.message).toBe('It is wrong. Do it right.');
    expect(new ConclaveError('closed', 'It is over').message).toBe('It is over');
  });
});
