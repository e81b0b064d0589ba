import { expect, it } from 'vitest';
import { Links } from './links.js';

const ping = { from: 'a', to: 'b', call: 'ping', message: { type: 'ping' }, past: [] };

/** A message with this number arrived at the first, or the second, run of the receiver b. */
interface Receipt {
  readonly incarnation: number;
  readonly number: number;
}
const atFirst = (number: number): Receipt => ({ incarnation: 1, number });
const atSecond = (number: number): Receipt => ({ incarnation: 2, number });

/** Which of five messages, which a sent while b ran for the first time, are said to be lost. */
function lostAmongFive(...receipts: readonly Receipt[]): readonly number[] {
  const links = new Links(false);
  for (let number = 1; number <= 5; number++) links.send(1, number, { ...ping, event: number });
  for (const { incarnation, number } of receipts) {
    const receipt = links.look('a', 'b', [1, number], incarnation);
    links.receive('a', 'b', [1, number], incarnation, receipt);
  }
  const firstIncarnation = () => 1;
  return [...links.missing(firstIncarnation)].flatMap(({ number, isLost }) =>
    isLost ? number : [],
  );
}

it('a message is lost if a later one arrived at an incarnation that was up before', () => {
  expect(lostAmongFive(atFirst(1), atFirst(2))).toEqual([]);
  expect(lostAmongFive(atFirst(2), atFirst(4))).toEqual([1, 3]);
  // 2 and 3 may have come while the node was down
  expect(lostAmongFive(atFirst(1), atSecond(4))).toEqual([]);
  expect(lostAmongFive(atFirst(1), atSecond(3), atSecond(5))).toEqual([4]);
});
