import { expect, it } from 'vitest';
import { Links } from './links.js';

const ping = { from: 'a', to: 'b', call: 'ping', message: { type: 'ping' }, past: [] };

/** Which of five messages are said to be lost. The receiver first ran as incarnation 1. */
function lost(...receipts: readonly (readonly [receiver: number, number: number])[]) {
  const links = new Links(false);
  for (let number = 1; number <= 5; number++) links.send(1, number, { ...ping, event: number });
  for (const [receiver, number] of receipts) {
    const receipt = links.look('a', 'b', [1, number], receiver);
    links.receive('a', 'b', [1, number], receiver, receipt);
  }
  return [...links.missing(() => 1)].flatMap(({ number, isLost }) => (isLost ? number : []));
}

it('a message is lost if a later one arrived at an incarnation that was up before', () => {
  expect(lost([1, 1], [1, 2])).toEqual([]);
  expect(lost([1, 2], [1, 4])).toEqual([1, 3]);
  // 2 and 3 may have come while the node was down
  expect(lost([1, 1], [2, 4])).toEqual([]);
  expect(lost([1, 1], [2, 3], [2, 5])).toEqual([4]);
});
