import { expect, test } from 'vitest';
import { RecordText } from './storage.js';

const registration = {
  ...{ node: 'a', storage: '0f', terms: {}, nodes: ['a', 'b'], noted: { b: '1f' } },
  ...{ former: null, bindsFor: 10, registered: true },
};

test('is the record, also where its registration changes, or is missing', () => {
  const texts = new RecordText();
  const records = [
    { incarnation: 1 },
    { incarnation: 1, registration },
    { incarnation: 2, fields: { floor: 3 }, registration },
    { incarnation: 2, fields: { floor: 4 }, registration: { ...registration, bindsFor: 20 } },
    { incarnation: 2, fields: { floor: 5 } },
  ];
  for (const record of records) expect(JSON.parse(texts.of(record))).toEqual(record);
});
