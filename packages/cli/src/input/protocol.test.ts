import { oneDayIn } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { protocolFor } from './protocol.js';

it('reads an option that is a list, with commas between its parts', async () => {
  oneDayIn(3);
  const { options } = await protocolFor('A19', { option: ['voters=a,b,c', 'lease=5000'] });
  expect(options).toMatchObject({ voters: ['a', 'b', 'c'], lease: 5000 });
});
