import { proof } from '@conclave/tools/sample';
import { expect } from 'vitest';
import { protocolFor } from './protocol.js';

proof('reads an option that is a list, with commas between its parts', async () => {
  const { options } = await protocolFor('A19', { option: ['voters=a,b,c', 'lease=5000'] });
  expect(options).toMatchObject({ voters: ['a', 'b', 'c'], lease: 5000 });
});
